// The quick starts of docs/clients, run as they stand: their files are written into a scratch folder, and their
// commands run in it, against a real server. Only its address is another one.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { call, connect } from './client.mjs';
import { assertPrinted, root, shownLines } from './documents.mjs';
import { startProxy } from './losing_proxy.mjs';
import { binary, serve } from './server.mjs';

const ADDRESS = '127.0.0.1:50051';
const MARK = '### block ';
const CREATED = 'done: create_block';
const AGAIN = ' (answered again)';

// The files that a page shows, by name, and its commands with the lines that they are said to print. A file's name
// stands in the line before its block; `console` blocks are not run.
export function readPage(language) {
  const source = readFileSync(join(root, `docs/clients/${language}.md`), 'utf8');
  const files = new Map();
  const commands = [];
  for (const [, name, kind, text] of source.matchAll(/^(?:`([\w.]+)`:\n\n)?```(\w+)\n([\s\S]*?)^```$/gm)) {
    if (name) files.set(name, text);
    else if (kind === 'sh') commands.push({ script: text, shown: [] });
    else if (kind === 'text') commands.at(-1).shown.push(...shownLines(text));
    else if (kind !== 'console') assert.fail(`${language}.md: a block of ${kind} is neither a file nor a command`);
  }
  return { files, commands };
}

// The lines of a file that are code.
export const codeLines = (text) => text.split('\n').filter((line) => line.trim() !== '').length;

// Environment of the commands in `folder`. Compilers keep what they have compiled in `cache`, for the next run.
function environment(folder, cache) {
  mkdirSync(cache, { recursive: true });
  return {
    ...process.env,
    // Debian's interpreters and compilers, whatever else there is.
    PATH: `/usr/bin:/bin:${process.env.PATH}`,
    GOCACHE: join(cache, 'go'),
    CMAKE_CXX_COMPILER_LAUNCHER: 'ccache',
    CCACHE_BASEDIR: folder,
    CCACHE_NOHASHDIR: '1',
    // The stubs have just been written, and are nonetheless complete.
    CCACHE_SLOPPINESS: 'include_file_ctime,include_file_mtime',
  };
}

async function runScript(script, folder) {
  const env = environment(folder, resolve(root, binary, '../clients'));
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script],
    { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (bytes) => { out += bytes; });
  const code = await new Promise((done) => child.on('close', done));
  assert.equal(code, 0, out.slice(-4000));
  return out.split(new RegExp(`^${MARK}\\d+\n`, 'm')).slice(1);
}

// Runs all commands, and then the last one again while the answer to its first Execute is lost. Returns what each
// printed.
async function runPage({ files, commands }, proxy, folder) {
  for (const [name, text] of files) writeFileSync(join(folder, name), text.replaceAll(ADDRESS, proxy.address));
  symlinkSync(join(root, 'proto'), join(folder, 'proto'));
  symlinkSync(join(root, 'tests/e2e/node_modules'), join(folder, 'node_modules'));
  const again = commands.at(-1).script.trimEnd().split('\n').at(-1);
  const scripts = [...commands.map(({ script }) => script), `touch lose\n${again}\n`];
  return runScript('exec 2>&1\n' + scripts.map((script, i) => `echo '${MARK}${i}'\n${script}`).join('\n'), folder);
}

// The pages titled "Launch plan" in the workspace of the quick starts.
async function countPages(server) {
  const tools = await connect(server.address, 'toolgate.v1.ToolService');
  const answer = await call(tools, 'Execute', { tool_id: 'search_workspace',
    arguments_json: '{"query": "Launch plan"}', caller: { workspace_id: 'demo', user_id: 'ada' } });
  tools.close();
  return JSON.parse(answer.result.data_json).results.filter((found) => found.content === 'Launch plan').length;
}

// Checks the page of one language: everything runs and prints what is shown, and a call whose answer was lost is
// repeated and runs once.
export async function checkPage(language) {
  const page = readPage(language);
  assert.ok(page.files.size >= 2 && page.commands.length >= 2,
    `${page.files.size} files, ${page.commands.length} commands`);
  const folder = mkdtempSync(join(tmpdir(), `toolgate-${language}-`));
  const server = await serve();
  const proxy = await startProxy(server.address, (answers) => {
    // The first call of client.* lists the tools, the second creates a page.
    if (answers !== 2 || !existsSync(join(folder, 'lose'))) return false;
    rmSync(join(folder, 'lose'));
    return true;
  });
  try {
    const printed = await runPage(page, proxy, folder);
    for (const [i, { script, shown }] of page.commands.entries()) {
      assertPrinted(shown, printed[i], `${language}.md, after\n${script}\n,`);
    }
    const last = page.commands.at(-1);
    assert.ok(last.shown.length >= 8, `${last.shown.length} lines are shown of\n${printed.at(-2)}`);
    assert.ok(!printed.at(-2).includes(AGAIN), printed.at(-2));
    assert.equal(printed.at(-1).split(AGAIN).length - 1, 1, `no call was answered again:\n${printed.at(-1)}`);
    const others = last.shown.filter((line) => line !== CREATED);
    assertPrinted([...others, CREATED + AGAIN], printed.at(-1), `${language}.md, an answer lost,`);
    assert.equal(await countPages(server), 2);
  } finally {
    await proxy.stop();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
