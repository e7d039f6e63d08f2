// The spans of the built binary, as an independent receiver gets them, with names compared to the published conventions.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import grpc from '@grpc/grpc-js';
import * as names from '@opentelemetry/semantic-conventions/incubating';
import { stringify } from 'yaml';
import { call, connect } from './client.mjs';
import { startOutsideServices } from './outside_services.mjs';
import { root } from './prometheus.mjs';
import { binary, serve } from './server.mjs';
import { Collector, eventually, HttpCollector, SERVER } from './trace_collector.mjs';

const INTERNAL = 1, CLIENT = 3;
const caller = { workspace_id: 'traces', user_id: 'eve' };

let nextTrace = 0;
// A new trace of a client, sampled or not.
function clientTrace(sampled = true) {
  nextTrace += 1;
  const traceId = nextTrace.toString(16).padStart(32, 'a');
  const spanId = nextTrace.toString(16).padStart(16, 'b');
  const metadata = new grpc.Metadata();
  metadata.set('traceparent', `00-${traceId}-${spanId}-0${sampled ? 1 : 0}`);
  metadata.set('tracestate', 'vendor=1');
  return { traceId, spanId, metadata };
}

const invoke = (client, method, request, metadata) => new Promise((resolve) => {
  client[method](request, metadata, (error, response) => resolve({ error, response }));
});

const folder = mkdtempSync(join(tmpdir(), 'toolgate-traces-'));
let collector, outside, server, tools;
const SETTINGS = {
  OTEL_BSP_SCHEDULE_DELAY: '20',
  OTEL_SERVICE_NAME: 'e2e',
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=a%20test',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20token-for-the-receiver',
};

