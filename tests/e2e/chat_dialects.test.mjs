// Conversations with services that check what DeepSeek, Mistral, OpenAI and Anthropic check, and answer in ways of
// their own.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { connect } from './client.mjs';
import { serve } from './server.mjs';

const folder = mkdtempSync(join(tmpdir(), 'toolgate-dialects-'));
let gate, chats, service;
let script = [];
let requests = [];

const chunk = (delta, finish_reason = null) => ({ choices: [{ index: 0, delta, finish_reason }] });
const callOf = (id, title, index = 0) => ({ index, id, type: 'function',
  function: { name: 'create_task', arguments: JSON.stringify({ title }) } });
const stream = (...events) => ({ type: 'text/event-stream',
  body: events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('') });
const says = (text, reasoning_content) => () => stream(...(reasoning_content ? [chunk({ reasoning_content })] : []),
  chunk({ content: text }), chunk({}, 'stop'), '[DONE]');

// Problems that a service finds in a request; undefined where there is none.
const checks = {
  // Each answer of a turn with calls has its reasoning.
  deepseek({ messages }) {
    let turn = [];
    for (const message of [...messages, { role: 'user' }]) {
      if (message.role !== 'user') {
        turn.push(message);
        continue;
      }
      const lacking = turn.filter(
        ({ role, reasoning_content }) => role === 'assistant' && reasoning_content === undefined);
      if (turn.some(({ tool_calls }) => tool_calls) && lacking.length > 0) {
        return 'The `reasoning_content` in the thinking mode must be passed back to the API.';
      }
      turn = [];
    }
    return undefined;
  },
  mistral: ({ messages }) => idsOf(messages).find((id) => !/^[a-zA-Z0-9]{9}$/.test(id)),
  openai: ({ messages }) => idsOf(messages).find((id) => id.length > 40)
    ?? messages.find((message) => 'reasoning_content' in message)?.role,
  anthropic({ messages }) {
    const ids = messages.flatMap(({ content }) => content).filter(({ type }) => type.startsWith('tool_'))
      .map(({ id, tool_use_id }) => id ?? tool_use_id);
    const uses =
      messages.flatMap(({ content }) => content).filter(({ type }) => type === 'tool_use').map(({ id }) => id);
    return ids.find((id) => !/^[a-zA-Z0-9_-]+$/.test(id)) ??
      (new Set(uses).size < uses.length ? 'not unique' : undefined);
  },
  odd: () => undefined,
};
function idsOf(messages) {
  const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
  const answers = messages.filter(({ role }) => role === 'tool').map(({ tool_call_id }) => tool_call_id);
  assert.deepEqual(answers, calls, 'each call has its answer');
  assert.equal(new Set(calls).size, calls.length, 'no id is twice');
  return calls;
}

