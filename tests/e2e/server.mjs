// Starts the built binary on a free port with a folder of its own, as a user would.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export const binary = join(process.env.TOOLGATE_BINARY_DIR ?? 'build/release', 'toolgate');

// `environment` is added to this process's own.
export async function serve(extra = [], environment = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-e2e-'));
  const child = spawn(binary, ['serve', '--listen', '127.0.0.1:0', '--metrics-listen', '127.0.0.1:0', '--data-dir',
    join(folder, 'data'), ...extra], { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, ...environment } });
  const ended = new Promise((resolve) => child.on('exit', (code) => resolve(code)));
  let log = '';
  const started = await new Promise((resolve, reject) => {
    const lines = createInterface({ input: child.stderr });
    lines.on('line', (line) => {
      log += line + '\n';
      if (line.includes('"serving"')) resolve(JSON.parse(line));
    });
    ended.then((code) => reject(new Error(`the server ended with ${code}:\n${log}`)));
  });
  return {
    address: started.address,
    metrics: started.metrics,
    http: started.http,
    pid: child.pid,
    log: () => log,
    async stop() {
      child.kill('SIGTERM');
      const code = await ended;
      rmSync(folder, { recursive: true, force: true });
      return code;
    },
  };
}
