// The API over HTTP from outside: Node's fetch against the built binary, and the commands and tables of docs/http.md.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { call, connect } from './client.mjs';
import { root } from './documents.mjs';
import { eventually } from './prometheus.mjs';
import { serve } from './server.mjs';

const PAGE = 'https://app.example.com';
const caller = { workspace_id: 'e2e', user_id: 'eve' };
const document = readFileSync(join(root, 'docs/http.md'), 'utf8');
const ENDLESS = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n';

let server, base;

before(async () => {
  server = await serve(['--http-listen', '127.0.0.1:0', '--config', join(root, 'tests/e2e/http_front.yaml')]);
  base = `http://${server.http}`;
});
after(async () => assert.equal(await server?.stop(), 0));

const post = (path, body, headers = {}) => fetch(base + path, {
  method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body),
});
const execute = (tool, args, headers) => post(`/v1/tools/${tool}:execute`, { arguments: args, caller }, headers);

// The events of a response, as they come: {name, data}, and {comment}.
async function* eventsOf(response) {
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (let end; (end = text.indexOf('\n\n')) >= 0; text = text.slice(end + 2)) {
      const lines = text.slice(0, end).split('\n');
      const field = (name) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      yield { name: field('event'), data: field('data') === undefined ? undefined : JSON.parse(field('data')) };
    }
  }
}

const refusal = async (response, status, reason) => {
  const body = await response.json();
  assert.equal(response.status, status, JSON.stringify(body));
  assert.equal(body.error.code, status);
  assert.equal(body.error.details[0]['@type'], 'type.googleapis.com/google.rpc.ErrorInfo');
  assert.equal(body.error.details[0].domain, 'toolgate.v1');
  if (reason !== undefined) assert.equal(body.error.details[0].reason, reason);
  return body.error;
};

test('a call over HTTP is the call over gRPC', async () => {
  const response = await execute('create_task', { title: 'Buy milk' });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'application/json');
  const { result } = await response.json();
  assert.equal(result.success, true);
  const tools = await connect(server.address, 'toolgate.v1.ToolService');
  const { entries } = await call(tools, 'ListUndoEntries', { caller });
  tools.close();
  assert.equal(entries[0].id, result.undoEntryId);
  const undone = await post('/v1/undo', { entryId: result.undoEntryId, caller });
  assert.equal((await undone.json()).result.success, true);
  const audit = await (await fetch(`${base}/v1/auditEntries?tool_id=create_task&caller.workspace_id=e2e`)).json();
  assert.equal(audit.entries[0].userId, 'eve');
});

test('names with dots and long texts arrive as they are', async () => {
  await refusal(await execute('no.such.tool', {}), 404, 'UNKNOWN_TOOL');
  const memory = '語😀'.repeat(2_000);
  const changed = await fetch(`${base}/v1/instruction`, { method: 'PATCH',
    headers: { 'content-type': 'application/json' }, body: JSON.stringify({ memory, caller }) });
  assert.equal((await changed.json()).instruction.memory, memory);
});

test('an approval goes over HTTP as well', async () => {
  const made = await (await execute('create_block', { type: 'page', data: { title: 'Delete me' } })).json();
  const id = JSON.parse(made.result.dataJson).blockId;
  const asked = await (await execute('delete_block', { blockId: id })).json();
  const { confirmationId, token } = asked.confirmationRequest;
  const waiting = fetch(`${base}/v1/confirmations/${confirmationId}:wait?timeout=30s&caller.workspace_id=e2e&caller.user_id=eve`);
  const listed = await (await fetch(`${base}/v1/confirmations?caller.workspace_id=e2e`)).json();
  assert.ok(listed.confirmations.some((one) => one.confirmationId === confirmationId));
  const decided = await post(`/v1/confirmations/${confirmationId}:decide`, { approve: true, caller });
  assert.equal((await decided.json()).state, 'approved');
  assert.equal((await (await waiting).json()).state, 'approved');
  const deleted = await post('/v1/tools/delete_block:execute',
    { arguments: { blockId: id }, confirmationToken: token, caller });
  assert.equal((await deleted.json()).result.success, true);
});

test('a stream tells of the call while it runs', async () => {
  const response = await execute('db_query', { sql: ENDLESS }, { accept: 'text/event-stream' });
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  assert.equal(response.headers.get('cache-control'), 'no-store');
  const names = [];
  for await (const event of eventsOf(response)) {
    names.push(event.name);
    if (event.name === 'response') assert.equal(event.data.result.error.code, 'TIMEOUT');
  }
  for (const name of ['started', 'progress']) assert.ok(names.includes(name), name);
  assert.equal(names.at(-1), 'response');
});

