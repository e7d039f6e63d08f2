// Scenarios of a chat, for any transport. A transport is a function `chat(request)` that answers {events, cancel}:
// `events` is an async iterable of {name, value} with the names of ChatResponse's fields and their values in snake_case,
// and `cancel()` leaves the stream.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { LLMock } from '@copilotkit/aimock';

// The APIs of models that aimock speaks, as chat.models names them.
export const apis = ['OPENAI', 'GLM', 'ANTHROPIC', 'GEMINI'];

// A scripted model behind all of them. A script is a list of turns: each is a function of the request, in the form of
// OpenAI's chat completions, and answers a text, or tool calls as {name, arguments, id}.
export async function startModel() {
  const mock = await LLMock.create({ port: 0 });
  let turns = [];
  let requests = [];
  mock.on({ predicate: () => true }, (request) => {
    requests.push(request);
    const turn = turns.shift()?.(request) ?? 'The script is over.';
    if (typeof turn === 'string') return { content: turn };
    if (!Array.isArray(turn)) return turn;
    return { toolCalls: turn.map((one) => ({ ...one, arguments: JSON.stringify(one.arguments) })) };
  });
  return {
    url: mock.url,
    // Begins a conversation; the requests made in it are collected in the array that is returned.
    play(script) {
      turns = [...script];
      return requests = [];
    },
    stop: () => mock.stop(),
  };
}

// The section "chat" for a model at `url`, with one model for each API.
export const chatSection = (url) => ({
  models: apis.map((api) => ({
    name: api.toLowerCase(), api, model: 'scripted', keyless: true,
    base_url: api === 'OPENAI' || api === 'GLM' ? `${url}/v1` : url,
  })),
});

export const newCaller = () => {
  const id = `user-${randomUUID()}`;
  return { workspace_id: id, user_id: id };
};

// All events of a chat; `at` maps the name of an event to a function that is awaited when it comes.
export async function collect({ events }, at = {}) {
  const all = [];
  for await (const event of events) {
    all.push(event);
    await at[event.name]?.(event.value);
  }
  return all;
}

// The names in order; pieces of an answer count once.
export const namesOf = (events) => events.map(({ name }) => name).filter((name, i, all) => name !== all[i - 1]);
export const textOf = (events) =>
  events.filter(({ name }) => name === 'content_delta').map(({ value }) => value.content ?? '').join('');
export const find = (events, name) => events.find((event) => event.name === name)?.value;

const page = (title) => ({ name: 'create_block', arguments: { type: 'page', data: { title } } });

// Two pages are made and a third one is deleted, for which a person is asked. `old` is that page's id.
const tidyUp = (old) => [
  () => [{ ...page('Tea'), id: 'call_1' }, { ...page('Coffee'), id: 'call_2' },
    { name: 'delete_block', arguments: { blockId: old }, id: 'call_3' }],
  () => 'I made two pages and deleted one.',
];

const asked = ['reasoning_status', 'tool_call_start', 'tool_result', 'tool_call_start', 'tool_result',
  'tool_call_start', 'confirmation_request'];
const answered = ['tool_result', 'reasoning_status', 'content_delta', 'done'];

// Three tool calls, one of which waits for a decision that comes while the stream is open.
// `gate` is another client of the user: newPage, titles, decide, conversations (see chat.test.mjs).
export async function decidedWhileItWaits({ chat, gate, model, api }) {
  const caller = newCaller();
  const old = await gate.newPage(caller, 'Old');
  const requests = model.play(tidyUp(old));
  const events = await collect(chat({ caller, message: 'Tidy up', model: api.toLowerCase() }), {
    confirmation_request: ({ confirmation_id }) => gate.decide(caller, confirmation_id, true),
  });
  assert.deepEqual(namesOf(events), [...asked, ...answered]);
  assert.equal(textOf(events), 'I made two pages and deleted one.');
  assert.deepEqual(await gate.titles(caller), ['Coffee', 'Tea']);
  assert.equal(events.filter(({ name, value }) => name === 'tool_result' && value.success).length, 3);
  const done = find(events, 'done');
  assert.equal(done.stop_reason, 'end');
  assert.equal(Number(done.usage.tool_calls), 3);
  assert.equal(Number(done.usage.model_calls), 2);
  assert.equal(requests.length, 2);
  const results = requests[1].messages.filter(({ role }) => role === 'tool');
  assert.equal(results.length, 3, JSON.stringify(requests[1].messages));
  assert.match(JSON.stringify(results[0]), /Tea/);
  return { caller, done };
}