before(async () => {
  service = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    const body = JSON.parse(text);
    const name = request.url.split('/')[1];
    requests.push({ name, body });
    let problem;
    try {
      problem = checks[name](body);
    } catch (error) {
      problem = error.message;
    }
    if (problem !== undefined) {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: problem, type: 'invalid_request_error' } }));
      return;
    }
    const reply = (script.shift() ?? says('The script is over.'))(body);
    response.writeHead(200, { 'content-type': reply.type });
    response.end(reply.body);
  });
  await new Promise((resolve) => service.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${service.address().port}`;
  const models = Object.keys(checks).map((name) => ({ name, keyless: true, max_attempts: 1,
    api: name === 'anthropic' ? 'ANTHROPIC' : 'OPENAI', base_url: `${url}/${name}${name === 'anthropic' ? '' : '/v1'}`,
    model: { mistral: 'mistral-large-latest', deepseek: 'deepseek-v4-pro' }[name] ?? 'm-1' }));
  const config = join(folder, 'toolgate.yaml');
  writeFileSync(config, JSON.stringify({ chat: { models, max_tool_calls: 50, max_result_bytes: 2048 } }));
  gate = await serve(['--config', config]);
  chats = await connect(gate.address, 'toolgate.v1.ChatService');
});
after(async () => {
  chats.close();
  assert.equal(await gate.stop(), 0);
  service.close();
  rmSync(folder, { recursive: true, force: true });
});

// The events of one message, by name.
async function send(model, conversation, message, user = 'ann') {
  const caller = { workspace_id: user, user_id: user, conversation_id: conversation };
  const events = [];
  for await (const response of chats.Chat({ caller, model, message })) {
    events.push({ name: response.event, value: response[response.event] });
  }
  const all = (name) => events.filter((event) => event.name === name).map(({ value }) => value);
  return {
    text: all('content_delta').map(({ content }) => content ?? '').join(''),
    reasoning: all('content_delta').map(({ reasoning_content }) => reasoning_content ?? '').join(''),
    results: all('tool_result'), error: all('error')[0], done: all('done')[0],
  };
}
function begin(...turns) {
  script = turns;
  requests = [];
}
const lastMessages = () => requests.at(-1).body.messages;

test('DeepSeek gets its reasoning back in every later request', async () => {
  begin(() => stream(chunk({ reasoning_content: 'A task.' }),
    chunk({ tool_calls: [callOf('call_00_abc', 'Tea')] }, 'tool_calls')),
    says('Made.', 'It is there.'), says('Nothing else.', 'No tool.'), says('Bye.'));
  assert.equal((await send('deepseek', 'd1', 'Make tea')).text, 'Made.');
  assert.equal((await send('deepseek', 'd1', 'And now?')).text, 'Nothing else.');
  const last = await send('deepseek', 'd1', 'Bye');
  assert.equal(last.error, undefined);
  assert.deepEqual(lastMessages().filter(({ role }) => role === 'assistant').map((one) => one.reasoning_content),
    ['A task.', 'It is there.', undefined]);
});

test('a conversation goes from model to model, whatever ids they give', async () => {
  const long = (n) => `chatcmpl-tool-${'0'.repeat(31)}${n}`;
  begin(() => stream(chunk({ reasoning_content: 'Hm' }),
    chunk({ tool_calls: [callOf('create_task:0', 'a'), callOf('create_task:0', 'b', 1), callOf(long(1), 'c', 2)] },
      'tool_calls')),
  says('One.', 'Well'));
  assert.equal((await send('deepseek', 'm1', 'One')).text, 'One.');
  for (const model of ['mistral', 'openai']) {
    begin(() => stream(chunk(
      { tool_calls: [callOf(model === 'openai' ? 'create_task:0' : 'abcdefgh1', model)] }, 'tool_calls')),
      says(`${model}.`));
    const answer = await send(model, 'm1', 'Go on');
    assert.equal(answer.error, undefined, JSON.stringify(answer.error));
    assert.equal(answer.text, `${model}.`);
  }
  begin(() => ({ type: 'application/json',
    body: JSON.stringify({ content: [{ type: 'text', text: 'Claude.' }], stop_reason: 'end_turn' }) }));
  assert.equal((await send('anthropic', 'm1', 'Go on')).text, 'Claude.');
  begin(says('Back.'));
  assert.equal((await send('deepseek', 'm1', 'Go on')).text, 'Back.');
});

test('thoughts in the content are no answer', async () => {
  begin(() => stream(chunk({ content: '<thi' }), chunk({ content: 'nk>The user greets.</think>\n\nHel' }),
    chunk({ content: 'lo.' }, 'stop')),
    says('Bye.'));
  const answer = await send('odd', 't1', 'Hi');
  assert.equal(answer.text, 'Hello.');
  assert.equal(answer.reasoning, 'The user greets.');
  await send('odd', 't1', 'Bye');
  assert.doesNotMatch(JSON.stringify(requests.at(-1).body), /greets|think>/);
});

test('a call that the limit of tokens cut is told as that', async () => {
  for (const args of ['', '{"title":"Te']) {
    begin(() => stream(chunk(
      { tool_calls: [{ index: 0, id: 'c1', function: { name: 'create_task', arguments: args } }] }, 'length')),
      says('I was cut off.'));
    const answer = await send('odd', `l${args.length}`, 'Write');
    assert.equal(answer.text, 'I was cut off.');
    assert.equal(answer.results[0].success, false);
    assert.match(answer.results[0].error.message, /limit of output tokens/);
    assert.match(lastMessages().at(-1).content, /limit of output tokens/);
    assert.doesNotMatch(lastMessages().at(-1).content, /JSON/);
  }
});

test('a call that a filter or an unknown stop cuts is told as that and not run', async () => {
  for (const reason of ['content_filter', 'sensitive', 'abort']) {
    begin(() => stream(chunk(
      { tool_calls: [{ index: 0, id: 'f1', function: { name: 'create_task', arguments: '' } }] }, reason)),
      says('I was stopped.'));
    const answer = await send('odd', `f-${reason}`, 'Write');
    assert.equal(answer.text, 'I was stopped.');
    assert.equal(answer.results[0].success, false);
    assert.match(answer.results[0].error.message, /in the middle of this call/);
  }
});

test('odd streams are understood', async () => {
  const task = (title) => ({ arguments: JSON.stringify({ title }) });
  const rows = {
    'another index': () => stream(
      chunk({ tool_calls: [{ index: 0, id: 'x', function: { name: 'create_task', arguments: '' } }] }),
      chunk({ tool_calls: [{ index: 1, function: task('x') }] }), chunk({}, 'tool_calls')),
    'a whole answer': () => ({ type: 'application/json', body: JSON.stringify({ choices: [{ finish_reason: 'tool_calls',
      message: { content: null,
        tool_calls: [{ id: 'y', function: { name: 'create_task', arguments: { title: 'y' } } }] } }] }) }),
    'CR LF, no blank, no end': () => ({ type: 'text/event-stream',
      body: `: hello\r\n\r\ndata:${JSON.stringify(chunk({ tool_calls: [callOf('z', 'z')] }))}\r\n\r\ndata:${
        JSON.stringify({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } })}\r\n\r\ndata:[DONE]` }),
  };
  for (const [name, turn] of Object.entries(rows)) {
    begin(turn, says('Done.'));
    const answer = await send('odd', `o-${name}`, 'Do it');
    assert.equal(answer.text, 'Done.', `${name}: ${JSON.stringify(answer.error)}`);
    assert.deepEqual(answer.results.map(({ success }) => success), [true], name);
  }
});

test('an error with status 200 tells its cause', async () => {
  const error = { error: { message: 'SECRET', code: 'rate_limit_exceeded' } };
  for (const [name, turn] of Object.entries({
    json: () => ({ type: 'application/json', body: JSON.stringify(error) }),
    'json that is called a stream': () => ({ type: 'text/event-stream', body: JSON.stringify(error) }),
    event: () => stream(error),
    object: () => ({ type: 'application/json',
      body: JSON.stringify({ object: 'error', message: 'SECRET', code: 429 }) }),
  })) {
    begin(turn);
    const answer = await send('odd', `e-${name}`, 'Hi');
    assert.match(answer.error.message, /too many requests/, name);
    assert.doesNotMatch(JSON.stringify(answer.error), /SECRET/);
  }
});

test('the model reads on in a result that was cut', async () => {
  const tasks = Array.from({ length: 10 }, (_, i) => callOf(`t${i}`, `Task ${i} ${'x'.repeat(300)}`, i));
  begin(() => stream(chunk({ tool_calls: tasks }, 'tool_calls')),
    says('Made.'));
  assert.equal((await send('odd', 'r0', 'Make many', 'bob')).text, 'Made.');
  let whole = '';
  let total;
  const readOn = ({ messages }) => {
    const { content } = messages.at(-1);
    const data = JSON.parse(content.slice(content.indexOf('\n') + 1));
    whole += data.head ?? data.text;
    total = data.totalBytes;
    if (data.continuation === undefined) return says('All read.')();
    return stream(chunk({ tool_calls: [{ index: 0, id: `more_${whole.length}`,
      function: { name: 'read_result', arguments: JSON.stringify({ continuation: data.continuation }) } }] },
      'tool_calls'));
  };
  begin(() => stream(chunk(
    { tool_calls: [{ index: 0, id: 'list', function: { name: 'list_tasks', arguments: '{}' } }] }, 'tool_calls')),
    readOn, readOn, readOn, readOn, readOn);
  const answer = await send('odd', 'r1', 'List them', 'bob');
  assert.equal(answer.text, 'All read.', JSON.stringify(answer.error));
  assert.ok(requests.length > 3, 'in parts');
  assert.equal(Buffer.byteLength(whole), total);
  assert.equal(JSON.parse(whole).tasks.length, 10);
  assert.ok(requests[0].body.tools.some(({ function: { name } }) => name === 'read_result'));
  assert.match(requests[1].body.messages.at(-1).content, new RegExp(`^The result was too long.* of ${total}\\.`));
});
