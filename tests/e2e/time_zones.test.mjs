// A machine without the zone database: the service runs, knows only UTC, and says so to its operator and to callers.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { call, connect } from './client.mjs';
import { serve } from './server.mjs';

const empty = mkdtempSync(join(tmpdir(), 'toolgate-zones-'));
let server, tools;

before(async () => {
  server = await serve([], { TZDIR: empty });
  tools = await connect(server.address, 'toolgate.v1.ToolService');
});
after(async () => {
  tools?.close();
  assert.equal(await server.stop(), 0);
  rmSync(empty, { recursive: true });
});

const listTasks = (time_zone) => call(tools, 'Execute', {
  caller: { workspace_id: 'e2e', user_id: 'eve', time_zone }, tool_id: 'list_tasks', arguments_json: '{}',
});

test('the operator reads which file is missing and what to install', () => {
  const [line] = server.log().split('\n').filter((text) => text.includes('time zones')).map(JSON.parse);
  assert.equal(line.level, 'warning');
  assert.match(line.error, new RegExp(`${empty} has none of tzdata.zi, zone.tab and zone1970.tab`));
  assert.match(line.error, /install the package tzdata/);
});

test('a caller may name UTC and nothing else', async () => {
  assert.equal((await listTasks('utc')).result.success, true);
  await assert.rejects(listTasks('Europe/Berlin'), (error) => {
    assert.equal(error.reason, 'INVALID_PARAMS');
    assert.match(error.message, /caller\.time_zone must be UTC, the only time zone known/);
    return true;
  });
});
