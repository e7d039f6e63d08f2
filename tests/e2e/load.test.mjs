// `toolgate load` from outside: the shipped configuration without limits, the recipes' requests, and a short run.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { parse } from 'yaml';
import { call, connect } from './client.mjs';
import { root } from './prometheus.mjs';
import { binary, serve } from './server.mjs';

const UNLIMITED = join(root, 'deploy/load/unlimited.yaml');
const folder = mkdtempSync(join(tmpdir(), 'toolgate-load-'));
const run = (...args) => spawnSync(resolve(binary), args, { encoding: 'utf8', maxBuffer: 1 << 28 });
let server;

before(async () => { server = await serve(['--config', UNLIMITED]); });
after(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('the configuration without limits is valid, for this machine only, and refuses nothing', () => {
  const { status, stderr } = run('check', '--config', UNLIMITED);
  assert.equal(status, 0, stderr);
  const config = parse(readFileSync(UNLIMITED, 'utf8'));
  assert.match(config.server.listen, /^127\.0\.0\.1:/);
  assert.equal(config.rate_limiting.enforcement, 'REPORT');
  // create_block is limited to 500 calls of a user in an hour.
  const { status: code, stdout, stderr: said } = run('load', '--address', server.address, '--tool', 'create_block', '--arguments',
    '{"type": "page", "data": {"title": "{{words 2}}"}}', '--requests', '700', '--users', '1', '--workspaces', '1', '--json');
  assert.equal(code, 0, said);
  const { summary } = JSON.parse(stdout);
  assert.deepEqual([summary.count, summary.errors], [700, 0]);
});

test('a run prints a summary and writes both reports', () => {
  const [html, json] = ['r.html', 'r.json'].map((name) => join(folder, name));
  const { status, stdout, stderr } = run('load', '--address', server.address, '--profile', 'agents', '--workspaces', '1',
    '--rate', '100', '--duration', '2s', '--warm-up', '500ms', '--metrics', server.metrics, '--threshold', 'errors<5%',
    '--html', html, '--json-file', json);
  assert.equal(status, 0, stdout + stderr);
  assert.match(stdout, /RPCs in .*missed start/);
  assert.match(stdout, /met {2}errors<5%/);
  const report = JSON.parse(readFileSync(json, 'utf8'));
  assert.equal(report.schema, 'toolgate.load/1');
  assert.equal(report.passed, true);
  assert.ok(report.server.tools.some(({ tool }) => tool === 'get_block'));
  assert.match(readFileSync(html, 'utf8'), /<svg /);
});

test('the service writes answers without gRPC\'s pool of threads', () => {
  const { status, stdout, stderr } = run('load', '--address', server.address, '--tool', 'search_workspace', '--arguments',
    '{"query": "x"}', '--requests', '1000', '--concurrency', '16', '--json');
  assert.equal(status, 0, stdout + stderr);
  const threads = `/proc/${server.pid}/task`;
  const names = readdirSync(threads).map((id) => readFileSync(join(threads, id, 'comm'), 'utf8').trim());
  assert.ok(names.includes('nexting_thread'), `gRPC's threads are called otherwise: ${names}`);
  assert.ok(!names.includes('default-executo'), `${names}`);
});

test('no question is refused, however many wait for a person', () => {
  // By default a user may leave 100 open, a workspace 1,000.
  const profile = join(folder, 'questions.yaml');
  writeFileSync(profile, [
    'setup:',
    `  - {tool: create_block, arguments: '{"type": "page", "data": {"title": "x"}}', capture: {pool: pages, from: /blockId}}`,
    'steps:',
    `  - {tool: delete_block, arguments: '{"blockId": "{{id pages}}"}', expect: [CONFIRMATION_REQUIRED]}`, ''].join('\n'));
  const { status, stdout, stderr } = run('load', '--address', server.address, '--profile', profile, '--requests', '1100', '--json');
  assert.equal(status, 0, stderr);
  const { summary, steps } = JSON.parse(stdout);
  assert.deepEqual([summary.count, summary.errors], [1100, 0]);
  assert.deepEqual(steps[0].outcomes.map(({ code }) => code), ['CONFIRMATION_REQUIRED']);
});

// The JSON body that a recipe of the guide sends, as its shell would pass it on.
function bodyOf(guide, program) {
  const block = [...guide.matchAll(/```sh\n([^`]*)```/g)].map(([, text]) => text).find((text) => text.startsWith(`${program} `));
  const [, text] = /-d '([^']*)'/.exec(block);
  return text;
}

test('the requests of the recipes for general tools are ones that the service takes', async () => {
  const guide = readFileSync(join(root, 'docs/load.md'), 'utf8');
  const client = await connect(server.address, 'toolgate.v1.ToolService');
  const grpcurl = await call(client, 'Execute', JSON.parse(bodyOf(guide, 'grpcurl')));
  assert.equal(grpcurl.result.success, true);
  // ghz fills its placeholders in before it reads the JSON.
  const template = bodyOf(guide, 'ghz');
  const filled = template.replace(/{{randomString (\d+)}}/g, (_, length) => 'x'.repeat(Number(length)));
  assert.notEqual(filled, template);
  assert.ok(!filled.includes('{{'), filled);
  const request = JSON.parse(filled);
  assert.deepEqual(JSON.parse(request.arguments_json), { query: 'xxxxx' });
  const ghz = await call(client, 'Execute', request);
  assert.equal(ghz.result.success, true, JSON.stringify(ghz));
  client.close();
});
