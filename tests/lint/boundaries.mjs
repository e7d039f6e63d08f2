#!/usr/bin/env node
// Checks the boundaries between the rooms of the tree, which ARCHITECTURE.md draws:
//
//   direction   includes run one way, room by room and target by target
//   apart       services/api knows no transport
//   deps        a target declares every target whose header one of its files includes
//   one target  a folder is one library, named after it
//   namespace   a folder is one namespace
//   mirror      tests/unit/<folder>/<name>_test.cc tests <folder>/<name>.h
//   one test    a folder is one test target, <folder with underscores>_test, in the list of tests/unit/<folder>
//
// Usage: boundaries.mjs [ROOT]. Prints one line a problem, "file:line: what is wrong; what would be right", and exits with
// 1 when there is any.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { readTargets } from './cmake_lists.mjs';

// From the bottom up; a room includes itself and those before it. Rooms in one row must not know each other.
const ROOMS = [['proto'], ['common'], ['observability'], ['storage'], ['executors'], ['interchange'], ['security'],
  ['services'], ['cli']];
const LEVEL = new Map(ROOMS.flatMap((row, level) => row.map((room) => [room, level])));
// Rooms that a room must not include although they are below it.
const FORBIDDEN = new Map([
  ['security', ['interchange']],
  ['interchange', ['executors']],
]);
// The one family of executors that a room may know: the rules of blocks, which every store of blocks shares.
const FORBIDDEN_BUT = new Map([['interchange', ['executors/blocks']]]);

// Folders of a room that may not know some of their neighbours or some libraries.
const APART = [
  { folder: 'services/api', never: /^(grpcpp|grpc|services\/grpc)\/|\.grpc\.pb\.h$/,
    because: 'RPCs know no transport; what needs gRPC stands in services/grpc' },
];

// Folders without unit tests of their own, with the reason.
const NO_UNIT_TESTS = new Map([
  ['executors/results', 'reads what services/execution keeps; KeptResultsTest there reads it back'],
  ['executors/shell/launcher', 'is a program, which the tests of executors/shell/sandbox run'],
  ['services/core', 'puts the layers in order; tests/integration/services/core takes calls through all of them'],
]);

// Generated headers, by the target that brings them.
const GENERATED = [
  [/^(toolgate|google\/rpc)\/.*\.grpc\.pb\.h$/, 'toolgate_proto_grpc'],
  [/^(toolgate|google\/rpc)\/.*\.pb\.h$/, 'toolgate_proto'],
  [/^grpc\/.*\.pb\.h$/, 'toolgate_proto_grpc_standard'],
];

