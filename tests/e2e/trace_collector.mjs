// A receiver of OTLP over gRPC: bytes, read by OpenTelemetry's own decoder.
import assert from 'node:assert/strict';
import grpc from '@grpc/grpc-js';
import otlp from '@opentelemetry/otlp-transformer/build/src/generated/root.js';

const { ExportTraceServiceRequest: Request, ExportTraceServiceResponse: Response } =
  otlp.opentelemetry.proto.collector.trace.v1;
const ERROR = 2;
export const SERVER = 2;

// Keeps every span as {name, kind, traceId, id, parent, attributes, ...}, in the order of arrival. `answer` may
// be replaced; it calls back like a handler of grpc-js.
export class Collector {
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

export async function eventually(holds, what) {
  for (let i = 0; i < 3000; ++i) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail(`not within 30 s: ${what}`);
}
