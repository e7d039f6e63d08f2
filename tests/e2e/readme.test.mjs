// The README's tour, run as it stands: every `sh` block after the two ./dev commands, in one shell, against a server on
// a free port. A document that shows commands which do not work is a bug.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { binary, serve } from './server.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

test('every command of the README works', { timeout: 120_000 }, async () => {
  const blocks = [...readFileSync(join(root, 'README.md'), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
    .map((match) => match[1]).filter((block) => !block.startsWith('./dev '));
  assert.ok(blocks.length >= 8, `${blocks.length} blocks`);
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-readme-'));
  const server = await serve();
  try {
    const script = blocks.join('\n').replaceAll('/tmp/', `${folder}/`).replaceAll('127.0.0.1:50051', server.address)
      .replaceAll('127.0.0.1:9464', server.metrics).replaceAll('$PWD/build/release', dirname(resolve(root, binary)));
    const child = spawn('bash', ['-euo', 'pipefail', '-c', script],
      { cwd: root, env: { ...process.env, TOOLGATE_ADDRESS: server.address }, stdio: ['ignore', 'pipe', 'pipe'] });
    let out = '';
    child.stdout.on('data', (bytes) => { out += bytes; });
    child.stderr.on('data', (bytes) => { out += bytes; });
    const code = await new Promise((done) => child.on('exit', done));
    assert.equal(code, 0, out.slice(-2000));
    for (const said of ['Fix the login', 'Emma', 'nothing was committed', 'Undo brings everything back', 'Stand-up', '"total": 584', 'not for this tool', 'valid:']) {
      assert.ok(out.includes(said), `${said} in:\n${out.slice(-4000)}`);
    }
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