// Third-party headers that a target must declare too: those whose package a reader would not guess to be there.
const PACKAGES = [
  [/^(grpcpp|grpc)\//, ['gRPC::grpc++', 'gRPC::gpr', 'toolgate_proto_grpc', 'toolgate_proto_grpc_standard']],
  [/^openssl\//, ['OpenSSL::Crypto', 'OpenSSL::SSL']],
  [/^sqlite3\.h$/, ['PkgConfig::sqlite3']],
  [/^prometheus\//, ['prometheus-cpp::core', 'prometheus-cpp::pull']],
  [/^cmark-gfm/, ['PkgConfig::cmark_gfm']],
  [/^CLI\//, ['CLI11::CLI11']],
  [/^yaml-cpp\//, ['yaml-cpp']],
  [/^re2\//, ['PkgConfig::re2']],
  [/^seccomp\.h$/, ['PkgConfig::seccomp']],
  [/^utf8proc\.h$/, ['PkgConfig::utf8proc']],
  [/^unicode\//, ['PkgConfig::icu']],
  [/^boost\/context\//, ['Boost::context']],
];

const isSource = (file) => /\.(cc|h)$/.test(file);
const roomOf = (file) => file.split('/', 1)[0];

// The namespace of a folder's files: common/ uses the project's own, all others use their path.
function namespaceOf(dir) {
  return ['toolgate', ...dir.split('/').filter((part) => part !== 'common')].join('::');
}

// Splits a file into its includes and the namespaces it opens, with line numbers.
function scan(root, file) {
  const includes = [];
  const namespaces = [];
  fs.readFileSync(path.join(root, file), 'utf8').split('\n').forEach((text, index) => {
    const include = /^#include [<"]([^>"]+)[>"]/.exec(text);
    if (include !== null) includes.push({ name: include[1], line: index + 1 });
    const opened = /^namespace ([a-z0-9_:]+) \{/.exec(text);
    if (opened !== null) namespaces.push({ name: opened[1], line: index + 1 });
  });
  return { includes, namespaces };
}

class Tree {
  constructor(root, files) {
    this.root = root;
    this.files = files;
    this.sources = new Set(files.filter(isSource));
    this.targets = readTargets(root, files);
    this.libraries = [...this.targets.values()].filter((target) => target.kind === 'toolgate_library');
    this.byDir = Map.groupBy?.(this.libraries, (target) => target.dir) ?? group(this.libraries);
    this.problems = [];
  }

  add(file, line, text) {
    this.problems.push(`${file}:${line}: ${text}`);
  }

  // The library of a header: its folder's. In a folder with several, the one with the source of the same name.
  ownerOf(header) {
    if (this.sources.has(header)) {
      // Targets compile those of tests/support that they need, besides its libraries.
      if (header.startsWith('tests/support/')) return undefined;
      return this.byDir.get(path.posix.dirname(header))?.[0].name;
    }
    const embedded = this.targets.get(path.posix.basename(header, '.h'));
    if (embedded?.kind === 'toolgate_embed' && path.posix.dirname(header) === embedded.dir) return embedded.name;
    const proto = `${path.posix.basename(header, '.pb.h')}.proto`;
    const messages = [...this.targets.values()].find((target) => target.kind === 'toolgate_messages' &&
      target.dir === path.posix.dirname(header) && target.files.includes(proto));
    if (messages !== undefined) return messages.name;
    return GENERATED.find(([pattern]) => pattern.test(header))?.[1];
  }

  checkFolders() {
    for (const [dir, libraries] of this.byDir) {
      if (dir.startsWith('tests')) continue;
      const name = `toolgate_${dir.replaceAll('/', '_')}`;
      const [first, ...more] = libraries;
      if (first.name !== name) this.add(first.list, 1, `the library of ${dir} is called ${first.name}; call it ${name}`);
      for (const { name: other, list } of more) {
        this.add(list, 1, `${dir} has a second library, ${other}; give it a folder of its own`);
      }
    }
  }

  checkFile(file, target) {
    const { includes, namespaces } = scan(this.root, file);
    for (const include of includes) {
      this.checkDirection(file, include);
      this.checkApart(file, include);
      if (target !== undefined) this.checkDeclared(file, include, target);
    }
    this.checkNamespaces(file, namespaces);
  }

  checkDirection(file, { name, line }) {
    const [from, to] = [LEVEL.get(roomOf(file)), LEVEL.get(roomOf(name))];
    if (from === undefined || to === undefined || !this.sources.has(name)) return;
    if (to > from) this.add(file, line, `${roomOf(file)}/ includes ${name}, but ${roomOf(name)}/ stands above it`);
    const banned = FORBIDDEN.get(roomOf(file))?.includes(roomOf(name));
    const allowed = (FORBIDDEN_BUT.get(roomOf(file)) ?? []).some((dir) => name.startsWith(`${dir}/`));
    if (banned && !allowed) this.add(file, line, `${roomOf(file)}/ includes ${name}, but may not know ${roomOf(name)}/`);
  }

  checkApart(file, { name, line }) {
    for (const { folder, never, because } of APART) {
      if (file.startsWith(`${folder}/`) && never.test(name)) this.add(file, line, `includes ${name}, but ${because}`);
    }
  }

  checkDeclared(file, { name, line }, target) {
    const owner = this.ownerOf(name);
    if (owner !== undefined && owner !== target.name && !target.deps.includes(owner)) {
      this.add(file, line, `includes ${name} of ${owner}, which ${target.name} does not declare; add it to DEPS in ${target.list}`);
    }
    const needed = owner === undefined ? PACKAGES.find(([pattern]) => pattern.test(name))?.[1] : undefined;
    if (needed !== undefined && !needed.some((dep) => target.deps.includes(dep))) {
      this.add(file, line, `includes ${name}, but ${target.name} does not declare ${needed[0]}; add it to DEPS in ${target.list}`);
    }
  }

  checkNamespaces(file, namespaces) {
    if (file.startsWith('tests/') || namespaces.length === 0) return;
    const expected = namespaceOf(path.posix.dirname(file));
    if (namespaces.some(({ name }) => name === expected || name.startsWith(`${expected}::`))) return;
    const { name, line } = namespaces.find((row) => row.name.startsWith('toolgate')) ?? namespaces[0];
    this.add(file, line, `opens the namespace ${name}; this folder is ${expected}`);
  }

  // A cycle of declared dependencies among our own libraries.
  checkCycles() {
    const state = new Map();
    const visit = (name, trail) => {
      if (state.get(name) === 'done') return;
      if (state.get(name) === 'open') {
        const cycle = [...trail.slice(trail.indexOf(name)), name].join(' -> ');
        this.add(this.targets.get(name).list, 1, `libraries depend on each other in a circle: ${cycle}`);
        return;
      }
      state.set(name, 'open');
      for (const dep of this.targets.get(name)?.deps ?? []) if (this.targets.has(dep)) visit(dep, [...trail, name]);
      state.set(name, 'done');
    };
    for (const { name } of this.libraries) visit(name, []);
  }

  checkTests() {
    for (const test of this.sources) {
      const match = /^tests\/unit\/(.+)_test\.cc$/.exec(test);
      if (match === null) continue;
      if (!this.sources.has(`${match[1]}.h`) && !this.sources.has(`${match[1]}.cc`)) {
        this.add(test, 1, `tests ${match[1]}.h, which does not exist; unit tests mirror the tree, others stand in tests/integration or tests/contract`);
      }
    }
  }

  // One test target for each folder, which is in the folder's own list and has its sources alone.
  checkTestTargets() {
    const tested = new Set();
    for (const { name, kind, dir, sources, list } of this.targets.values()) {
      if (kind !== 'toolgate_test' || !dir.startsWith('tests/unit/')) continue;
      const folder = dir.slice('tests/unit/'.length);
      const expected = `${folder.replaceAll('/', '_')}_test`;
      if (tested.has(folder)) this.add(list, 1, `${dir} has a second test, ${name}; add its sources to ${expected}`);
      else if (name !== expected) this.add(list, 1, `the test of ${folder} is called ${name}; call it ${expected}`);
      tested.add(folder);
      for (const source of sources) {
        const owner = path.posix.dirname(source);
        if (owner !== dir && owner !== 'tests/support') this.add(list, 1, `${name} has ${source}; name it in ${owner}/CMakeLists.txt`);
      }
    }
    for (const [dir, [{ list }]] of this.byDir) {
      if (dir.startsWith('tests')) continue;
      const excused = NO_UNIT_TESTS.has(dir);
      if (!tested.has(dir) && !excused) this.add(list, 1, `${dir} has no unit tests; add tests/unit/${dir}, or the reason to NO_UNIT_TESTS`);
      if (tested.has(dir) && excused) this.add(list, 1, `${dir} has unit tests; take it out of NO_UNIT_TESTS`);
    }
  }

  check() {
    this.checkFolders();
    const owned = new Set();
    for (const target of this.targets.values()) {
      const headers = target.kind === 'toolgate_library' && !target.dir.startsWith('tests')
        ? [...this.sources].filter((file) => file.endsWith('.h') && this.ownerOf(file) === target.name) : [];
      for (const file of new Set([...target.sources, ...headers])) {
        if (!this.sources.has(file)) continue;
        owned.add(file);
        this.checkFile(file, target);
      }
    }
    for (const file of this.sources) {
      if (owned.has(file)) continue;
      this.checkFile(file, undefined);
      if (file.endsWith('.cc') && !file.startsWith('tests/support/') && file !== 'tests/fuzz/replay_main.cc') {
        this.add(file, 1, `is in no target; name it in ${path.posix.dirname(file)}/CMakeLists.txt`);
      }
    }
    this.checkCycles();
    this.checkTests();
    this.checkTestTargets();
    return this.problems;
  }
}

// Map.groupBy, which Node.js has only since version 21.
function group(libraries) {
  const byDir = new Map();
  for (const target of libraries) byDir.set(target.dir, [...(byDir.get(target.dir) ?? []), target]);
  return byDir;
}

/**
 * Checks a tree.
 * @param {string} root The tree's root folder.
 * @param {string[]} files The paths in it that count, from the root, with "/" between folders.
 * @returns {string[]} One line a problem.
 */
export function findProblems(root, files) {
  return new Tree(root, files).check();
}

/** The files that git tracks or would track, which leaves out what is built. */
export function trackedFiles(root) {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  return listed.split('\n').filter((file) => file !== '' && fs.existsSync(path.join(root, file)));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = process.argv[2] ?? '.';
  const problems = findProblems(root, trackedFiles(root));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) {
    console.error(`${problems.length} problems with the boundaries of rooms; ARCHITECTURE.md shows how they stand`);
    process.exit(1);
  }
}
