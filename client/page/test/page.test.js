// SPDX-License-Identifier: Apache-2.0
//
// The built page in a real browser, against real servers: `./dev page`. Distances of balls are known
// without any solver.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { chromium } from "playwright-core";

const { CLEARANCE_SERVER, CLEARANCE_CLI, CLEARANCE_PAGE, CLEARANCE_PICTURE, CLEARANCE_CHROMIUM } = process.env;
const directory = mkdtempSync(join(tmpdir(), "clearance-page-"));
const children = [];
let browser;

function writtenFile(path, child) {
  return new Promise((resolve, reject) => {
    child.on("exit", (code) => reject(new Error(`the server ended with ${code}`)));
    const look = () => existsSync(path) && (watcher.close(), resolve(JSON.parse(readFileSync(path))));
    const watcher = watch(directory, look);
    look();
  });
}

async function startServer(name, flags = []) {
  const portFile = join(directory, `${name}.ports`);
  const child = spawn(
    CLEARANCE_SERVER,
    ["--listen=127.0.0.1:0", "--http_listen=127.0.0.1:0", `--port_file=${portFile}`, `--page_dir=${CLEARANCE_PAGE}`, "--log_level=warning", ...flags],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  children.push(child);
  const ports = await writtenFile(portFile, child);
  return { origin: `http://127.0.0.1:${ports.http_port}`, address: `127.0.0.1:${ports.grpc_port}` };
}

async function openPage(origin) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 720 } });
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(String(error)));
  page.on("console", (message) => message.type() === "error" && page.faults.push(message.text()));
  page.on("request", (request) => request.url().startsWith(origin) || page.faults.push(request.url()));
  await page.goto(origin);
  return page;
}

const textOf = (page, id) => page.locator(`#${id}`).textContent();
// Without a function to wait for: the page's policy forbids to evaluate text.
const shows = (page, id, text) => page.locator(`#${id}`, { hasText: text }).waitFor({ state: "attached" });
const LONGEST = { timeout: 120_000 };

async function chooseBalls(page) {
  for (const side of ["a", "b"]) await page.selectOption(`#shape-${side}`, "sample:ball");
  await page.evaluate(() => {
    window.clearanceView.place("a", [-0.8, 0, 0]);
    window.clearanceView.place("b", [1, 0, 0]);
  });
  await shows(page, "distance", /^1 m$/);
}

before(async () => {
  browser = await chromium.launch({
    executablePath: CLEARANCE_CHROMIUM,
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  });
});

after(async () => {
  await browser?.close();
  for (const child of children) child.kill("SIGKILL");
  rmSync(directory, { recursive: true });
});

test("shows what runs, and both shapes with their distance", LONGEST, async () => {
  const { origin } = await startServer("plain");
  const page = await openPage(origin);
  await shows(page, "state", "SEPARATED");
  assert.match(await textOf(page, "server"), /version \d+\.\d+\.\d+, up for \d+ min, 0 registered shapes/);
  assert.match(await textOf(page, "limits"), /maxBatchRows\s*100000/);
  await page.screenshot({ path: CLEARANCE_PICTURE });
  await chooseBalls(page);
  const [lower, upper] = JSON.parse(await textOf(page, "bracket"));
  assert.ok(lower <= 1 && 1 <= upper && upper - lower < 1e-9, `${lower} ${upper}`);
  assert.equal(await textOf(page, "motion-state"), "HIT");
  assert.ok(Math.abs(Number(await textOf(page, "t-hit")) - 0.5) < 1e-9);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test("asks anew as a shape is dragged and as the motion changes", LONGEST, async () => {
  const { origin } = await startServer("drag");
  const page = await openPage(origin);
  await shows(page, "state", "SEPARATED");
  await chooseBalls(page);
  const box = await page.locator("#view").boundingBox();
  const at = async (xyz) => {
    const [x, y] = await page.evaluate((xyz) => window.clearanceView.pixelOf(xyz), xyz);
    return [box.x + x, box.y + y];
  };
  await page.mouse.move(...(await at([1, 0, 0])));
  await page.mouse.down();
  await page.mouse.move(...(await at([-0.5, 0, 0])), { steps: 5 });
  await page.mouse.up();
  await shows(page, "state", "PENETRATING");
  const [a, b] = await page.evaluate(() => [window.clearanceView.poseOf("a"), window.clearanceView.poseOf("b")]);
  const depth = 0.8 - Math.hypot(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
  assert.ok(depth > 0.1, `dragged into each other by ${depth}`);
  await shows(page, "distance", `-${String(depth).slice(0, 8)}`);
  await shows(page, "motion-state", "INITIALLY_OVERLAPPING");
  await page.evaluate(() => window.clearanceView.place("b", [1, 0, 0]));
  await page.locator("#displacement input").first().fill("2");
  await shows(page, "motion-state", "FREE");
  assert.deepEqual(page.faults, []);
  await page.close();
});

test("draws registered shapes, and says what the server refuses", LONGEST, async () => {
  const { origin, address } = await startServer("registered");
  const file = join(directory, "crate.json");
  writeFileSync(file, JSON.stringify({ box: { half_extents: { x: 0.2, y: 0.3, z: 0.4 } } }));
  const registered = spawnSync(CLEARANCE_CLI, ["--addr", address, "register", "crate", file]);
  assert.equal(registered.status, 0, String(registered.stderr));
  const page = await openPage(origin);
  await shows(page, "server", "1 registered shapes");
  await page.selectOption("#shape-a", "name:crate");
  await page.evaluate(() => window.clearanceView.place("a", [-1, 0, 0]));
  await page.selectOption("#shape-b", "sample:ball");
  await page.evaluate(() => window.clearanceView.place("b", [1, 0, 0]));
  await shows(page, "distance", "1.4");
  spawnSync(CLEARANCE_CLI, ["--addr", address, "delete", "crate"]);
  await page.evaluate(() => window.clearanceView.place("b", [2, 0, 0]));
  await shows(page, "error", "crate");
  await page.close();
});

test("asks for a token where there is a policy", LONGEST, async () => {
  const made = spawnSync(CLEARANCE_SERVER, ["--new_token=looker"], { encoding: "utf8" });
  const [token, line] = made.stdout.split("\n");
  writeFileSync(join(directory, "tokens"), `${line}\n`);
  writeFileSync(join(directory, "policy"), JSON.stringify({ principals: { looker: { role: "query" } } }));
  const { origin } = await startServer("policy", [
    `--policy_file=${join(directory, "policy")}`,
    `--token_file=${join(directory, "tokens")}`,
  ]);
  const page = await openPage(origin);
  await page.locator("#access").waitFor({ state: "visible" });
  await page.fill("#token", token);
  await page.click("#access button");
  await shows(page, "state", "SEPARATED");
  await page.close();
});
