// The calendar, links, the daily overview and the private database from outside: an independent client over reflection,
// against the built binary.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, connect } from './client.mjs';
import { serve } from './server.mjs';
import { toolCalls } from './tools.mjs';

let server, tools;
const caller = { workspace_id: 'calendar', user_id: 'eve', user_name: 'Eve' };
const { execute, run, failed, refused, confirmed, undo } = toolCalls(() => tools, caller);

before(async () => {
  server = await serve();
  tools = await connect(server.address, 'toolgate.v1.ToolService');
});
after(async () => {
  tools?.close();
  assert.equal(await server.stop(), 0);
});

const STATUS = ['pending', 'done'];
const TYPE = ['event', 'task'];
const SCOPE = ['this', 'all', 'this_and_following'];
const ITEM = ['event', 'task', 'note', 'log'];
const RELATION = ['references', 'blocks', 'belongs_to', 'scheduled_for'];
// Names, types, enums and required lists of contracts 002 and 004; an enum also means a string.
const CONTRACT = {
  calendar_list_events: { required: [], properties: { q: 'string', type: TYPE, status: STATUS, dateFrom: 'string', dateTo: 'string', limit: 'number' } },
  // `recurrence` is the only extension.
  calendar_create_event: { required: ['title', 'date'], properties: { title: 'string', description: 'string', date: 'string', time: 'string', type: TYPE, status: STATUS, recurrence: 'string' } },
  calendar_update_event: { required: ['eventId'], properties: { eventId: 'string', title: 'string', description: 'string', date: 'string', time: 'string', status: STATUS, type: TYPE, scope: SCOPE, revision: 'number' } },
  calendar_delete_event: { required: ['eventId'], properties: { eventId: 'string', scope: SCOPE } },
  items_link: { required: ['fromItemId', 'fromItemType', 'toItemId', 'toItemType'], properties: { fromItemId: 'string', fromItemType: ITEM, toItemId: 'string', toItemType: ITEM, relationType: RELATION } },
  items_unlink: { required: ['fromItemId', 'toItemId'], properties: { fromItemId: 'string', toItemId: 'string', relationType: RELATION } },
  items_list_links: { required: ['itemId'], properties: { itemId: 'string' } },
  daily_overview: { required: [], properties: { startDate: 'string', days: 'number' } },
  save_memory: { required: ['memory'], properties: { memory: 'string' } },
  db_query: { required: ['sql'], properties: { sql: 'string' } },
  update_db_schema: { required: ['schema'], properties: { schema: 'string' } },
};

test('the tools take what their contracts say', async () => {
  const { tools: list } = await call(tools, 'ListTools', { caller, page_size: 200 });
  const listed = new Map(list.map((tool) => [tool.id, tool]));
  assert.equal(listed.size, 37);
  for (const [id, contract] of Object.entries(CONTRACT)) {
    const schema = JSON.parse(listed.get(id).argument_schema_json);
    const properties = Object.fromEntries(Object.entries(schema.properties)
      .map(([name, of]) => [name, of.enum ?? of.type]));
    assert.deepEqual(properties, contract.properties, id);
    assert.deepEqual((schema.required ?? []).toSorted(), contract.required.toSorted(), id);
    assert.equal(schema.additionalProperties, false, id);
  }
});

test('one occurrence, those that follow, and all of a series', async () => {
  const { eventId } = await run('calendar_create_event',
    { title: 'Stand-up', date: '2026-03-02', time: '9:30', recurrence: 'FREQ=DAILY;COUNT=6' });
  const days = async () => (await run('calendar_list_events', { dateFrom: '2026-03-01', dateTo: '2026-03-31' })).events
    .map((event) => `${event.date} ${event.time} ${event.title}`);
  const before = await days();
  assert.equal(before.length, 6);
  assert.equal(before[0], '2026-03-02 09:30 Stand-up');

  await run('calendar_update_event', { eventId: `${eventId}@2026-03-03`, scope: 'this', time: '14:00' });
  await run('calendar_update_event', { eventId: `${eventId}@2026-03-06`, scope: 'this_and_following', title: 'Sync' });
  await confirmed('calendar_delete_event', { eventId: `${eventId}@2026-03-04`, scope: 'this' });
  assert.deepEqual(await days(), ['2026-03-02 09:30 Stand-up', '2026-03-03 14:00 Stand-up', '2026-03-05 09:30 Stand-up',
    '2026-03-06 09:30 Sync', '2026-03-07 09:30 Sync']);
  for (let i = 0; i < 3; ++i) await undo();
  assert.deepEqual(await days(), before);
  await confirmed('calendar_delete_event', { eventId, scope: 'all' });
  assert.deepEqual(await days(), []);
  await undo();
  assert.deepEqual(await days(), before);
});

