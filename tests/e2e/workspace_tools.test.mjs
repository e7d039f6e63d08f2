// The workspace tools from outside: an independent client over reflection, against the built binary.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, connect, listServices } from './client.mjs';
import { serve } from './server.mjs';
import { toolCalls } from './tools.mjs';

let server, tools, audit;
const caller = { workspace_id: 'e2e', user_id: 'eve', user_name: 'Eve', ai_model: 'test-model', conversation_id: 'c1' };

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

const { execute, run, refused, confirmed } = toolCalls(() => tools, caller);

test('reflection lists exactly what works', async () => {
  const services = await listServices(server.address);
  for (const name of ['toolgate.v1.ToolService', 'toolgate.v1.AuditService', 'toolgate.v1.AdminService',
    'toolgate.v1.DataService', 'toolgate.v1.InstructionService', 'grpc.health.v1.Health', 'grpc.reflection.v1.ServerReflection',
    'grpc.reflection.v1alpha.ServerReflection']) {
    assert.ok(services.includes(name), `${name} in ${services}`);
  }
  assert.ok(services.includes('toolgate.v1.ChatService'));
});

// Names, types, enums, defaults, maxima and required lists of the workspace tools.
const CONTRACT = {
  search_workspace: { category: 'READ', required: ['query'], permissions: ['block:read'], properties: { query: 'string', blockTypes: 'array', limit: 'number' }, defaults: { limit: 10 }, maxima: { limit: 50 } },
  get_block: { category: 'READ', required: ['blockId'], permissions: ['block:read'], properties: { blockId: 'string', includeChildren: 'boolean', depth: 'number' }, defaults: { includeChildren: true, depth: 1 }, maxima: { depth: 5 } },
  query_database: { category: 'READ', required: ['databaseId'], permissions: ['database:read'], properties: { databaseId: 'string', filter: 'object', sort: 'object', limit: 'number' }, defaults: { limit: 25 }, maxima: { limit: 100 } },
  list_tasks: { category: 'READ', required: [], permissions: ['task:read'], properties: { status: 'string', priority: 'string', overdue: 'boolean', dueBefore: 'string', assignedTo: 'string', boardId: 'string', limit: 'number' }, defaults: { limit: 20 }, maxima: { limit: 100 } },
  create_block: { category: 'CREATE', required: ['data', 'type'], permissions: ['block:create'], properties: { type: 'string', parentId: 'string', data: 'object', position: 'number' }, defaults: {}, maxima: {} },
  create_task: { category: 'CREATE', required: ['title'], permissions: ['task:create'], properties: { title: 'string', description: 'string', columnId: 'string', boardId: 'string', priority: 'string', dueDate: 'string', tags: 'array', assignedTo: 'string', subtasks: 'array' }, defaults: { priority: 'medium' }, maxima: {} },
  update_block: { category: 'UPDATE', required: ['blockId', 'data'], permissions: ['block:update'], properties: { blockId: 'string', data: 'object' }, defaults: {}, maxima: {} },
  update_task_status: { category: 'UPDATE', required: ['taskId'], permissions: ['task:update'], properties: { taskId: 'string', status: 'string', columnId: 'string' }, defaults: {}, maxima: {} },
  add_property: { category: 'UPDATE', required: ['databaseId', 'name', 'type'], permissions: ['database:update'], properties: { databaseId: 'string', name: 'string', type: 'string', options: 'object' }, defaults: {}, maxima: {} },
  delete_block: { category: 'DELETE', required: ['blockId'], permissions: ['block:delete'], properties: { blockId: 'string', deleteChildren: 'boolean' }, defaults: { deleteChildren: true }, maxima: {} },
  trigger_automation: { category: 'EXECUTE', required: ['automationId'], permissions: ['automation:trigger'], properties: { automationId: 'string', context: 'object' }, defaults: {}, maxima: {} },
};

