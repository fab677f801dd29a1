// SPDX-License-Identifier: Apache-2.0
//
// Holds Kubernetes manifests, a JSON array on stdin, against the schemas of kubernetes-models and
// prints what is wrong, a line each: types, values and what is missing by the schemas' validators,
// and every key that the validators never looked at, as those take any key. Status 1 if anything is.
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";

const require = createRequire(import.meta.url);

// Kinds of others than Kubernetes, as far as they are used: a string is a value's type, an array has
// items of its one element, "*" stands for any key.
const labels = { "*": "string" };
const handMade = {
  "monitoring.coreos.com/v1 ServiceMonitor": {
    apiVersion: "string",
    kind: "string",
    metadata: { name: "string", labels },
    spec: {
      selector: { matchLabels: labels },
      endpoints: [{ port: "string", path: "string", interval: "string" }],
    },
  },
};

// The value, which notes the keys that are read of it, at any depth.
function watched(value, path, unread) {
  if (typeof value !== "object" || value === null) return value;
  const children = new Map();
  for (const key of Object.keys(value)) {
    const at = `${path}/${key}`;
    unread.add(at);
    children.set(key, watched(value[key], at, unread));
  }
  return new Proxy(value, {
    get(target, key) {
      unread.delete(`${path}/${String(key)}`);
      return children.has(key) ? children.get(key) : target[key];
    },
  });
}

function schemaName({ apiVersion, kind }) {
  const [group, version] = apiVersion.includes("/") ? apiVersion.split("/") : ["core", apiVersion];
  const capital = (word) => word[0].toUpperCase() + word.slice(1);
  return `IoK8sApi${capital(group.split(".")[0])}${capital(version)}${kind}`;
}

function bySchema(manifest) {
  // By its path, as the package exports no schema by itself.
  const file = `./node_modules/kubernetes-models/_schemas/${schemaName(manifest)}.js`;
  const { validate } = require(file);
  const unread = new Set();
  const isValid = validate(watched(manifest, "", unread));
  const wrong = isValid
    ? []
    : validate.errors.map((e) => `${e.instancePath}: ${e.keyword} ${JSON.stringify(e.params)}`);
  const within = (path) => unread.has(path.slice(0, path.lastIndexOf("/")));
  const unknown = [...unread].filter((path) => !within(path));
  return [...wrong, ...unknown.map((path) => `${path}: no such field`)];
}

function byHand(value, schema, path = "") {
  if (typeof schema === "string") {
    return typeof value === schema ? [] : [`${path}: must be ${schema}`];
  }
  if (typeof value !== "object" || Array.isArray(value) !== Array.isArray(schema)) {
    return [`${path}: must be ${Array.isArray(schema) ? "an array" : "an object"}`];
  }
  return Object.entries(value).flatMap(([key, child]) => {
    const of = Array.isArray(schema) ? schema[0] : schema[key] ?? schema["*"];
    return of ? byHand(child, of, `${path}/${key}`) : [`${path}/${key}: no such field`];
  });
}

let found = 0;
for (const manifest of JSON.parse(await text(process.stdin))) {
  const schema = handMade[`${manifest.apiVersion} ${manifest.kind}`];
  for (const line of schema ? byHand(manifest, schema) : bySchema(manifest)) {
    console.log(`${manifest.kind} ${manifest.metadata?.name}: ${line}`);
    ++found;
  }
}
process.exitCode = found ? 1 : 0;
