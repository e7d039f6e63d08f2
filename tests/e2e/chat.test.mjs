// ChatService from outside: an independent gRPC client, the built binary, and a scripted model behind the real APIs.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { call, connect } from './client.mjs';
import * as scenarios from './chat_scenarios.mjs';
import { binary } from './server.mjs';

const folder = mkdtempSync(join(tmpdir(), 'toolgate-chat-'));
let model, slow, current;

// Never answers; tells when it is asked, and when that connection is closed.
function startSlowModel() {
  let reach, close;
  const reached = new Promise((resolve) => { reach = resolve; });
  const closed = new Promise((resolve) => { close = resolve; });
  const server = createServer((request, response) => {
    request.resume();
    response.on('close', close);
    reach();
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve({
    url: `http://127.0.0.1:${server.address().port}/v1`, reached, closed, stop: () => server.close(),
  })));
}

async function start() {
  const child = spawn(binary, ['serve', '--config', join(folder, 'toolgate.yaml'), '--listen', '127.0.0.1:0',
    '--metrics-listen', 'off', '--data-dir', join(folder, 'data')], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const { address } = await new Promise((resolve, reject) => {
    let log = '';
    createInterface({ input: child.stderr }).on('line', (line) => {
      log += line + '\n';
      if (line.includes('"serving"')) resolve(JSON.parse(line));
    });
    ended.then(() => reject(new Error(`the server did not start:\n${log}`)));
  });
  const clients = {
    chats: await connect(address, 'toolgate.v1.ChatService'),
    tools: await connect(address, 'toolgate.v1.ToolService'),
  };
  return { child, ended, clients, chat: chatOver(clients), gate: gateOver(clients) };
}

async function stop(server, signal) {
  server.child.kill(signal);
  const code = await server.ended;
  for (const client of Object.values(server.clients)) client.close();
  return code;
}

const chatOver = ({ chats }) => (request) => {
  const stream = chats.Chat(request);
  async function* read() {
    for await (const response of stream) yield { name: response.event, value: response[response.event] };
  }
  return { events: read(), cancel: () => stream.cancel() };
};

// The user's other client.
const gateOver = ({ chats, tools }) => ({
  async newPage(caller, title) {
    const { result } = await call(tools, 'Execute', { caller, tool_id: 'create_block',
      arguments_json: JSON.stringify({ type: 'page', data: { title } }) });
    return JSON.parse(result.data_json).block.id;
  },
  // Those of the titles that a page of the caller has.
  async titles(caller, among = ['Coffee', 'Old', 'Tea']) {
    const found = [];
    for (const query of among) {
      const { result } = await call(tools, 'Execute', { caller, tool_id: 'search_workspace',
        arguments_json: JSON.stringify({ query, blockTypes: ['page'] }) });
      assert.equal(result.success, true, JSON.stringify(result.error));
      if (JSON.parse(result.data_json).totalCount > 0) found.push(query);
    }
    return found;
  },
  decide: (caller, confirmation_id, approve) =>
    call(tools, 'DecideConfirmation', { caller, confirmation_id, approve }),
  conversations: async (caller) => (await call(chats, 'ListConversations', { caller })).conversations,
  conversation: (caller, conversation_id) => call(chats, 'GetConversation', { caller, conversation_id }),
  remove: (caller, conversation_id) => call(chats, 'DeleteConversation', { caller, conversation_id }),
});

before(async () => {
  model = await scenarios.startModel();
  slow = await startSlowModel();
  const chat = scenarios.chatSection(model.url);
  chat.models.push({ name: 'slow', api: 'OPENAI', base_url: slow.url, keyless: true });
  writeFileSync(join(folder, 'toolgate.yaml'), JSON.stringify({ confirmation: { approval: 'DECISION' }, chat }));
  current = await start();
});
after(async () => {
  assert.equal(await stop(current, 'SIGTERM'), 0);
  await model.stop();
  slow.stop();
  rmSync(folder, { recursive: true, force: true });
});

for (const api of scenarios.apis) {
  test(`three calls, one of which a person approves, with the API ${api}`, async () => {
    const { caller, done } = await scenarios.decidedWhileItWaits({ ...current, model, api });
    const [row] = await current.gate.conversations(caller);
    assert.equal(row.title, 'Tidy up');
    assert.equal(row.id, done.conversation_id);
    const { messages } = await current.gate.conversation(caller, row.id);
    assert.deepEqual(messages.map(({ role }) => role.replace('CHAT_ROLE_', '')),
      ['USER', 'ASSISTANT', 'TOOL', 'TOOL', 'TOOL', 'ASSISTANT']);
    assert.equal(messages.at(-1).id, done.message_id);
    assert.equal((await current.gate.remove(caller, row.id)).deleted, true);
    assert.deepEqual(await current.gate.conversations(caller), []);
  });
}

test('what a person refuses, the model is told', () => scenarios.denied({ ...current, model }));

test('a failing model ends the stream with an error, and the turn can go on',
  () => scenarios.modelFails({ ...current, model }));

test('a client that leaves ends the request to the model',
  () => scenarios.clientLeaves({ ...current, reached: slow.reached, closed: slow.closed }));

test('a server killed while a tool waits goes on when it is started again', async () => {
  await scenarios.killedWhileItWaits({
    ...current, model,
    async restart() {
      current.child.kill('SIGKILL');
      await current.ended;
      current = await start();
      return current;
    },
  });
});

test('the model is asked as the user who speaks, within their permissions', async () => {
  const caller = { ...scenarios.newCaller(), mode_hint: 'chat' };
  const requests = model.play([() => 'No tools here.']);
  await scenarios.collect(current.chat({ caller, message: 'Hi' }));
  assert.equal(requests[0].tools?.length ?? 0, 0);
  await assert.rejects(scenarios.collect(current.chat({ caller, message: '' })),
    (error) => error.code === 3 && /message/.test(error.details));
});
