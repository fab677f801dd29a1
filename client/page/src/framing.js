// SPDX-License-Identifier: Apache-2.0
//
// Where a camera must stand so that bodies of any size fill its picture.

import { AmbientLight, Box3, DirectionalLight, MathUtils, Scene, Sphere } from "three";

const LEAST_RADIUS = 1e-9; // of a point

/** A sphere about all of them, in the world. */
export function sphereAround(...bodies) {
  const box = new Box3();
  for (const body of bodies) box.expandByObject(body, true);
  const sphere = box.getBoundingSphere(new Sphere());
  sphere.radius = Math.max(sphere.radius, LEAST_RADIUS);
  return sphere;
}

/** Moves the camera along `direction`, of unit length, until it sees the whole sphere. */
export function frame(camera, { center, radius }, direction) {
  const vertical = MathUtils.degToRad(camera.fov) / 2;
  const narrower = Math.min(vertical, Math.atan(Math.tan(vertical) * camera.aspect));
  camera.position.copy(center).addScaledVector(direction, radius / Math.sin(narrower));
  camera.lookAt(center);
}

/** What is drawn lies about `center`: from a hundredth of the way there up to a hundred times as far. */
export function setDepths(camera, center) {
  const distance = camera.position.distanceTo(center);
  camera.near = distance / 100;
  camera.far = distance * 100;
  camera.updateProjectionMatrix();
}

export function litScene() {
  const scene = new Scene();
  scene.add(new AmbientLight(0xffffff, 1.6));
  const sun = new DirectionalLight(0xffffff, 2.2);
  sun.position.set(2, -3, 5);
  scene.add(sun);
  return scene;
}
