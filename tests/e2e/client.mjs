// An independent gRPC client: it knows no .proto of ours and learns the API through server reflection (v1).
import grpc from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import * as loader from '@grpc/proto-loader';

const REFLECTION = `
  syntax = "proto3"; package grpc.reflection.v1;
  service ServerReflection { rpc ServerReflectionInfo(stream Request) returns (stream Response); }
  message Request { string host = 1; oneof m { string file_by_filename = 3; string file_containing_symbol = 4; string list_services = 7; } }
  message Response { oneof m { FileResponse file_descriptor_response = 4; ListResponse list_services_response = 6; Failure error_response = 7; } }
  message FileResponse { repeated bytes file_descriptor_proto = 1; }
  message ListResponse { repeated Service service = 1; }
  message Service { string name = 1; }
  message Failure { int32 error_code = 1; string error_message = 2; }
`;
const DETAILS = `
  syntax = "proto3"; package google.rpc;
  message Any { string type_url = 1; bytes value = 2; }
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
  message ErrorInfo { string reason = 1; string domain = 2; map<string, string> metadata = 3; }
  message Field { string field = 1; string description = 2; }
  message BadRequest { repeated Field field_violations = 1; }
  message Duration { int64 seconds = 1; int32 nanos = 2; }
  message RetryInfo { Duration retry_delay = 1; }
  message Violation { string subject = 1; string description = 2; }
  message QuotaFailure { repeated Violation violations = 1; }
`;
const FILE_SET = `
  syntax = "proto3"; package google.protobuf;
  message FileDescriptorSet { repeated bytes file = 1; }
`;

const reflection = protobuf.parse(REFLECTION).root;
const details = protobuf.parse(DETAILS).root;

function askReflection(address, questions) {
  const request = reflection.lookupType('grpc.reflection.v1.Request');
  const response = reflection.lookupType('grpc.reflection.v1.Response');
  const client = new grpc.Client(address, grpc.credentials.createInsecure());
  const stream = client.makeBidiStreamRequest('/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
    (m) => Buffer.from(request.encode(m).finish()), (b) => response.decode(b));
  return new Promise((resolve, reject) => {
    const answers = [];
    stream.on('data', (answer) => answers.push(answer));
    stream.on('error', reject);
    stream.on('end', () => { client.close(); resolve(answers); });
    for (const question of questions) stream.write(request.create(question));
    stream.end();
  });
}

export async function listServices(address) {
  const [answer] = await askReflection(address, [{ listServices: '*' }]);
  return answer.listServicesResponse.service.map((service) => service.name).sort();
}

// The service's client class, built from nothing but its descriptors.
export async function connect(address, service) {
  const [answer] = await askReflection(address, [{ fileContainingSymbol: service }]);
  const files = new Map();
  const collect = (reply) => {
    for (const bytes of reply.fileDescriptorResponse.fileDescriptorProto) files.set(bytes.toString('base64'), bytes);
  };
  collect(answer);
  const set = protobuf.parse(FILE_SET).root.lookupType('google.protobuf.FileDescriptorSet');
  const definition = loader.loadFileDescriptorSetFromBuffer(
    Buffer.from(set.encode({ file: [...files.values()] }).finish()),
    { keepCase: true, longs: Number, enums: String, defaults: true, oneofs: true });
  const type = service.split('.').reduce((scope, name) => scope[name], grpc.loadPackageDefinition(definition));
  return new type(address, grpc.credentials.createInsecure());
}

// A unary call as a promise. A refusal rejects with {code, message, reason, violations, retrySeconds}.
export function call(client, method, request) {
  return new Promise((resolve, reject) => {
    client[method](request, (error, response) => {
      if (error) reject(explain(error));
      else resolve(response);
    });
  });
}

function explain(error) {
  const out = { code: error.code, message: error.details, infos: [], violations: [] };
  const [bytes] = error.metadata.get('grpc-status-details-bin');
  if (!bytes) return out;
  for (const any of details.lookupType('google.rpc.Status').decode(bytes).details) {
    const name = any.typeUrl.split('/').pop();
    if (!details.lookup(name)) continue;
    const detail = details.lookupType(name).decode(any.value);
    if (name === 'google.rpc.ErrorInfo') out.infos.push(detail);
    if (name === 'google.rpc.BadRequest') out.violations = detail.fieldViolations;
    if (name === 'google.rpc.RetryInfo') out.retrySeconds = Number(detail.retryDelay.seconds);
  }
  out.reason = out.infos[0]?.reason;
  return out;
}
