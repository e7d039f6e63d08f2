// How answers of the same size grow with the workspace: each row's median latency over 5,000 and over 100,000 of each
// kind (tasks, events, journal entries, notes, rows of a database), one client; and the resident memory afterwards, and
// the highest while 16 clients list, search and write. A million blocks are 240,000 of each kind.
//
//   node tests/bench/growth.mjs [--program FILE] [--small N] [--large N] [--seconds N]
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync, closeSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const options = { program: join(root, 'build/release/toolgate'), small: '5000', large: '100000', seconds: '2' };
for (let i = 2; i < process.argv.length; i += 2) {
  const name = process.argv[i].replace(/^--/, '');
  if (!(name in options) || process.argv[i + 1] === undefined) {
    console.error(`growth: unknown or incomplete flag ${process.argv[i]}; there are --${Object.keys(options).join(', --')}`);
    process.exit(2);
  }
  options[name] = process.argv[i + 1];
}

const kToday = Date.UTC(2026, 0, 1) / 86_400_000;
const day = (n) => new Date((kToday + n) * 86_400_000).toISOString().slice(0, 10);
const kPerDay = 10;

// Ten of each kind on a day, or with a tag, however many there are.
function* blocks(count) {
  const days = count / kPerDay;
  yield { id: 'page', type: 'page', data: { title: 'Page' } };
  const properties = [
    { id: 'name', name: 'Name', type: 'text' },
    { id: 'score', name: 'Score', type: 'number' },
  ];
  yield { id: 'base', type: 'database', data: { title: 'Base', properties } };
  for (let i = 0; i < count; ++i) {
    const on = day((i % days) - Math.floor(days / 2));
    const tag = `tag${i % days}`;
    const status = ['todo', 'in_progress', 'done'][i % 3];
    yield { id: `todo${i}`, type: 'todo', data: { content: `Plan the ordinary work ${tag}`, dueDate: on, status } };
    yield { id: `event${i}`, type: 'calendar_event', data: { title: `Meeting about ordinary work ${i}`, date: on } };
    yield { id: `note${i}`, type: 'note', data: { title: `Note ${i}`, body: `Some ordinary work, rare${tag}end`, tags: [tag] } };
    if (i % kPerDay === 0) {
      const date = day(i / kPerDay - Math.floor(days / 2));
      yield { id: `entry${i}`, type: 'journal_entry', data: { title: `Day ${i}`, body: 'An ordinary day of work', date } };
    }
    yield { id: `row${i}`, type: 'database_row', parentId: 'base', data: { properties: { name: `Row ${i}`, score: i } } };
    if (i % 50 === 0) {
      yield { id: `board${i}`, type: 'kanban_board', data: { title: `Board ${i}` } };
      yield { id: `column${i}`, type: 'kanban_column', parentId: `board${i}`, data: { title: 'Open', status: 'todo' } };
      yield { id: `card${i}`, type: 'kanban_card', parentId: `column${i}`, data: { title: `Card ${i}` } };
    }
  }
}

const rows = (count) => [
  ['get_block', 'get_block', { blockId: 'page', includeChildren: false }],
  ['calendar of one day', 'calendar_list_events', { dateFrom: day(0), dateTo: day(0) }],
  ['daily_overview of one day', 'daily_overview', { startDate: day(0), days: 1 }],
  ['kanban_list_boards', 'kanban_list_boards', {}],
  ['query_database, filter', 'query_database', { databaseId: 'base', limit: 10, filter: { property: 'Score', operator: 'greater_than', value: count - 11 } }],
  ['query_database, sort', 'query_database', { databaseId: 'base', limit: 10, sort: { property: 'Score', direction: 'desc' } }],
  ['query_database, limit 5', 'query_database', { databaseId: 'base', limit: 5 }],
  ['list_tasks', 'list_tasks', {}],
  ['list_tasks, status', 'list_tasks', { status: 'todo' }],
  ['list_tasks, due before', 'list_tasks', { dueBefore: day(-Math.floor(count / kPerDay / 2) + 2) }],
  ['list_tasks, overdue', 'list_tasks', { overdue: true }],
  ['journal of a day', 'journal_list', { date: day(0) }],
  ['notes by tag', 'notes_search', { tag: 'tag7' }],
  ['search, a rare word', 'search_workspace', { query: 'raretag7end' }],
  ['search, two common words', 'search_workspace', { query: 'ordinary work' }],
];

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function run(args, settings = {}) {
  return execFileSync(options.program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], ...settings });
}

