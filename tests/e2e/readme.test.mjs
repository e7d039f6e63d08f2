// The commands of README.md and docs/tour.md, run as they stand: every `sh` block but those of ./dev, in one shell,
// against a server on a free port. The `text` block after an `sh` block must show what that block prints. Also: every
// link between the documents leads somewhere.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';
import { anchorOf, assertPrinted, root, shownLines } from './documents.mjs';
import { binary, serve } from './server.mjs';

const MARK = '### block ';

// The document's commands in order, each with the lines that it is said to print.
function readBlocks(document) {
  const blocks = [];
  let last;
  const source = readFileSync(join(root, document), 'utf8');
  for (const [, language, text] of source.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)) {
    if (language === 'sh') {
      last = text.startsWith('./dev ') ? undefined : { script: text, shown: [] };
      if (last) blocks.push(last);
    } else if (language === 'text' && last) {
      last.shown.push(...shownLines(text));
    }
  }
  return blocks;
}

async function runBlocks(blocks, server, folder) {
  const script = 'exec 2>&1\n' + blocks.map((block, i) => `echo '${MARK}${i}'\n${block.script}`).join('\n')
    .replaceAll('/tmp/', `${folder}/`).replaceAll('127.0.0.1:50051', server.address)
    .replaceAll('127.0.0.1:9464', server.metrics).replaceAll('$PWD/build/release', dirname(resolve(root, binary)));
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script],
    { cwd: root, env: { ...process.env, TOOLGATE_ADDRESS: server.address }, stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (bytes) => { out += bytes; });
  const code = await new Promise((done) => child.on('close', done));
  assert.equal(code, 0, out.slice(-2000));
  return out.split(new RegExp(`^${MARK}\\d+\n`, 'm')).slice(1);
}

for (const [document, fewest] of [['README.md', 4], ['docs/tour.md', 8]]) {
  test(`every command of ${document} prints what is shown`, { timeout: 120_000 }, async () => {
    const blocks = readBlocks(document);
    assert.ok(blocks.length >= fewest, `${blocks.length} blocks`);
    const folder = mkdtempSync(join(tmpdir(), 'toolgate-readme-'));
    const server = await serve();
    try {
      const printed = await runBlocks(blocks, server, folder);
      assert.equal(printed.length, blocks.length);
      for (const [i, { script, shown }] of blocks.entries()) {
        assertPrinted(shown, printed[i], `${document}, after\n${script}\n,`);
      }
    } finally {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
}

test('every link between the documents leads somewhere', () => {
  const documents = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'],
    { cwd: root, encoding: 'utf8' }).trim().split('\n');
  const broken = [];
  let links = 0;
  for (const document of documents) {
    const text = readFileSync(join(root, document), 'utf8').replace(/^```[\s\S]*?^```$/gm, '');
    for (const [, target] of text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      ++links;
      const [path, anchor] = target.split('#');
      const file = path === '' ? join(root, document) : resolve(root, dirname(document), path);
      const headings = () => [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map((match) => anchorOf(match[1]));
      if (!existsSync(file) || (anchor && !headings().includes(anchor))) {
        broken.push(`${document}: ${target} (${relative(root, file)})`);
      }
    }
  }
  assert.ok(links >= 50, `${links} links`);
  assert.deepEqual(broken, []);
});
