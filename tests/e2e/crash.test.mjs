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
import { connect } from './client.mjs';
import { check, checkOnce, newState, settle, write } from './keyed_load.mjs';
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

test(`${ROUNDS} kills lose nothing and double nothing`, { timeout: 600_000 }, async () => {
  const state = newState(WRITERS);
  const connected = async (server) => ({
    client: await connect(server.address, 'toolgate.v1.ToolService'),
    audit: await connect(server.address, 'toolgate.v1.AuditService'),
  });
  const review = async ({ client, audit }) => {
    await settle(() => client, state);
    await check(() => client, audit, state);
  };
  try {
    for (let round = 0; round < ROUNDS; ++round) {
      const server = await start();
      const { client, audit } = await connected(server);
      await review({ client, audit });
      const writers = Object.keys(state.next).map((user) => write(() => client, user, state));
      await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 200));
      server.child.kill('SIGKILL');
      state.stopped = true;
      await server.ended;
      await Promise.all(writers);
      client.close();
      audit.close();
    }
    const server = await start();
    const { client, audit } = await connected(server);
    await review({ client, audit });
    await checkOnce(audit, state);
    client.close();
    audit.close();
    server.child.kill('SIGTERM');
    assert.equal(await server.ended, 0);
    assert.ok(state.acknowledged > ROUNDS, `only ${state.acknowledged} mutations were settled`);
    console.log(`${state.acknowledged} mutations settled over ${ROUNDS} kills`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
