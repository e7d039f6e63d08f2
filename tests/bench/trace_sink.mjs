// Collector of traces that throws them away, for tests/bench/observability.sh: gRPC over HTTP/2 in plaintext, on a free
// port of the loopback, which it prints. It answers every unary call with an empty message, reads no span, and so costs
// little beside the service that is measured. Ends when its standard input does.
import { createServer } from 'node:http2';

const EMPTY_MESSAGE = Buffer.alloc(5);

const server = createServer();
server.on('stream', (stream) => {
  stream.on('error', () => {});
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.resume();
  stream.on('end', () => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
    stream.end(EMPTY_MESSAGE);
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
