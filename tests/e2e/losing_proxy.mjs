// A TCP proxy that can lose the answer of a call: the server has done the work, and the client sees a broken
// connection.
import { createConnection, createServer } from 'node:net';

const HEADERS = 1;
const FRAME_HEAD = 9;

// Calls back with the id of each stream that begins to answer, as the frames of HTTP/2 come from the server.
class AnswerWatch {
  #rest = Buffer.alloc(0);
  #seen = new Set();

  constructor(onAnswer) {
    this.onAnswer = onAnswer;
  }

  read(bytes) {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    while (this.#rest.length >= FRAME_HEAD) {
      const length = FRAME_HEAD + this.#rest.readUIntBE(0, 3);
      if (this.#rest.length < length) return;
      const stream = this.#rest.readUInt32BE(5) & 0x7fffffff;
      if (this.#rest[3] === HEADERS && !this.#seen.has(stream)) {
        this.#seen.add(stream);
        this.onAnswer(this.#seen.size);
      }
      this.#rest = this.#rest.subarray(length);
    }
  }
}

// Listens on a free port of loopback in front of `address`. `losesAnswer(n)` is asked when the n-th call of a
// connection begins to be answered; true cuts the connection before the client reads any of it.
export async function startProxy(address, losesAnswer) {
  const port = Number(address.split(':').pop());
  const sockets = new Set();
  const listener = createServer((client) => {
    const server = createConnection(port, '127.0.0.1');
    const cut = () => { client.destroy(); server.destroy(); };
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', cut);
      socket.on('close', () => { sockets.delete(socket); cut(); });
    }
    const watch = new AnswerWatch((n) => { if (losesAnswer(n)) cut(); });
    client.pipe(server);
    server.on('data', (bytes) => {
      watch.read(bytes);
      if (!client.destroyed) client.write(bytes);
    });
  });
  await new Promise((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${listener.address().port}`,
    stop() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => listener.close(resolve));
    },
  };
}
