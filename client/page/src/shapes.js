// SPDX-License-Identifier: Apache-2.0
//
// Shapes of clearance.v1 as meshes. Every convex shape is drawn as the hull of some of its points,
// rounded by its radius: a picture of it, while the server works with the shape itself.

import { BufferGeometry, Group, Mesh, MeshStandardMaterial, Vector3 } from "three";
import { IcosahedronGeometry } from "three";
import { ConvexGeometry } from "three/examples/jsm/geometries/ConvexGeometry.js";
import { mergeVertices } from "three/examples/jsm/utils/BufferGeometryUtils.js";

const CIRCLE_POINTS = 48;
// Of a hull; beyond it some are left out of the picture. A rounded one has a ball of points about each.
const MOST_POINTS = 4000;
const MOST_ROUNDED_POINTS = 500;

const vector = ({ x = 0, y = 0, z = 0 } = {}) => new Vector3(x, y, z);

function triples(numbers) {
  return Array.from({ length: numbers.length / 3 }, (_, i) => new Vector3(...numbers.slice(3 * i, 3 * i + 3)));
}

function thinned(points, most) {
  const step = Math.ceil(points.length / most);
  return step > 1 ? points.filter((_, i) => i % step === 0) : points;
}

function circle(radius, z) {
  return Array.from({ length: CIRCLE_POINTS }, (_, i) => {
    const angle = (2 * Math.PI * i) / CIRCLE_POINTS;
    return new Vector3(radius * Math.cos(angle), radius * Math.sin(angle), z);
  });
}

function ball(detail) {
  // Each triangle of the geometry has corners of its own: every point once is enough.
  const position = mergeVertices(new IcosahedronGeometry(1, detail).deleteAttribute("normal").deleteAttribute("uv"))
    .getAttribute("position");
  return Array.from({ length: position.count }, (_, i) => new Vector3().fromBufferAttribute(position, i));
}

/** The core's points and the radius about them. */
const KINDS = {
  point: () => ({ points: [new Vector3()] }),
  segment: ({ a, b }) => ({ points: [vector(a), vector(b)] }),
  triangle: ({ a, b, c }) => ({ points: [vector(a), vector(b), vector(c)] }),
  sphere: ({ radius }) => ({ points: [new Vector3()], radius }),
  capsule: ({ radius, halfLength }) => ({
    points: [new Vector3(0, 0, -halfLength), new Vector3(0, 0, halfLength)],
    radius,
  }),
  box: ({ halfExtents }) => {
    const half = vector(halfExtents);
    const signs = [-1, 1];
    return {
      points: signs.flatMap((x) => signs.flatMap((y) => signs.map((z) => new Vector3(x, y, z).multiply(half)))),
    };
  },
  hull: ({ vertices }) => ({ points: triples(vertices) }),
  polygon: ({ vertices }) => ({
    points: Array.from({ length: vertices.length / 2 }, (_, i) => new Vector3(vertices[2 * i], vertices[2 * i + 1], 0)),
  }),
  cylinder: ({ radius, halfLength }) => ({ points: [...circle(radius, -halfLength), ...circle(radius, halfLength)] }),
  cone: ({ radius, halfLength }) => ({ points: [...circle(radius, -halfLength), new Vector3(0, 0, halfLength)] }),
  ellipsoid: ({ semiAxes }) => ({ points: ball(3).map((point) => point.multiply(vector(semiAxes))) }),
};

function convexGeometry(shape) {
  const kind = Object.keys(KINDS).find((name) => shape[name]);
  if (!kind) return new BufferGeometry();
  const { points, radius = 0 } = KINDS[kind](shape[kind]);
  const size = points.reduce((most, point) => Math.max(most, point.length()), 0) + radius + (shape.sweptSphereRadius ?? 0);
  // What is flat is shown with a thickness, for one can see and take hold of that alone.
  const rounded = Math.max(radius + (shape.sweptSphereRadius ?? 0), points.length < 4 || kind === "polygon" ? 0.01 * size : 0);
  if (!rounded) return new ConvexGeometry(thinned(points, MOST_POINTS));
  const offsets = ball(points.length < 50 ? 3 : 1);
  return new ConvexGeometry(
    thinned(points, MOST_ROUNDED_POINTS).flatMap((point) => offsets.map((offset) => point.clone().addScaledVector(offset, rounded))),
  );
}

/** Any shape, its frame the group's. */
export function meshOf(shape, color) {
  const material = new MeshStandardMaterial({ color, flatShading: true, transparent: true, opacity: 0.88 });
  const group = new Group();
  for (const piece of shape.compound?.pieces ?? [{ shape, pose: [] }]) {
    const mesh = new Mesh(convexGeometry(piece.shape), material);
    const [x = 0, y = 0, z = 0, qx = 0, qy = 0, qz = 0, qw = 1] = piece.pose ?? [];
    mesh.position.set(x, y, z);
    mesh.quaternion.set(qx, qy, qz, qw).normalize();
    group.add(mesh);
  }
  return group;
}

/** Frees what the graphics card holds of a mesh. */
export function dispose(group) {
  for (const mesh of group.children) {
    mesh.geometry.dispose();
    mesh.material.dispose();
  }
}

/** Shapes to begin with, beside those that are registered. */
export const SAMPLES = {
  box: { box: { halfExtents: { x: 0.5, y: 0.35, z: 0.3 } } },
  ball: { sphere: { radius: 0.4 } },
  capsule: { capsule: { radius: 0.2, halfLength: 0.5 } },
  cylinder: { cylinder: { radius: 0.35, halfLength: 0.45 } },
  cone: { cone: { radius: 0.45, halfLength: 0.5 } },
  ellipsoid: { ellipsoid: { semiAxes: { x: 0.6, y: 0.35, z: 0.25 } } },
  tetrahedron: { hull: { vertices: [0.5, 0.5, 0.5, 0.5, -0.5, -0.5, -0.5, 0.5, -0.5, -0.5, -0.5, 0.5] } },
  "rounded triangle": {
    triangle: { a: { x: -0.5, y: -0.3, z: 0 }, b: { x: 0.5, y: -0.3, z: 0 }, c: { x: 0, y: 0.5, z: 0.3 } },
    sweptSphereRadius: 0.08,
  },
};
