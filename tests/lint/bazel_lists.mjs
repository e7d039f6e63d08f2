#!/usr/bin/env node
// Compares bazel-compat/ with CMake's build:
//
//   lists  bazel-compat/targets.bzl is what CMake writes now
//   tests  targets.bzl has every test of CTest, with its arguments, labels and time limit, and no other
//
// Usage: bazel_lists.mjs BUILD_FOLDER. Prints one line a problem, and exits with 1 when there is any.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

// Tests of Bazel against CTest, of which Bazel has no counterpart.
const CTEST_ONLY = new Set(['lint_bazel_lists', 'lint_clones']);

/** The lists `TARGETS` and `SCRIPT_TESTS` of a targets.bzl, which is JSON but for commas at the ends of lists. */
export function parseLists(text) {
  const list = (name) => {
    const [, body] = new RegExp(`^${name} = (\\[\\n[^]*?^\\])`, 'm').exec(text);
    return JSON.parse(body.replace(/,(\s*[\]}])/g, '$1'));
  };
  return { targets: list('TARGETS'), scripts: list('SCRIPT_TESTS') };
}

/** The first lines in which two texts differ, at most `limit`; those of the new text begin with "+". */
export function differences(old, now, limit = 10) {
  const [before, after] = [old.split('\n'), now.split('\n')];
  const gone = before.filter((line) => !after.includes(line)).map((line) => `- ${line.trim()}`);
  const added = after.filter((line) => !before.includes(line)).map((line) => `+ ${line.trim()}`);
  const found = [...gone, ...added].slice(0, limit);
  return found.length > 0 || old === now ? found : ['the same lines in another order'];
}

// Each side's view of a test. CTest leaves out the command of a program that is not built; `args` is then undefined.
const view = ({ args, labels, timeout }) => ({ args, labels: [...labels].sort(), timeout });
const equal = (listed, ctest) => JSON.stringify(ctest.args === undefined ? { ...listed, args: undefined } : listed) === JSON.stringify(ctest);

/** The tests of the lists by name. */
export function listedTests({ targets, scripts }) {
  const tests = [...targets.filter((target) => target.kind === 'test'), ...scripts];
  return new Map(tests.map((test) => [test.name,
    view({ args: test.arguments ?? [], labels: test.labels ?? [], timeout: Number(test.timeout) })]));
}

/** The tests of CTest by name, from its JSON; paths below `root` are made relative. */
export function ctestTests({ tests }, root) {
  const rows = tests.filter((test) => !CTEST_ONLY.has(test.name)).map(({ name, command, properties }) => {
    const property = (key) => properties.find((row) => row.name === key)?.value;
    const args = command?.slice(1).map((arg) => (arg.startsWith(`${root}/`) ? path.relative(root, arg) : arg));
    return [name, view({ args, labels: property('LABELS') ?? [], timeout: property('TIMEOUT') })];
  });
  return new Map(rows);
}

/** One line for each test that only one side has, or that differs. */
export function testProblems(listed, ctest) {
  const problems = [];
  for (const [name, test] of ctest) {
    const row = listed.get(name);
    if (row === undefined) problems.push(`${name}: CTest runs it, targets.bzl does not have it; add it by toolgate_test or toolgate_node_test`);
    else if (!equal(row, test)) problems.push(`${name}: CTest has ${JSON.stringify(test)}, targets.bzl ${JSON.stringify(row)}`);
  }
  for (const name of listed.keys()) {
    if (!ctest.has(name)) problems.push(`${name}: targets.bzl has it, CTest does not run it`);
  }
  return problems;
}

// CTest's own description of the build's tests. It is asked from another folder, since it would empty the log of the run
// that this test is part of.
function listTests(build) {
  const folder = fs.mkdtempSync(path.join(tmpdir(), 'toolgate-lists-'));
  try {
    fs.writeFileSync(path.join(folder, 'CTestTestfile.cmake'), `subdirs("${path.resolve(build)}")\n`);
    return execFileSync('ctest', ['--test-dir', folder, '-C', 'Deploy', '--show-only=json-v1'],
      { encoding: 'utf8', maxBuffer: 1 << 26 });
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

function main(build) {
  const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '../..');
  const written = fs.readFileSync(path.join(build, 'bazel/targets.bzl'), 'utf8');
  const kept = fs.readFileSync(path.join(root, 'bazel-compat/targets.bzl'), 'utf8');
  const json = listTests(build);
  const [, home] = /^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$/m.exec(fs.readFileSync(path.join(build, 'CMakeCache.txt'), 'utf8'));
  const ctest = ctestTests(JSON.parse(json), home);
  const problems = testProblems(listedTests(parseLists(written)), ctest);
  if (written !== kept) {
    problems.push('bazel-compat/targets.bzl is out of date; run `./dev bazel --write-lists` and commit it',
      ...differences(kept, written).map((line) => `  ${line}`));
  }
  for (const problem of problems) console.error(problem);
  console.log(`${ctest.size} tests compared, ${problems.length} problems`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv[2]);
