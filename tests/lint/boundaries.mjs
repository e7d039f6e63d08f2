#!/usr/bin/env node
// Checks the boundaries between the rooms of the tree, which ARCHITECTURE.md draws:
//
//   direction   includes and imports of .proto files run one way, room by room and target by target
//   apart       some folders know no transport, and no concrete family of tools
//   deps        a target declares every target whose header one of its files includes
//   one target  a folder is one library, named after it
//   namespace   a folder is one namespace; of others, types are declared at most
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
import { withoutCommentsAndLiterals } from './cpp_text.mjs';

// From the bottom up; a room includes itself and those in the rows before it. Rooms in one row must not know each other.
const ROOMS = [['proto'], ['common'], ['observability'], ['storage'], ['coordination'], ['executors'], ['interchange'], ['security'],
  ['services'], ['cli']];
// The same for the folders of services/.
const SERVICES = [['audit', 'config', 'rendering', 'sockets'], ['execution'], ['pipeline'], ['chat', 'core'], ['api'],
  ['grpc', 'http'], ['app']];
const levels = (rows) => new Map(rows.flatMap((row, level) => row.map((room) => [room, level])));
const LEVEL = levels(ROOMS);
const SERVICE_LEVEL = levels(SERVICES.map((row) => row.map((name) => `services/${name}`)));
// Rooms that a room must not include although they are below it.
const FORBIDDEN = new Map([
  ['security', ['interchange']],
  ['interchange', ['executors']],
]);
// The one family of executors that a room may know: the rules of blocks, which every store of blocks shares.
const FORBIDDEN_BUT = new Map([['interchange', ['executors/blocks']]]);

// Folders that may not know some of their neighbours or some libraries.
const APART = [
  { folders: ['api', 'audit', 'chat', 'core', 'execution', 'pipeline', 'rendering'].map((name) => `services/${name}`),
    never: /^(grpcpp|grpc|services\/sockets)\/|^microhttpd\.h$|\.grpc\.pb\.h$/,
    because: 'calls and RPCs know no transport; code for one stands in services/grpc or services/http' },
  { folders: ['security', 'services/audit', 'services/core', 'services/execution', 'services/pipeline', 'services/rendering'],
    never: /^executors\/[^/]+\//,
    because: 'calls know executors/tool.h and no family of tools; let core hand on a function or an interface' },
  { folders: ['services/chat'], never: /^executors\/(?!(chat|models|providers)\/)[^/]+\//,
    because: 'the loop of model and tools knows models and no other family of tools; it calls tools by ToolCaller' },
  { folders: ['services/api'], never: /^executors\/(?!(blocks|chat|memory)\/)[^/]+\//,
    because: 'RPCs call tools by their names; only chats, imports and instructions know their folders of executors/' },
];

