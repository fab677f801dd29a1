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

function register(address, name, shape) {
  const file = join(directory, "shape.json");
  writeFileSync(file, JSON.stringify(shape));
  const run = spawnSync(CLEARANCE_CLI, ["--addr", address, "register", "--replace", name, file], { encoding: "utf8" });
  assert.equal(run.status, 0, run.stderr);
}

async function openPage(origin, prepare = async () => {}) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 720 } });
  await prepare(page);
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
// All that was asked is answered.
const settles = (page) => page.locator('#answers[aria-busy="false"]').waitFor();
const LONGEST = { timeout: 120_000 };

async function chooseBalls(page) {
  for (const side of ["a", "b"]) await page.selectOption(`#shape-${side}`, "sample:ball");
  await page.evaluate(() => {
    window.clearanceView.place("a", [-0.8, 0, 0]);
    window.clearanceView.place("b", [1, 0, 0]);
  });
  await shows(page, "distance", /^1 m$/);
}

/** Of the window, as the mouse has it. */
async function pixelOf(page, xyz) {
  const box = await page.locator("#view").boundingBox();
  const [x, y] = await page.evaluate((xyz) => window.clearanceView.pixelOf(xyz), xyz);
  return [box.x + x, box.y + y];
}

async function drag(page, from, to) {
  await page.mouse.move(...from);
  await page.mouse.down();
  await page.mouse.move(...to, { steps: 5 });
  await page.mouse.up();
}

const cardOf = (page, name) => page.locator("#gallery li", { has: page.getByText(name, { exact: true }) });

const isTaken = (page, name, side) => cardOf(page, name).locator(`button.${side}[aria-pressed="true"]`).waitFor();

/** Which part of its picture a registered shape fills. */
const filled = (page, name) =>
  cardOf(page, name)
    .locator("canvas")
    .evaluate((canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return data.filter((value, i) => i % 4 === 3 && value > 0).length / (canvas.width * canvas.height);
    });

/** As soon as it is drawn. */
async function pictureOf(page, name) {
  await cardOf(page, name).and(page.locator(".drawn")).waitFor();
  return filled(page, name);
}

