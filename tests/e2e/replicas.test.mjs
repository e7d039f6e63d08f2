// Three services over one PostgreSQL and one Redis, of which one is killed at random, again and again, and sometimes the
// database: nothing acknowledged is lost, nothing is applied twice, and the chain verifies.
//
// TOOLGATE_REPLICA_ROUNDS sets the number of kills (12 in an ordinary run).
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { connect } from './client.mjs';
import { check, checkOnce, newState, settle, write } from './keyed_load.mjs';
import { binary } from './server.mjs';
import { Postgres, Redis } from './shared_stores.mjs';

const ROUNDS = Number(process.env.TOOLGATE_REPLICA_ROUNDS ?? 12);
const REPLICAS = 3;
const WRITERS = 8;
const folder = mkdtempSync(join(tmpdir(), 'toolgate-replicas-'));
const config = join(folder, 'config.yaml');
const replicas = [];
const postgres = new Postgres();
const redis = new Redis();

before(async () => {
  await postgres.start();
  await redis.start();
  writeFileSync(config, `storage: {postgres: {host: ${postgres.folder}, pool_size: 12}}
coordination: {redis: {address: "unix:${redis.socket}", timeout: 10s}}
rate_limiting:
  tools:
    create_block:
      windows: [{audience: any, max_calls: 1000000, window: 1s}]
`);
});
after(async () => {
  for (const replica of replicas) await end(replica, 'SIGKILL');
  await postgres.remove();
  await redis.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function start(number) {
  const child = spawn(binary, ['serve', '--config', config, '--listen', '127.0.0.1:0', '--metrics-listen', 'off',
    '--data-dir', join(folder, `data${number}`)], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const { address } = await new Promise((resolve, reject) => {
    let log = '';
    createInterface({ input: child.stderr }).on('line', (line) => {
      log += line + '\n';
      if (line.includes('"serving"')) resolve(JSON.parse(line));
    });
    ended.then(() => reject(new Error(`the server did not start:\n${log}`)));
  });
  const client = await connect(address, 'toolgate.v1.ToolService');
  const audit = await connect(address, 'toolgate.v1.AuditService');
  return { child, ended, client, audit };
}

async function end(replica, signal) {
  replica.child.kill(signal);
  const code = await replica.ended;
  replica.client.close();
  replica.audit.close();
  return code;
}

const random = (n) => Math.floor(Math.random() * n);
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// A call that comes while the database is away, or whose key a dead process holds, is to be tried again.
async function patiently(work) {
  for (const give_up = Date.now() + 90_000; ;) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof assert.AssertionError || Date.now() > give_up) throw error;
      await sleep(200);
    }
  }
}

test(`${ROUNDS} kills of replicas and of the database lose nothing and double nothing`, { timeout: 600_000 }, async () => {
  const state = newState(WRITERS);
  for (let i = 0; i < REPLICAS; ++i) replicas.push(await start(i));
  const pick = () => replicas[random(REPLICAS)].client;
  for (let round = 0; round < ROUNDS; ++round) {
    const writers = Object.keys(state.next).map((user) => write(pick, user, state));
    await sleep(50 + random(250));
    if (round % 4 === 3) {
      await postgres.crash();
      await sleep(random(300));
      await postgres.start();
    } else {
      const number = random(REPLICAS);
      await end(replicas[number], 'SIGKILL');
      // Its work is settled at the others first.
      state.stopped = true;
      await Promise.all(writers);
      const others = replicas.filter((_, i) => i !== number);
      await patiently(() => settle(() => others[random(others.length)].client, state));
      replicas[number] = await start(number);
    }
    state.stopped = true;
    await Promise.all(writers);
    await patiently(() => settle(pick, state));
    await patiently(() => check(pick, replicas[random(REPLICAS)].audit, state));
  }
  await checkOnce(replicas[0].audit, state);
  while (replicas.length > 0) assert.equal(await end(replicas.pop(), 'SIGTERM'), 0);
  assert.ok(state.acknowledged > ROUNDS, `only ${state.acknowledged} mutations were settled`);
  console.log(`${state.acknowledged} mutations settled over ${ROUNDS} kills`);
});
