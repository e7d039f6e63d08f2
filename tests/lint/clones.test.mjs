// Clones of one commit compile the same: what the compiler's cache knows from one, it knows in all.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { after, before, test } from 'node:test';

const root = resolve(import.meta.dirname, '../..');
const scratch = mkdtempSync(join(tmpdir(), 'toolgate_clones_'));
// Folders of different lengths and depths.
const clones = [join(scratch, 'first'), join(scratch, 'another/place/for/it')];
// Batches of sources, and data that the build turns into sources. The options of all others are compared.
const targets = ['toolgate_common_text', 'kanban_definitions'];

const run = (command, args, options = {}) =>
  execFileSync(command, args, { encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'], ...options });

before(() => {
  const files = run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: root });
  for (const clone of clones) {
    for (const file of files.split('\0').filter((name) => name !== '')) {
      mkdirSync(dirname(join(clone, file)), { recursive: true });
      cpSync(join(root, file), join(clone, file));
    }
    run('cmake', ['--preset', 'release', '-DTOOLGATE_TESTS=ON', '-DTOOLGATE_BENCHMARKS=ON'], { cwd: clone });
  }
});

after(() => rmSync(scratch, { recursive: true, force: true }));

const build = (clone) => join(clone, 'build/release');

test('batches name their sources from the root', () => {
  const names = readdirSync(join(build(clones[0]), 'batches'));
  assert.ok(names.length > 50, `${names.length} batches`);
  assert.deepEqual(readdirSync(join(build(clones[1]), 'batches')), names);
  for (const name of names) {
    const [one, other] = clones.map((clone) => readFileSync(join(build(clone), 'batches', name), 'utf8'));
    assert.equal(one, other, name);
    assert.ok(!one.includes(scratch), name);
  }
});

test('all sources are compiled with the same options', () => {
  // CCACHE_BASEDIR makes paths in the tree relative, not those inside of other options.
  const commands = clones.map((clone) =>
    JSON.parse(readFileSync(join(build(clone), 'compile_commands.json'), 'utf8')).map(({ command }) =>
      command.split(' ').map((word) => word.replace(new RegExp(`^(-I|-isystem|CCACHE_BASEDIR=)?${clone}`), '$1.')),
    ),
  );
  assert.deepEqual(commands[0], commands[1]);
  for (const command of commands[0]) assert.ok(!command.join(' ').includes(scratch), command.join(' '));
});

test('a second clone compiles nothing', () => {
  const env = { ...process.env, CCACHE_DIR: join(scratch, 'cache') };
  delete env.CCACHE_DISABLE;
  const misses = () => Number(/^cache_miss\t(\d+)$/m.exec(run('ccache', ['--print-stats'], { env }))[1]);
  const compile = (clone) => run('cmake', ['--build', build(clone), '--target', ...targets], { env });
  compile(clones[0]);
  const first = misses();
  assert.ok(first >= targets.length, `${first} compiled`);
  compile(clones[1]);
  assert.equal(misses(), first);
});
