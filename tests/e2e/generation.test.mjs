// Tools that call models and search engines, end to end: unconfigured, with a provider that is down, and with
// providers that answer. The providers are small servers on loopback that speak the public wire formats.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { call, connect } from './client.mjs';
import { serve } from './server.mjs';

const options = { timeout: 120_000 };
const folder = mkdtempSync(join(tmpdir(), 'toolgate-generation-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const TOOLS = {
  generate_artifact: { type: 'html', prompt: 'A page that says hello.' },
  generate_image: { prompt: 'A red dot.' },
  'browser.search': { query: 'bridges of Bern' },
};

// A provider whose answers `answer(path, body)` makes: {status, json}, {status, text} or {events}, a list of JSON values
// that are sent as server-sent events. Keeps its requests.
async function startProvider(answer) {
  const seen = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    const body = text === '' ? undefined : JSON.parse(text);
    seen.push({ path: request.url, headers: request.headers, body });
    const { status = 200, json, events, text: plain } = answer(request.url, body);
    const type = json !== undefined ? 'application/json' : events !== undefined ? 'text/event-stream' : 'text/plain';
    response.writeHead(status, { 'content-type': type });
    for (const event of events ?? []) response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.end(events !== undefined ? 'data: [DONE]\n\n' : json !== undefined ? JSON.stringify(json) : plain);
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  after(() => server.close());
  return { url: `http://127.0.0.1:${server.address().port}`, seen, close: () => server.close() };
}

// A chat completion, in one piece or as a stream, as the request wants it.
function completion(body, message) {
  const common = { id: '1', model: 'scripted' };
  const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
  if (!body.stream) {
    const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', ...message } }];
    return { json: { ...common, object: 'chat.completion', choices, usage } };
  }
  const chunk = (delta, finish) =>
    ({ ...common, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] });
  return { events: [chunk({ role: 'assistant', ...message }, null), { ...chunk({}, 'stop'), usage }] };
}

// Serves with all three tools at `url`, then runs `work` with a client, a caller and a function that calls a tool.
async function serving(url, work, more = '') {
  const config = join(folder, `${Math.random()}.yaml`);
  if (url !== undefined) {
    writeFileSync(config, `
artifacts: {provider: {base_url: "${url}", api_key_env: TEST_KEY, max_attempts: 1}}
images: {provider: {base_url: "${url}", api_key_env: TEST_KEY, max_attempts: 1}}
web_search: {engine: TAVILY, provider: {base_url: "${url}", api_key_env: TEST_KEY, max_attempts: 1}}
${more}`);
  }
  const none = { ZAI_API_KEY: '', OPENROUTER_API_KEY: '', TAVILY_API_KEY: '' };
  const server = await serve(url === undefined ? [] : ['--config', config], { ...none, TEST_KEY: 'sk-test-0123456789' });
  const client = await connect(server.address, 'toolgate.v1.ToolService');
  const caller = { workspace_id: 'lab', user_id: 'ann' };
  const execute = (tool, args) =>
    call(client, 'Execute', { tool_id: tool, arguments_json: JSON.stringify(args), caller });
  try {
    await work({ execute, client, caller, server });
  } finally {
    client.close();
    assert.equal(await server.stop(), 0);
  }
}

test('each tool without a key says NOT_CONFIGURED and how to configure it', options, async () => {
  await serving(undefined, async ({ execute, client, caller }) => {
    for (const [tool, args] of Object.entries(TOOLS)) {
      await assert.rejects(execute(tool, args), (error) => {
        assert.equal(error.reason, 'NOT_CONFIGURED', tool);
        assert.match(error.message, /_API_KEY|base_url/, tool);
        return true;
      });
    }
    const { tools } = await call(client, 'ListTools', { caller });
    assert.ok(tools.every(({ id }) => !(id in TOOLS)), 'no list shows tools that cannot serve');
  });
});

test('providers that answer', options, async () => {
  const provider = await startProvider((path, body) => {
    if (path.includes('search')) {
      return { json: { query: body.query, results: [{ title: 'Bern', url: 'https://example.org/bern', content: 'Nine.' }] } };
    }
    if (body.modalities !== undefined) {
      return completion(body, { content: '', images: [
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }] });
    }
    return completion(body, { content: '```html\n<!DOCTYPE html><html lang="en"><head><title>Hi</title>' +
      '</head><body><p>Hello</p></body></html>\n```' });
  });
  await serving(provider.url, async ({ execute }) => {
    for (const [tool, args] of Object.entries(TOOLS)) {
      const { result } = await execute(tool, args);
      assert.ok(result.success, `${tool}: ${JSON.stringify(result.error)}`);
      assert.ok(result.untrusted, `${tool} brings in data from outside`);
      const data = JSON.parse(result.data_json);
      if (tool === 'generate_artifact') {
        assert.equal(data.type, 'html');
        assert.match(data.artifactCode, /^<!DOCTYPE html>/);
        assert.equal(result.tokens_used, 18);
      } else if (tool === 'generate_image') {
        assert.ok(data.imageUrl.length > 0);
        assert.deepEqual([data.mediaType, data.width, data.height], ['image/png', 1, 1]);
      } else {
        assert.deepEqual(data.sources.map(({ url }) => url), ['https://example.org/bern']);
      }
    }
    assert.ok(provider.seen.every(({ headers }) => headers.authorization === 'Bearer sk-test-0123456789'));
  });
});

test('a provider that is down opens its breaker, and no other tool notices', options, async () => {
  const down = await startProvider(() => ({ status: 500, text: 'secret-internal-detail' }));
  const limits = `
rate_limiting:
  tools:
    generate_artifact: {windows: [{audience: any, max_calls: 1000, window: 1s}]}
`;
  await serving(down.url, async ({ execute, server }) => {
    let refused;
    for (let i = 0; i < 50 && refused === undefined; ++i) {
      try {
        const { result } = await execute('generate_artifact', TOOLS.generate_artifact);
        assert.equal(result.error.code, 'EXECUTION_ERROR');
        assert.doesNotMatch(JSON.stringify(result), /secret-internal-detail|127\.0\.0\.1|sk-test/);
      } catch (error) {
        refused = error;
      }
    }
    assert.equal(refused?.reason, 'CIRCUIT_OPEN');
    const before = down.seen.length;
    await assert.rejects(execute('generate_artifact', TOOLS.generate_artifact), { reason: 'CIRCUIT_OPEN' });
    assert.equal(down.seen.length, before, 'an open breaker asks nobody');
    const { result } = await execute('create_block', { type: 'page', data: { title: 'Still here' } });
    assert.ok(result.success);
    const search = await execute('browser.search', TOOLS['browser.search']).catch((error) => error);
    assert.notEqual(search.reason, 'CIRCUIT_OPEN', 'another provider has a breaker of its own');
    assert.doesNotMatch(server.log(), /sk-test-0123456789/, 'no key in the log');
  }, limits);
});
