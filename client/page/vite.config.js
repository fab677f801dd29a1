// SPDX-License-Identifier: Apache-2.0
import { defineConfig } from "vite";

export default defineConfig({
  build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 800, modulePreload: { polyfill: false } },
  // Of a server that runs elsewhere: CLEARANCE_HTTP=http://127.0.0.1:9464 npx vite
  server: { proxy: { "/call": process.env.CLEARANCE_HTTP ?? "http://127.0.0.1:9464" } },
});