before(async () => {
  collector = await new Collector().start();
  outside = await startOutsideServices();
  writeFileSync(join(folder, 'toolgate.yaml'), stringify(outside.sections));
  server = await serve(['--http-listen', '127.0.0.1:0', '--config', join(folder, 'toolgate.yaml')],
    { ...SETTINGS, OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
  tools = await connect(server.address, 'toolgate.v1.ToolService');
});
after(async () => {
  tools?.close();
  assert.equal(await server?.stop(), 0);
  collector?.stop();
  await outside?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const execute = (tool_id, args, metadata, more = {}) =>
  invoke(tools, 'Execute', { tool_id, arguments_json: JSON.stringify(args), caller, ...more }, metadata);

const LAYERS = ['safe_errors', 'authenticate', 'resolve', 'injection_defence', 'param_validation', 'authorization'];

test('a call is a tree: the RPC, the tool, the layers in their order, the store', async () => {
  const { traceId, spanId, metadata } = clientTrace();
  const { response } = await execute('create_block', { type: 'page', data: { title: 'canary-argument' } }, metadata,
    { tool_call_id: 'call_12345' });
  assert.equal(response.result.success, true);
  const spans = await collector.traceOf(traceId);
  const one = (name) => {
    const found = spans.filter((span) => span.name === name);
    assert.equal(found.length, 1, `${name}: ${spans.map((span) => span.name)}`);
    return found[0];
  };
  const rpc = one('toolgate.v1.ToolService/Execute');
  assert.equal(rpc.kind, SERVER);
  assert.equal(rpc.parent, spanId);
  assert.equal(rpc.traceState, 'vendor=1');
  assert.equal(rpc.error, false);
  assert.equal(rpc.attributes[names.ATTR_RPC_SYSTEM_NAME], names.RPC_SYSTEM_NAME_VALUE_GRPC);
  assert.equal(rpc.attributes[names.ATTR_RPC_METHOD], 'toolgate.v1.ToolService/Execute');
  assert.equal(rpc.attributes[names.ATTR_RPC_STATUS_CODE], 'OK');
  assert.equal(rpc.attributes[names.ATTR_SERVER_ADDRESS], '127.0.0.1');

  const tool = one('execute_tool create_block');
  assert.equal(tool.kind, INTERNAL);
  assert.equal(tool.parent, rpc.id);
  assert.equal(tool.error, false);
  assert.equal(tool.attributes[names.ATTR_GEN_AI_OPERATION_NAME], names.GEN_AI_OPERATION_NAME_VALUE_EXECUTE_TOOL);
  assert.equal(tool.attributes[names.ATTR_GEN_AI_TOOL_NAME], 'create_block');
  assert.equal(tool.attributes[names.ATTR_GEN_AI_TOOL_CALL_ID], 'call_12345');
  assert.equal(tool.attributes[names.ATTR_GEN_AI_TOOL_TYPE], 'function');
  assert.equal(tool.attributes['toolgate.outcome'], 'OK');

  let outer = tool;
  for (const layer of LAYERS) {
    const span = one(layer);
    assert.equal(span.parent, outer.id, `${layer} is inside ${outer.name}`);
    assert.equal(span.kind, INTERNAL);
    assert.ok(span.start >= outer.start && span.end <= outer.end, layer);
    outer = span;
  }
  const write = one('write toolgate.db');
  assert.equal(write.parent, one('execute').id);
  assert.equal(write.attributes[names.ATTR_DB_SYSTEM_NAME], names.DB_SYSTEM_NAME_VALUE_SQLITE);
  assert.equal(write.attributes[names.ATTR_DB_OPERATION_NAME], 'write');
  assert.equal(write.attributes[names.ATTR_DB_NAMESPACE], 'toolgate.db');
  assert.equal(typeof write.attributes['toolgate.store.queue_duration'], 'number');

  const ids = spans.map((span) => span.id);
  assert.equal(new Set(ids).size, ids.length, 'every id is one of its own');
  for (const span of spans) {
    assert.ok(span === rpc || ids.includes(span.parent), `${span.name} has a parent in the trace`);
    assert.ok(span.end >= span.start);
  }
  const now = BigInt(Date.now()) * 1_000_000n;
  assert.ok(rpc.start > now - 3600n * 10n ** 9n && rpc.end <= now + 60n * 10n ** 9n, 'times are wall time');
});

test('the resource says which process', () => {
  const { attributes, schemaUrl } = collector.resources[0];
  assert.equal(schemaUrl, 'https://opentelemetry.io/schemas/1.45.0');
  assert.equal(attributes[names.ATTR_SERVICE_NAME], 'e2e');
  assert.equal(attributes[names.ATTR_PROCESS_PID], server.pid);
  assert.equal(attributes[names.ATTR_TELEMETRY_SDK_LANGUAGE], names.TELEMETRY_SDK_LANGUAGE_VALUE_CPP);
  assert.equal(attributes[names.ATTR_TELEMETRY_SDK_NAME], 'toolgate');
  assert.match(attributes[names.ATTR_SERVICE_VERSION], /^\d+\.\d+\.\d+$/);
  assert.ok(attributes[names.ATTR_SERVICE_INSTANCE_ID]);
  assert.ok(attributes[names.ATTR_HOST_NAME]);
  assert.equal(attributes['deployment.environment.name'], 'a test');
  assert.equal(collector.metadata[0].authorization, 'Bearer token-for-the-receiver');
  assert.match(collector.metadata[0]['user-agent'], /^OTel-OTLP-Exporter-toolgate\//);
});

test('a failure inside an OK answer is an error of the tool, not of the RPC', async () => {
  const { traceId, metadata } = clientTrace();
  const { response } = await execute('get_block', { blockId: '01jq8zs2m4x7k9v3b5n6p8r0tw' }, metadata);
  assert.equal(response.result.error.code, 'NOT_FOUND');
  const spans = await collector.traceOf(traceId);
  const rpc = spans.find((span) => span.kind === SERVER);
  const tool = spans.find((span) => span.name === 'execute_tool get_block');
  assert.equal(rpc.error, false);
  assert.equal(rpc.attributes[names.ATTR_RPC_STATUS_CODE], 'OK');
  assert.equal(tool.error, true);
  assert.equal(tool.attributes[names.ATTR_ERROR_TYPE], 'NOT_FOUND');
  assert.ok(spans.some((span) => span.name === 'read toolgate.db' && !span.error));
});

test('a refusal is an error of the tool and of the layer; the caller\'s fault is none of the RPC', async () => {
  const { traceId, metadata } = clientTrace();
  const { error } = await execute('get_block', { block: 'canary-argument' }, metadata);
  assert.equal(error.code, grpc.status.INVALID_ARGUMENT);
  const spans = await collector.traceOf(traceId);
  const rpc = spans.find((span) => span.kind === SERVER);
  const tool = spans.find((span) => span.name === 'execute_tool get_block');
  const layer = spans.find((span) => span.name === 'param_validation');
  assert.equal(rpc.error, false);
  assert.equal(rpc.attributes[names.ATTR_RPC_STATUS_CODE], 'INVALID_ARGUMENT');
  for (const span of [tool, layer]) {
    assert.equal(span.error, true, span.name);
    assert.equal(span.attributes[names.ATTR_ERROR_TYPE], 'INVALID_PARAMS');
  }
  assert.equal(tool.attributes['toolgate.refused_by'], 'param_validation');
  assert.ok(!spans.some((span) => span.name === 'authorization'));
});

test('a tool that does not exist lends no name to a span', async () => {
  const { traceId, metadata } = clientTrace();
  await execute('canary-tool', {}, metadata);
  const spans = await collector.traceOf(traceId);
  assert.ok(spans.some((span) => span.name === 'execute_tool unknown'));
});

test('an RPC that calls no tool is a span too', async () => {
  const { traceId, metadata } = clientTrace();
  const { response } = await invoke(tools, 'ListTools', { caller }, metadata);
  assert.ok(response.tools.length > 0);
  const spans = await collector.traceOf(traceId);
  const rpc = spans.find((span) => span.name === 'toolgate.v1.ToolService/ListTools');
  assert.equal(spans.find((span) => span.name === 'read toolgate.db')?.parent, rpc.id);
});

test('a request over HTTP is a span of the route, and continues the client\'s trace', async () => {
  const { traceId, spanId, metadata } = clientTrace();
  const headers = { 'content-type': 'application/json', traceparent: metadata.get('traceparent')[0], tracestate: 'vendor=1' };
  const response = await fetch(`http://${server.http}/v1/tools/create_task:execute`, { method: 'POST', headers,
    body: JSON.stringify({ arguments: { title: 'canary-argument' }, caller }) });
  assert.equal(response.status, 200);
  const spans = await collector.traceOf(traceId);
  const request = spans.find((span) => span.kind === SERVER);
  assert.equal(request.name, 'POST /v1/tools/{tool_id}:execute');
  assert.equal(request.parent, spanId);
  assert.equal(request.traceState, 'vendor=1');
  assert.equal(request.error, false);
  assert.deepEqual(request.attributes, {
    [names.ATTR_HTTP_REQUEST_METHOD]: 'POST',
    [names.ATTR_URL_SCHEME]: 'http',
    [names.ATTR_URL_PATH]: '/v1/tools/{tool_id}:execute',
    [names.ATTR_HTTP_ROUTE]: '/v1/tools/{tool_id}:execute',
    [names.ATTR_HTTP_RESPONSE_STATUS_CODE]: 200,
  });
  assert.equal(spans.find((span) => span.name === 'execute_tool create_task')?.parent, request.id);
});

test('a request to a model is a chat by the conventions, and the model is told of the trace', async () => {
  const { traceId, metadata } = clientTrace();
  const { response } = await execute('generate_image', { prompt: 'canary-argument of a lighthouse' }, metadata);
  assert.equal(response.result.success, true, JSON.stringify(response));
  const spans = await collector.traceOf(traceId);
  const chat = spans.find((span) => span.name === 'chat painter');
  assert.equal(chat.kind, CLIENT);
  assert.equal(chat.parent, spans.find((span) => span.name === 'execute').id);
  assert.equal(chat.attributes[names.ATTR_GEN_AI_OPERATION_NAME], names.GEN_AI_OPERATION_NAME_VALUE_CHAT);
  assert.equal(chat.attributes[names.ATTR_GEN_AI_PROVIDER_NAME], names.GEN_AI_PROVIDER_NAME_VALUE_OPENAI);
  assert.equal(chat.attributes[names.ATTR_GEN_AI_REQUEST_MODEL], 'painter');
  assert.equal(chat.attributes[names.ATTR_GEN_AI_RESPONSE_MODEL], 'painter-1');
  assert.equal(chat.attributes[names.ATTR_GEN_AI_USAGE_INPUT_TOKENS], 10);
  assert.equal(chat.attributes[names.ATTR_GEN_AI_USAGE_OUTPUT_TOKENS], 1290);
  assert.equal(outside.requests.at(-1).headers.traceparent, `00-${traceId}-${chat.id}-01`);
  assert.ok(spans.some((span) => span.name === 'write blob' && span.kind === INTERNAL && !span.error));
});

test('the steps of an automation are calls inside its call', async () => {
  const step = (title) => ({ tool: 'create_block', arguments: { type: 'page', data: { title } } });
  const made = await execute('create_block', { type: 'automation', data: { title: 'Two', steps: [step('a'), step('b')] } },
    new grpc.Metadata());
  const automationId = JSON.parse(made.response.result.data_json).blockId;
  const asked = clientTrace();
  const question = await execute('trigger_automation', { automationId }, asked.metadata);
  const token = question.response.confirmation_request.token;
  const first = await collector.traceOf(asked.traceId);
  const waiting = first.find((span) => span.name === 'execute_tool trigger_automation');
  assert.equal(waiting.attributes['toolgate.outcome'], 'CONFIRMATION_REQUIRED');
  assert.equal(waiting.error, false);
  const { traceId: trace, metadata } = clientTrace();
  const { response } = await execute('trigger_automation', { automationId }, metadata, { confirmation_token: token });
  assert.equal(response.result.success, true, JSON.stringify(response));
  const spans = await collector.traceOf(trace);
  const whole = spans.find((span) => span.name === 'execute_tool trigger_automation');
  const steps = spans.filter((span) => span.name === 'execute_tool create_block');
  assert.equal(steps.length, 2);
  const byId = new Map(spans.map((span) => [span.id, span]));
  for (const step of steps) {
    const above = [];
    for (let at = byId.get(step.parent); at !== undefined; at = byId.get(at.parent)) above.push(at.name);
    assert.ok(above.includes(whole.name), `${above}`);
  }
});

test('the client decides about its own traces', async () => {
  const { traceId, metadata } = clientTrace(false);
  await execute('list_tasks', {}, metadata);
  const marker = clientTrace();
  await execute('list_tasks', {}, marker.metadata);
  await collector.traceOf(marker.traceId);
  assert.ok(!collector.spans.some((span) => span.traceId === traceId));
});

test('nothing that a caller wrote is in any span', () => {
  for (const span of collector.spans) {
    const text = JSON.stringify(span, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    assert.ok(!text.includes('canary'), text);
  }
});

const published = new Map(Object.entries(names).map(([key, value]) => [value, key]).filter(([, key]) => key.startsWith('ATTR_')));
const isOurs = (name) => /^toolgate\.[a-z_.]+$/.test(name);

test('every name of a span that is not ours is one of the conventions', () => {
  const used = new Set([...collector.spans, ...collector.resources].flatMap((one) => Object.keys(one.attributes)));
  assert.ok(used.size > 30, [...used].join());
  for (const name of used) {
    assert.ok(published.has(name) || isOurs(name) || name === 'deployment.environment.name', name);
  }
});

// The constants of attribute_names.h, also those that nothing here puts on a span: {constant, text, of}, where `of` is
// the attribute that it is a value of.
const HEADER = 'observability/tracing/attribute_names.h';
function constants() {
  const found = [];
  let values;  // The attribute that the lines below a comment "Values of kName" are values of.
  for (const line of readFileSync(join(root, HEADER), 'utf8').split('\n')) {
    values = /^\/\/ Values of (k\w+)/.exec(line)?.[1] ?? (line.startsWith('inline') ? values : undefined);
    const [, constant, text, of] = /^inline constexpr std::string_view (k\w+) = "(.*)";(?:\s*\/\/ Value of (k\w+))?/.exec(line) ?? [];
    if (constant) found.push({ constant, text, of: of ?? values });
    else assert.ok(!line.startsWith('inline'), `not understood: ${line}`);
  }
  return found;
}

test('every constant of the header is a name or a value of the conventions, or ours', () => {
  const all = constants();
  assert.ok(all.length > 40, `${all.length} constants`);
  const nameOf = new Map(all.map(({ constant, text }) => [constant, text]));
  for (const { constant, text, of } of all) {
    if (constant === 'kSchemaUrl') assert.equal(text, 'https://opentelemetry.io/schemas/1.45.0');
    else if (constant === 'kScopeName') assert.equal(text, 'toolgate');
    else if (of === undefined) assert.ok(published.has(text) || isOurs(text), `${constant}: ${text}`);
    else if (constant !== 'kFunction') {  // The conventions name it in the text of gen_ai.tool.type alone.
      const prefix = published.get(nameOf.get(of))?.replace(/^ATTR_/, '');
      const allowed = Object.entries(names).filter(([key]) => key.startsWith(`${prefix}_VALUE_`)).map(([, value]) => value);
      assert.ok(allowed.includes(text), `${constant}: ${text} is none of ${allowed}`);
    }
  }
});

test('every constant of the header is used, and every attribute of spans is in docs/traces.md', () => {
  const grep = spawnSync('grep', ['-rhowE', '--include=*.cc', '--include=*.h', `--exclude=${HEADER.split('/').at(-1)}`, 'k[A-Z][A-Za-z0-9]+',
    ...['observability', 'storage', 'executors', 'security', 'services'].map((one) => join(root, one))],
  { encoding: 'utf8', maxBuffer: 1 << 28 });
  assert.equal(grep.status, 0, grep.stderr);
  const used = new Set(grep.stdout.split('\n'));
  const page = readFileSync(join(root, 'docs/traces.md'), 'utf8');
  for (const { constant, text, of } of constants()) {
    assert.ok(used.has(constant), `${constant} is dead`);
    if (of !== undefined || ['kSchemaUrl', 'kScopeName'].includes(constant)) continue;
    assert.ok(page.includes(`\`${text}\``) || text.startsWith('telemetry.sdk.'), `docs/traces.md does not name ${text}`);
  }
});

test('a receiver that is away for a moment gets its batch again', async () => {
  const before_ = collector.attempts;
  let refused = 0;
  collector.answer = (done) => {
    if (refused > 0) return done(null, {});
    refused += 1;
    return done({ code: grpc.status.UNAVAILABLE, details: 'restarting' });
  };
  const { traceId, metadata } = clientTrace();
  await execute('list_tasks', {}, metadata);
  await collector.traceOf(traceId);
  assert.ok(collector.attempts >= before_ + 2);
});

test('metrics tell what was exported and what was lost', async () => {
  const count = async (name) => {
    const text = await (await fetch(`http://${server.metrics}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1] ?? NaN);
  };
  await eventually(async () => (await count('toolgate_spans_exported_total')) === collector.spans.length,
    'all spans are counted');
  assert.equal(await count('toolgate_span_exports_failed_total'), 0);
  assert.equal(await count('toolgate_spans_dropped_total\\{reason="queue_full"\\}'), 0);
});

test('the end flushes what waits, and a receiver that hangs does not hold it up', async () => {
  const receiver = await new Collector().start();
  const patient = await serve([], { OTEL_BSP_SCHEDULE_DELAY: '600000', OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint });
  const client = await connect(patient.address, 'toolgate.v1.ToolService');
  await call(client, 'ListTools', { caller });
  client.close();
  assert.equal(receiver.spans.length, 0);
  assert.equal(await patient.stop(), 0);
  assert.ok(receiver.spans.some((span) => span.name === 'toolgate.v1.ToolService/ListTools'));

  receiver.answer = () => {};
  const hanging = await serve([], { OTEL_BSP_SCHEDULE_DELAY: '20', OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint });
  const other = await connect(hanging.address, 'toolgate.v1.ToolService');
  await call(other, 'ListTools', { caller });
  other.close();
  await eventually(() => receiver.attempts >= 2, 'the receiver is asked');
  assert.equal(await hanging.stop(), 0);
  receiver.stop();
});

test('over HTTP, batches are posted to the path that the variables name, and again after a failure', async () => {
  for (const [variable, base, path] of [['OTEL_EXPORTER_OTLP_ENDPOINT', '', '/v1/traces'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', '/tenant/', '/tenant/v1/traces'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', '/take/these', '/take/these']]) {
    const receiver = await new HttpCollector().start();
    receiver.statuses = [503];
    const over = await serve([], { ...SETTINGS, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
      [variable]: receiver.endpoint + base });
    const client = await connect(over.address, 'toolgate.v1.ToolService');
    const { traceId, metadata } = clientTrace();
    await invoke(client, 'ListTools', { caller }, metadata);
    client.close();
    const [span] = (await receiver.traceOf(traceId)).filter(({ kind }) => kind === SERVER);
    assert.equal(span.name, 'toolgate.v1.ToolService/ListTools');
    assert.equal(await over.stop(), 0);
    assert.deepEqual([...new Set(receiver.paths)], [path]);
    assert.ok(receiver.attempts >= 2);
    assert.equal(receiver.metadata[0]['content-type'], 'application/x-protobuf');
    assert.equal(receiver.metadata[0].authorization, 'Bearer token-for-the-receiver');
    assert.equal(receiver.resources[0].attributes['service.name'], 'e2e');
    receiver.stop();
  }
});

test('variables that operators inject and that cannot be do not stop the start', async () => {
  const receiver = await new Collector().start();
  const started = await serve([], { OTEL_BSP_SCHEDULE_DELAY: '20', OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
    OTEL_TRACES_SAMPLER: 'jaeger_remote', OTEL_RESOURCE_ATTRIBUTES: 'k8s.pod.name=p,k8s.namespace',
    OTEL_BSP_MAX_QUEUE_SIZE: 'many', OTEL_EXPORTER_OTLP_TIMEOUT: '10s', OTEL_PROPAGATORS: 'b3multi' });
  const client = await connect(started.address, 'toolgate.v1.ToolService');
  await call(client, 'ListTools', { caller });
  client.close();
  await eventually(() => receiver.spans.length > 0, 'spans arrive');
  const ignored = started.log().split('\n').filter((line) => line.includes('a variable is ignored'));
  assert.equal(ignored.length, 5, started.log());
  for (const line of ignored) assert.equal(JSON.parse(line).level, 'warning');
  assert.equal(await started.stop(), 0);
  receiver.stop();
});

test('check warns of the variable of a bad value, and prints no credentials', () => {
  const checked = (environment, ...flags) => spawnSync(binary, ['check', ...flags],
    { encoding: 'utf8', env: { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4317', ...environment } });
  const bad = checked({ OTEL_TRACES_SAMPLER: 'sometimes' });
  assert.equal(bad.status, 0, bad.stderr);
  assert.match(bad.stderr, /OTEL_TRACES_SAMPLER: traces\.sampler: is "sometimes"; must be always_on, /);
  const inJson = JSON.parse(checked({ OTEL_TRACES_SAMPLER: 'sometimes' }, '--json').stdout);
  assert.equal(inJson.valid, true);
  assert.match(inJson.warnings[0], /^OTEL_TRACES_SAMPLER: /);
  const printed = checked({ OTEL_EXPORTER_OTLP_HEADERS: 'authorization=hunter2' }, '--print');
  assert.equal(printed.status, 0, printed.stderr);
  assert.match(printed.stdout, /endpoint: "?http:\/\/127\.0\.0\.1:4317/);
  assert.ok(!printed.stdout.includes('hunter2'));
});