test('the catalogue is that of the contract', async () => {
  const listed = await call(tools, 'ListTools', { caller, modules: ['workspace'] });
  assert.deepEqual(listed.tools.map((tool) => tool.id).sort(), Object.keys(CONTRACT).sort());
  for (const tool of listed.tools) {
    const contract = CONTRACT[tool.id];
    const schema = JSON.parse(tool.argument_schema_json);
    assert.equal(tool.category, `TOOL_CATEGORY_${contract.category}`, tool.id);
    assert.deepEqual(tool.required_permissions, contract.permissions, tool.id);
    assert.deepEqual([...(schema.required ?? [])].sort(), contract.required, tool.id);
    assert.equal(schema.additionalProperties, false, tool.id);
    for (const [name, type] of Object.entries(contract.properties)) {
      const types = [schema.properties[name]?.type].flat().map((t) => (t === 'integer' ? 'number' : t));
      assert.ok(types.includes(type), `${tool.id}.${name}: ${types}`);
    }
    for (const [name, value] of Object.entries(contract.defaults)) {
      assert.deepEqual(schema.properties[name].default, value, `${tool.id}.${name}`);
    }
    for (const [name, value] of Object.entries(contract.maxima)) {
      assert.equal(schema.properties[name].maximum, value, `${tool.id}.${name}`);
    }
    assert.ok(tool.examples.length > 0, tool.id);
  }
});

test('enums are those of the contract', async () => {
  const { tools: listed } = await call(tools, 'ListTools', { caller, modules: ['workspace'] });
  const schemaOf = (id) => JSON.parse(listed.find((tool) => tool.id === id).argument_schema_json).properties;
  assert.deepEqual(schemaOf('list_tasks').status.enum, ['todo', 'in_progress', 'done', 'all']);
  assert.deepEqual(schemaOf('list_tasks').priority.enum, ['low', 'medium', 'high', 'critical']);
  assert.deepEqual(schemaOf('create_task').priority.enum, ['low', 'medium', 'high', 'critical']);
  assert.equal(schemaOf('create_task').title.maxLength, 500);
  assert.deepEqual(schemaOf('add_property').type.enum,
    ['text', 'number', 'select', 'multi_select', 'date', 'checkbox', 'url', 'email', 'phone', 'relation']);
  assert.deepEqual(schemaOf('query_database').sort.properties.direction.enum, ['asc', 'desc']);
});

test('every tool renders for every provider', async () => {
  for (const format of ['OPENAI', 'OPENAI_RESPONSES', 'ANTHROPIC', 'GEMINI', 'GLM', 'MCP']) {
    const listed = await call(tools, 'ListTools', { caller, modules: ['workspace'], format: `CATALOG_FORMAT_${format}` });
    const rendered = JSON.parse(listed.rendered_json);
    const list = format === 'GEMINI' ? rendered.functionDeclarations : rendered;
    assert.equal(list.length, 11, format);
    assert.ok(!listed.rendered_json.includes('x-toolgate'), format);
  }
});

test('a page, its children and a read to depth', async () => {
  const page = await run('create_block', { type: 'page', data: { title: 'Plans' } });
  const todo = await run('create_block', { type: 'todo', parentId: page.blockId, data: { content: 'Review PR', completed: false, priority: 'high' } });
  const first = await run('create_block', { type: 'paragraph', parentId: page.blockId, data: { content: 'Intro' }, position: 0 });
  const read = await run('get_block', { blockId: page.blockId });
  assert.equal(read.block.data.title, 'Plans');
  assert.deepEqual(read.children.map((child) => child.id), [first.blockId, todo.blockId]);
  const alone = await run('get_block', { blockId: page.blockId, includeChildren: false });
  assert.deepEqual(alone.children ?? [], []);
});

test('a board, its columns and a task that moves', async () => {
  const board = await run('create_block', { type: 'kanban_board', data: { title: 'Sprint' } });
  const column = async (title) => (await run('create_block', { type: 'kanban_column', parentId: board.blockId, data: { title } })).blockId;
  const [open, , done] = [await column('Open'), await column('In progress'), await column('Done')];
  const task = await run('create_task', { title: 'Deploy v2.0', priority: 'high', boardId: board.blockId, dueDate: '2020-12-01T17:00:00Z', subtasks: [{ title: 'Run tests' }, { title: 'Merge' }] });
  assert.ok(task.taskId);
  const overdue = await run('list_tasks', { overdue: true, boardId: board.blockId });
  assert.deepEqual(overdue.tasks.map((row) => row.id), [task.taskId]);
  const search = await run('search_workspace', { query: 'overdue tasks', blockTypes: ['todo', 'kanban_card'] });
  assert.ok(search.results.some((row) => row.blockId === task.taskId), JSON.stringify(search));
  const moved = await run('update_task_status', { taskId: task.taskId, status: 'Done' });
  assert.equal(moved.success, true);
  assert.notEqual(moved.previousStatus, moved.newStatus);
  assert.equal((await run('list_tasks', { overdue: true, boardId: board.blockId })).totalCount, 0);
  assert.equal((await run('get_block', { blockId: task.taskId })).block.parentId, done);
  await run('update_task_status', { taskId: task.taskId, columnId: open });
});

