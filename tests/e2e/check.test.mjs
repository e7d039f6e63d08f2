// `toolgate check` finds everything that `toolgate serve` and a reload refuse, in the same words and with the same
// line.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { binary } from './server.mjs';

const program = resolve(binary);
const folder = mkdtempSync(join(tmpdir(), 'toolgate-check-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const file = join(folder, 't.yaml');
const data = join(folder, 'data');

function checked(text) {
  writeFileSync(file, text);
  const { status, stderr } = spawnSync(program, ['check', '--config', file], { encoding: 'utf8' });
  return { status, said: stderr };
}

// Unless the file sets them, the listeners use any free ports.
const LISTEN = ['--listen', '127.0.0.1:0', '--metrics-listen', 'off', '--data-dir', data];

async function served(extra = LISTEN) {
  const child = spawn(program, ['serve', '--config', file, ...extra], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (bytes) => {
    said += bytes;
    if (said.includes('"serving"')) child.kill('SIGTERM');
  });
  const status = await new Promise((done) => child.on('close', done));
  return { status, said };
}

// A row: the file, and a part of the message that both must print, from the line on.
const ROLE = 'identity:\n  roles:\n    r:\n';
const rows = [
  ['a kind of executor that does not exist', 'execution_tracking:\n  max_in_flight_by_module:\n    workspce: 3\n',
    't.yaml:3:15: execution_tracking.max_in_flight_by_module.workspce: no tool is of a module "workspce"; did you mean "workspace"?'],
  ['a kind without places', 'execution_tracking:\n  max_in_flight_by_module:\n    memory: 0\n',
    't.yaml:3:13: execution_tracking.max_in_flight_by_module.memory: is 0; must be from 1 to execution_tracking.max_in_flight, 128'],
  ['a kind with more places than all', 'execution_tracking:\n  max_in_flight: 4\n  max_in_flight_by_module: {memory: 5}\n',
    't.yaml:3:37: execution_tracking.max_in_flight_by_module.memory: is 5; must be from 1 to execution_tracking.max_in_flight, 4'],
  ['a permission of an unknown domain', ROLE + '      permissions: ["wiki:read"]\n',
    't.yaml:4:21: identity.roles.r.permissions[0]: permission "wiki:read": unknown domain; the domains are admin,'],
  ['a permission of an unknown action', ROLE + '      permissions:\n        - block:read\n        - block:burn\n',
    't.yaml:6:11: identity.roles.r.permissions[1]: permission "block:burn": unknown action; the actions of block are'],
  ['a permission that is none', ROLE + '      permissions: [block]\n',
    't.yaml:4:21: identity.roles.r.permissions[0]: permission "block": must be written as'],
  ['approval of a tool that does not exist', ROLE + '      auto_approve: [delete_blok]\n',
    't.yaml:4:22: identity.roles.r.auto_approve[0]: there is no tool "delete_blok"; did you mean "delete_block"?'],
  ['an argument that a tool has not', ROLE + '      arguments:\n        create_task:\n          bind:\n            asignedTo: caller.user_id\n',
    't.yaml:7:24: identity.roles.r.arguments.create_task.bind.asignedTo: create_task has no argument "asignedTo" at its top level; did you mean "assignedTo"?'],
  ['a source that there is not', ROLE + '      arguments:\n        create_task:\n          bind:\n            assignedTo: caller.user\n',
    't.yaml:7:25: identity.roles.r.arguments.create_task.bind.assignedTo: "caller.user" is no source; write'],
  ['a policy of a tool that does not exist', ROLE + '      arguments:\n        create_tusk:\n          schema: "{}"\n',
    't.yaml:6:11: identity.roles.r.arguments.create_tusk: there is no tool "create_tusk"; did you mean "create_task"?'],
  ['a policy whose schema cannot be used', ROLE + "      arguments:\n        create_task:\n          schema: '{\"propertys\": {}}'\n",
    't.yaml:6:19: identity.roles.r.arguments.create_task.schema: cannot be used: /propertys: is no keyword'],
  ['a limit beyond what a log can hold', 'rate_limiting:\n  tools:\n    get_block:\n      windows:\n        - {audience: any, max_calls: 2000000, window: 1h}\n',
    't.yaml:5:38: rate_limiting.tools.get_block.windows[0].max_calls: is 2000000; must be from 1 to 1000000'],
  ['two limits over one span', 'rate_limiting:\n  tools:\n    get_block:\n      windows:\n        - {audience: any, max_calls: 2, window: 1h}\n        - {audience: user, max_calls: 3, window: 60m}\n',
    't.yaml:6:50: rate_limiting.tools.get_block.windows[1].window: is 1h, and so is that of windows[0]'],
  ['a limit over a span of nothing', 'rate_limiting:\n  tools:\n    get_block: {windows: [{audience: any, max_calls: 2, window: 0s}]}\n',
    't.yaml:3:65: rate_limiting.tools.get_block.windows[0].window: is 0s; must be from 1ms to 366d'],
  ['a limit of a tool that does not exist', 'rate_limiting:\n  tools:\n    nothing.like.it: {}\n',
    't.yaml:3:22: rate_limiting.tools["nothing.like.it"]: there is no tool "nothing.like.it"'],
  ['a provider that no tool calls', 'rate_limiting:\n  providers:\n    search: {windows: [{audience: any, max_calls: 2, window: 1h}]}\n',
    't.yaml:3:13: rate_limiting.providers.search: no tool calls a provider "search"'],
  ['a role\'s limit that is impossible', ROLE + '      limits: {get_block: {windows: [{audience: all, max_calls: 2, window: 1h}]}}\n',
    't.yaml:4:49: identity.roles.r.limits.get_block.windows[0].audience: is "all"; must be user, guest or any'],
  ['a breaker without probes', 'rate_limiting: {circuit_breaker: {half_open_probes: 0}}\n',
    't.yaml:1:53: rate_limiting.circuit_breaker.half_open_probes: is 0; must be from 1 to 10000'],
  ['decoding deeper than it goes', 'injection_defence:\n  max_decode_depth: 9\n',
    't.yaml:2:21: injection_defence.max_decode_depth: is 9; must be from 0 to 8'],
  ['a share above all', 'injection_defence: {threshold: 1.5}\n',
    't.yaml:1:32: injection_defence.threshold: is 1.5; must be above 0 and at most 1'],
  ['a tool to ask about that does not exist', 'confirmation: {require_for_tools: [get_blok]}\n',
    't.yaml:1:36: confirmation.require_for_tools[0]: there is no tool "get_blok"; did you mean "get_block"?'],
  ['a tool that nobody can be asked about', 'provenance: {tools: {undo: ASK}}\n',
    't.yaml:1:28: provenance.tools.undo: nobody can be asked about "undo"'],
  ['arguments deeper than can be stored', 'param_validation: {max_depth: 113}\n',
    't.yaml:1:31: param_validation.max_depth: is 113; must be from 1 to 112'],
  ['results smaller than any', 'execution_tracking: {max_result_bytes: 1023}\n',
    't.yaml:1:40: execution_tracking.max_result_bytes: is 1023; must be from 1024 to 1073741824'],
  ['readers that there cannot be', 'storage: {sqlite: {readers: 257}}\n',
    't.yaml:1:29: storage.sqlite.readers: is 257; must be from 1 to 256'],
  ['no rows', 'sql: {max_rows: 0}\n', 't.yaml:1:17: sql.max_rows: is 0; must be from 1 to 100000'],
  ['an audit queue without places', 'audit:\n  max_pending: 0\n', 't.yaml:2:16: audit.max_pending: is 0; must be from 1 to'],
  ['a model with a slash too many', 'chat: {models: [{name: a, api: OPENAI, base_url: "https://a.example/v1/"}]}\n',
    't.yaml:1:50: chat.models[0].base_url: must not end with a slash'],
  ['a level of logs that is none', 'logging: {level: loud}\n', 't.yaml:1:18: logging.level: is "loud"; must be debug,'],
  ['an unknown field', 'loging: {}\n', 't.yaml:1:1: no field "loging" here; did you mean "logging"?'],
  ['a value of another type', 'audit:\n  max_pending: many\n', 't.yaml:2:16: audit.max_pending: expected a whole number'],
  ['no YAML', 'audit: [\n', 't.yaml:2:1: not well-formed YAML'],
  ['a network without TLS', 'server:\n  health_listen: "127.0.0.1:9"\n  listen: "0.0.0.0:0"\n',
    't.yaml:3:11: server.listen: "0.0.0.0:0" can be reached from other machines', ['--data-dir', data]],
  ['two listeners at one address', 'server:\n  listen: "127.0.0.1:7"\n  metrics_listen: "127.0.0.1:7"\n',
    't.yaml:3:19: server.metrics_listen: is where another of the server\'s listeners is', ['--data-dir', data]],
  ['one certificate name for two services', 'server: {tls: {certificate_file: c, private_key_file: k, client_ca_file: a}}\nidentity:\n  services:\n    a: {certificate_names: [a.internal], trusted: true}\n    b: {certificate_names: [A.internal], trusted: true}\n',
    't.yaml:5:29: identity.services.b.certificate_names[0]: "A.internal" stands for a service already'],
];

test('check and serve refuse the same, in the same words and with the same line', { timeout: 300_000 }, async (t) => {
  for (const [name, text, part, flags] of rows) {
    await t.test(name, async () => {
      const check = checked(text);
      assert.ok(check.said.includes(part), `check says: ${check.said}`);
      const serve = await served(flags ?? LISTEN);
      assert.equal(serve.said, check.said);
      assert.equal(serve.status, check.status);
      assert.notEqual(serve.status, 0);
      assert.ok(!existsSync(data), 'nothing was made for a service that cannot be');
    });
  }
});

test('the files that a configuration names are looked at, and may be left for another machine', async () => {
  const [certificate, key, other, secret, keys] = ['c.pem', 'k.pem', 'other.pem', 'secret', 'keys.json'].map((n) => join(folder, n));
  const make = (to, out) => execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256',
    '-nodes', '-subj', '/CN=localhost', '-keyout', to, '-out', out], { stdio: 'ignore' });
  make(key, certificate);
  make(other, join(folder, 'unused.pem'));
  for (const path of [key, other]) chmodSync(path, 0o600);
  writeFileSync(secret, 'short', { mode: 0o600 });
  writeFileSync(keys, '{"keys": 1}');
  const config = (tls, jwt) => `server:\n  tls:\n${tls}identity:\n  jwt:\n    issuer: i\n    audiences: [a]\n${jwt}`;
  const good = `    certificate_file: ${certificate}\n    private_key_file: ${key}\n`;
  const published = '    jwks_url: https://127.0.0.1:1/keys\n';
  const bad = [
    [config(`    certificate_file: ${folder}/absent\n    private_key_file: ${key}\n`, published),
      't.yaml:3:23: server.tls.certificate_file: cannot read'],
    [config(`    certificate_file: ${certificate}\n    private_key_file: ${other}\n`, published),
      't.yaml:4:23: server.tls.private_key_file: ' + `${other}: is not the key of the certificate in ${certificate}`],
    [config(good, `    secret_file: ${secret}\n`), 't.yaml:9:18: identity.jwt.secret_file: '],
    [config(good, `    jwks_file: ${keys}\n`), 't.yaml:9:16: identity.jwt.jwks_file: '],
  ];
  for (const [text, part] of bad) {
    const check = checked(text);
    assert.ok(check.said.includes(part), check.said);
    assert.equal((await served()).said, check.said);
    assert.equal(spawnSync(program, ['check', '--without-files', '--config', file]).status, 0);
  }
  assert.deepEqual(checked(config(good, published)), { status: 0, said: '' });
});

