// The kanban, notes and journal tools from outside: an independent client over reflection, against the built binary.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, connect } from './client.mjs';
import { serve } from './server.mjs';
import { toolCalls } from './tools.mjs';

let server, tools, audit;
const caller = { workspace_id: 'planner', user_id: 'eve', user_name: 'Eve' };

before(async () => {
  server = await serve();
  tools = await connect(server.address, 'toolgate.v1.ToolService');
  audit = await connect(server.address, 'toolgate.v1.AuditService');
});
after(async () => {
  tools?.close();
  audit?.close();
  assert.equal(await server.stop(), 0);
});

const { execute, run, failed, refused, confirmed, undo } = toolCalls(() => tools, caller);
const titles = (rows) => rows.map((row) => row.title);

const STRING = 'string';
const STRINGS = 'array of string';
const CONTRACT = {
  kanban_list_boards: { category: 'READ', permission: 'kanban:read', required: [], properties: {} },
  kanban_list_cards: { category: 'READ', permission: 'kanban:read', required: [], properties: { boardId: STRING } },
  kanban_create_card: { category: 'CREATE', permission: 'kanban:create', required: ['columnId', 'title'], properties: { columnId: STRING, title: STRING, description: STRING, position: 'number', dueDate: STRING, eventLinks: STRINGS } },
  kanban_update_card: { category: 'UPDATE', permission: 'kanban:update', required: ['cardId'], properties: { cardId: STRING, title: STRING, description: STRING, dueDate: 'string or null', eventLinks: STRINGS } },
  kanban_move_card: { category: 'UPDATE', permission: 'kanban:update', required: ['cardId', 'columnId'], properties: { cardId: STRING, columnId: STRING, position: 'number' } },
  kanban_delete_card: { category: 'DELETE', permission: 'kanban:delete', required: ['cardId'], properties: { cardId: STRING } },
  notes_search: { category: 'READ', permission: 'note:read', required: [], properties: { q: STRING, tag: STRING, parentId: STRING } },
  notes_create: { category: 'CREATE', permission: 'note:create', required: ['title'], properties: { title: STRING, body: STRING, parentId: STRING, tags: STRINGS, eventLinks: STRINGS } },
  notes_update: { category: 'UPDATE', permission: 'note:update', required: ['noteId'], properties: { noteId: STRING, title: STRING, body: STRING, parentId: 'string or null', tags: STRINGS, eventLinks: STRINGS } },
  notes_delete: { category: 'DELETE', permission: 'note:delete', required: ['noteId'], properties: { noteId: STRING } },
  journal_list: { category: 'READ', permission: 'journal:read', required: [], properties: { date: STRING, dateFrom: STRING, dateTo: STRING, q: STRING, tag: STRING } },
  journal_get: { category: 'READ', permission: 'journal:read', required: ['entryId'], properties: { entryId: STRING } },
  journal_create: { category: 'CREATE', permission: 'journal:create', required: ['title', 'date'], properties: { title: STRING, body: STRING, date: STRING, mood: STRING, tags: STRINGS } },
  journal_update: { category: 'UPDATE', permission: 'journal:update', required: ['entryId'], properties: { entryId: STRING, title: STRING, body: STRING, date: STRING, mood: STRING, tags: STRINGS } },
  journal_delete: { category: 'DELETE', permission: 'journal:delete', required: ['entryId'], properties: { entryId: STRING } },
};

function typeOf(schema) {
  if (schema.type === 'array') return `array of ${typeOf(schema.items)}`;
  return [schema.type].flat().join(' or ');
}