async function measure(count, work) {
  const file = join(work, 'blocks.jsonl');
  const out = openSync(file, 'w');
  for (const block of blocks(count)) writeSync(out, `${JSON.stringify(block)}\n`);
  closeSync(out);
  const address = `127.0.0.1:${await freePort()}`;
  const server = spawn(
    options.program,
    ['serve', '--config', join(root, 'deploy/load/unlimited.yaml'), '--listen', address, '--data-dir', join(work, `data${count}`), '--metrics-listen', ''],
    { stdio: 'ignore' },
  );
  const medians = new Map();
  try {
    const service = ['--address', address, '--workspace', 'growth', '--user', 'growth'];
    for (let tries = 0; ; ++tries) {
      try {
        execFileSync(options.program, ['health', '--address', address], { stdio: 'ignore' });
        break;
      } catch (error) {
        if (tries === 100) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
    run(['import', file, ...service]);
    await new Promise((resolve) => setTimeout(resolve, 10_000)); // The index of search catches up.
    const callers = join(work, 'callers.jsonl');
    writeFileSync(callers, `${JSON.stringify({ workspace: 'growth', user: 'growth' })}\n`);
    for (const [name, tool, args] of rows(count)) {
      const report = join(work, 'report.json');
      run(['load', '--address', address, '--callers', callers, '--tool', tool, '--arguments', JSON.stringify(args), '--concurrency', '1',
        '--duration', `${options.seconds}s`, '--warm-up', '500ms', '--json-file', report, '--force']);
      medians.set(name, medianOf(name, JSON.parse(readFileSync(report, 'utf8'))));
    }
    const residentMemory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))[1]) / 1024;
    medians.set('resident memory, MB', residentMemory());
    medians.set('highest under load, MB', await highestWhile(load(address, callers), residentMemory));
  } finally {
    server.kill('SIGTERM');
    await new Promise((resolve) => server.on('exit', resolve));
  }
  return medians;
}

// 16 clients that list, search and write for ten seconds.
async function load(address, callers) {
  const kinds = [
    ['6', 'list_tasks', { status: 'todo' }],
    ['5', 'search_workspace', { query: 'ordinary work' }],
    ['5', 'create_task', { title: 'Plan more of the ordinary work', dueDate: day(0) }],
  ];
  const clients = kinds.map(([concurrency, tool, args]) =>
    spawn(options.program, ['load', '--address', address, '--callers', callers, '--tool', tool, '--arguments', JSON.stringify(args),
      '--concurrency', concurrency, '--duration', '10s', '--warm-up', '1s', '--force'], { stdio: ['ignore', 'ignore', 'inherit'] }));
  const codes = await Promise.all(clients.map((client) => new Promise((resolve) => client.on('exit', resolve))));
  if (codes.some((code) => code !== 0)) throw new Error(`growth: a load ended with ${codes}`);
}

async function highestWhile(work, sample) {
  let highest = 0;
  const timer = setInterval(() => (highest = Math.max(highest, sample())), 50);
  await work;
  clearInterval(timer);
  return highest;
}

function medianOf(name, { summary }) {
  if (summary.errors > 0) throw new Error(`growth: ${summary.errors} calls of "${name}" failed`);
  return summary.latency.p50 * 1000;
}

const work = mkdtempSync(join(tmpdir(), 'toolgate-growth-'));
try {
  const [small, large] = [Number(options.small), Number(options.large)];
  const before = await measure(small, work);
  const after = await measure(large, work);
  console.log(`${'median, ms'.padEnd(28)}${String(small).padStart(10)}${String(large).padStart(10)}${'ratio'.padStart(8)}`);
  for (const [name, value] of before) {
    const other = after.get(name);
    console.log(`${name.padEnd(28)}${value.toFixed(2).padStart(10)}${other.toFixed(2).padStart(10)}${(other / value).toFixed(1).padStart(8)}`);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
