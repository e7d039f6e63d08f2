// The spans of the built binary, as an independent receiver gets them: bytes over gRPC, read by OpenTelemetry's own
// decoder, with names compared to the published conventions.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import grpc from '@grpc/grpc-js';
import otlp from '@opentelemetry/otlp-transformer/build/src/generated/root.js';
import * as names from '@opentelemetry/semantic-conventions/incubating';
import { call, connect } from './client.mjs';
import { binary, serve } from './server.mjs';

const { ExportTraceServiceRequest: Request, ExportTraceServiceResponse: Response } =
  otlp.opentelemetry.proto.collector.trace.v1;
const INTERNAL = 1, SERVER = 2;
const ERROR = 2;
const caller = { workspace_id: 'traces', user_id: 'eve' };

// A receiver: every span as {name, kind, traceId, id, parent, attributes, ...}, in the order of arrival. `answer` may
// be replaced; it calls back like a handler of grpc-js.
class Collector {
  spans = [];
  resources = [];
  metadata = [];
  attempts = 0;
  answer = (done) => done(null, {});

  async start() {
    this.server = new grpc.Server();
    this.server.addService({
      Export: {
        path: '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
        requestStream: false,
        responseStream: false,
        requestSerialize: (bytes) => bytes,
        requestDeserialize: (bytes) => bytes,
        responseSerialize: (message) => Buffer.from(Response.encode(message).finish()),
        responseDeserialize: (bytes) => bytes,
      },
    }, {
      Export: (request, done) => {
        this.attempts += 1;
        this.answer((error, message) => {
          if (!error) this.#keep(request);
          done(error, message);
        });
      },
    });
    const port = await new Promise((resolve, reject) => this.server.bindAsync('127.0.0.1:0',
      grpc.ServerCredentials.createInsecure(), (error, bound) => (error ? reject(error) : resolve(bound))));
    this.endpoint = `http://127.0.0.1:${port}`;
    return this;
  }

  stop() {
    this.server.forceShutdown();
  }

  #keep(request) {
    this.metadata.push(request.metadata.getMap());
    const decoded = Request.toObject(Request.decode(request.request), { longs: String, bytes: Buffer });
    for (const from of decoded.resourceSpans) {
      this.resources.push({ attributes: attributesOf(from.resource), schemaUrl: from.schemaUrl });
      for (const { scope, spans } of from.scopeSpans) {
        assert.equal(scope.name, 'toolgate');
        for (const span of spans) {
          this.spans.push({
            name: span.name,
            kind: span.kind,
            traceId: hex(span.traceId),
            id: hex(span.spanId),
            parent: hex(span.parentSpanId),
            traceState: span.traceState ?? '',
            start: BigInt(span.startTimeUnixNano),
            end: BigInt(span.endTimeUnixNano),
            attributes: attributesOf(span),
            error: span.status?.code === ERROR,
          });
        }
      }
    }
  }

  // Waits for a server span with this parent; answers all spans of its trace.
  async traceOf(traceId) {
    await eventually(() => this.spans.some((span) => span.traceId === traceId && span.kind === SERVER), traceId);
    return this.spans.filter((span) => span.traceId === traceId);
  }
}

const hex = (bytes) => (bytes?.length ? Buffer.from(bytes).toString('hex') : '');

function attributesOf({ attributes = [] }) {
  const all = {};
  for (const { key, value } of attributes) {
    assert.ok(!(key in all), `${key} stands there once`);
    const plain = value.stringValue ?? value.boolValue ?? value.doubleValue ?? value.intValue;
    all[key] = value.intValue === undefined ? plain : Number(plain);
  }
  return all;
}

async function eventually(holds, what) {
  for (let i = 0; i < 3000; ++i) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail(`not within 30 s: ${what}`);
}

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

let collector, server, tools;
const SETTINGS = {
  OTEL_BSP_SCHEDULE_DELAY: '20',
  OTEL_SERVICE_NAME: 'e2e',
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=a%20test',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20token-for-the-receiver',
};

before(async () => {
  collector = await new Collector().start();
  server = await serve([], { ...SETTINGS, OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint });
  tools = await connect(server.address, 'toolgate.v1.ToolService');
});
after(async () => {
  tools?.close();
  assert.equal(await server?.stop(), 0);
  collector?.stop();
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

test('every name that is not ours is one of the conventions', () => {
  const published = new Set(Object.entries(names).filter(([key]) => key.startsWith('ATTR_')).map(([, value]) => value));
  const used = new Set([...collector.spans, ...collector.resources].flatMap((one) => Object.keys(one.attributes)));
  assert.ok(used.size > 20, [...used].join());
  for (const name of used) {
    assert.ok(published.has(name) || /^toolgate\.[a-z_.]+$/.test(name) || name === 'deployment.environment.name', name);
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

test('check names the variable of a bad value, and prints no credentials', () => {
  const checked = (environment, ...flags) => spawnSync(binary, ['check', ...flags],
    { encoding: 'utf8', env: { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4317', ...environment } });
  const bad = checked({ OTEL_TRACES_SAMPLER: 'sometimes' });
  assert.notEqual(bad.status, 0);
  assert.match(bad.stderr, /OTEL_TRACES_SAMPLER: traces\.sampler: is "sometimes"; must be always_on, /);
  assert.match(checked({ OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' }).stderr, /OTEL_EXPORTER_OTLP_PROTOCOL: .*must be grpc/);
  const printed = checked({ OTEL_EXPORTER_OTLP_HEADERS: 'authorization=hunter2' }, '--print');
  assert.equal(printed.status, 0, printed.stderr);
  assert.match(printed.stdout, /endpoint: "?http:\/\/127\.0\.0\.1:4317/);
  assert.ok(!printed.stdout.includes('hunter2'));
});