test('the catalogue is that of the contract', async () => {
  const listed = await call(tools, 'ListTools', { caller, modules: ['kanban', 'notes', 'journal'] });
  assert.deepEqual(listed.tools.map((tool) => tool.id).sort(), Object.keys(CONTRACT).sort());
  for (const tool of listed.tools) {
    const contract = CONTRACT[tool.id];
    const schema = JSON.parse(tool.argument_schema_json);
    assert.equal(tool.category, `TOOL_CATEGORY_${contract.category}`, tool.id);
    assert.deepEqual(tool.required_permissions, [contract.permission], tool.id);
    assert.deepEqual(schema.required ?? [], contract.required, tool.id);
    assert.equal(schema.additionalProperties, false, tool.id);
    const types = Object.entries(schema.properties).map(([name, property]) => [name, typeOf(property)]);
    assert.deepEqual(Object.fromEntries(types), contract.properties, tool.id);
    assert.ok(Object.values(schema.properties).every((property) => !property.enum), tool.id);
    assert.ok(tool.examples.length >= 2, tool.id);
  }
});

test('the tools render for every provider', async () => {
  for (const format of ['OPENAI', 'OPENAI_RESPONSES', 'ANTHROPIC', 'GEMINI', 'GLM', 'MCP']) {
    const listed = await call(tools, 'ListTools', { caller, modules: ['kanban', 'notes', 'journal'], format: `CATALOG_FORMAT_${format}` });
    const rendered = JSON.parse(listed.rendered_json);
    assert.equal((format === 'GEMINI' ? rendered.functionDeclarations : rendered).length, 15, format);
  }
});

test('a board whose cards are made, changed, moved, deleted and brought back', async () => {
  const board = (await run('create_block', { type: 'kanban_board', data: { title: 'Sprint' } })).blockId;
  const column = async (title) => (await run('create_block', { type: 'kanban_column', parentId: board, data: { title } })).blockId;
  const [open, done] = [await column('Open'), await column('Done')];
  const event = (await run('create_block', { type: 'calendar_event', data: { title: 'Review', date: '2026-12-01' } })).blockId;
  const first = await run('kanban_create_card', { columnId: open, title: 'Fix the login', description: 'Fails', dueDate: '2026-12-01T17:00:00Z', eventLinks: [event] });
  assert.equal(first.card.status, 'todo');
  assert.equal(first.card.position, 0);
  assert.deepEqual(first.card.eventLinks, [event]);
  const second = await run('kanban_create_card', { columnId: open, title: 'Stop the leak', position: 0 });
  assert.equal(second.card.position, 0);
  const cards = async () => (await run('kanban_list_cards', { boardId: board })).cards;
  assert.deepEqual(titles(await cards()), ['Stop the leak', 'Fix the login']);
  const { boards } = await run('kanban_list_boards', {});
  assert.deepEqual(boards[0].columns.map((row) => [row.title, row.status, row.cardCount]), [['Open', 'todo', 2], ['Done', 'done', 0]]);

  const updated = await run('kanban_update_card', { cardId: first.cardId, title: 'Mend the login', dueDate: null });
  assert.equal(updated.card.title, 'Mend the login');
  assert.equal('dueDate' in updated.card, false);
  assert.equal(updated.card.position, 1);
  await undo();
  assert.equal((await cards())[1].dueDate, '2026-12-01T17:00:00Z');

  const moved = await run('kanban_move_card', { cardId: first.cardId, columnId: done, position: 7 });
  assert.equal(moved.card.status, 'done');
  assert.equal(moved.card.position, 0);
  assert.equal((await run('list_tasks', { status: 'done', boardId: board })).tasks[0].id, first.cardId);

  const before = await cards();
  assert.deepEqual(await confirmed('kanban_delete_card', { cardId: first.cardId }, 'Delete kanban_card "Fix the login"'), { success: true, deletedCount: 1 });
  assert.equal((await cards()).length, 1);
  await undo();
  assert.deepEqual(await cards(), before);
});