test('what only the moment can tell is told by serve, with the line as well', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => taken.on('listening', done));
  const address = `127.0.0.1:${taken.address().port}`;
  try {
    for (const [text, part] of [
      [`server:\n  listen: "${address}"\n  metrics_listen: off\n`, `t.yaml:2:11: server.listen: cannot listen on ${address}`],
      [`server:\n  listen: "127.0.0.1:0"\n  metrics_listen: "${address}"\n`, 't.yaml:3:19: server.metrics_listen: '],
      [`server:\n  listen: "127.0.0.1:0"\n  metrics_listen: off\n  health_listen: "${address}"\n`, 't.yaml:4:18: server.health_listen: '],
    ]) {
      assert.equal(checked(text).status, 0);
      const { status, said } = await served(['--data-dir', data]);
      assert.notEqual(status, 0);
      assert.ok(said.includes(part), said);
    }
    assert.equal(checked(`server: {listen: "127.0.0.1:0", metrics_listen: off}\nstorage:\n  data_dir: ${file}\n`).status, 0);
    assert.match((await served([])).said, /t\.yaml:3:13: storage\.data_dir: /);
  } finally {
    taken.close();
  }
});

test('a reload refuses in the words of check, and the service goes on', async () => {
  writeFileSync(file, '{}\n');
  const child = spawn(program, ['serve', '--config', file, ...LISTEN], { stdio: ['ignore', 'ignore', 'pipe'] });
  const lines = createInterface({ input: child.stderr })[Symbol.asyncIterator]();
  const until = async (part) => {
    for (;;) {
      const { value, done } = await lines.next();
      assert.ok(!done, 'the service ended');
      if (value.includes(part)) return JSON.parse(value);
    }
  };
  try {
    await until('"serving"');
    const check = checked('\nexecution_tracking: {max_in_flight_by_module: {workspce: 3}}\n');
    child.kill('SIGHUP');
    const refused = await until('refused');
    assert.ok(check.said.includes(refused.error), `${check.said} / ${refused.error}`);
    assert.match(refused.error, /t\.yaml:2:58: /);
    writeFileSync(file, '{}\n');
    child.kill('SIGHUP');
    await until('configuration read again');
  } finally {
    child.kill('SIGTERM');
    await new Promise((done) => child.on('close', done));
  }
});