test('a database with typed properties', async () => {
  const database = await run('create_block', { type: 'database', data: { title: 'Books' } });
  for (const [name, type, options] of [['Title', 'text'], ['Year', 'number'], ['State', 'select', { options: ['new', 'read'] }], ['Done', 'checkbox'], ['Bought', 'date']]) {
    const added = await run('add_property', { databaseId: database.blockId, name, type, ...(options ? { options } : {}) });
    assert.ok(added.propertyId);
    assert.equal(added.success, true);
  }
  const row = (properties) => run('create_block', { type: 'database_row', parentId: database.blockId, data: { properties } });
  await row({ Title: 'Dune', Year: 1965, State: 'read', Done: true });
  await row({ Title: 'Emma', Year: 1815, State: 'new' });
  await row({ Title: 'Ulysses', Year: 1922, State: 'new' });
  const query = await run('query_database', { databaseId: database.blockId, filter: { property: 'Year', operator: 'greater_than', value: 1900 }, sort: { property: 'Year', direction: 'desc' } });
  assert.equal(query.totalCount, 2);
  assert.equal(query.hasMore, false);
  assert.deepEqual(query.rows.map((r) => r.properties.Title), ['Dune', 'Ulysses']);
  const limited = await run('query_database', { databaseId: database.blockId, limit: 2 });
  assert.equal(limited.hasMore, true);
  const wrong = await execute('create_block', { type: 'database_row', parentId: database.blockId, data: { properties: { Year: 'last year' } } });
  assert.equal(wrong.result.success, false);
  assert.equal(wrong.result.error.code, 'INVALID_PARAMS');
  assert.match(wrong.result.error.message, /Year/);
});

test('an update merges and answers what was there', async () => {
  const page = await run('create_block', { type: 'page', data: { title: 'Old', meta: { kept: 1 } } });
  const updated = await run('update_block', { blockId: page.blockId, data: { title: 'New' } });
  assert.equal(updated.success, true);
  assert.equal(updated.previousData.title, 'Old');
  assert.deepEqual(updated.block.data, { title: 'New', meta: { kept: 1 } });
  assert.equal(updated.block.version, 2);
});

test('a deletion asks, runs once, and comes back', async () => {
  const page = await run('create_block', { type: 'page', data: { title: 'Gone' } });
  await run('create_block', { type: 'paragraph', parentId: page.blockId, data: { content: 'with it' } });
  const deleted = await confirmed('delete_block', { blockId: page.blockId });
  assert.equal(deleted.deletedCount, 2);
  const undone = await call(tools, 'Undo', { caller });
  assert.equal(undone.result.success, true, JSON.stringify(undone));
  assert.equal((await run('get_block', { blockId: page.blockId })).children.length, 1);
});

test('an automation runs its steps and undoes as one', async () => {
  const automation = await run('create_block', { type: 'automation', data: { title: 'Onboard', steps: [
    { tool: 'create_block', arguments: { type: 'page', data: { title: 'Welcome {{context.name}}' } } },
    { tool: 'create_task', arguments: { title: 'Greet {{context.name}}' } }] } });
  const result = await confirmed('trigger_automation', { automationId: automation.blockId, context: { name: 'Zoe' } });
  assert.equal(result.success, true);
  assert.ok(result.executionId);
  assert.equal((await run('search_workspace', { query: 'Zoe' })).totalCount, 2);
  assert.equal((await call(tools, 'Undo', { caller })).result.success, true);
  assert.equal((await run('search_workspace', { query: 'Zoe' })).totalCount, 0);
});

