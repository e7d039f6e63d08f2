// Receivers of OTLP, over gRPC and over HTTP: bytes, read by OpenTelemetry's own decoder.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
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
          if (!error) this.keep(request.request, request.metadata.getMap());
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

  keep(bytes, metadata) {
    this.metadata.push(metadata);
    const decoded = Request.toObject(Request.decode(bytes), { longs: String, bytes: Buffer });
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

// The same over HTTP, of bodies in protobuf. `statuses` are those of the next answers; later ones are 200.
export class HttpCollector extends Collector {
  paths = [];
  statuses = [];

  async start() {
    this.server = createServer(async (request, response) => {
      this.attempts += 1;
      this.paths.push(request.url);
      const pieces = [];
      for await (const piece of request) pieces.push(piece);
      const status = this.statuses.shift() ?? 200;
      if (status === 200) this.keep(Buffer.concat(pieces), request.headers);
      response.writeHead(status, { 'content-type': 'application/x-protobuf' }).end();
    });
    await new Promise((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.endpoint = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  stop() {
    this.server.closeAllConnections();
    this.server.close();
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
