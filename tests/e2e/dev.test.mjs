// `./dev`: its commands share a build folder without disturbing each other. A script takes the place of the build
// tools.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const folders = [];
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

function script(path, text) {
  writeFileSync(path, `#!/usr/bin/env bash\nset -euo pipefail\n${text}`);
  chmodSync(path, 0o755);
}

// A clone on a machine that has every package. Its cmake records its arguments, keeps options like the real one, builds
// for as long as there is a file "hold", and makes the file "program", if there is one, the program.
function clone() {
  const folder = mkdtempSync(join(tmpdir(), 'toolgate-dev-'));
  folders.push(folder);
  for (const part of ['cmake', 'bin', 'tests/e2e']) mkdirSync(join(folder, part), { recursive: true });
  copyFileSync(join(root, 'dev'), join(folder, 'dev'));
  for (const file of ['debian-packages.txt', 'pgo.sh']) copyFileSync(join(root, 'cmake', file), join(folder, 'cmake', file));
  writeFileSync(join(folder, 'CMakePresets.json'), '{}');
  script(join(folder, 'tests/e2e/install.sh'), '');
  script(join(folder, 'bin/dpkg-query'), 'printf installed\n');
  script(join(folder, 'bin/ctest'), 'echo ctest >>asked\nmkdir -p build/release/Testing/Temporary\n: >build/release/Testing/Temporary/LastTest.log\n');
  script(join(folder, 'bin/cmake'), `
if [ "$1" = --preset ]; then
  mkdir -p "build/$2"; cache=build/$2/CMakeCache.txt; touch "$cache"
  for option in "\${@:3}"; do
    name=\${option%%=*}; name=\${name#-D}
    sed -i "/^$name:/d" "$cache"; echo "$name:BOOL=\${option#*=}" >>"$cache"
  done
  echo "configure $2 \${*:3}" >>asked
  touch "build/$2/build.ninja"
else
  echo "build begins: \${*:3}" >>asked
  while [ -e hold ]; do sleep 0.01; done
  if [ -e program ]; then cp program "build/$3/toolgate"; else printf '#!/bin/sh\\necho served "$@"\\n' >"build/$3/toolgate"; fi
  chmod +x "build/$3/toolgate"
  echo "build ends" >>asked
fi
`);
  const env = { ...process.env, CI: '', PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
  return {
    folder,
    env,
    dev: (...args) => spawnSync(join(folder, 'dev'), args, { env, encoding: 'utf8' }),
    start: (...args) => spawn(join(folder, 'dev'), args, { env, stdio: ['ignore', 'pipe', 'pipe'] }),
    // Arguments of cmake and ctest since the last call.
    asked() {
      const path = join(folder, 'asked');
      const lines = existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
      rmSync(path, { force: true });
      return lines;
    },
  };
}

// Resolves when the process's output contains `part`.
const hears = (stream, part) => new Promise((done) => {
  let said = '';
  stream.on('data', (bytes) => {
    said += bytes;
    if (said.includes(part)) done(said);
  });
});
const exits = (child) => new Promise((done) => child.on('close', done));
const BUILD = ['build begins: release --target toolgate', 'build ends'];

test('run builds without the tests on a machine that never built them, and configures once', () => {
  const { dev, asked } = clone();
  const first = dev('run', '--listen', 'x');
  assert.equal(first.status, 0, first.stderr);
  assert.equal(first.stdout, 'served serve --listen x\n');
  assert.deepEqual(asked(), ['configure release -DTOOLGATE_TESTS=OFF', ...BUILD]);
  assert.equal(dev('run').status, 0);
  assert.deepEqual(asked(), BUILD);
});

test('run leaves the options of a folder in which tests are built', () => {
  const { dev, asked, folder } = clone();
  assert.equal(dev('test').status, 0);
  assert.deepEqual(asked(), ['configure release -DTOOLGATE_TESTS=ON', 'build begins: release',
    'build ends', 'ctest']);
  assert.equal(dev('run').status, 0);
  assert.deepEqual(asked(), BUILD);
  assert.equal(dev('test').status, 0);
  assert.deepEqual(asked(), ['build begins: release', 'build ends', 'ctest']);
  assert.match(readFileSync(join(folder, 'build/release/CMakeCache.txt'), 'utf8'), /TOOLGATE_TESTS:BOOL=ON/);
});

test('test adds the tests to a folder that run has made, build the benchmarks too, and run keeps both', () => {
  const { dev, asked } = clone();
  dev('run');
  asked();
  assert.equal(dev('test').status, 0);
  assert.deepEqual(asked(), ['configure release -DTOOLGATE_TESTS=ON', 'build begins: release', 'build ends', 'ctest']);
  assert.equal(dev('build').status, 0);
  assert.deepEqual(asked(), ['configure release -DTOOLGATE_TESTS=ON -DTOOLGATE_BENCHMARKS=ON', 'build begins: release', 'build ends']);
  dev('run');
  assert.deepEqual(asked(), BUILD);
});

test('in CI the release build takes warnings for errors, and elsewhere no longer', () => {
  const { dev, asked, env } = clone();
  env.CI = 'true';
  assert.equal(dev('test').status, 0);
  assert.equal(asked()[0], 'configure release -DTOOLGATE_TESTS=ON -DTOOLGATE_WERROR=ON');
  assert.equal(dev('test').status, 0);
  assert.deepEqual(asked(), ['build begins: release', 'build ends', 'ctest']);
  env.CI = '';
  dev('run');
  assert.deepEqual(asked(), ['configure release -DTOOLGATE_WERROR=OFF', ...BUILD]);
  dev('run');
  assert.deepEqual(asked(), BUILD);
});

test('eval builds the evaluation alone, and runs it', () => {
  const { dev, asked, folder } = clone();
  mkdirSync(join(folder, 'build/release'), { recursive: true });
  script(join(folder, 'build/release/injection_evaluation_test'), 'echo "the table $*"\n');
  const run = dev('eval', '--gtest_filter=x');
  assert.equal(run.status, 0, run.stderr);
  assert.equal(run.stdout, 'the table --gtest_filter=x\n');
  assert.deepEqual(asked(), ['configure release -DTOOLGATE_TESTS=ON',
    'build begins: release --target injection_evaluation_test', 'build ends']);
});

const step = (name) => [`configure pgo -DTOOLGATE_PGO=${name}`, 'build begins: pgo --target toolgate', 'build ends'];

test('pgo records the load profiles once, and then builds by the counts', () => {
  const { dev, asked, folder } = clone();
  // Serves until it is told to stop, and then writes its counts.
  script(join(folder, 'program'), `
if [ "$1" = load ]; then echo "$@" >>asked; exit; fi
echo '{"message":"serving","address":"127.0.0.1:7"}' >&2
trap 'echo stopped >>asked; touch build/pgo/x.gcda; exit 0' TERM
while :; do sleep 0.01; done
`);
  const first = dev('pgo');
  assert.equal(first.status, 0, first.stderr);
  const lines = asked();
  assert.deepEqual(lines.slice(0, 3), step('record'));
  assert.deepEqual(lines.slice(-4), ['stopped', ...step('use')]);
  const loads = lines.slice(3, -4);
  assert.equal(loads.length, 5 * 3);
  for (const load of loads) assert.match(load, /^load --address 127\.0\.0\.1:7 --profile [a-z-]+ --concurrency (1|16|64) /);
  assert.equal(dev('pgo').status, 0);
  assert.deepEqual(asked(), step('use'));
});

test('pgo fails when the program does not serve, its load fails or it writes no counts, and records again', () => {
  const { dev, asked, folder } = clone();
  const failures = [
    [`echo 'no such option' >&2; exit 9`, /no such option\npgo: the service did not start/],
    [`[ "$1" != load ] || { echo 'refused' >&2; exit 5; }
echo '"serving","address":"127.0.0.1:7"' >&2; trap 'exit 0' TERM; while :; do sleep 0.01; done`,
    /refused\npgo: the load profile read-mostly failed/],
    [`[ "$1" != load ] || exit 0
echo '"serving","address":"127.0.0.1:7"' >&2; trap 'exit 0' TERM; while :; do sleep 0.01; done`,
    /pgo: the program wrote no counts/]];
  for (const [program, message] of failures) {
    script(join(folder, 'program'), program);
    const run = dev('pgo');
    assert.equal(run.status, 1);
    assert.match(run.stderr, message);
    assert.deepEqual(asked(), step('record'));
  }
});

test('bench builds the benchmarks and the program with its profile, and then measures', () => {
  const { dev, asked, folder } = clone();
  for (const part of ['tests/bench', 'build/pgo']) mkdirSync(join(folder, part), { recursive: true });
  script(join(folder, 'tests/bench/run.sh'), 'echo "measured $*"\n');
  writeFileSync(join(folder, 'build/pgo/recorded'), '');
  const run = dev('bench', '--rounds', '1');
  assert.equal(run.status, 0, run.stderr);
  assert.equal(run.stdout, 'measured --rounds 1\n');
  assert.deepEqual(asked(), ['configure release -DTOOLGATE_TESTS=ON -DTOOLGATE_BENCHMARKS=ON', 'build begins: release',
    'build ends', ...step('use')]);
});

test('deploy builds the program alone, and runs the tests of package and image', () => {
  const { dev, asked } = clone();
  assert.equal(dev('deploy').status, 0);
  assert.deepEqual(asked(), ['configure release -DTOOLGATE_TESTS=ON', ...BUILD, 'ctest']);
});

test('bazel compares its tests with CTest, and runs them all', () => {
  const { dev, asked, folder } = clone();
  mkdirSync(join(folder, 'bazel-compat'));
  for (const name of ['check', 'bazel']) script(join(folder, `bazel-compat/${name}.sh`), `echo ${name} "$@" >>asked\n`);
  assert.equal(dev('bazel').status, 0);
  assert.deepEqual(asked(), ['configure dev -DTOOLGATE_TESTS=ON', 'build begins: dev --target build.ninja', 'build ends',
    'check build/dev', 'bazel test //...']);
  assert.equal(dev('bazel', 'build', '@toolgate//:toolgate').status, 0);
  assert.deepEqual(asked(), ['bazel build @toolgate//:toolgate']);
});

test('bazel --write-lists has CMake write the lists, and runs no Bazel', () => {
  const { dev, asked } = clone();
  assert.equal(dev('bazel', '--write-lists').status, 0);
  assert.deepEqual(asked(), ['configure dev -DTOOLGATE_TESTS=ON', 'build begins: dev --target bazel_lists', 'build ends']);
});

test('a preset that changed is configured anew', () => {
  const { dev, asked, folder } = clone();
  dev('run');
  asked();
  rmSync(join(folder, 'build/release/build.ninja'));
  writeFileSync(join(folder, 'build/release/build.ninja'), '');
  spawnSync('touch', ['-d', '2001-01-01', join(folder, 'build/release/build.ninja')]);
  dev('run');
  assert.deepEqual(asked(), ['configure release ', ...BUILD]);
});

test('two at once build one after the other, and the second says that it waits', { timeout: 60_000 }, async () => {
  const { start, asked, folder } = clone();
  writeFileSync(join(folder, 'hold'), '');
  const first = start('test');
  await hears(first.stderr, 'building (release)');
  const second = start('run');
  const served = hears(second.stdout, 'served');
  assert.match(await hears(second.stderr, 'waiting'), /another \.\/dev is at work on release; waiting for it/);
  rmSync(join(folder, 'hold'));
  await Promise.all([exits(first), served, exits(second)]);
  const order = asked().filter((line) => line.startsWith('build'));
  assert.deepEqual(order, ['build begins: release', 'build ends', ...BUILD]);
});

test('the service that run starts holds no lock', { timeout: 60_000 }, async () => {
  const { dev, start, folder } = clone();
  dev('run');
  script(join(folder, 'bin/cmake'), 'printf "#!/bin/sh\\necho served; exec sleep 600\\n" >build/release/toolgate\n');
  const serving = start('run');
  await hears(serving.stdout, 'served');
  script(join(folder, 'bin/cmake'), 'exit 0\n');
  assert.equal(dev('build').status, 0);
  serving.kill('SIGKILL');
  await exits(serving);
});