test('a client that leaves in the middle of a stream stops the statement', async () => {
  const leaving = new AbortController();
  const user = { workspace_id: 'e2e', user_id: 'leaver' };
  const response = await fetch(`${base}/v1/tools/db_query:executeStream`, {
    method: 'POST', headers: { 'content-type': 'application/json' }, signal: leaving.signal,
    body: JSON.stringify({ arguments: { sql: ENDLESS }, caller: user }),
  });
  for await (const event of eventsOf(response)) {
    if (event.name === 'started') break;
  }
  leaving.abort();
  await eventually(async () => {
    const found = await (await fetch(
      `${base}/v1/auditEntries?tool_id=db_query&user_id=leaver&caller.workspace_id=e2e`)).json();
    return found.entries[0]?.outcome;
  }, 30, () => 'the call has not ended').then((outcome) => assert.equal(outcome, 'CANCELLED'));
});

test('refusals carry the facts of the error', async () => {
  await refusal(await execute('no_such_tool', {}), 404, 'UNKNOWN_TOOL');
  const wrong = await refusal(await execute('create_task', { title: 7 }), 400, 'INVALID_PARAMS');
  assert.equal(wrong.details[1].fieldViolations[0].field, '/title');
  const field = await refusal(await post('/v1/undo', { entry: 'x' }), 400, 'INVALID_PARAMS');
  assert.match(field.message, /\/entry: unknown field/);
  const broken = await fetch(`${base}/v1/undo`,
    { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{\n"caller": }' });
  assert.match((await refusal(broken, 400)).message, /line 2, column 1\d/);
  await refusal(await fetch(`${base}/nowhere`), 404);
  const method = await fetch(`${base}/v1/tools`, { method: 'DELETE' });
  assert.equal(method.headers.get('allow'), 'GET, HEAD, OPTIONS');
  await refusal(method, 405);
  await refusal(await fetch(`${base}/v1/undo`, { method: 'POST', body: 'x=1' }), 415);
});

test('bodies beyond the bound are refused, and the connection serves on', async () => {
  await refusal(await post('/v1/undo', { caller, pad: 'x'.repeat(5 << 20) }), 413);
  assert.equal((await fetch(`${base}/healthz`)).status, 200);
});

test('pages are answered only if they are listed', async () => {
  // fetch sets no Origin of its own here.
  await refusal(await fetch(`${base}/v1/tools`, { headers: { origin: 'https://evil.net' } }), 403, 'FORBIDDEN');
  const listed = await fetch(`${base}/v1/tools`, { headers: { origin: PAGE } });
  assert.equal(listed.status, 200);
  assert.equal(listed.headers.get('access-control-allow-origin'), PAGE);
  assert.equal(listed.headers.get('access-control-allow-credentials'), null);
  const preflight = await fetch(`${base}/v1/undo`, { method: 'OPTIONS', headers: { origin: PAGE,
    'access-control-request-method': 'POST', 'access-control-request-headers': 'content-type' } });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers.get('access-control-allow-methods'), 'POST');
  assert.match(preflight.headers.get('access-control-allow-headers'), /Content-Type/);
});

test('a page that makes its own name stand for this machine gets nothing', async () => {
  const [host, port] = server.http.split(':');
  const status = await new Promise((resolve, reject) => {
    httpRequest({ host, port, path: '/v1/tools', headers: { host: `evil.net:${port}` } },
      (response) => resolve(response.resume().statusCode)).on('error', reject).end();
  });
  assert.equal(status, 403);
});

test('a stop lets running calls finish', async () => {
  const other = await serve(['--http-listen', '127.0.0.1:0']);
  const running = await fetch(`http://${other.http}/v1/tools/db_query:executeStream`, {
    method: 'POST', headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ arguments: { sql: ENDLESS }, caller }),
  });
  const names = [];
  let stopped;
  for await (const event of eventsOf(running)) {
    names.push(event.name);
    if (event.name === 'started') stopped = other.stop();
  }
  assert.equal(names.at(-1), 'response', 'the statement comes to its own end');
  assert.equal(await stopped, 0);
});

test('the table of routes is the service\'s', async () => {
  const rows = [...document.matchAll(/^\| (GET|POST|PATCH|DELETE) \| `([^`]+)` \| \w+ \|$/gm)]
    .map(([, method, path]) => `${method} ${path}`);
  const metrics = await (await fetch(`http://${server.metrics}/metrics`)).text();
  const routes = new Set([...metrics.matchAll(/^toolgate_http_requests_total\{route="([^"]+)"/gm)].map((row) => row[1]));
  for (const other of ['GET /healthz, /readyz', 'other']) assert.ok(routes.delete(other), other);
  assert.deepEqual(rows.toSorted(), [...routes].sort());
});

test('the commands of the document work', () => {
  const blocks = [...document.matchAll(/```sh\n([^]*?)```/g)].map((block) => block[1])
    .filter((block) => block.startsWith('curl'));
  assert.ok(blocks.length >= 3);
  const outputs = blocks.map((block) => execFileSync('bash', ['-euo', 'pipefail', '-c',
    block.replaceAll('127.0.0.1:8080', server.http).replaceAll('curl ', 'curl --fail ')], { encoding: 'utf8' }));
  assert.match(outputs[0], /"success":true/);
  assert.match(outputs[1], /kanban_create_card/);
  assert.match(outputs[1], /"undoneEntryId|undoneEntryId/);
  assert.match(outputs[2], /event: started\ndata: [^]*\n\nevent: response\n/);
});
