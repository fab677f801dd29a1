// SPDX-License-Identifier: Apache-2.0
//
// The calls that the server's HTTP port passes on for its page: JSON of clearance.v1, as protobuf
// maps it.

let token = "";

/** Credentials of every call from here on; kept in this page alone. */
export function setToken(text) {
  token = text;
}

export class CallError extends Error {
  /** reasons: what the server says, with the field and the value that are at fault. */
  constructor(status, { message, field, value }) {
    super(field ? `${message} (${field}: ${value})` : message);
    this.status = status;
  }
}

// The server takes four calls of all its pages at once: one is left for another page.
const MOST_AT_ONCE = 3;
let underWay = 0;
const waiting = [];

/** call("ShapeService/ListShapes", {…}): the response; a CallError where it is refused. */
export async function call(method, request) {
  if (underWay === MOST_AT_ONCE) await new Promise((resolve) => waiting.push(resolve));
  else ++underWay;
  try {
    return await callNow(method, request);
  } finally {
    // Whoever waits takes over the place.
    if (waiting.length) waiting.shift()();
    else --underWay;
  }
}

async function callNow(method, request) {
  const headers = { "Content-Type": "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  const reply = await fetch(`/call/${method}`, {
    method: "POST",
    headers,
    body: JSON.stringify(request),
  });
  const text = await reply.text();
  const isJson = reply.headers.get("Content-Type") === "application/json";
  if (!reply.ok) throw new CallError(reply.status, isJson ? JSON.parse(text) : { message: text });
  return JSON.parse(text);
}

/** Every page of the list, up to `most` shapes. */
export async function listShapes(most) {
  const shapes = [];
  let pageToken = "";
  do {
    const page = await call("ShapeService/ListShapes", { pageSize: 1000, pageToken });
    shapes.push(...page.shapes);
    pageToken = page.nextPageToken;
  } while (pageToken && shapes.length < most);
  return shapes.slice(0, most);
}

/** When the server began, by its own clock, in seconds since 1970: of what it tells Prometheus. */
export async function startSeconds() {
  const metrics = await (await fetch("/metrics")).text();
  return Number(/^process_start_time_seconds (\S+)$/m.exec(metrics)?.[1]);
}
