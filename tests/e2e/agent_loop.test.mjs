// The programs of docs/agent-loop.md, as they stand there: real SDKs, a scripted model, and the built binary.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { call, connect } from './client.mjs';
import { providers, startModel, typeErrors } from './model_apis.mjs';
import { serve } from './server.mjs';
import { toolCalls } from './tools.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');
const folder = mkdtempSync(join(tmpdir(), 'toolgate-loop-'));

// The JavaScript under a heading of the page.
const page = readFileSync(join(root, 'docs/agent-loop.md'), 'utf8');
const shown = (heading) => page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0].match(/^```js\n([\s\S]*?)^```$/m)?.[1];

let server, model, gate, audit;
const programs = {};

before(async () => {
  symlinkSync(join(here, 'node_modules'), join(folder, 'node_modules'));
  symlinkSync(join(root, 'proto'), join(folder, 'proto'));
  mkdirSync(join(folder, 'files'), { mode: 0o755 });
  writeFileSync(join(folder, 'toolgate.yaml'),
    `confirmation: {require_for_tools: [create_block]}\nfiles: {root: ${join(folder, 'files')}}\n`);
  server = await serve(['--config', join(folder, 'toolgate.yaml')]);
  model = await startModel();
  gate = await connect(server.address, 'toolgate.v1.ToolService');
  audit = await connect(server.address, 'toolgate.v1.AuditService');
  process.env.TOOLGATE_ADDRESS = server.address;
  process.chdir(folder);
  for (const name of Object.keys(providers)) {
    const file = join(folder, `${name.replaceAll(' ', '_')}.mjs`);
    writeFileSync(file, shown(name) + ['Who decides', 'Output of a long tool', 'Undo of a turn'].map(shown).join(''));
    programs[name] = await import(file);
  }
});
after(async () => {
  gate?.close();
  audit?.close();
  await model?.stop();
  assert.equal(await server.stop(), 0);
  rmSync(folder, { recursive: true, force: true });
});

// One conversation in a workspace of its own: what the loop answered, what the model was sent, what the person was
// asked, and an independent client of the same user.
async function converse(provider, script, decision = () => assert.fail('no one was to be asked'),
  { userId = `user-${crypto.randomUUID()}`, conversationId = 'c1' } = {}) {
  const caller = { workspaceId: userId, userId, conversationId, aiModel: 'scripted' };
  const requestId = crypto.randomUUID();
  const questions = [];
  const bodies = model.play(script);
  const ask = async (question) => {
    questions.push(question);
    return decision(question);
  };
  const conversation = [providers[provider].userMessage('Plan the launch')];
  const answer = await programs[provider].answer(conversation, caller, ask, requestId);
  const client = { workspace_id: userId, user_id: userId };
  return { answer, bodies, questions, caller, requestId, client, conversation, ...toolCalls(() => gate, client) };
}

let lastId = 0;
const toolCall = (name, args, id = `id_${++lastId}`) => ({ name, arguments: JSON.stringify(args), id });

const entriesOf = async ({ client: caller }) => (await call(gate, 'ListUndoEntries', { caller })).entries;