/** From the origin to a box of these half extents at that pose. */
function distanceToBox(halfExtents, [x, y, z, qx, qy, qz, qw]) {
  // The origin in the box's frame: minus the place, turned back.
  const v = [-x, -y, -z];
  const u = [-qx, -qy, -qz];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const twice = cross(u, v).map((value) => 2 * value);
  const turned = v.map((value, i) => value + qw * twice[i] + cross(u, twice)[i]);
  return Math.hypot(...turned.map((value, i) => Math.max(Math.abs(value) - halfExtents[i], 0)));
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
  assert.match(await textOf(page, "server"), /version \d+\.\d+\.\d+, up for \d+ s, 0 registered shapes/);
  assert.match(await textOf(page, "limits"), /maxBatchRows\s*100000/);
  assert.equal(await page.locator("#registered").isVisible(), false);
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
  await drag(page, await pixelOf(page, [1, 0, 0]), await pixelOf(page, [-0.5, 0, 0]));
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

test("turns a shape that is dragged with Shift", LONGEST, async () => {
  const { origin } = await startServer("turn");
  const page = await openPage(origin);
  await page.selectOption("#shape-a", "sample:ball");
  await page.selectOption("#shape-b", "sample:box");
  await page.evaluate(() => {
    window.clearanceView.place("a", [0, 0, 0]);
    window.clearanceView.place("b", [2, 0, 0]);
  });
  await shows(page, "distance", /^1\.1 m$/);
  await page.click("#look-both");
  const [x, y] = await pixelOf(page, [2, 0, 0]);
  await page.keyboard.down("Shift");
  await drag(page, [x, y], [x + 70, y + 30]);
  await page.keyboard.up("Shift");
  await settles(page);
  const pose = await page.evaluate(() => window.clearanceView.poseOf("b"));
  assert.deepEqual(pose.slice(0, 3), [2, 0, 0]);
  assert.ok(Math.abs(pose[6]) < Math.cos(0.3), `turned by too little: ${pose}`);
  const expected = distanceToBox([0.5, 0.35, 0.3], pose) - 0.4;
  assert.ok(Math.abs(parseFloat(await textOf(page, "distance")) - expected) < 1e-9, `${expected}`);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test("draws registered shapes, takes them at a click, and says what the server refuses", LONGEST, async () => {
  const { origin, address } = await startServer("registered");
  register(address, "crate", { box: { half_extents: { x: 0.2, y: 0.3, z: 0.4 } } });
  register(address, "needle", { segment: { a: { z: -1 }, b: { z: 1 } }, swept_sphere_radius: 0.01 });
  const page = await openPage(origin);
  await shows(page, "server", "2 registered shapes");
  const [crate, needle] = [await pictureOf(page, "crate"), await pictureOf(page, "needle")];
  assert.ok(0.1 < crate && crate < 0.9 && 0 < needle && needle < crate / 3, `${crate} ${needle}`);
  await cardOf(page, "crate").getByText("A", { exact: true }).click();
  await isTaken(page, "crate", "a");
  assert.equal(await page.locator("#shape-a").inputValue(), "name:crate");
  await page.evaluate(() => window.clearanceView.place("a", [-1, 0, 0]));
  await page.selectOption("#shape-b", "sample:ball");
  await page.evaluate(() => window.clearanceView.place("b", [1, 0, 0]));
  await shows(page, "distance", /^1\.(4|39999)\d* m$/);
  register(address, "crate", { box: { half_extents: { x: 0.3, y: 0.3, z: 0.3 } } });
  await page.click("#refresh");
  await shows(page, "distance", /^1\.(3|29999)\d* m$/);
  assert.deepEqual(page.faults, []);
  spawnSync(CLEARANCE_CLI, ["--addr", address, "delete", "crate"]);
  await page.evaluate(() => window.clearanceView.place("b", [2, 0, 0]));
  await shows(page, "error", "crate");
  await page.click("#refresh");
  await shows(page, "server", "1 registered shapes");
  assert.equal(await cardOf(page, "crate").count(), 0);
  await page.close();
});

test("draws two dozen shapes and names the rest", LONGEST, async () => {
  const { origin, address } = await startServer("many");
  for (let i = 10; i < 36; ++i) register(address, `ball/${i}`, { sphere: { radius: i / 10 } });
  const page = await openPage(origin);
  await shows(page, "more", "and 2 more");
  assert.ok((await pictureOf(page, "ball/33")) > 0.1);
  assert.equal(await page.locator("#gallery li").count(), 24);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test("shows parts of a centimetre and halls of fifty metres", LONGEST, async () => {
  const { origin, address } = await startServer("sizes");
  register(address, "part", { box: { half_extents: { x: 0.005, y: 0.005, z: 0.005 } } });
  register(address, "hall", { box: { half_extents: { x: 25, y: 25, z: 5 } } });
  const page = await openPage(origin);
  // How long an edge of this half length at the middle of B is on the canvas.
  const edge = (half) =>
    page.evaluate((half) => {
      const [x, y, z] = window.clearanceView.poseOf("b");
      const [from, to] = [-half, half].map((up) => window.clearanceView.pixelOf([x, y, z + up]));
      return Math.hypot(to[0] - from[0], to[1] - from[1]);
    }, half);
  for (const [name, half] of [["part", 0.005], ["hall", 5]]) {
    await page.selectOption("#shape-a", `name:${name}`);
    await page.selectOption("#shape-b", `name:${name}`);
    for (const side of ["a", "b"]) await isTaken(page, name, side);
    await settles(page);
    assert.ok((await edge(half)) > 20, name);
    assert.equal(await textOf(page, "state"), "SEPARATED", name);
    assert.equal(await textOf(page, "motion-state"), "HIT", name);
  }
  await page.selectOption("#shape-b", "name:part");
  await isTaken(page, "part", "b");
  assert.ok((await edge(0.005)) < 1);
  await page.click("#look-b");
  assert.ok((await edge(0.005)) > 100);
  await page.click("#look-both");
  assert.ok((await edge(0.005)) < 1);
  assert.deepEqual(page.faults, []);
  await page.close();
});

test("tells for how long the server runs, and what is new, by itself", LONGEST, async () => {
  const { origin, address } = await startServer("time");
  const page = await openPage(origin, (page) => page.clock.install());
  await shows(page, "server", "0 registered shapes");
  const uptime = async () => Number(/up for (\d+) s/.exec(await textOf(page, "server"))[1]);
  const before = await uptime();
  await page.clock.fastForward(5000);
  // Of whole seconds, and by two clocks.
  assert.ok((await uptime()) >= before + 4, `${before} ${await uptime()}`);
  register(address, "late", { sphere: { radius: 0.1 } });
  await page.clock.fastForward(6000);
  await shows(page, "server", "1 registered shapes");
  assert.ok((await pictureOf(page, "late")) > 0.1);
  assert.deepEqual(page.faults, []);
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

const box = (x, y, z) => ({ box: { half_extents: { x, y, z } } });
const PARTS = {
  can: { cylinder: { radius: 0.12, half_length: 0.2 } },
  crate: box(0.3, 0.2, 0.2),
  funnel: { cone: { radius: 0.25, half_length: 0.25 } },
  gem: {
    hull: {
      vertices: [0, 1, 2, 3, 4, 5].flatMap((k) => {
        const [x, y] = [Math.cos((k * Math.PI) / 3), Math.sin((k * Math.PI) / 3)];
        return [0.3 * x, 0.3 * y, 0, 0.15 * x, 0.15 * y, 0.15, 0, 0, -0.3];
      }),
    },
  },
  gripper: {
    compound: {
      pieces: [
        { shape: { cylinder: { radius: 0.14, half_length: 0.16 } }, pose: [-0.31, 0, 0, 0, Math.SQRT1_2, 0, Math.SQRT1_2] },
        { shape: box(0.07, 0.34, 0.13), pose: [-0.08, 0, 0, 0, 0, 0, 1] },
        { shape: { ...box(0.2, 0.03, 0.07), swept_sphere_radius: 0.02 }, pose: [0.17, 0.28, 0, 0, 0, 0, 1] },
        { shape: { ...box(0.2, 0.03, 0.07), swept_sphere_radius: 0.02 }, pose: [0.17, -0.28, 0, 0, 0, 0, 1] },
      ],
    },
  },
  pebble: { ellipsoid: { semi_axes: { x: 0.3, y: 0.2, z: 0.12 } } },
  plate: { polygon: { vertices: [-0.3, -0.2, 0.3, -0.2, 0.35, 0.1, 0, 0.3, -0.35, 0.1] }, swept_sphere_radius: 0.02 },
  rod: { capsule: { radius: 0.06, half_length: 0.3 } },
};

test("is what its picture shows", LONGEST, async () => {
  const { origin, address } = await startServer("picture");
  for (const [name, shape] of Object.entries(PARTS)) register(address, name, shape);
  const page = await openPage(origin);
  for (const name of Object.keys(PARTS)) assert.ok((await pictureOf(page, name)) > 0.05, name);
  await cardOf(page, "gripper").getByText("A", { exact: true }).click();
  await cardOf(page, "can").getByText("B", { exact: true }).click();
  await isTaken(page, "gripper", "a");
  await isTaken(page, "can", "b");
  await page.locator("#displacement input").first().fill("-0.8");
  await page.evaluate(() => {
    window.clearanceView.place("a", [0, 0, 0]);
    window.clearanceView.place("b", [0.75, 0.1, 0]);
  });
  await shows(page, "motion-state", "HIT");
  await settles(page);
  await page.click("#look-both");
  await page.locator("footer").hover();
  await page.screenshot({ path: CLEARANCE_PICTURE });
  assert.deepEqual(page.faults, []);
  await page.close();
});
