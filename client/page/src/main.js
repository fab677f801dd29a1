// SPDX-License-Identifier: Apache-2.0
//
// What the page shows and asks. Every movement asks this server anew, one question at a time: while
// one is on its way, the newest state waits.

import { call, CallError, listShapes, setToken, startSeconds } from "./calls.js";
import { Gallery } from "./gallery.js";
import { SAMPLES } from "./shapes.js";
import { View } from "./view.js";

const MOST_LISTED = 2000;
const MOST_PICTURES = 24;
const REFRESH_MILLISECONDS = 10_000;
const element = (id) => document.getElementById(id);
const say = (id, text) => (element(id).textContent = text);
const chosen = { a: "sample:box", b: "sample:tetrahedron" }; // of both lists, there or gone since
const view = new View(element("view"), () => ask());
const gallery = new Gallery(element("gallery"), contentOf, take);
const references = {}; // of A and B, as requests have them
const known = { shapes: [] }; // of the server

const digits = (number) => (typeof number === "number" ? String(number) : (number ?? ""));
const fixed = (x) => (Math.round(x * 1e4) / 1e4 || 0).toFixed(4); // of -0 too
const vectorText = (column) => (column?.length ? column.map(fixed).join("  ") : "–");
const stateText = (state) => state.replace(/^(MOTION_)?STATE_/, "");

function showError(error) {
  say("error", error.message);
}

async function contentOf(name) {
  return (await call("ShapeService/GetShape", { name, includeContent: true })).shape;
}

function uptimeText() {
  const seconds = Math.floor((performance.now() - known.upSince) / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return (hours ? `${hours} h ` : "") + (hours || minutes ? `${minutes} min ` : "") + `${seconds % 60} s`;
}

function sayServer() {
  if (known.fault || !known.info) return say("server", known.fault ?? "asking the server …");
  const { shapes } = known;
  const count = shapes.length < MOST_LISTED ? `${shapes.length}` : `${MOST_LISTED} or more`;
  return say("server", `version ${known.info.version}, up for ${uptimeText()}, ${count} registered shapes`);
}

function showLimits() {
  element("limits").replaceChildren(
    ...Object.entries(known.info.limits ?? {}).map(([name, value]) => {
      const row = document.createElement("tr");
      row.insertCell().textContent = name;
      row.insertCell().textContent = value;
      return row;
    }),
  );
}

/** Asks what the server is and, where the registry has changed, what is in it. */
async function showServer() {
  known.info = await call("ServerService/GetServerInfo", {});
  const start = await startSeconds();
  // By this page's own clock, which nobody sets.
  known.upSince = performance.now() - (Date.parse(known.info.serverTime) - 1000 * start);
  showLimits();
  const state = `${start} ${known.info.revision}`;
  if (known.state === state) return;
  const old = new Map(known.shapes.map(({ name, digest }) => [name, digest]));
  known.shapes = await listShapes(MOST_LISTED);
  known.state = state;
  await showShapes(old);
}

/** old: digests of before, by name: what has other content now is drawn and asked anew. */
async function showShapes(old) {
  const { shapes } = known;
  for (const side of ["a", "b"]) fillChoice(side, shapes);
  for (const side of ["a", "b"]) {
    const shape = shapes.find(({ name }) => name === references[side]?.name);
    if (shape && shape.digest !== old.get(shape.name)) await choose(side).catch(showError);
  }
  const rest = shapes.length - MOST_PICTURES;
  say("more", rest > 0 ? `and ${rest} more, in the lists of A and B` : "");
  element("registered").hidden = !shapes.length;
  gallery.show(shapes.slice(0, MOST_PICTURES));
  gallery.mark({ a: references.a?.name, b: references.b?.name });
}

function fillChoice(side, shapes) {
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
  select.value = chosen[side];
  select.onchange = () => choose(side).catch(showError);
}

function take(side, name) {
  element(`shape-${side}`).value = `name:${name}`;
  choose(side).catch(showError);
}

async function choose(side) {
  const value = element(`shape-${side}`).value;
  chosen[side] = value;
  const [, kind, name] = /^(\w+):(.*)$/s.exec(value);
  const shape = kind === "sample" ? SAMPLES[name] : await contentOf(name);
  if (chosen[side] !== value) return; // another one was chosen meanwhile
  references[side] = kind === "sample" ? { inlineShape: shape } : { name };
  const isMoved = view.setShape(side, shape);
  if (isMoved) suggestDisplacement();
  gallery.mark({ a: references.a?.name, b: references.b?.name });
  say("grid", `one square is ${view.gridStep} m`);
  ask();
}

/** Of B towards A and a little beyond, so that there is something to see at any scale. */
function suggestDisplacement() {
  const [x, y, z] = element("displacement").querySelectorAll("input");
  x.value = (-1.25 * view.spacing).toPrecision(2);
  y.value = z.value = 0;
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
  element("answers").setAttribute("aria-busy", true);
  while (isStale) {
    isStale = false;
    await askOnce().catch(showError);
  }
  isAsking = false;
  element("answers").setAttribute("aria-busy", false);
}

async function begin() {
  await showServer();
  await choose("a");
  await choose("b");
}

let isRefreshing = false;
async function refresh() {
  if (isRefreshing || document.hidden) return;
  isRefreshing = true;
  try {
    await (references.b ? showServer() : begin());
    known.fault = undefined;
    element("access").hidden = true;
  } catch (error) {
    known.fault = `no answer: ${error.message}`;
    if (error instanceof CallError && error.status === 401) element("access").hidden = false;
  }
  isRefreshing = false;
  sayServer();
}

function lookAt(...sides) {
  view.lookAt(...sides);
  say("grid", `one square is ${view.gridStep} m`);
}

element("look-a").addEventListener("click", () => lookAt("a"));
element("look-b").addEventListener("click", () => lookAt("b"));
element("look-both").addEventListener("click", () => lookAt("a", "b"));
element("displacement").addEventListener("input", ask);
element("refresh").addEventListener("click", refresh);
document.addEventListener("visibilitychange", refresh);
element("access").addEventListener("submit", (event) => {
  event.preventDefault();
  setToken(element("token").value);
  refresh();
});
window.clearanceView = view; // for tests
setInterval(refresh, REFRESH_MILLISECONDS);
setInterval(sayServer, 1000);
refresh();