// The server dies while a tool waits; another one, over the same data, goes on once it is decided. `restart` kills the
// server with SIGKILL and starts one; it answers the new {chat, gate}.
export async function killedWhileItWaits({ chat, gate, model, restart }) {
  const caller = newCaller();
  const old = await gate.newPage(caller, 'Old');
  const requests = model.play(tidyUp(old));
  let question;
  const before = [];
  let next;
  try {
    for await (const event of chat({ caller, message: 'Tidy up', request_id: 'message-1' }).events) {
      before.push(event);
      if (event.name !== 'confirmation_request') continue;
      question = event.value;
      next = await restart();
    }
    assert.fail('the stream of a server that was killed ended well');
  } catch (error) {
    assert.ok(next !== undefined, error);
  }
  assert.deepEqual(namesOf(before), asked);
  assert.deepEqual(await next.gate.titles(caller), ['Coffee', 'Old', 'Tea']);
  await next.gate.decide(caller, question.confirmation_id, true);
  const conversation_id = (await next.gate.conversations(caller))[0].id;
  const events = await collect(next.chat({ caller: { ...caller, conversation_id } }));
  assert.deepEqual(namesOf(events), ['tool_call_start', ...answered]);
  assert.deepEqual(await next.gate.titles(caller), ['Coffee', 'Tea']);
  assert.equal(requests.length, 2);
  // The client may not know whether its message arrived: a repeat runs nothing.
  const again = await collect(next.chat({ caller, message: 'Tidy up', request_id: 'message-1' }));
  assert.equal(textOf(again), 'I made two pages and deleted one.');
  assert.deepEqual(await next.gate.titles(caller), ['Coffee', 'Tea']);
  assert.equal(requests.length, 2);
  return next;
}

// A client that leaves ends the request to the model: `closed` resolves when a server that never answers sees so.
export async function clientLeaves({ chat, reached, closed }) {
  const stream = chat({ caller: newCaller(), message: 'Think for ever', model: 'slow' });
  const reading = collect(stream).catch(() => {});
  await reached;
  stream.cancel();
  await closed;
  await reading;
}

// A refusal by a person is told to the model.
export async function denied({ chat, gate, model }) {
  const caller = newCaller();
  const old = await gate.newPage(caller, 'Old');
  const requests = model.play([
    () => [{ name: 'delete_block', arguments: { blockId: old }, id: 'call_1' }],
    () => 'Then it stays.',
  ]);
  const events = await collect(chat({ caller, message: 'Delete it' }), {
    confirmation_request: ({ confirmation_id }) => gate.decide(caller, confirmation_id, false),
  });
  assert.equal(textOf(events), 'Then it stays.');
  assert.equal(find(events, 'tool_result').success, false);
  assert.deepEqual(await gate.titles(caller), ['Old']);
  assert.match(JSON.stringify(requests[1].messages.at(-1)), /CANCELLED/);
}

// A failing model ends the stream with an error event, and the turn can go on.
export async function modelFails({ chat, model }) {
  const caller = { ...newCaller(), conversation_id: 'talk' };
  model.play([() => ({ error: { message: 'secret detail of the provider', type: 'invalid_request_error' }, status: 400 })]);
  const failed = await collect(chat({ caller, message: 'Hi' }));
  assert.equal(failed.at(-1).name, 'error');
  assert.doesNotMatch(JSON.stringify(failed), /secret detail/);
  model.play([() => 'Here I am.']);
  assert.equal(textOf(await collect(chat({ caller }))), 'Here I am.');
}
