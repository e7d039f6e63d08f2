// A data directory that the server may not write: it refuses to start, names the path and a remedy, and leaves all
// files unchanged. The server runs as an ordinary user, for whom permissions apply.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { call, connect } from './client.mjs';
import { binary } from './server.mjs';

const isRoot = process.getuid() === 0;
const user = isRoot ? 65534 : process.getuid();
const program = resolve(binary);
// Command that switches the user; empty for an ordinary user.
const as = isRoot ? ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups', '--'] : [];
const skip = spawnSync([...as, program][0], [...as, program, 'version'].slice(1)).status === 0 ? false
  : `user ${user} cannot run ${program}`;

const options = { skip, timeout: 60_000 };

const folder = mkdtempSync(join(tmpdir(), 'toolgate-unwritable-'));
chownSync(folder, user, user);
after(() => {
  execFileSync('chmod', ['-R', 'u+w', folder]);
  rmSync(folder, { recursive: true, force: true });
});

function toolgate(args) {
  const [command, ...rest] = [...as, program, ...args];
  return spawn(command, rest, { stdio: ['ignore', 'ignore', 'pipe'] });
}

// The server's own message when it does not start; it must not start.
async function refusal(data, extra = []) {
  const child = toolgate(['serve', '--listen', '127.0.0.1:0', '--metrics-listen', 'off', '--data-dir', data, ...extra]);
  let said = '';
  child.stderr.on('data', (bytes) => {
    said += bytes;
    if (said.includes('"serving"')) child.kill('SIGTERM');
  });
  const code = await new Promise((done) => child.on('close', done));
  assert.notEqual(code, 0, `it started:\n${said}`);
  return said;
}

// Runs `work` with a client of a server over `data`.
async function serving(data, work) {
  const child = toolgate(['serve', '--listen', '127.0.0.1:0', '--metrics-listen', 'off', '--data-dir', data]);
  const ended = new Promise((done) => child.on('exit', done));
  const address = await new Promise((found, failed) => {
    let said = '';
    createInterface({ input: child.stderr }).on('line', (line) => {
      said += line + '\n';
      if (line.includes('"serving"')) found(JSON.parse(line).address);
    });
    ended.then(() => failed(new Error(`the server did not start:\n${said}`)));
  });
  let client;
  try {
    client = await connect(address, 'toolgate.v1.ToolService');
    await work(client);
  } finally {
    client?.close();
    child.kill('SIGTERM');
    assert.equal(await ended, 0);
  }
}

const run = async (client, tool, args) => {
  const { result } = await call(client, 'Execute', { tool_id: tool, arguments_json: JSON.stringify(args),
    caller: { workspace_id: 'w', user_id: 'ann' } });
  assert.ok(result.success, JSON.stringify(result.error));
  return JSON.parse(result.data_json);
};

// A store with one page in it, stopped.
async function storeWithAPage(name) {
  const data = join(folder, name);
  await serving(data, (client) => run(client, 'create_block', { type: 'page', data: { title: 'Kept' } }));
  return data;
}

// Every file that is not empty; SQLite may leave an empty log and its index behind.
const digest = (data) => Object.fromEntries(readdirSync(data).sort()
  .filter((name) => !name.endsWith('-shm') && !(name.endsWith('-wal') && statSync(join(data, name)).size === 0))
  .map((name) => [name, createHash('sha256').update(readFileSync(join(data, name))).digest('hex')]));

function assertClear(said, path) {
  assert.ok(said.includes(path), `${path} is not named in:\n${said}`);
  assert.match(said, /the data directory .*must .*be writable by (user \d+ \(name another one with --data-dir\)|this process)/, said);
}

test('a data directory that cannot be made', options, async () => {
  const parent = join(folder, 'parent');
  mkdirSync(parent);
  chownSync(parent, user, user);
  chmodSync(parent, 0o500);
  const data = join(parent, 'data');
  assertClear(await refusal(data), data);
  assert.ok(!existsSync(data));
});

test('an empty data directory', options, async () => {
  const data = join(folder, 'empty');
  mkdirSync(data);
  chownSync(data, user, user);
  chmodSync(data, 0o500);
  assertClear(await refusal(data), data);
  assert.deepEqual(readdirSync(data), []);
});

for (const [what, protect, release] of [
  ['a data directory with a store in it', (data) => chmodSync(data, 0o500), (data) => chmodSync(data, 0o700)],
  ['a database file', (data) => chmodSync(join(data, 'toolgate.db'), 0o400),
    (data) => chmodSync(join(data, 'toolgate.db'), 0o600)],
  ['a lock file', (data) => chmodSync(join(data, 'toolgate.lock'), 0o400),
    (data) => chmodSync(join(data, 'toolgate.lock'), 0o600)],
]) {
  test(`${what}, read-only: nothing changes, and all is there once it is writable`, options, async () => {
    const data = await storeWithAPage(what.replaceAll(' ', '-'));
    const before = digest(data);
    protect(data);
    assertClear(await refusal(data), data);
    assert.deepEqual(digest(data), before);
    release(data);
    await serving(data, async (client) => {
      assert.equal((await run(client, 'search_workspace', { query: 'Kept' })).totalCount, 1);
      await run(client, 'create_block', { type: 'page', data: { title: 'Later' } });
    });
  });
}

test('a configuration file that may not be read is named by check and by serve', options, async () => {
  const config = join(folder, 'config.yaml');
  writeFileSync(config, '{}\n');
  chmodSync(config, 0o000);
  chownSync(config, user, user);
  const checked = spawnSync([...as, program][0], [...as, program, 'check', '--config', config].slice(1), { encoding: 'utf8' });
  assert.notEqual(checked.status, 0);
  assert.ok(checked.stderr.includes(config), checked.stderr);
  assert.ok((await refusal(join(folder, 'unused'), ['--config', config])).includes(config));
  assert.ok(!existsSync(join(folder, 'unused')));
});
