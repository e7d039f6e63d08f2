// Clients with HTTP/2 of their own pass the gate before gRPC, which waits for their acknowledgement of SETTINGS.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import grpc from '@grpc/grpc-js';
import { serve } from './server.mjs';

const CHECK = '/grpc.health.v1.Health/Check';

let server;
let folder;
let body;  // An empty message.
before(async () => {
  server = await serve();
  folder = mkdtempSync(join(tmpdir(), 'toolgate-http2-'));
  body = join(folder, 'empty');
  writeFileSync(body, Buffer.alloc(5));
});
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server.stop();
});

const headers = ['-H', 'content-type: application/grpc', '-H', 'te: trailers'];
const missing = (command) => spawnSync(command, ['--version']).error !== undefined && `${command} is not installed`;

test('grpc-js, calls at once on each of many connections', async () => {
  const bytes = (value) => value;
  const Health = grpc.makeGenericClientConstructor({ Check: {
    path: CHECK, requestStream: false, responseStream: false, requestSerialize: bytes, requestDeserialize: bytes,
    responseSerialize: bytes, responseDeserialize: bytes } });
  const clients = Array.from({ length: 20 }, () => new Health(
    server.address, grpc.credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 }));
  await Promise.all(clients.flatMap((client) => Array.from({ length: 10 }, () => new Promise((resolve, reject) => {
    client.Check(Buffer.alloc(0), (error, answer) => error ? reject(error) : resolve(answer));
  }))));
  for (const client of clients) client.close();
});

test('nghttp2, as h2load', { skip: missing('h2load') }, () => {
  const run = spawnSync('h2load', ['-n', '400', '-c', '20', '-m', '20', '-d', body, ...headers,
    `http://${server.address}${CHECK}`], { encoding: 'utf8' });
  assert.match(run.stdout, /400 succeeded, 0 failed, 0 errored, 0 timeout/, run.stdout + run.stderr);
});

test('nghttp2, as curl', { skip: missing('curl') }, () => {
  const run = spawnSync('curl', ['-sS', '--http2-prior-knowledge', '-o', '/dev/null', '-w', '%{http_code} %{http_version}',
    ...headers, '--data-binary', `@${body}`, `http://${server.address}${CHECK}`], { encoding: 'utf8' });
  assert.equal(run.stdout, '200 2', run.stderr);
});

test('gRPC\'s own, from Python', (t) => {
  const program = [
    'import grpc, sys',
    'for _ in range(10):',
    '    with grpc.insecure_channel(sys.argv[1], [("grpc.use_local_subchannel_pool", 1)]) as channel:',
    `        print(channel.unary_unary("${CHECK}")(b"", timeout=60))`,
  ].join('\n');
  const run = spawnSync('/usr/bin/python3', ['-c', program, server.address], { encoding: 'utf8' });
  if (/No module named/.test(run.stderr)) return t.skip('python3-grpcio is not installed');
  assert.equal(run.stdout, 'b\'\\x08\\x01\'\n'.repeat(10), run.stderr);
});