test('notes in a tree, with tags, found by words, moved, deleted with what is in them', async () => {
  const recipes = await run('notes_create', { title: 'Recipes', tags: [' Kitchen ', 'KITCHEN', ''] });
  assert.deepEqual(recipes.note.tags, ['Kitchen']);
  const bread = await run('notes_create', { title: 'Bread', body: '# Dough\n\nRest it overnight.', parentId: recipes.noteId });
  const soup = await run('notes_create', { title: 'Soup', parentId: recipes.noteId, tags: ['kitchen'] });
  const search = async (args) => (await run('notes_search', args)).notes;
  assert.deepEqual(titles(await search({ parentId: recipes.noteId })), ['Soup', 'Bread']);
  assert.deepEqual(titles(await search({ tag: 'KITCHEN' })), ['Soup', 'Recipes']);
  const [hit] = await search({ q: 'dough overn' });
  assert.equal(hit.id, bread.noteId);
  assert.match(hit.snippet, /Rest it overnight/);
  assert.equal(hit.body, '# Dough\n\nRest it overnight.');
  assert.equal((await run('search_workspace', { query: 'overnight' })).results[0].blockId, bread.noteId);

  const moved = await run('notes_update', { noteId: soup.noteId, parentId: null, tags: ['winter'] });
  assert.equal(moved.note.parentId, null);
  assert.deepEqual(moved.note.tags, ['winter']);
  assert.equal((await failed('notes_update', { noteId: recipes.noteId, parentId: bread.noteId })).code, 'CONFLICT');
  await undo();
  assert.equal((await search({ q: 'soup' }))[0].parentId, recipes.noteId);

  assert.deepEqual(await confirmed('notes_delete', { noteId: recipes.noteId }, 'Delete note "Recipes" and the 2 blocks below it'), { success: true, deletedCount: 3 });
  assert.deepEqual(await search({}), []);
  await undo();
  assert.deepEqual(titles(await search({})), ['Soup', 'Bread', 'Recipes']);
});

test('a journal by days, words and tags', async () => {
  const ride = await run('journal_create', { title: 'First ride', date: '2026-03-01', body: 'Along the river.', mood: 'happy', tags: ['Bike'] });
  await run('journal_create', { title: 'Flat tyre', date: '2026-03-02', tags: ['bike'] });
  await run('journal_create', { title: 'Rain', date: '2026-03-03' });
  const list = async (args) => titles((await run('journal_list', args)).entries);
  assert.deepEqual(await list({}), ['Rain', 'Flat tyre', 'First ride']);
  assert.deepEqual(await list({ date: '2026-03-02' }), ['Flat tyre']);
  assert.deepEqual(await list({ dateFrom: '2026-03-01', dateTo: '2026-03-02' }), ['Flat tyre', 'First ride']);
  assert.deepEqual(await list({ tag: 'BIKE', q: 'riv' }), ['First ride']);
  const got = await run('journal_get', { entryId: ride.entryId });
  assert.equal(got.entry.mood, 'happy');

  const updated = await run('journal_update', { entryId: ride.entryId, mood: '', date: 'today' });
  assert.equal('mood' in updated.entry, false);
  assert.match(updated.entry.date, /^\d{4}-\d\d-\d\d$/);
  await undo();
  assert.deepEqual(await run('journal_get', { entryId: ride.entryId }), got);

  await confirmed('journal_delete', { entryId: ride.entryId }, 'Delete journal_entry "First ride"');
  assert.equal((await failed('journal_get', { entryId: ride.entryId })).code, 'NOT_FOUND');
  await undo();
  assert.deepEqual(await run('journal_get', { entryId: ride.entryId }), got);
});

test('a denied deletion deletes nothing', async () => {
  const note = await run('notes_create', { title: 'Stays' });
  const asked = await execute('notes_delete', { noteId: note.noteId });
  await call(tools, 'DecideConfirmation', { caller, confirmation_id: asked.confirmation_request.confirmation_id, approve: false });
  const error = await execute('notes_delete', { noteId: note.noteId }, { confirmation_token: asked.confirmation_request.token })
    .then(() => assert.fail('a denied call ran'), (refusal) => refusal);
  assert.equal(error.reason, 'CANCELLED');
  assert.equal((await run('notes_search', { q: 'stays' })).totalCount, 1);
});

