// SPDX-License-Identifier: Apache-2.0
//
// What the page shows and asks. Every movement asks this server anew, one question at a time: while
// one is on its way, the newest state waits.

import { call, CallError, listShapes, setToken, uptimeSeconds } from "./calls.js";
import { SAMPLES } from "./shapes.js";
import { View } from "./view.js";

const MOST_LISTED = 2000;
const element = (id) => document.getElementById(id);
const say = (id, text) => (element(id).textContent = text);
const view = new View(element("view"), () => ask());
const references = {}; // of A and B, as requests have them

const digits = (number) => (typeof number === "number" ? String(number) : (number ?? ""));
const vectorText = (column) => (column?.length ? column.map((x) => x.toFixed(4)).join("  ") : "–");
const stateText = (state) => state.replace(/^(MOTION_)?STATE_/, "");

function showError(error) {
  say("error", error.message);
  element("access").hidden = element("access").hidden && !(error instanceof CallError && error.status === 401);
}

async function showServer() {
  const info = await call("ServerService/GetServerInfo", {});
  const shapes = await listShapes(MOST_LISTED);
  const count = shapes.length < MOST_LISTED ? `${shapes.length}` : `${MOST_LISTED} or more`;
  const minutes = Math.floor((await uptimeSeconds()) / 60);
  say("server", `version ${info.version}, up for ${minutes} min, ${count} registered shapes`);
  element("limits").replaceChildren(
    ...Object.entries(info.limits ?? {}).map(([name, value]) => {
      const row = document.createElement("tr");
      row.insertCell().textContent = name;
      row.insertCell().textContent = value;
      return row;
    }),
  );
  return shapes;
}

function fillChoice(side, shapes, chosen) {
  const group = (label, names, kind) => {
    const options = document.createElement("optgroup");
    options.label = label;
    options.append(...names.map((name) => new Option(name, `${kind}:${name}`)));
    return options;
  };
  const select = element(`shape-${side}`);
  select.replaceChildren(group("samples", Object.keys(SAMPLES), "sample"));
  if (shapes.length)
    select.append(
      group(
        "registered",
        shapes.map((shape) => shape.name),
        "name",
      ),
    );
  select.value = chosen;
  select.onchange = () => choose(side).catch(showError);
}

async function choose(side) {
  const [, kind, name] = /^(\w+):(.*)$/s.exec(element(`shape-${side}`).value);
  const shape =
    kind === "sample" ? SAMPLES[name] : (await call("ShapeService/GetShape", { name, includeContent: true })).shape;
  references[side] = kind === "sample" ? { inlineShape: shape } : { name };
  view.setShape(side, shape);
  ask();
}

function showDistance({ result }) {
  say("state", stateText(result.states[0]));
  say("distance", result.distances.length ? `${digits(result.distances[0])} m` : "–");
  say("bracket", `[${digits(result.lowerBounds[0])}, ${digits(result.upperBounds[0])}]`);
  say("point-a", vectorText(result.pointsA));
  say("point-b", vectorText(result.pointsB));
  say("normal", vectorText(result.normals));
  const isKnown = result.normals.some((x) => x !== 0);
  view.showClosest(isKnown ? { a: result.pointsA, b: result.pointsB, normal: result.normals } : null);
}

function showMotion({ result }, displacement) {
  const state = stateText(result.states[0]);
  const isHit = state === "HIT";
  say("motion-state", state);
  say("t-free", digits(result.tFree[0]));
  say("t-hit", isHit ? digits(result.tHit[0]) : "–");
  view.showContact(isHit ? displacement.map((x) => x * result.tHit[0]) : null);
}

async function askOnce() {
  const shapes = [references.a, references.b];
  const pairs = { count: 1, posesA: view.poseOf("a"), posesB: view.poseOf("b") };
  const displacement = [...element("displacement").querySelectorAll("input")].map((input) => input.valueAsNumber || 0);
  const began = performance.now();
  const [distance, motion] = await Promise.all([
    call("QueryService/Distance", {
      shapes,
      batch: { pairs, detail: { distances: true, bounds: true, points: true, normals: true } },
    }),
    call("QueryService/TimeOfCollision", {
      shapes,
      batch: { pairs, displacementsB: displacement, detail: { times: true } },
    }),
  ]);
  say("time", `both answers after ${(performance.now() - began).toFixed(1)} ms`);
  say("error", "");
  showDistance(distance);
  showMotion(motion, displacement);
}

let isAsking = false;
let isStale = false;
async function ask() {
  if (!references.a || !references.b) return;
  isStale = true;
  if (isAsking) return;
  isAsking = true;
  while (isStale) {
    isStale = false;
    await askOnce().catch(showError);
  }
  isAsking = false;
}

async function begin() {
  const shapes = await showServer();
  fillChoice("a", shapes, "sample:box");
  fillChoice("b", shapes, "sample:tetrahedron");
  await choose("a");
  await choose("b");
}

element("displacement").addEventListener("input", ask);
element("access").addEventListener("submit", (event) => {
  event.preventDefault();
  setToken(element("token").value);
  begin().catch(showError);
});
window.clearanceView = view; // for tests
begin().catch(showError);
