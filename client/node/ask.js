// SPDX-License-Identifier: Apache-2.0
//
// Registers two shapes and asks how far apart they are: once in a call, then for a row of poses in a
// session. Usage: node ask.js [ADDRESS]. The folder with clearance/v1/*.proto is ../../proto, or the
// one that the variable CLEARANCE_PROTO names.

import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import grpc from '@grpc/grpc-js';
import protoLoader from '@grpc/proto-loader';

const address = process.argv[2] ?? '127.0.0.1:50051';

const protos = process.env.CLEARANCE_PROTO ?? fileURLToPath(new URL('../../proto', import.meta.url));
if (!existsSync(`${protos}/clearance/v1/query_service.proto`)) {
  console.error(`ask.js: ${protos} has no clearance/v1/query_service.proto; copy the project's folder proto, and say where it is: CLEARANCE_PROTO=FOLDER node ask.js`);
  process.exit(1);
}

// Field names as in the protos; 64-bit numbers as text, since a JavaScript number holds 53 bits.
const services = ['clearance/v1/query_service.proto', 'clearance/v1/shape_service.proto'];
const definition = protoLoader.loadSync(services, {
  includeDirs: [protos],
  keepCase: true,
  longs: String,
  enums: String,
  defaults: true,
});
const { ShapeService, QueryService } = grpc.loadPackageDefinition(definition).clearance.v1;
const credentials = grpc.credentials.createInsecure();
const shapes = new ShapeService(address, credentials);
const queries = new QueryService(address, credentials);

const call = (client, method, request) =>
  new Promise((resolve, reject) => {
    const options = { deadline: Date.now() + 10_000 };
    client[method](request, options, (error, response) => (error ? reject(error) : resolve(response)));
  });

// x y z qx qy qz qw, metres.
const at = (x) => [x, 0, 0, 0, 0, 0, 1];

function print(title, result) {
  console.log(title);
  for (let row = 0; row < result.count; ++row) {
    const state = result.states[row].replace('STATE_', '');
    const bracket = `[${result.lower_bounds[row]}, ${result.upper_bounds[row]}]`;
    console.log(`  ${state}  ${result.distances[row]} m, proved to lie in ${bracket}`);
  }
}

async function register() {
  const crate = { box: { half_extents: { x: 0.2, y: 0.2, z: 0.1 } } };
  const ball = { sphere: { radius: 0.05 } };
  for (const [name, shape] of Object.entries({ crate, ball })) {
    const { info } = await call(shapes, 'RegisterShape', { name, shape });
    console.log(`registered ${info.name}: ${info.digest}`);
  }
}

const detail = { distances: true, bounds: true };

async function askOnce() {
  const response = await call(queries, 'Distance', {
    shapes: [{ name: 'crate' }, { name: 'ball' }],
    batch: { pairs: { count: 1, slots_a: [0], slots_b: [1], poses_b: at(1) }, detail },
  });
  print('one call:', response.result);
}

// Replies come in the order of the messages; their tags are those of the requests.
async function askInSession() {
  const session = queries.Session({ deadline: Date.now() + 10_000 });
  const replies = session[Symbol.asyncIterator]();
  const say = async (message) => {
    // False: the buffer is full, and the server sets the pace.
    if (!session.write(message)) await once(session, 'drain');
    const { value: reply } = await replies.next();
    if (reply.status?.code) throw new Error(`message ${reply.tag}: ${reply.status.message}`);
    return reply;
  };
  await say({ tag: 1, open: { slot: 0, shape: { name: 'crate' } } });
  await say({ tag: 2, open: { slot: 1, shape: { name: 'ball' } } });
  // A column has no row (its default), one for all, or one for each: B stands at three places, A at the origin.
  const poses_b = [1, 0.5, 0.2].flatMap(at);
  const { distance } = await say({
    tag: 3,
    distance: { pairs: { count: 3, slots_a: [0], slots_b: [1], poses_b }, detail },
  });
  print('a session:', distance);
  session.end();
  if (!(await replies.next()).done) throw new Error('the server said more than it was asked');
}

try {
  await register();
  await askOnce();
  await askInSession();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
} finally {
  shapes.close();
  queries.close();
}