test('a dry run changes nothing', async () => {
  const response = await execute('create_task', { title: 'Imagined' }, { dry_run: true });
  assert.equal(response.result.dry_run, true);
  assert.equal(response.result.changes.length, 1);
  assert.equal((await run('search_workspace', { query: 'Imagined' })).totalCount, 0);
});

test('a keyed retry runs once', async () => {
  const args = { type: 'page', data: { title: 'Only one' } };
  const [first, second] = [await execute('create_block', args, { idempotency_key: 'k-1' }), await execute('create_block', args, { idempotency_key: 'k-1' })];
  assert.equal(second.result.replayed, true);
  assert.equal(first.result.data_json, second.result.data_json);
  const other = await refused('create_block', { type: 'page', data: { title: 'Other' } }, { idempotency_key: 'k-1' });
  assert.equal(other.reason, 'INVALID_PARAMS');
});

test('errors say what was wrong, where, and what would be right', async () => {
  const unknown = await refused('get_blok', {});
  assert.equal(unknown.code, 5);
  assert.equal(unknown.reason, 'UNKNOWN_TOOL');
  assert.match(unknown.message, /get_block/);
  const property = await refused('get_block', { blockID: 'x' });
  assert.equal(property.code, 3);
  assert.match(property.message, /blockId/);
  assert.ok(property.violations.some((row) => row.field.includes('blockID')));
  const missing = await refused('get_block', {});
  assert.equal(missing.reason, 'MISSING_REQUIRED');
});

test('a Struct serves as arguments too', async () => {
  const response = await call(tools, 'Execute', { tool_id: 'list_tasks', caller,
    arguments: { fields: [{ key: 'limit', value: { number_value: 1 } }] } });
  assert.equal(response.result.success, true, JSON.stringify(response));
});

test('results render for every provider', async () => {
  for (const format of ['RAW_JSON', 'TOOL_RESULT_XML', 'OPENAI', 'OPENAI_RESPONSES', 'ANTHROPIC', 'GEMINI', 'MCP',
    'OK_DATA_ERROR']) {
    const response = await execute('list_tasks', { limit: 1 }, { result_format: `RESULT_FORMAT_${format}`, tool_call_id: 'call_1' });
    assert.ok(response.result.rendered_text.length > 0, format);
    if (format !== 'TOOL_RESULT_XML') JSON.parse(response.result.rendered_text);
    else assert.match(response.result.rendered_text, /^<tool_result>[\s\S]*call_1[\s\S]*<\/tool_result>\s*$/);
  }
});

test('every call is in the audit log, and its chain holds', async () => {
  const found = await call(audit, 'SearchEntries', { caller, tool_id: 'delete_block', ai_actions_only: true });
  assert.ok(found.entries.length >= 2);
  assert.ok(found.entries.every((entry) => entry.tool_id === 'delete_block' && entry.ai_model === 'test-model'));
  const entry = await call(audit, 'GetEntry', { caller, entry_id: found.entries[0].id });
  assert.equal(entry.entry.id, found.entries[0].id);
  const block = found.entries.find((row) => row.affected_block_ids.length > 0).affected_block_ids[0];
  const touched = await call(audit, 'SearchEntries', { caller, block_id: block });
  assert.ok(touched.entries.length >= 2);
  const pages = [];
  for (let token = ''; ;) {
    const page = await call(audit, 'SearchEntries', { caller, page_size: 10, page_token: token });
    pages.push(...page.entries);
    token = page.next_page_token;
    if (!token) break;
  }
  assert.equal(new Set(pages.map((row) => row.id)).size, pages.length);
  const report = await call(audit, 'VerifyChain', { caller });
  assert.equal(report.valid, true, JSON.stringify(report));
  assert.equal(Number(report.last_sequence), pages.length);
});

test('metrics count calls, refusals and layers', async () => {
  const text = await (await fetch(`http://${server.metrics}/metrics`)).text();
  assert.match(text, /toolgate_calls_total\{[^}]*tool="get_block"[^}]*\} [1-9]/);
  assert.match(text, /toolgate_rejections_total\{[^}]*layer="param_validation"[^}]*\} [1-9]/);
  assert.match(text, /toolgate_layer_duration_seconds_count\{[^}]*layer="injection_defence"[^}]*\} [1-9]/);
  assert.match(text, /grpc_server_handled_total\{[^}]*grpc_code="OK"[^}]*\} [1-9]/);
});