test('a dry run answers what would be and changes nothing', async () => {
  for (const [tool, args] of [['notes_create', { title: 'Imagined' }], ['journal_create', { title: 'Imagined', date: 'today' }]]) {
    const { result } = await execute(tool, args, { dry_run: true });
    assert.equal(result.dry_run, true, tool);
    assert.equal(result.success, true, tool);
    assert.equal(result.changes.length, 1, tool);
  }
  assert.equal((await run('search_workspace', { query: 'Imagined' })).totalCount, 0);
});

test('errors say what was wrong, where, and what would be right', async () => {
  const note = await run('notes_create', { title: 'A note' });
  const wrong = await failed('journal_get', { entryId: note.noteId });
  assert.equal(wrong.code, 'INVALID_PARAMS');
  assert.match(wrong.message, /is a note; entryId must name a journal_entry/);
  const empty = await failed('notes_update', { noteId: note.noteId });
  assert.equal(empty.code, 'MISSING_REQUIRED');
  assert.match(empty.message, /title, body, parentId, tags and eventLinks/);
  const date = await refused('journal_create', { title: 'x', date: 'next blursday' });
  assert.equal(date.code, 3);
  assert.match(date.message, /"\/date".*YYYY-MM-DD.*next monday/);
  for (const position of [-1, 0.5]) {
    const error = await refused('kanban_create_card', { columnId: 'c', title: 'x', position });
    assert.equal(error.code, 3);
    assert.ok(error.violations.some((row) => row.field.includes('position')), JSON.stringify(error));
  }
  const unknown = await refused('notes_create', { titel: 'x' });
  assert.match(unknown.message, /did you mean "title"/);
  const blank = await refused('notes_create', { title: '   ' });
  assert.equal(blank.code, 3);
});

test('answers come in the form of the contract when asked', async () => {
  const format = { result_format: 'RESULT_FORMAT_OK_DATA_ERROR' };
  const good = (await execute('notes_create', { title: 'Formed' }, format)).result;
  const answer = JSON.parse(good.rendered_text);
  assert.equal(answer.ok, true);
  assert.equal(answer.data.note.title, 'Formed');
  const missing = (await execute('journal_get', { entryId: 'nowhere' }, format)).result;
  assert.deepEqual(Object.keys(JSON.parse(missing.rendered_text)).sort(), ['error', 'ok']);
  assert.match(JSON.parse(missing.rendered_text).error, /nowhere/);
});

test('many clients that move the cards of one column lose none', async () => {
  const board = (await run('create_block', { type: 'kanban_board', data: { title: 'Busy' } })).blockId;
  const column = (await run('create_block', { type: 'kanban_column', parentId: board, data: { title: 'Open' } })).blockId;
  const ids = [];
  for (let i = 0; i < 8; ++i) ids.push((await run('kanban_create_card', { columnId: column, title: `c${i}` })).cardId);
  await Promise.all(Array.from({ length: 100 }, (_, i) =>
    run('kanban_move_card', { cardId: ids[(i * 5) % 8], columnId: column, position: (i * 3) % 8 })));
  const { cards } = await run('kanban_list_cards', { boardId: board });
  assert.deepEqual(cards.map((card) => card.id).sort(), [...ids].sort());
  assert.deepEqual(cards.map((card) => card.position), ids.map((_, i) => i));
});

test('every call is in the audit log, and its chain holds', async () => {
  for (const tool_id of ['kanban_delete_card', 'notes_delete', 'journal_delete']) {
    const found = await call(audit, 'SearchEntries', { caller, tool_id, success: true });
    assert.ok(found.entries.length >= 1, tool_id);
  }
  const report = await call(audit, 'VerifyChain', { caller });
  assert.equal(report.valid, true, JSON.stringify(report));
});