for (const [name, provider] of Object.entries(providers)) {
  test(`${name}: the program has at most 30 lines`, () => {
    const lines = shown(name).trimEnd().split('\n');
    assert.ok(lines.length <= 30, `${lines.length} lines`);
    assert.ok(lines.every((line) => line.length <= 120));
  });

  test(`${name}: two calls of one turn, then the answer`, async () => {
    const calls = [toolCall('create_task', { title: 'Book a hall' }), toolCall('notes_create', { title: 'Guests' })];
    const talk = await converse(name, [
      () => calls,
      (body) => provider.results(body).map(({ value }) => value.taskId ?? value.noteId).join(' and '),
    ]);
    const { rendered_json: catalogue } = await call(gate, 'ListTools',
      { caller: talk.client, page_size: 200, format: `CATALOG_FORMAT_${provider.format}` });
    assert.deepEqual(provider.rendered(talk.bodies[0]), JSON.parse(catalogue));
    assert.ok(provider.tools(talk.bodies[0]).length >= 37);
    for (const tool of provider.tools(talk.bodies[0])) assert.match(tool, provider.nameRule);

    assert.equal(talk.bodies.length, 2);
    assert.deepEqual(provider.rounds(talk.bodies[1]),
      [{ calls: calls.map(({ id }) => id), results: calls.map(({ id }) => id) }]);
    // A repeat of each call answers what the model was sent: the key is the request and the call's number in it.
    for (const [i, { failed, value }] of provider.results(talk.bodies[1]).entries()) {
      assert.ok(!failed);
      const repeat = { request_id: talk.requestId, idempotency_key: `${talk.requestId}/${i + 1}`,
        caller: { ...talk.client, conversation_id: 'c1' } };
      const { result } = await talk.execute(calls[i].name, JSON.parse(calls[i].arguments), repeat);
      assert.deepEqual([result.replayed, result.replay_of_another_request], [true, false]);
      assert.deepEqual(value, JSON.parse(result.data_json));
    }
    const created = (await entriesOf(talk)).map((entry) => entry.affected_block_ids[0]).reverse();
    assert.equal(talk.answer, created.join(' and '));

    const { entries } = await call(audit, 'SearchEntries', { caller: talk.client });
    const first = entries.filter((entry) => !entry.idempotent_replay);
    assert.deepEqual(first.map((entry) => [entry.tool_id, entry.request_id, entry.conversation_id, entry.ai_model]),
      ['notes_create', 'create_task'].map((tool) => [tool, talk.requestId, 'c1', 'scripted']));
  });

  test(`${name}: the model reads refusals and corrects its calls`, async () => {
    const wrong = [toolCall('create_task', { titel: 'Book a hall', priority: 'at once' }), toolCall('send_mail', {})];
    const talk = await converse(name, [
      () => wrong,
      (body) => provider.results(body)[0].value.error.message.includes('"titel"; did you mean "title"?')
        && [toolCall('create_task', { title: 'Book a hall', priority: 'high' })],
      (body) => provider.results(body)[0].value.task.title,
    ]);
    assert.equal(talk.answer, 'Book a hall');
    assert.equal(talk.bodies.length, 3);
    const [invalid, unknown] = provider.results(talk.bodies[1]);
    assert.deepEqual([invalid.id, unknown.id], wrong.map(({ id }) => id));
    assert.match(invalid.value.error.code, /^(INVALID_PARAMS|MISSING_REQUIRED)$/);
    assert.equal(unknown.value.error.code, 'UNKNOWN_TOOL');
    if (name === 'Anthropic') assert.deepEqual([invalid.failed, unknown.failed], [true, true]);
    if (name === 'Gemini') assert.deepEqual([invalid.name, unknown.name], ['create_task', 'send_mail']);
    assert.equal((await entriesOf(talk)).length, 1);
  });

  test(`${name}: calls run whose ids the model has given before`, async () => {
    const users = { userId: `user-${crypto.randomUUID()}` };
    const page = () => toolCall('create_block', { type: 'page', data: { title: 'Launch plan' } }, 'create_block:0');
    for (const conversationId of ['c1', 'c2']) {
      const talk = await converse(name, [() => [page()], () => [page()], () => 'Done.'], () => true,
        { ...users, conversationId });
      assert.equal(talk.questions.length, 2);
      assert.equal((await entriesOf(talk)).length, conversationId === 'c1' ? 2 : 4);
    }
  });

  for (const approved of [true, false]) {
    test(`${name}: a call that needs confirmation is ${approved ? 'approved and runs' : 'denied'}`, async () => {
      const talk = await converse(name, [
        () => [toolCall('create_block', { type: 'page', data: { title: 'Launch plan' } })],
        (body) => provider.results(body)[0].value.error?.code ?? provider.results(body)[0].value.block.data.title,
      ], () => approved);
      assert.equal(talk.questions.length, 1);
      assert.match(talk.questions[0].summary, /Launch plan/);
      assert.notEqual(talk.questions[0].undoSummary, '');
      assert.equal(talk.answer, approved ? 'Launch plan' : 'CANCELLED');
      assert.equal((await entriesOf(talk)).length, approved ? 1 : 0);
      const { results } = await talk.run('search_workspace', { query: 'launch' });
      assert.deepEqual(results.map(({ blockType, content }) => [blockType, content]),
        approved ? [['page', 'Launch plan']] : []);
      const { confirmations } = await call(gate, 'ListConfirmations', { caller: talk.client });
      assert.deepEqual(confirmations, []);
    });
  }

  test(`${name}: undo takes back the whole turn`, async () => {
    const talk = await converse(name, [
      () => [toolCall('create_task', { title: 'Book a hall' }), toolCall('list_tasks', {})],
      () => [toolCall('create_block', { type: 'page', data: { title: 'Launch plan' } })],
      () => 'Planned.',
    ], () => true);
    await talk.run('create_task', { title: 'From before' }, { request_id: 'another' });
    assert.equal((await talk.run('list_tasks', {})).tasks.length, 2);
    await programs[name].undoTurn(talk.caller, talk.requestId);
    assert.deepEqual((await talk.run('list_tasks', {})).tasks.map(({ title }) => title), ['From before']);
    assert.deepEqual((await talk.run('search_workspace', { query: 'launch' })).results, []);
  });
}

test('everything that was sent has the types of the SDKs', async () => {
  const rows = [];
  for (const name of Object.keys(providers)) {
    const { bodies } = await converse(name, [
      () => [toolCall('create_task', { title: 'Book a hall' }), toolCall('create_task', {})],
      () => [toolCall('create_block', { type: 'page', data: { title: 'Launch plan' } })],
      () => 'Done.',
    ], () => false);
    assert.equal(bodies.length, 3);
    rows.push(...bodies.map((body) => [name, body]));
  }
  assert.deepEqual(typeErrors(rows, folder), []);
  const misspelt = rows.map(([name, body]) =>
    [name, JSON.parse(JSON.stringify(body).replace(/"(tool_call_id|output|is_error|response)":/, '"other":'))]);
  // The first request of each conversation has no result yet.
  assert.equal(typeErrors(misspelt, folder).length, rows.length - Object.keys(providers).length);
});

