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

/** call("ShapeService/ListShapes", {…}): the response; a CallError where it is refused. */
export async function call(method, request) {
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

/** For how long the server has run, seconds: of what it tells Prometheus. */
export async function uptimeSeconds() {
  const metrics = await (await fetch("/metrics")).text();
  const start = /^process_start_time_seconds (\S+)$/m.exec(metrics);
  return start ? Date.now() / 1000 - Number(start[1]) : NaN;
}
