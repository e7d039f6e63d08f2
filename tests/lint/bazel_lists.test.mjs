// The comparison of Bazel's lists with CTest.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ctestTests, differences, listedTests, parseLists, testProblems } from './bazel_lists.mjs';

const LISTS = `# Written by CMake.

COMPILE_OPTIONS = [
    "-Wall",
]

TARGETS = [
    {
        "name": "toolgate_common",
        "kind": "library",
    },
    {
        "name": "masker_fuzzer_replay",
        "kind": "test",
        "arguments": [
            "tests/fuzz/corpus/masker",
        ],
        "labels": [
            "fuzz",
        ],
        "timeout": "120",
    },
]

SCRIPT_TESTS = [
    {
        "name": "e2e_check",
        "arguments": [
            "--test",
        ],
        "timeout": "600",
    },
]
`;

const replay = {
  name: 'masker_fuzzer_replay',
  command: ['/tree/build/masker_fuzzer_replay', '/tree/tests/fuzz/corpus/masker'],
  properties: [{ name: 'LABELS', value: ['fuzz'] }, { name: 'TIMEOUT', value: 120 }],
};
const check = { name: 'e2e_check', command: ['/usr/bin/node', '--test'], properties: [{ name: 'TIMEOUT', value: 600 }] };
const own = { name: 'lint_bazel_lists', command: ['/usr/bin/node'], properties: [] };

const compare = (tests) => testProblems(listedTests(parseLists(LISTS)), ctestTests({ tests }, '/tree'));

test('equal tests have no problems, and the comparison itself does not count', () => {
  assert.deepEqual(compare([replay, check, own]), []);
});

test('a test that only CTest has is a problem', () => {
  assert.match(compare([replay, check, { ...check, name: 'e2e_new' }]).join(), /^e2e_new: CTest runs it/);
});

test('a test that only the lists have is a problem', () => {
  assert.match(compare([replay]).join(), /^e2e_check: targets.bzl has it/);
});

test('another argument, label or time limit is a problem', () => {
  assert.match(compare([{ ...replay, command: ['/tree/build/x'] }, check]).join(), /^masker_fuzzer_replay: /);
  assert.match(compare([{ ...replay, properties: [replay.properties[1]] }, check]).join(), /^masker_fuzzer_replay: /);
  assert.match(compare([replay, { ...check, properties: [{ name: 'TIMEOUT', value: 60 }] }]).join(), /^e2e_check: /);
});

test('the arguments of a program that is not built are not compared', () => {
  assert.deepEqual(compare([{ ...replay, command: undefined }, check]), []);
});

test('differences name lines that went and lines that came', () => {
  assert.deepEqual(differences('a\nb\n', 'a\nc\n'), ['- b', '+ c']);
  assert.deepEqual(differences('a\nb\n', 'b\na\n'), ['the same lines in another order']);
  assert.deepEqual(differences('a\n', 'a\n'), []);
});
