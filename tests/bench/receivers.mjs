// Receivers of what a service tells of itself, for tests/bench/observability.sh.
//
// A collector of traces that throws them away: gRPC over HTTP/2 in plaintext, on a free port of the loopback, which is
// printed. It answers every unary call with an empty message, reads no span, and so costs little beside the service that
// is measured. And a scraper of metrics: each line of standard input is the address, host:port, to scrape each second
// from then on, or empty for none. Ends when its standard input does.
import { Agent, get } from 'node:http';
import { createServer } from 'node:http2';
import { createInterface } from 'node:readline';

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

// Keeps its connection, as Prometheus does.
const agent = new Agent({ keepAlive: true });
let scraped = '';
setInterval(() => {
  if (!scraped) return;
  get(`http://${scraped}/metrics`, { agent }, (response) => response.resume())
    .on('error', ({ message }) => console.error(`the metrics of ${scraped} cannot be read: ${message}`));
}, 1000);
createInterface({ input: process.stdin }).on('line', (line) => { scraped = line; }).on('close', () => process.exit(0));