// Libraries that are loaded on demand, so that no target brings them: their headers stay in the folder that loads them.
const LOADED = [
  [/^curl\//, 'common/http'],
  [/^microhttpd\.h$/, 'services/http'],
];

// Folders without unit tests of their own, with the reason.
const NO_UNIT_TESTS = new Map([
  ['common/build_info', 'is two constants; command_line_test and metrics_server_test show them'],
  ['executors/results', 'reads what services/execution keeps; KeptResultsTest there reads it back'],
  ['executors/shell/launcher', 'is a program, which the tests of executors/shell/sandbox run'],
  ['services/core', 'puts the layers in order; tests/integration/services/core takes calls through all of them'],
]);

// Sources that the functions of cmake/targets.cmake add.
const SPECIAL = new Set(['tests/fuzz/replay_main.cc', 'tests/support/tsan_mutex.cc']);

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
  [/^simdjson\.h$/, ['simdjson::simdjson']],
  [/^gumbo\.h$/, ['PkgConfig::gumbo']],
  [/^libxml\//, ['PkgConfig::libxml2']],
];

// Abseil's packages, by header. A library whose interface has a type of a package brings it to those that declare the
// library. Every package brings absl/base.
const ABSEIL = [
  [/^absl\/base\//, undefined],
  [/^absl\/strings\/cord\.h$/, 'absl::cord'],
  [/^absl\/strings\/str_format\.h$/, 'absl::str_format'],
  [/^absl\/status\/statusor\.h$/, 'absl::statusor'],
  [/^absl\/container\/btree_/, 'absl::btree'],
  [/^absl\/numeric\/int128\.h$/, 'absl::int128'],
  [/^absl\/random\//, 'absl::random_random'],
  [/^absl\/(container|functional|types)\/(.+)\.h$/, 'absl::$2'],
  [/^absl\/([a-z_]+)\//, 'absl::$1'],
];

const isSource = (file) => /\.(cc|h)$/.test(file);
const isProto = (file) => file.endsWith('.proto');
const roomOf = (file) => file.split('/', 1)[0];
const serviceOf = (file) => file.split('/', 2).join('/');

// The package of one of Abseil's headers; undefined for others.
function abseilPackage(header) {
  const row = ABSEIL.find(([pattern]) => pattern.test(header));
  return row?.[1] && row[0].exec(header)[0].replace(row[0], row[1]);
}

// The namespace of a folder's files: common/ uses the project's own, all others use their path.
function namespaceOf(dir) {
  return ['toolgate', ...dir.split('/').filter((part) => part !== 'common')].join('::');
}

// The files that a text names by `pattern`, with their lines.
function namesIn(text, pattern) {
  return text.split('\n').flatMap((line, index) => {
    const found = pattern.exec(line);
    return found === null ? [] : [{ name: found[1], line: index + 1 }];
  });
}

const includesOf = (text) => namesIn(text, /^#include [<"]([^>"]+)[>"]/);
const importsOf = (text) => namesIn(text, /^import (?:public |weak )?"([^"]+)";/);

// The body of a namespace that only declares types.
const DECLARATIONS = /^(\s*(template\s*<[^<>]*>\s*)?(class|struct|enum(\s+class)?)\s+\w+(\s*:\s*[\w:]+)?\s*;)+\s*$/;

// The outermost named namespaces in which a text defines something, with their lines.
function namespacesOf(text) {
  const code = withoutCommentsAndLiterals(text);
  const found = [];
  let depth = 0;
  let opened;
  for (const match of code.matchAll(/\bnamespace\s+([\w:]+)\s*\{|[{}]/g)) {
    if (match[0] !== '}') {
      if (depth === 0 && match[1] !== undefined) opened = match;
      depth += 1;
      continue;
    }
    depth -= 1;
    if (depth !== 0 || opened === undefined) continue;
    const body = code.slice(opened.index + opened[0].length, match.index);
    const line = code.slice(0, opened.index).split('\n').length;
    if (!DECLARATIONS.test(body)) found.push({ name: opened[1], line });
    opened = undefined;
  }
  return found;
}

class Tree {
  constructor(root, files) {
    this.root = root;
    this.files = files;
    this.sources = new Set(files.filter(isSource));
    this.protos = new Set(files.filter(isProto));
    this.targets = readTargets(root, files);
    this.libraries = [...this.targets.values()].filter((target) => target.kind === 'toolgate_library');
    this.byDir = Map.groupBy?.(this.libraries, (target) => target.dir) ?? group(this.libraries);
    this.problems = [];
  }

  add(file, line, text) {
    this.problems.push(`${file}:${line}: ${text}`);
  }

  // The library of a header: its folder's. In tests/support, which has several, the one with the source of the same name;
  // headers without a source are used as they are.
  ownerOf(header) {
    if (this.sources.has(header)) {
      const libraries = this.byDir.get(path.posix.dirname(header)) ?? [];
      if (!header.startsWith('tests/support/')) return libraries[0]?.name;
      return libraries.find(({ sources }) => sources.includes(header.replace(/\.h$/, '.cc')))?.name;
    }
    const embedded = this.targets.get(path.posix.basename(header, '.h'));
    if (embedded?.kind === 'toolgate_embed' && path.posix.dirname(header) === embedded.dir) return embedded.name;
    const messages = this.messagesOf(header.replace(/\.pb\.h$/, '.proto'));
    if (messages !== undefined) return messages.name;
    return GENERATED.find(([pattern]) => pattern.test(header))?.[1];
  }

  // The target of the messages of a folder's own .proto file.
  messagesOf(proto) {
    return [...this.targets.values()].find(({ kind, dir, files }) => kind === 'toolgate_messages' &&
      dir === path.posix.dirname(proto) && files.includes(path.posix.basename(proto)));
  }

  // Everything that a target declares, and that those declare.
  reachOf(name) {
    this.reach ??= new Map();
    if (!this.reach.has(name)) {
      const reached = new Set();
      this.reach.set(name, reached);
      for (const dep of this.targets.get(name)?.deps ?? []) {
        reached.add(dep);
        for (const further of this.reachOf(dep)) reached.add(further);
      }
    }
    return this.reach.get(name);
  }

  textOf(file) {
    return fs.readFileSync(path.join(this.root, file), 'utf8');
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
    const text = this.textOf(file);
    for (const include of includesOf(text)) {
      this.checkDirection(file, include, 'includes');
      this.checkApart(file, include, 'includes');
      this.checkLoaded(file, include);
      if (target !== undefined) this.checkDeclared(file, include, target);
    }
    if (!file.startsWith('tests/')) this.checkNamespaces(file, namespacesOf(text));
  }

  checkProto(file) {
    const target = this.messagesOf(file);
    for (const imported of importsOf(this.textOf(file))) {
      this.checkDirection(file, imported, 'imports');
      this.checkApart(file, imported, 'imports');
      const owner = this.messagesOf(imported.name);
      if (target === undefined || owner === undefined || owner === target || target.deps.includes(owner.name)) continue;
      this.add(file, imported.line,
        `imports ${imported.name} of ${owner.name}, which ${target.name} does not declare; add it to DEPS in ${target.list}`);
    }
  }

  // Ours: tracked, or generated by one of our targets.
  isOurs(name) {
    return this.sources.has(name) || this.protos.has(name) || this.ownerOf(name) !== undefined;
  }

  checkDirection(file, { name, line }, verb) {
    const [from, to] = [LEVEL.get(roomOf(file)), LEVEL.get(roomOf(name))];
    if (from === undefined || to === undefined || !this.isOurs(name)) return;
    if (to > from) this.add(file, line, `${roomOf(file)}/ ${verb} ${name}, but ${roomOf(name)}/ stands above it`);
    const banned = FORBIDDEN.get(roomOf(file))?.includes(roomOf(name));
    const allowed = (FORBIDDEN_BUT.get(roomOf(file)) ?? []).some((dir) => name.startsWith(`${dir}/`));
    if (banned && !allowed) this.add(file, line, `${roomOf(file)}/ ${verb} ${name}, but may not know ${roomOf(name)}/`);
    this.checkServices(file, { name, line }, verb);
  }

  checkServices(file, { name, line }, verb) {
    const [own, other] = [serviceOf(file), serviceOf(name)];
    const [from, to] = [SERVICE_LEVEL.get(own), SERVICE_LEVEL.get(other)];
    if (own === other || from === undefined || to === undefined || to < from) return;
    this.add(file, line, `${own}/ ${verb} ${name}, but ${other}/ stands ${to > from ? 'above' : 'beside'} it`);
  }

  checkApart(file, { name, line }, verb) {
    for (const { folders, never, because } of APART) {
      const applies = folders.some((folder) => file.startsWith(`${folder}/`));
      if (applies && never.test(name)) this.add(file, line, `${verb} ${name}, but ${because}`);
    }
  }

  checkLoaded(file, { name, line }) {
    const folder = LOADED.find(([pattern]) => pattern.test(name))?.[1];
    if (folder !== undefined && path.posix.dirname(file) !== folder) {
      this.add(file, line, `includes ${name}, a library that ${folder} loads; use ${folder} instead`);
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
    const abseil = abseilPackage(name);
    if (abseil !== undefined && !this.reachOf(target.name).has(abseil)) {
      this.add(file, line, `includes ${name}, but nothing that ${target.name} declares brings ${abseil}; add it to DEPS in ${target.list}`);
    }
  }

  checkNamespaces(file, namespaces) {
    const expected = namespaceOf(path.posix.dirname(file));
    for (const { name, line } of namespaces) {
      if (name === expected || name.startsWith(`${expected}::`)) continue;
      this.add(file, line, `opens the namespace ${name}; this folder is ${expected}`);
    }
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
        if (owner !== dir) this.add(list, 1, `${name} has ${source}; name it in ${owner}/CMakeLists.txt`);
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
      if (file.endsWith('.cc') && !SPECIAL.has(file)) {
        this.add(file, 1, `is in no target; name it in ${path.posix.dirname(file)}/CMakeLists.txt`);
      }
    }
    for (const file of this.protos) this.checkProto(file);
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
