// Starts Debian's Prometheus with the configuration and the alerts of deploy/, scraping a service on this machine.
import { spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

const freePort = () => new Promise((resolve) => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    server.close(() => resolve(port));
  });
});

// Polls until `attempt` returns something other than undefined.
export async function eventually(attempt, seconds, what) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const found = await attempt();
    if (found !== undefined) return found;
    if (Date.now() > end) throw new Error(`${what()} after ${seconds} seconds`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

// `target` is the service's "host:port" of /metrics, `seconds` the time between scrapes.
export async function startPrometheus(target, seconds = 1) {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-prometheus-'));
  const config = readFileSync(join(root, 'deploy/compose/prometheus.yaml'), 'utf8')
    .replace('toolgate:9464', target).replaceAll(': 15s', `: ${seconds}s`);
  writeFileSync(join(folder, 'prometheus.yml'), config);
  copyFileSync(join(root, 'deploy/prometheus/alerts.yaml'), join(folder, 'alerts.yaml'));
  const address = `127.0.0.1:${await freePort()}`;
  const child = spawn('prometheus', [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`,
    `--web.listen-address=${address}`], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', (bytes) => { log += bytes; });
  let ended = false;
  const end = new Promise((resolve) => {
    child.on('error', (error) => { log += error; ended = true; resolve(); });
    child.on('exit', () => { ended = true; resolve(); });
  });
  // The data of an answer of the HTTP API; an error answer is thrown.
  async function ask(path, parameters = {}) {
    const response = await fetch(`http://${address}/api/v1/${path}?${new URLSearchParams(parameters)}`);
    const answer = await response.json();
    if (answer.status !== 'success') throw new Error(`${JSON.stringify(parameters)}: ${answer.error}`);
    return answer.data;
  }
  await eventually(async () => {
    if (ended) throw new Error(`prometheus ended:\n${log}`);
    const ready = await fetch(`http://${address}/-/ready`).catch(() => undefined);
    return ready?.ok || undefined;
  }, 60, () => `prometheus is not ready; its log:\n${log}`);
  return {
    ask,
    log: () => log,
    async stop() {
      child.kill('SIGTERM');
      await end;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