test('the configuration in force is printed, as YAML that check takes and as JSON', () => {
  const text = 'server:\n  max_connections: 77\nlogging: {level: error}\n';
  writeFileSync(file, text);
  const yaml = execFileSync(program, ['check', '--config', file, '--print'], { encoding: 'utf8' });
  assert.match(yaml, /max_connections: 77/);
  assert.equal(checked(yaml).status, 0, yaml);

  writeFileSync(file, text);
  const { valid, problems, config } = JSON.parse(
    execFileSync(program, ['check', '--config', file, '--print', '--json'], { encoding: 'utf8' }));
  assert.equal(valid, true);
  assert.deepEqual(problems, []);
  assert.equal(config.server.max_connections, 77);
  assert.equal(config.logging.level, 'error');
  // A default, which the file does not name.
  assert.equal(config.storage.data_dir, 'data');
  // One of a family of tools.
  assert.equal(config.sql.max_rows, 1000);
});

test('serve says where it answers and where its data lies, which the environment may name', async () => {
  writeFileSync(file, 'server: {listen: "127.0.0.1:0", metrics_listen: off, health_listen: "127.0.0.1:0"}\n');
  const elsewhere = join(folder, 'elsewhere');
  const child = spawn(program, ['serve', '--config', file],
    { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, TOOLGATE_DATA_DIR: elsewhere } });
  try {
    for await (const line of createInterface({ input: child.stderr })) {
      if (!line.includes('"serving"')) continue;
      const serving = JSON.parse(line);
      assert.equal(serving.data_dir, elsewhere);
      assert.match(serving.health, /^127\.0\.0\.1:[1-9]\d*$/);
      assert.notEqual(serving.health, serving.address);
      break;
    }
    assert.ok(existsSync(elsewhere));
  } finally {
    child.kill('SIGTERM');
    await new Promise((done) => child.on('close', done));
  }
});