test('Gemini: calls without ids are answered by name', async () => {
  const calls = ['Book a hall', 'Invite guests'].map((title) =>
    ({ name: 'create_task', arguments: JSON.stringify({ title }) }));
  const talk = await converse('Gemini', [() => calls, () => 'Done.']);
  assert.equal(talk.answer, 'Done.');
  const results = providers.Gemini.results(talk.bodies[1]);
  assert.deepEqual(results.map(({ id, name, value }) => [id, name, value.task.title]),
    [[undefined, 'create_task', 'Book a hall'], [undefined, 'create_task', 'Invite guests']]);
});

test('OpenAI: the model is told of a key that comes back from another request, and the log warns', async () => {
  const title = 'Book a hall';
  const first = await converse('OpenAI', [() => [toolCall('create_task', { title })], () => 'Done.']);
  const { result } = await first.execute('create_task', { title }, { request_id: 'another', tool_call_id: 'call_1',
    idempotency_key: `${first.requestId}/1`, result_format: 'RESULT_FORMAT_OPENAI' });
  assert.deepEqual([result.replayed, result.replay_of_another_request], [true, true]);
  assert.match(JSON.parse(result.rendered_text).content, /^Nothing was run/);
  assert.match(server.log(), /"level":"warning"[^\n]*idempotency key/);
  assert.equal((await entriesOf(first)).length, 1);
});

test('OpenAI: arguments that are no JSON are refused, and the model is told', async () => {
  const talk = await converse('OpenAI', [
    () => [{ name: 'create_task', arguments: '{"title": "Book', id: 'call_cut' }],
    (body) => providers.OpenAI.results(body)[0].value.error.code,
  ]);
  assert.equal(talk.answer, 'INVALID_PARAMS');
});

test('a call beyond the budget of a turn is refused, and the model is told', async () => {
  const calls = Array.from({ length: 11 }, () => toolCall('list_tasks', {}));
  const talk = await converse('OpenAI', [() => calls, () => 'Enough.']);
  const codes = providers.OpenAI.results(talk.bodies[1]).map(({ value }) => value.error?.code);
  assert.deepEqual(codes, [...Array(10).fill(undefined), 'QUOTA_EXCEEDED']);
});

test('the command under "Run it" asks on the terminal', async () => {
  writeFileSync(join(folder, 'loop.mjs'), shown('OpenAI'));
  writeFileSync(join(folder, 'main.mjs'), shown('Run it'));
  model.play([() => [toolCall('create_block', { type: 'page', data: { title: 'Launch plan' } })], () => 'Planned.']);
  const child = spawn(process.execPath, ['main.mjs', 'Plan the launch'], { stdio: ['pipe', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (bytes) => {
    out += bytes;
    if (out.endsWith('[y/N] ')) child.stdin.write('y\n');
  });
  assert.equal(await new Promise((done) => child.on('close', done)), 0, out);
  assert.match(out, /Launch plan[\s\S]*\[y\/N\] Planned\.\n$/);
  const { execute } = toolCalls(() => gate, { workspace_id: 'demo', user_id: 'ada' });
  const { result } = await execute('search_workspace', { query: 'launch' });
  assert.equal(JSON.parse(result.data_json).results.length, 1);
});

test('a loop without the permission to decide waits for a decision', async () => {
  const caller = { workspaceId: 'waits', userId: 'ada' };
  const client = { workspace_id: 'waits', user_id: 'ada' };
  const { execute, run } = toolCalls(() => gate, client);
  const args = { type: 'page', data: { title: 'Launch plan' } };
  const { confirmation_request: { confirmation_id, token } } = await execute('create_block', args);
  const waiting = programs.OpenAI.waitForDecision(caller, { confirmationId: confirmation_id });
  await call(gate, 'DecideConfirmation', { caller: client, confirmation_id, approve: true });
  await waiting;
  assert.equal((await run('create_block', args, { confirmation_token: token })).block.data.title, 'Launch plan');
});

test('output of a long tool is shown while it runs', async (t) => {
  const client = { workspace_id: 'shell', user_id: 'ada' };
  const { tools } = await call(gate, 'ListTools', { caller: client, page_size: 200 });
  if (!tools.some(({ id }) => id === 'Bash')) {
    assert.ok(!process.env.TOOLGATE_REQUIRE_SANDBOX, 'no sandbox');
    return t.skip('no sandbox');
  }
  const output = [];
  const show = (channel, text) => output.push([channel, text]);
  const { executeStream } = programs.OpenAI;
  const request = { caller: { workspaceId: 'shell', userId: 'ada' }, toolId: 'Bash',
    argumentsJson: '{"command": "echo one"}' };
  const { confirmationRequest } = await executeStream(request, show);
  assert.deepEqual(output, []);
  const { result } = await executeStream({ ...request, confirmationToken: confirmationRequest.token }, show);
  assert.deepEqual(output, [['stdout', 'one\n']]);
  assert.deepEqual([result.success, result.untrusted], [true, true]);
});
