// SPDX-License-Identifier: Apache-2.0
//
// The two shapes, what lies between them, and the mouse on them. World axes, z up, metres.

import {
  ArrowHelper,
  Box3,
  BufferGeometry,
  GridHelper,
  Line,
  LineBasicMaterial,
  Mesh,
  MeshBasicMaterial,
  PerspectiveCamera,
  Plane,
  Raycaster,
  SphereGeometry,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

import { frame, litScene, setDepths, sphereAround } from "./framing.js";
import { dispose, meshOf } from "./shapes.js";

export const COLORS = { a: 0x2f6db5, b: 0xc8622d };
const GROUND = 0xf2f5f8;
const START = {
  a: { position: [-0.8, 0, 0], quaternion: [0, 0, 0.2, 0.98] },
  b: { position: [0.8, 0.2, 0.1], quaternion: [0.3, 0.2, 0, 0.93] },
};
const START_DIRECTION = new Vector3(0.14, -0.88, 0.46).normalize();
const TURN_RADIANS_PER_PIXEL = 0.01;
// Of what marks the closest points, by how far the camera is away: as large on the canvas at any scale.
const DOT = 0.0055;
const ARROW = 0.09;
const GRID_CELLS = 24;
const SHARE_SEEN = 0.9; // of the radius of a sphere about both: its rim is mostly empty

/** The round length (1, 2 or 5 of some power of ten) nearest above. */
function roundLength(length) {
  const power = 10 ** Math.floor(Math.log10(length));
  return [1, 2, 5, 10].find((digit) => digit * power >= length) * power;
}

export class View {
  /** onMoved: called whenever the user has moved a shape. */
  constructor(canvas, onMoved) {
    this.canvas = canvas;
    this.onMoved = onMoved;
    this.bodies = {};
    this.renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(window.devicePixelRatio);
    this.renderer.setClearColor(GROUND);
    this.scene = this.#makeScene();
    this.camera = new PerspectiveCamera(40);
    this.camera.up.set(0, 0, 1);
    this.camera.position.copy(START_DIRECTION);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("change", () => this.draw());
    canvas.addEventListener("pointerdown", (event) => this.#beginDrag(event), { capture: true });
    new ResizeObserver(() => this.#fit()).observe(canvas);
    this.#fit();
  }

  /** Returns whether the shape stands elsewhere than before: beside the other one, where it could not stay. */
  setShape(side, shape) {
    const body = meshOf(shape, COLORS[side]);
    const old = this.bodies[side];
    const oldRadius = old && sphereAround(old).radius;
    if (old) {
      body.position.copy(old.position);
      body.quaternion.copy(old.quaternion);
      this.scene.remove(old);
      dispose(old);
    } else {
      body.position.set(...START[side].position);
      body.quaternion.set(...START[side].quaternion).normalize();
    }
    this.bodies[side] = body;
    this.scene.add(body);
    if (side === "b") this.#setGhost(shape);
    const isMoved = this.#keepInSight(side, oldRadius);
    this.lookAt("a", "b");
    return isMoved;
  }

  /** Turns to the bodies of these sides, from where the camera is now. */
  lookAt(...sides) {
    const bodies = sides.map((side) => this.bodies[side]).filter(Boolean);
    if (!bodies.length) return;
    const sphere = sphereAround(...bodies);
    const direction = this.camera.position.clone().sub(this.controls.target).normalize();
    frame(this.camera, { center: sphere.center, radius: SHARE_SEEN * sphere.radius }, direction);
    this.controls.target.copy(sphere.center);
    this.#layGrid(sphere);
    this.controls.update();
    this.draw();
  }

  /** How far apart both bodies' middles are. */
  get spacing() {
    return sphereAround(this.bodies.a).center.distanceTo(sphereAround(this.bodies.b).center);
  }

  /** x y z qx qy qz qw */
  poseOf(side) {
    const { position, quaternion } = this.bodies[side];
    return [...position.toArray(), ...quaternion.toArray()];
  }

  /** Moves it there, as its frame stands in the world. */
  place(side, xyz) {
    this.bodies[side].position.set(...xyz);
    this.bodies[side].quaternion.identity();
    this.onMoved();
  }

  /** Where a point of the world is on the canvas, in its pixels: for tests. */
  pixelOf(xyz) {
    const seen = new Vector3(...xyz).project(this.camera);
    const { width, height } = this.canvas.getBoundingClientRect();
    return [((seen.x + 1) / 2) * width, ((1 - seen.y) / 2) * height];
  }

  /** The closest points and the normal from A to B; null hides them. */
  showClosest(closest) {
    for (const part of [this.line, this.pointA, this.pointB, this.normal]) part.visible = closest !== null;
    if (closest !== null) {
      const a = new Vector3(...closest.a);
      const b = new Vector3(...closest.b);
      this.line.geometry.setFromPoints([a, b]);
      this.pointA.position.copy(a);
      this.pointB.position.copy(b);
      this.normal.position.copy(a);
      this.normal.setDirection(new Vector3(...closest.normal));
    }
    this.draw();
  }

  /** B where it first touches; null hides it. */
  showContact(displacement) {
    this.ghost.visible = displacement !== null;
    if (displacement !== null) {
      this.ghost.position.copy(this.bodies.b.position).add(new Vector3(...displacement));
      this.ghost.quaternion.copy(this.bodies.b.quaternion);
    }
    this.draw();
  }

  draw() {
    setDepths(this.camera, this.controls.target);
    this.#sizeMarks();
    this.renderer.render(this.scene, this.camera);
  }

  /** Of another size it stands beside the other one, as it does where it would lie in it or far away. */
  #keepInSight(side, oldRadius) {
    const other = this.bodies[side === "a" ? "b" : "a"];
    if (!other) return false;
    const here = sphereAround(this.bodies[side]);
    const there = sphereAround(other);
    const distance = here.center.distanceTo(there.center);
    const together = here.radius + there.radius;
    const growth = here.radius / (oldRadius ?? here.radius);
    const isNear = distance > Math.max(here.radius, there.radius) / 2 && distance < 4 * together;
    if (isNear && 0.5 < growth && growth < 2) return false;
    const gap = Math.min(here.radius, there.radius) / 2;
    const place = there.center.clone();
    place.x += (side === "a" ? -1 : 1) * (together + gap);
    this.bodies[side].position.add(place.sub(here.center));
    return true;
  }

  #layGrid({ center, radius }) {
    const bodies = new Box3();
    for (const body of Object.values(this.bodies)) bodies.expandByObject(body);
    this.gridStep = roundLength(radius / 5);
    this.grid.scale.setScalar(this.gridStep);
    const snapped = (x) => Math.round(x / this.gridStep) * this.gridStep;
    this.grid.position.set(snapped(center.x), snapped(center.y), bodies.min.z - radius / 20);
  }

  #sizeMarks() {
    for (const dot of [this.pointA, this.pointB])
      dot.scale.setScalar(DOT * this.camera.position.distanceTo(dot.position));
    const length = ARROW * this.camera.position.distanceTo(this.normal.position);
    this.normal.setLength(length, length / 4, length / 7);
  }

  #setGhost(shape) {
    if (this.ghost) {
      this.scene.remove(this.ghost);
      dispose(this.ghost);
    }
    this.ghost = meshOf(shape, COLORS.b);
    for (const mesh of this.ghost.children) mesh.material.opacity = 0.25;
    this.ghost.visible = false;
    this.scene.add(this.ghost);
  }

  #makeScene() {
    const scene = litScene();
    this.grid = new GridHelper(GRID_CELLS, GRID_CELLS, 0x9aa5b1, 0xd5dbe2);
    this.grid.rotation.x = Math.PI / 2;
    scene.add(this.grid);
    const ink = 0x16202b;
    // Over the shapes, which are transparent and so drawn late.
    const style = { color: ink, depthTest: false, transparent: true };
    const dot = () => new Mesh(new SphereGeometry(1), new MeshBasicMaterial(style));
    this.line = new Line(new BufferGeometry(), new LineBasicMaterial(style));
    this.pointA = dot();
    this.pointB = dot();
    this.normal = new ArrowHelper(new Vector3(1, 0, 0), new Vector3(), 1, 0x2b7a39);
    for (const { material } of this.normal.children) Object.assign(material, { depthTest: false, transparent: true });
    for (const part of [this.line, this.pointA, this.pointB, this.normal]) {
      part.traverse((object) => (object.renderOrder = 1));
      part.visible = false;
      scene.add(part);
    }
    return scene;
  }

  #fit() {
    const { clientWidth, clientHeight } = this.canvas;
    if (!clientWidth || !clientHeight) return;
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.camera.aspect = clientWidth / clientHeight;
    this.draw();
  }

  #rayAt(event) {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    const at = new Vector2(((event.clientX - left) / width) * 2 - 1, 1 - ((event.clientY - top) / height) * 2);
    const caster = new Raycaster();
    caster.setFromCamera(at, this.camera);
    return caster;
  }

  #beginDrag(event) {
    const [hit] = this.#rayAt(event).intersectObjects(Object.values(this.bodies));
    if (!hit) return; // the controls turn the camera
    event.stopImmediatePropagation();
    const body = hit.object.parent;
    const move = event.shiftKey ? this.#turner(body, event) : this.#mover(body, hit.point);
    const moved = (next) => {
      move(next);
      this.onMoved();
    };
    this.canvas.setPointerCapture(event.pointerId);
    this.canvas.addEventListener("pointermove", moved);
    const end = () => this.canvas.removeEventListener("pointermove", moved);
    this.canvas.addEventListener("pointerup", end, { once: true });
    this.canvas.addEventListener("pointercancel", end, { once: true });
  }

  /** In the plane through the point that was taken, facing the camera. */
  #mover(body, taken) {
    const plane = new Plane().setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new Vector3()), taken);
    const held = taken.clone().sub(body.position);
    return (event) => {
      const at = this.#rayAt(event).ray.intersectPlane(plane, new Vector3());
      if (at) body.position.copy(at.sub(held));
    };
  }

  #turner(body, { clientX, clientY }) {
    let last = { clientX, clientY };
    return (event) => {
      const right = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 0);
      const up = new Vector3().setFromMatrixColumn(this.camera.matrixWorld, 1);
      body.rotateOnWorldAxis(up, (event.clientX - last.clientX) * TURN_RADIANS_PER_PIXEL);
      body.rotateOnWorldAxis(right, (event.clientY - last.clientY) * TURN_RADIANS_PER_PIXEL);
      body.quaternion.normalize();
      last = event;
    };
  }
}
