// ChatService from outside, over gRPC and over HTTP: independent clients, the built binary, and a scripted model behind
// the real APIs.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { call, connect } from './client.mjs';
import * as scenarios from './chat_scenarios.mjs';
import { root } from './documents.mjs';
import { binary, serve } from './server.mjs';

const folder = mkdtempSync(join(tmpdir(), 'toolgate-chat-'));
let model, slow, current;

// Never answers. `next()` is a pair of promises for its next request: that it has come, and that its connection is
// closed.
function startSlowModel() {
  let reach, close;
  const server = createServer((request, response) => {
    request.resume();
    response.on('close', close);
    reach();
  });
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve({
    url: `http://127.0.0.1:${server.address().port}/v1`,
    next: () => [new Promise((done) => { reach = done; }), new Promise((done) => { close = done; })],
    stop: () => server.close(),
  })));
}

async function start() {
  const child = spawn(binary, ['serve', '--config', join(folder, 'toolgate.yaml'), '--listen', '127.0.0.1:0',
    '--http-listen', '127.0.0.1:0', '--metrics-listen', 'off', '--data-dir', join(folder, 'data')], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise((resolve) => child.on('exit', resolve));
  const { address, http } = await new Promise((resolve, reject) => {
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
  return { child, ended, clients, chat: chatOver(clients), chatOverHttp: chatOverHttp(http), gate: gateOver(clients) };
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

// JSON of Protocol Buffers, with the names of fields that gRPC's clients have.
const inSnakeCase = (value) => {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) =>
    [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), inSnakeCase(member)]));
};

// Server-sent events, read by Node's own client.
const chatOverHttp = (address) => (request) => {
  const abort = new AbortController();
  async function* read() {
    const response = await fetch(`http://${address}/v1/chat`, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(request), signal: abort.signal,
    });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/event-stream');
    let text = '';
    let ended = false;
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      text += piece;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const lines = text.slice(0, end).split('\n');
        text = text.slice(end + 2);
        const field = (name) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
        if (field('data') === '[DONE]') ended = true;
        else if (field('data') !== undefined) yield { name: field('event'), value: inSnakeCase(JSON.parse(field('data'))) };
      }
    }
    assert.ok(ended, 'the stream ended without [DONE]');
  }
  return { events: read(), cancel: () => abort.abort() };
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

const transports = { gRPC: () => current.chat, SSE: () => current.chatOverHttp };

for (const [api, transport] of [...scenarios.apis.map((api) => [api, 'gRPC']), ['OPENAI', 'SSE']]) {
  test(`three calls, one of which a person approves, with the API ${api} over ${transport}`, async () => {
    const chat = transports[transport]();
    const { caller, done } = await scenarios.decidedWhileItWaits({ ...current, chat, model, api });
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

for (const transport of Object.keys(transports)) {
  test(`a client that leaves ends the request to the model, over ${transport}`, async () => {
    const [reached, closed] = slow.next();
    await scenarios.clientLeaves({ chat: transports[transport](), reached, closed });
  });

  test(`a server killed while a tool waits goes on when it is started again, over ${transport}`, async () => {
    await scenarios.killedWhileItWaits({
      ...current, chat: transports[transport](), model,
      async restart() {
        current.child.kill('SIGKILL');
        await current.ended;
        current = await start();
        return { ...current, chat: transports[transport]() };
      },
    });
  });
}

test('the model is asked as the user who speaks, within their permissions', async () => {
  const caller = { ...scenarios.newCaller(), mode_hint: 'chat' };
  const requests = model.play([() => 'No tools here.']);
  await scenarios.collect(current.chat({ caller, message: 'Hi' }));
  assert.equal(requests[0].tools?.length ?? 0, 0);
  await assert.rejects(scenarios.collect(current.chat({ caller, message: '' })),
    (error) => error.code === 3 && /message/.test(error.details));
});

// Runs the program of docs/chat.md; the person answers each question with `reply`. What it prints.
async function runProgram(server, message, reply) {
  const program = readFileSync(join(root, 'docs/chat.md'), 'utf8').match(/^`chat\.mjs`:\n\n```js\n([\s\S]*?)^```$/m)[1];
  const scratch = mkdtempSync(join(tmpdir(), 'toolgate-chat-program-'));
  symlinkSync(join(root, 'proto'), join(scratch, 'proto'));
  symlinkSync(join(root, 'tests/e2e/node_modules'), join(scratch, 'node_modules'));
  writeFileSync(join(scratch, 'chat.mjs'), program);
  const child = spawn(process.execPath, ['chat.mjs', message],
    { cwd: scratch, env: { ...process.env, TOOLGATE_ADDRESS: server.address }, stdio: ['pipe', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (bytes) => {
    out += bytes;
    if (out.endsWith('[y/N] ')) child.stdin.write(`${reply}\n`);
  });
  assert.equal(await new Promise((done) => child.on('close', done)), 0, out);
  rmSync(scratch, { recursive: true, force: true });
  return out;
}

for (const approval of ['TOKEN', 'DECISION']) {
  for (const reply of ['y', 'n']) {
    test(`the program of docs/chat.md asks a person, who answers "${reply}", with approval by ${approval}`, async () => {
      const config = join(folder, `${approval}.yaml`);
      writeFileSync(config, JSON.stringify({ confirmation: { approval }, chat: scenarios.chatSection(model.url) }));
      const server = await serve(['--config', config]);
      const clients = { chats: await connect(server.address, 'toolgate.v1.ChatService'),
        tools: await connect(server.address, 'toolgate.v1.ToolService') };
      const gate = gateOver(clients);
      const ann = { workspace_id: 'demo', user_id: 'ann' };
      const old = await gate.newPage(ann, 'Old');
      const requests = model.play([
        () => [{ name: 'delete_block', arguments: { blockId: old }, id: 'delete_block:0' }],
        () => 'Your week is planned.',
      ]);
      const printed = await runProgram(server, 'Plan my week', reply);
      assert.match(printed, /Old[\s\S]*\[y\/N\] Your week is planned\.\n$/);
      assert.deepEqual(await gate.titles(ann, ['Old']), reply === 'y' ? [] : ['Old']);
      const [row] = await gate.conversations(ann);
      assert.equal(row.id, 'my-week');
      assert.match(JSON.stringify(requests[0].messages), /Plan my week/);
      for (const client of Object.values(clients)) client.close();
      assert.equal(await server.stop(), 0);
    });
  }
}
