// The memory tools and InstructionService from outside: an independent client over reflection, against the built binary.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, connect } from './client.mjs';
import { serve } from './server.mjs';
import { toolCalls } from './tools.mjs';

let server, tools, instructions, audit;
const caller = { workspace_id: 'e2e', user_id: 'eve', ai_model: 'test-model', conversation_id: 'c1' };
const owner = { workspace_id: 'e2e', user_id: 'eve' };

before(async () => {
  server = await serve();
  tools = await connect(server.address, 'toolgate.v1.ToolService');
  instructions = await connect(server.address, 'toolgate.v1.InstructionService');
  audit = await connect(server.address, 'toolgate.v1.AuditService');
});
after(async () => {
  for (const client of [tools, instructions, audit]) client?.close();
  assert.equal(await server.stop(), 0);
});

const { execute } = toolCalls(() => tools, caller);
const update = (fields) => call(instructions, 'UpdateInstruction', { caller: owner, ...fields });
const read = async (who = owner) => (await call(instructions, 'GetInstruction', { caller: who })).instruction;
const prompt = (who = owner) => call(instructions, 'BuildPrompt', { caller: who });
const undo = async (entry_id) => (await call(tools, 'Undo', { caller: owner, entry_id })).result;
const listed = async () => (await call(tools, 'ListTools', { caller })).tools.map((tool) => tool.id);

test('the tools take what the contract says, and nothing else', async () => {
  const { tools: list } = await call(tools, 'ListTools', { caller, modules: ['memory'] });
  const schemas = Object.fromEntries(list.map((tool) => [tool.id, JSON.parse(tool.argument_schema_json)]));
  for (const [id, argument] of [['save_memory', 'memory'], ['update_db_schema', 'schema']]) {
    assert.deepEqual(Object.keys(schemas[id].properties), [argument]);
    assert.equal(schemas[id].properties[argument].type, 'string');
    assert.deepEqual(schemas[id].required, [argument]);
    assert.equal(schemas[id].additionalProperties, false);
    const tool = list.find((one) => one.id === id);
    assert.deepEqual(tool.required_permissions, ['memory:write']);
    assert.equal(tool.annotations.remembered, true);
  }
  assert.ok(!('update_instruction' in schemas));
});

test('a user who never changed anything has the defaults', async () => {
  const instruction = await read();
  assert.ok(instruction.core_instruction.length > 100);
  assert.equal(instruction.memory, '');
  assert.equal(instruction.db_schema, '');
  assert.equal(instruction.memory_enabled, true);
  assert.equal(instruction.updated_at, null);
});

test('what a model saves is in the next prompt, byte for byte', async () => {
  await update({ core_instruction: 'You are Ada.\n' });
  const saved = await execute('save_memory', { memory: '- likes tea\n- 語 😀' });
  assert.equal(saved.result.success, true, JSON.stringify(saved.result.error));
  assert.equal(JSON.parse(saved.result.data_json).success, true);
  assert.equal(typeof JSON.parse(saved.result.data_json).message, 'string');
  await execute('update_db_schema', { schema: '### ai_tea' });
  assert.equal((await prompt()).prompt,
    'You are Ada.\n\n\n---\n\n## Your Memory\n- likes tea\n- 語 😀\n\n## Your Database\n### ai_tea');
  assert.ok(Math.abs(Date.now() / 1000 - (await read()).updated_at.seconds) < 60);
});

test('a blank core instruction gives no prompt', async () => {
  const { undo_entry_id } = await update({ core_instruction: ' \n\t ' });
  assert.ok(!(await prompt())._prompt, 'the field is unset');
  assert.equal((await undo(undo_entry_id)).success, true);
  assert.match((await prompt()).prompt, /^You are Ada\./);
});

test('4,000 characters are remembered, 4,001 are not', async () => {
  const full = '😀'.repeat(4000);
  assert.equal((await execute('save_memory', { memory: full })).result.success, true);
  const longer = await execute('save_memory', { memory: full + 'x' },
    { result_format: 'RESULT_FORMAT_RAW_JSON', tool_call_id: 'call_1', refusals: 'REFUSAL_FORM_RESULT' });
  assert.equal(longer.result.success, false);
  assert.equal(longer.result.error.code, 'INVALID_PARAMS');
  assert.ok(JSON.parse(longer.result.rendered_text).error, 'the model sees what was wrong');
  assert.equal((await read()).memory, full);
  await assert.rejects(update({ memory: full + 'x', core_instruction: 'lost' }),
    (error) => error.code === 3 && error.reason === 'INVALID_PARAMS' && error.violations[0].field === '/memory');
  assert.equal((await read()).memory, full);
  assert.match((await read()).core_instruction, /^You are Ada/);
});

test('changes are undone one by one, and never over a later one', async () => {
  const first = await execute('save_memory', { memory: '- first' });
  const second = await update({ memory: '- second' });
  assert.equal((await undo(first.result.undo_entry_id)).error.code, 'CONFLICT');
  assert.equal((await read()).memory, '- second');
  assert.equal((await undo(second.undo_entry_id)).success, true);
  assert.equal((await read()).memory, '- first');
});

test('one switch takes the memory tools away', async () => {
  const { catalog_version: version } = await call(tools, 'ListTools', { caller });
  assert.ok((await listed()).includes('save_memory'));
  await update({ memory_enabled: false });
  const left = await listed();
  for (const id of ['save_memory', 'update_db_schema', 'db_query']) assert.ok(!left.includes(id), id);
  assert.ok(left.includes('get_block'));
  await assert.rejects(execute('save_memory', { memory: 'x' }),
    (error) => error.code === 5 && error.reason === 'UNKNOWN_TOOL');
  await assert.rejects(execute('save_memory', { memory: 'x' }, { dry_run: true }), (error) => error.code === 5);
  assert.match((await prompt()).prompt, /## Your Memory\n- first\n/);
  await update({ memory_enabled: true });
  assert.ok((await listed()).includes('save_memory'));
  assert.equal((await call(tools, 'ListTools', { caller })).catalog_version, version);
});

test('users and workspaces have their own', async () => {
  for (const other of [{ workspace_id: 'e2e', user_id: 'bob' }, { workspace_id: 'other', user_id: 'eve' }]) {
    assert.equal((await read(other)).memory, '');
    assert.ok(!(await prompt(other)).prompt.includes('Ada'));
  }
});

test('every change is in the audit log', async () => {
  const { entries } = await call(audit, 'SearchEntries', { caller, page_size: 500 });
  const outcomes = (tool) => new Set(entries.filter((entry) => entry.tool_id === tool).map((entry) => entry.outcome));
  assert.ok(outcomes('save_memory').has('OK') && outcomes('save_memory').has('INVALID_PARAMS'));
  assert.ok(outcomes('save_memory').has('UNKNOWN_TOOL'));
  assert.ok(outcomes('update_instruction').has('OK'));
  assert.equal((await call(audit, 'VerifyChain', { caller })).valid, true);
});

test('metrics count the service', async () => {
  const text = await (await fetch(`http://${server.metrics}/metrics`)).text();
  for (const method of ['GetInstruction', 'UpdateInstruction', 'BuildPrompt']) {
    assert.match(text, new RegExp(`grpc_server_handled_total\\{[^}]*grpc_method="${method}",grpc_code="OK"[^}]*\\} [1-9]`));
  }
});
