// Kills the server with SIGKILL at random moments under concurrent keyed mutations, again and again, and proves that
// nothing acknowledged is lost, nothing is applied twice under retry, no undo is half done, and the chain verifies.
//
// TOOLGATE_CRASH_ROUNDS sets the number of kills (20 in an ordinary run).
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { call, connect } from './client.mjs';
import { binary } from './server.mjs';

const ROUNDS = Number(process.env.TOOLGATE_CRASH_ROUNDS ?? 20);
const WRITERS = 8;
const folder = mkdtempSync(join(tmpdir(), 'toolgate-crash-'));
const config = join(folder, 'config.yaml');
writeFileSync(config, `rate_limiting:
  tools:
    create_block:
      windows: [{audience: any, max_calls: 1000000, window: 1s}]
`);

async function start() {
  const child = spawn(binary, ['serve', '--config', config, '--listen', '127.0.0.1:0', '--metrics-listen', 'off',
    '--data-dir', join(folder, 'data')], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const { address } = await new Promise((resolve, reject) => {
    let log = '';
    createInterface({ input: child.stderr }).on('line', (line) => {
      log += line + '\n';
      if (line.includes('"serving"')) resolve(JSON.parse(line));
    });
    ended.then(() => reject(new Error(`the server did not start:\n${log}`)));
  });
  return { child, ended, address };
}

const caller = (user) => ({ workspace_id: 'crash', user_id: user });

// One writer in one round: numbered creations, each with its own key, and sometimes an undo of the last.
async function write(client, user, state) {
  while (!state.stopped) {
    const title = `${user}-${state.next[user]++}`;
    const undo = title.endsWith('7') && state.last[user];
    const key = `key-${undo ? 'undo-' : ''}${title}`;
    const work = undo
      ? { method: 'Undo', request: { entry_id: state.last[user].entry, idempotency_key: key, caller: caller(user) } }
      : { method: 'Execute', request: { tool_id: 'create_block', caller: caller(user), idempotency_key: key,
        arguments_json: JSON.stringify({ type: 'page', data: { title } }) } };
    const record = { user, title, key, work, undoes: undo ? state.last[user].title : undefined };
    state.sent.push(record);
    try {
      const { result } = await call(client, work.method, work.request);
      record.answer = result;
      if (!undo) state.last[user] = { title, entry: result.undo_entry_id };
      else delete state.last[user];
    } catch {
      return; // The server is gone; whether this one was applied is not known.
    }
  }
}

async function settle(client, state) {
  // Retrying unacknowledged creations settles them: applied exactly once, now or before.
  for (const record of state.sent.filter((r) => !r.answer)) {
    const { result } = await call(client, record.work.method, record.work.request);
    record.answer = result;
    assert.ok(result.success || record.undoes, `${record.key}: ${JSON.stringify(result.error)}`);
    delete state.last[record.user];
  }
}

async function check(client, audit, state) {
  const counts = new Map();
  for (const record of state.sent) {
    if (!record.undoes) counts.set(record.title, 1);
  }
  for (const record of state.sent) {
    if (record.undoes && record.answer.success) counts.set(record.undoes, 0);
  }
  for (const record of state.sent.filter((r) => !r.undoes)) {
    const id = JSON.parse(record.answer.data_json).blockId;
    const { result } = await call(client, 'Execute', { tool_id: 'get_block', caller: caller(record.user),
      arguments_json: JSON.stringify({ blockId: id }) });
    assert.equal(result.success, counts.get(record.title) === 1, `${record.title}: ${JSON.stringify(result)}`);
  }
  const report = await call(audit, 'VerifyChain', { caller: caller('auditor') });
  assert.equal(report.valid, true, JSON.stringify(report));
}

test(`${ROUNDS} kills lose nothing and double nothing`, { timeout: 600_000 }, async () => {
  const state = { stopped: false, next: {}, last: {}, sent: [] };
  const titles = new Map();
  for (let i = 0; i < WRITERS; ++i) state.next[`u${i}`] = 0;
  let acknowledged = 0;
  try {
    for (let round = 0; round < ROUNDS; ++round) {
      const server = await start();
      const client = await connect(server.address, 'toolgate.v1.ToolService');
      const audit = await connect(server.address, 'toolgate.v1.AuditService');
      await settle(client, state);
      await check(client, audit, state);
      acknowledged += state.sent.length;
      for (const record of state.sent) if (!record.undoes) titles.set(record.title, record);
      state.sent = [];
      state.stopped = false;
      const writers = Object.keys(state.next).map((user) => write(client, user, state));
      await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 200));
      server.child.kill('SIGKILL');
      state.stopped = true;
      await server.ended;
      await Promise.all(writers);
      client.close();
      audit.close();
    }
    const server = await start();
    const client = await connect(server.address, 'toolgate.v1.ToolService');
    const audit = await connect(server.address, 'toolgate.v1.AuditService');
    await settle(client, state);
    await check(client, audit, state);
    acknowledged += state.sent.length;
    // No duplicates: every title ever written is in the store at most once, in the audit log exactly once.
    const written = new Map();
    for (let token = ''; ;) {
      const page = await call(audit, 'SearchEntries', { caller: caller('auditor'), tool_id: 'create_block', success: true,
        page_size: 500, page_token: token });
      for (const entry of page.entries.filter((row) => !row.idempotent_replay)) {
        const { title } = JSON.parse(entry.params_json).data;
        written.set(title, (written.get(title) ?? 0) + 1);
      }
      token = page.next_page_token;
      if (!token) break;
    }
    for (const record of state.sent) if (!record.undoes) titles.set(record.title, record);
    assert.equal(written.size, titles.size);
    for (const [title, count] of written) assert.equal(count, 1, `${title} was written ${count} times`);
    client.close();
    audit.close();
    server.child.kill('SIGTERM');
    assert.equal(await server.ended, 0);
    assert.ok(acknowledged > ROUNDS, `only ${acknowledged} mutations were settled`);
    console.log(`${acknowledged} mutations settled over ${ROUNDS} kills`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