test('a stale revision is a conflict that names the present one', async () => {
  const { eventId, event } = await run('calendar_create_event', { title: 'Review', date: '2026-04-01' });
  await run('calendar_update_event', { eventId, title: 'Review 2', revision: event.revision });
  const error = await failed('calendar_update_event', { eventId, title: 'Review 3', revision: event.revision });
  assert.equal(error.code, 'CONFLICT');
  assert.match(error.message, /2/);
});

test('links join the modules, and go and come back with their items', async () => {
  const { eventId } = await run('calendar_create_event', { title: 'Launch', date: '2026-05-04' });
  const { noteId } = await run('notes_create', { title: 'Checklist', eventLinks: [eventId] });
  const { taskId } = await run('create_task', { title: 'Book the room', dueDate: '2026-05-04' });
  const link = { fromItemId: taskId, fromItemType: 'task', toItemId: eventId, toItemType: 'event', relationType: 'blocks' };
  assert.equal((await run('items_link', link)).created, true);
  assert.equal((await run('items_link', link)).created, false);
  const links = async () => (await run('items_list_links', { itemId: eventId })).links
    .map((one) => `${one.direction} ${one.relationType} ${one.item.title}`).toSorted();
  assert.deepEqual(await links(), ['incoming blocks Book the room', 'incoming references Checklist']);
  assert.equal((await refused('items_link', { ...link, fromItemType: 'diary' })).reason, 'INVALID_PARAMS');

  const overview = await run('daily_overview', { startDate: '2026-05-04', days: 1 });
  assert.deepEqual(overview.days[0].events.map((event) => event.title), ['Launch']);
  assert.deepEqual(overview.days[0].tasks.map((task) => task.title), ['Book the room']);

  await confirmed('calendar_delete_event', { eventId });
  assert.deepEqual((await run('items_list_links', { itemId: noteId })).links, []);
  await undo();
  assert.deepEqual(await links(), ['incoming blocks Book the room', 'incoming references Checklist']);
  assert.equal((await run('items_unlink', { fromItemId: taskId, toItemId: eventId })).removedCount, 1);
});

const sql = (text) => run('db_query', { sql: text });

test('SQL has answers in the shape of its verb, and is undone', async () => {
  assert.deepEqual(await confirmed('db_query', { sql: 'CREATE TABLE ai_t (a INTEGER PRIMARY KEY, b TEXT)' }), { success: true });
  assert.deepEqual(await sql("INSERT INTO ai_t VALUES (1, 'x'), (2, 'y')"), { affectedRows: 2 });
  assert.deepEqual(await sql('UPDATE ai_t SET b = upper(b) WHERE a > 1'), { affectedRows: 1 });
  const rows = { rows: [{ a: 1, b: 'x' }, { a: 2, b: 'Y' }] };
  assert.deepEqual(await sql('SELECT * FROM ai_t ORDER BY a'), rows);
  await confirmed('db_query', { sql: 'DROP TABLE ai_t' }, 'Drop table ai_t and its 2 rows (private database)');
  await undo();
  assert.deepEqual(await sql('SELECT * FROM ai_t ORDER BY a'), rows);
  const dry = await execute('db_query', { sql: 'DELETE FROM ai_t' }, { dry_run: true });
  assert.equal(JSON.parse(dry.result.data_json).affectedRows, 2);
  assert.deepEqual(await sql('SELECT count(*) AS n FROM ai_t'), { rows: [{ n: 2 }] });
});

test('the database is the caller’s own, and reaches nothing else', async () => {
  for (const text of ['SELECT * FROM chats', 'SELECT * FROM "messages"', 'CREATE TABLE settings (a)', 'ATTACH \'x.db\' AS x',
    'PRAGMA journal_mode = OFF', 'VACUUM INTO \'/tmp/x\'', 'SELECT load_extension(\'x\')', 'CREATE TEMP TABLE ai_x (a)',
    'DELETE FROM sqlite_schema']) {
    const error = await execute('db_query', { sql: text }).then(({ result }) => result.error, (refusal) => refusal);
    assert.equal(error.code ?? error.reason, 'FORBIDDEN', `${text}: ${JSON.stringify(error)}`);
  }
  assert.equal((await failed('db_query', { sql: 'SELECT 1; SELECT 2' })).code, 'INVALID_PARAMS');
  const other = toolCalls(() => tools, { ...caller, user_id: 'bob' });
  assert.deepEqual(await other.run('db_query', { sql: 'SELECT name FROM sqlite_schema' }), { rows: [] });
});
