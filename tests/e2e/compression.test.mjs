// Messages that claim to be compressed: refused, and never inflated. Sent over bare HTTP/2, because a gRPC client would
// not send most of them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import http2 from 'node:http2';
import { after, before, test } from 'node:test';
import zlib from 'node:zlib';
import { serve } from './server.mjs';

const UNIMPLEMENTED = '12';
const MIB = 1 << 20;

let server;
before(async () => { server = await serve(); });
after(() => server.stop());

// A request message on the wire, with the flag for compression.
function framed(compressed, bytes) {
  const head = Buffer.alloc(5);
  head[0] = compressed ? 1 : 0;
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

// The response's headers and trailers combined.
function send(path, headers, body) {
  return new Promise((resolve, reject) => {
    const session = http2.connect(`http://${server.address}`);
    session.on('error', reject);
    const request = session.request(
      { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers', ...headers });
    let answer = {};
    request.on('response', (received) => { answer = { ...answer, ...received }; });
    request.on('trailers', (received) => { answer = { ...answer, ...received }; });
    request.on('error', reject);
    request.on('data', () => {});
    request.on('close', () => { session.close(); resolve(answer); });
    request.end(body);
  });
}

// ListTools without any field set; development callers are believed.
const LIST_TOOLS = '/toolgate.v1.ToolService/ListTools';
const EMPTY = Buffer.alloc(0);

// One mebibyte of gzip that inflates to a gibibyte of zeros. Each block is independent, so one can be repeated. The
// checksum at the end is left out: it is only checked last.
function bomb() {
  const block = zlib.deflateRawSync(Buffer.alloc(16 * MIB), { level: 9, finishFlush: zlib.constants.Z_FULL_FLUSH });
  const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
  return Buffer.concat([header, ...Array(64).fill(block)]);
}

// The server's peak memory, in MiB.
function peak() {
  const [, kib] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'));
  return Number(kib) / 1024;
}

test('an answer says that the server reads no compression', async () => {
  const answer = await send(LIST_TOOLS, { 'grpc-accept-encoding': 'identity,deflate,gzip' }, framed(false, EMPTY));
  assert.equal(answer['grpc-status'], '0');
  assert.equal(answer['grpc-accept-encoding'], 'identity');
  assert.ok([undefined, 'identity'].includes(answer['grpc-encoding']), answer['grpc-encoding']);
});

for (const [encoding, deflate] of [['gzip', zlib.gzipSync], ['deflate', zlib.deflateSync]]) {
  test(`${encoding} is not implemented, whether the message is compressed or not`, async () => {
    for (const body of [framed(true, deflate(EMPTY)), framed(false, EMPTY)]) {
      const answer = await send(LIST_TOOLS, { 'grpc-encoding': encoding }, body);
      assert.equal(answer['grpc-status'], UNIMPLEMENTED);
      assert.match(decodeURIComponent(answer['grpc-message']), new RegExp(`'${encoding}' is disabled`));
    }
  });
}

// The text of gRPC's protocol asks for INTERNAL and UNIMPLEMENTED here. gRPC 1.51 ignores the flag and unknown
// encodings, and passes the bytes on unchanged; a service that parses them as a message finds them invalid.
test('a message that is compressed in an unknown or unnamed way is read as it stands', async () => {
  for (const headers of [{}, { 'grpc-encoding': 'identity' }, { 'grpc-encoding': 'br' }, { 'content-encoding': 'gzip' }]) {
    const answer = await send(LIST_TOOLS, headers, framed(true, zlib.gzipSync(EMPTY)));
    assert.equal(answer['grpc-status'], '3', JSON.stringify(headers));
    assert.match(decodeURIComponent(answer['grpc-message']), /not a well-formed toolgate\.v1\.ListToolsRequest/);
  }
});

test('a bomb is refused before it is inflated', { timeout: 120_000 }, async () => {
  const body = framed(true, bomb());
  assert.ok(body.length < 2 * MIB, `${body.length} bytes`);
  assert.equal((await send(LIST_TOOLS, {}, framed(false, EMPTY)))['grpc-status'], '0');
  const before = peak();
  for (const path of [LIST_TOOLS, '/toolgate.v1.ToolService/Execute', '/toolgate.v1.DataService/ImportBlocks',
    '/grpc.health.v1.Health/Check', '/nobody/Serves']) {
    for (const encoding of ['gzip', 'deflate', 'identity', 'br']) {
      const answer = await send(path, { 'grpc-encoding': encoding }, body);
      assert.notEqual(answer['grpc-status'], '0', `${path} ${encoding}`);
      if (encoding === 'gzip' || encoding === 'deflate') assert.equal(answer['grpc-status'], UNIMPLEMENTED);
    }
  }
  assert.ok(peak() - before < 256, `the server grew from ${before} to ${peak()} MiB`);
});
