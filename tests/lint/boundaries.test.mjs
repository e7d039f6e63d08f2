// The checks of boundaries.mjs, each on a small tree that breaks one rule.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { findProblems } from './boundaries.mjs';

// The unit test of a source of the folder `folder`, in the target that this folder's tests are.
const unitTest = (folder, name) => ({
  [`tests/unit/${folder}/CMakeLists.txt`]: `toolgate_test(${folder.replaceAll('/', '_')}_test SOURCES ${name}_test.cc DEPS)\n`,
  [`tests/unit/${folder}/${name}_test.cc`]: '',
});

// A tree without faults: storage/ depends on observability/.
const GOOD = {
  ...unitTest('observability', 'ids'),
  'observability/CMakeLists.txt': 'toolgate_library(toolgate_observability SOURCES ids.cc DEPS absl::strings)\n',
  'observability/ids.h': 'namespace toolgate::observability {\n}\n',
  'observability/ids.cc': '#include "observability/ids.h"\nnamespace toolgate::observability {\n}\n',
  'storage/CMakeLists.txt': 'toolgate_library(toolgate_storage\n  SOURCES store.cc\n  DEPS toolgate_observability)\n',
  'storage/store.h': '#include "observability/ids.h"\nnamespace toolgate::storage {\n}\n',
  'storage/store.cc': '#include "storage/store.h"\nnamespace toolgate::storage {\n}\n',
  'tests/unit/storage/CMakeLists.txt':
    'toolgate_test(storage_test SOURCES store_test.cc DEPS toolgate_storage)\n',
  'tests/unit/storage/store_test.cc': '#include "storage/store.h"\nnamespace toolgate::storage {\n}\n',
};

// The problems of GOOD after `changes`; a file that is null is removed.
function problemsWith(changes) {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'boundaries-'));
  const files = { ...GOOD, ...changes };
  const names = Object.keys(files).filter((name) => files[name] !== null);
  try {
    for (const name of names) {
      fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
      fs.writeFileSync(path.join(root, name), files[name]);
    }
    return findProblems(root, names);
  } finally {
    fs.rmSync(root, { recursive: true });
  }
}

function assertOnly(problems, pattern) {
  assert.equal(problems.length, 1, problems.join('\n'));
  assert.match(problems[0], pattern);
}

test('A tree within its boundaries has no problems', () => {
  assert.deepEqual(problemsWith({}), []);
});

test('An include that runs upward is named with its line', () => {
  const problems = problemsWith({
    'observability/CMakeLists.txt': 'toolgate_library(toolgate_observability SOURCES ids.cc DEPS toolgate_storage)\n',
    'storage/CMakeLists.txt': 'toolgate_library(toolgate_storage SOURCES store.cc DEPS)\n',
    'storage/store.h': 'namespace toolgate::storage {\n}\n',
    'observability/ids.cc': '#include "observability/ids.h"\n#include "storage/store.h"\nnamespace toolgate::observability {\n}\n',
  });
  assertOnly(problems, /^observability\/ids\.cc:2: observability\/ includes storage\/store\.h, but storage\/ stands above it$/);
});

// A folder with one source, which begins with `includes`, and its test.
const oneSource = (folder, name, includes = '', deps = '') => ({
  ...unitTest(folder, name),
  [`${folder}/CMakeLists.txt`]: `toolgate_library(toolgate_${folder.replaceAll('/', '_')} SOURCES ${name}.cc DEPS ${deps})\n`,
  [`${folder}/${name}.cc`]:
    `${includes}namespace toolgate::${folder.replace('common/', '').replaceAll('/', '::')} {\n}\n`,
});

test('The list of families links the folders that it includes', () => {
  const family = { ...unitTest('executors/sql', 'sql'), ...unitTest('executors/registration', 'list'),
    'executors/sql/CMakeLists.txt': 'toolgate_library(toolgate_executors_sql SOURCES sql.cc DEPS)\n',
    'executors/sql/sql.h': 'namespace toolgate::executors::sql {\n}\n', 'executors/sql/sql.cc': '' };
  const list = (deps) => ({ ...family,
    'executors/registration/CMakeLists.txt': `toolgate_library(toolgate_executors_registration SOURCES list.cc DEPS ${deps})\n`,
    'executors/registration/list.cc': '#include "executors/sql/sql.h"\nnamespace toolgate::executors::registration {\n}\n' });
  assert.deepEqual(problemsWith(list('${included_families}')), []);
  assertOnly(problemsWith(list('')), /list\.cc:1: includes executors\/sql\/sql\.h of toolgate_executors_sql, which .* does not declare/);
});

// The folder of RPCs with one source, which includes `header`.
const rpcsThatInclude = (header) => ({
  ...unitTest('services/api', 'call'),
  ...unitTest('services/grpc', 'server'),
  'services/api/CMakeLists.txt':
    'toolgate_library(toolgate_services_api SOURCES call.cc DEPS gRPC::grpc++ toolgate_proto_grpc toolgate_services_grpc)\n',
  'services/api/call.cc': `#include "${header}"\nnamespace toolgate::services::api {\n}\n`,
  'services/grpc/CMakeLists.txt': 'toolgate_library(toolgate_services_grpc SOURCES server.cc DEPS)\n',
  'services/grpc/server.h': 'namespace toolgate::services::grpc {\n}\n',
  'services/grpc/server.cc': '#include "services/grpc/server.h"\nnamespace toolgate::services::grpc {\n}\n',
});

for (const header of ['grpcpp/server_context.h', 'grpc/grpc.h', 'toolgate/v1/tool_service.grpc.pb.h']) {
  test(`RPCs know no transport: ${header}`, () => {
    assertOnly(problemsWith(rpcsThatInclude(header)),
      /^services\/api\/call\.cc:1: includes .*, but calls and RPCs know no transport; code for one stands in services\/grpc or services\/http$/);
  });
}

test('Folders of services have an order', () => {
  assertOnly(problemsWith(rpcsThatInclude('services/grpc/server.h')),
    /^services\/api\/call\.cc:1: services\/api\/ includes services\/grpc\/server\.h, but services\/grpc\/ stands above it$/);
});

test('Transports stand beside each other', () => {
  assertOnly(problemsWith({
    ...rpcsThatInclude('toolgate/v1/tool_service.pb.h'),
    ...oneSource('services/http', 'listener', '#include "services/grpc/server.h"\n', 'toolgate_services_grpc'),
    'services/api/CMakeLists.txt': 'toolgate_library(toolgate_services_api SOURCES call.cc DEPS toolgate_proto)\n',
  }), /^services\/http\/listener\.cc:1: services\/http\/ includes services\/grpc\/server\.h, but services\/grpc\/ stands beside it$/);
});

// A family of tools, and the folder that must not know it.
const familyKnownBy = (folder, header = 'executors/gong/gong.h', family = 'gong') => ({
  ...oneSource(`executors/${family}`, 'gong'),
  [`executors/${family}/gong.h`]: '',
  ...oneSource(folder, 'part', `#include "${header}"\n`, `toolgate_executors_${family}`),
});

for (const folder of ['security/rate_limit', 'services/execution', 'services/pipeline', 'services/rendering', 'services/chat', 'services/api']) {
  test(`A family of tools is unknown to ${folder}`, () => {
    assertOnly(problemsWith(familyKnownBy(folder)), /part\.cc:1: includes executors\/gong\/gong\.h, but (calls know|the loop of|RPCs call)/);
  });
}

test('The loop of model and tools may know models', () => {
  assert.deepEqual(problemsWith(familyKnownBy('services/chat', 'executors/models/gong.h', 'models')), []);
});

test('Generated headers have a direction', () => {
  const generated = oneSource('executors/gong', 'gong');
  generated['executors/gong/CMakeLists.txt'] += 'toolgate_messages(gong_settings FILES settings.proto)\n' +
    'toolgate_embed(gong_definitions NAMESPACE n FUNCTION F FILES gong.json)\n';
  generated['executors/gong/settings.proto'] = 'syntax = "proto2";\n';
  for (const header of ['settings.pb.h', 'gong_definitions.h']) {
    assertOnly(problemsWith({
      ...generated,
      'storage/CMakeLists.txt':
        'toolgate_library(toolgate_storage SOURCES store.cc DEPS toolgate_observability gong_settings gong_definitions)\n',
      'storage/store.cc': `#include "storage/store.h"\n#include "executors/gong/${header}"\nnamespace toolgate::storage {\n}\n`,
    }), /^storage\/store\.cc:2: storage\/ includes executors\/gong\/.*, but executors\/ stands above it$/);
  }
});

// Two folders' messages, of which those of `from` import those of `to`.
const imports = (from, to, deps = '') => ({
  [`${from}/CMakeLists.txt`]: `${GOOD[`${from}/CMakeLists.txt`] ?? ''}toolgate_messages(from_settings FILES settings.proto ${deps})\n`,
  [`${from}/settings.proto`]: `syntax = "proto2";\nimport "${to}/more.proto";\nimport "toolgate/config/v1/options.proto";\n`,
  [`${to}/CMakeLists.txt`]: `${GOOD[`${to}/CMakeLists.txt`] ?? ''}toolgate_messages(to_settings FILES more.proto)\n`,
  [`${to}/more.proto`]: 'syntax = "proto2";\n',
});

test('An import of a .proto file runs down, and is declared', () => {
  assert.deepEqual(problemsWith(imports('storage', 'observability', 'DEPS to_settings')), []);
  assertOnly(problemsWith(imports('observability', 'storage', 'DEPS to_settings')),
    /^observability\/settings\.proto:2: observability\/ imports storage\/more\.proto, but storage\/ stands above it$/);
  assertOnly(problemsWith(imports('storage', 'observability')),
    /^storage\/settings\.proto:2: imports observability\/more\.proto of to_settings, which from_settings does not declare; /);
  assertOnly(problemsWith({ ...imports('storage', 'observability'), 'storage/CMakeLists.txt': GOOD['storage/CMakeLists.txt'],
    'proto/toolgate/a.proto': 'import public "storage/settings.proto";\n' }),
  /^proto\/toolgate\/a\.proto:1: proto\/ imports storage\/settings\.proto, but storage\/ stands above it$/);
});

test('A library that is loaded on demand stays in one folder', () => {
  const curl = '#include <curl/curl.h>\n';
  assert.deepEqual(problemsWith(oneSource('common/http', 'client', curl)), []);
  assertOnly(problemsWith(oneSource('common/web', 'client', curl)),
    /^common\/web\/client\.cc:1: includes curl\/curl\.h, a library that common\/http loads; use common\/http instead$/);
});

test('RPCs may know messages, and a transport may know gRPC', () => {
  const messages = rpcsThatInclude('toolgate/v1/tool_service.pb.h');
  messages['services/api/CMakeLists.txt'] = 'toolgate_library(toolgate_services_api SOURCES call.cc DEPS toolgate_proto)\n';
  messages['services/grpc/CMakeLists.txt'] = 'toolgate_library(toolgate_services_grpc SOURCES server.cc DEPS gRPC::grpc++)\n';
  messages['services/grpc/server.h'] = '#include <grpcpp/server.h>\nnamespace toolgate::services::grpc {\n}\n';
  assert.deepEqual(problemsWith(messages), []);
});

test('A header generated from a .proto file of a folder belongs to that folder\'s messages', () => {
  const changes = (deps) => ({
    'storage/CMakeLists.txt': 'toolgate_messages(storage_settings FILES settings.proto)\n' +
      `toolgate_library(toolgate_storage SOURCES store.cc DEPS ${deps} toolgate_observability)\n`,
    'storage/settings.proto': 'syntax = "proto2";\n',
    'storage/store.cc': '#include "storage/settings.pb.h"\n#include "storage/store.h"\nnamespace toolgate::storage {\n}\n',
  });
  assert.deepEqual(problemsWith(changes('storage_settings')), []);
  assertOnly(problemsWith(changes('absl::strings')),
    /^storage\/store\.cc:1: includes storage\/settings\.pb\.h of storage_settings, which toolgate_storage does not declare/);
});

test('A target that does not declare what it includes is told where to', () => {
  const problems = problemsWith({
    'storage/CMakeLists.txt': 'toolgate_library(toolgate_storage SOURCES store.cc DEPS absl::strings)\n',
  });
  assertOnly(problems, /^storage\/store\.h:1: .*toolgate_observability.*add it to DEPS in storage\/CMakeLists\.txt$/);
});

test('A dependency that only a comment names is not declared', () => {
  const problems = problemsWith({
    'storage/CMakeLists.txt': 'toolgate_library(toolgate_storage SOURCES store.cc DEPS\n  # toolgate_observability\n  absl::time)\n',
  });
  assertOnly(problems, /toolgate_observability/);
});

test('A third-party header needs its package', () => {
  const problems = problemsWith({
    'storage/store.cc': '#include <sqlite3.h>\nnamespace toolgate::storage {\n}\n',
  });
  assertOnly(problems, /^storage\/store\.cc:1: includes sqlite3\.h, but toolgate_storage does not declare PkgConfig::sqlite3/);
});

for (const [header, deps, missing] of [
  ['simdjson.h', 'simdjson::simdjson', 'simdjson::simdjson'],
  ['gumbo.h', 'PkgConfig::gumbo', 'PkgConfig::gumbo'],
  ['libxml/parser.h', 'PkgConfig::libxml2', 'PkgConfig::libxml2'],
  ['absl/strings/str_cat.h', 'absl::strings', 'absl::strings'],
  ['absl/strings/str_format.h', 'absl::str_format', 'absl::str_format'],
  ['absl/status/statusor.h', 'absl::statusor', 'absl::statusor'],
  ['absl/container/flat_hash_map.h', 'absl::flat_hash_map', 'absl::flat_hash_map'],
  ['absl/container/btree_set.h', 'absl::btree', 'absl::btree'],
  ['absl/random/bit_gen_ref.h', 'absl::random_random', 'absl::random_random'],
  ['absl/time/civil_time.h', 'absl::time', 'absl::time'],
  ['absl/types/span.h', 'absl::span', 'absl::span'],
]) {
  test(`A third-party header needs its package: ${header}`, () => {
    const tree = (packages) => oneSource('executors/gong', 'gong', `#include <${header}>\n`, packages);
    assert.deepEqual(problemsWith(tree(deps)), []);
    assertOnly(problemsWith(tree('')), new RegExp(`^executors/gong/gong\\.cc:1: includes .* ${missing}; add it to DEPS in executors/gong/CMakeLists`));
  });
}

test('A library brings packages of Abseil to those that declare it', () => {
  const tree = (deps) => oneSource('executors/gong', 'gong', '#include "absl/strings/str_cat.h"\n#include "absl/base/thread_annotations.h"\n', deps);
  assert.deepEqual(problemsWith(tree('toolgate_storage')), []);
  assertOnly(problemsWith(tree('absl::time')), /nothing that toolgate_executors_gong declares brings absl::strings/);
});

test('A library is called like its folder', () => {
  const problems = problemsWith({
    'storage/CMakeLists.txt': 'toolgate_library(toolgate_store SOURCES store.cc DEPS toolgate_observability)\n',
    'tests/unit/storage/CMakeLists.txt': 'toolgate_test(storage_test SOURCES store_test.cc DEPS toolgate_store)\n',
  });
  assertOnly(problems, /the library of storage is called toolgate_store; call it toolgate_storage/);
});

test('A folder has one library', () => {
  const problems = problemsWith({
    'storage/CMakeLists.txt': `${GOOD['storage/CMakeLists.txt']}toolgate_library(toolgate_storage_more SOURCES more.cc DEPS)\n`,
    'storage/more.cc': 'namespace toolgate::storage {\n}\n',
  });
  assertOnly(problems, /storage has a second library, toolgate_storage_more; give it a folder of its own/);
});

test('A folder is a namespace', () => {
  const problems = problemsWith({ 'storage/store.cc': '#include "storage/store.h"\nnamespace toolgate::stores {\n}\n' });
  assertOnly(problems, /^storage\/store\.cc:2: opens the namespace toolgate::stores; this folder is toolgate::storage$/);
});

test('Each namespace in which a source defines something is its folder\'s', () => {
  const store = (before) => ({ 'storage/store.cc': `#include "storage/store.h"\n${before}namespace toolgate::storage {\nint i;\n}\n` });
  assertOnly(problemsWith(store('namespace toolgate::observability {\nint count = 0;\n}\n')),
    /^storage\/store\.cc:2: opens the namespace toolgate::observability; this folder is toolgate::storage$/);
  assertOnly(problemsWith(store('namespace std {\ntemplate <>\nstruct hash<int> {};\n}\n')), /opens the namespace std;/);
  const declarations = 'namespace toolgate::observability {\nclass Logger;  // Borrowed.\n}\n' +
    'namespace re2 {\nclass RE2;\nstruct Options;\nenum class Mode : int;\ntemplate <typename T>\nclass Set;\n}\n';
  assert.deepEqual(problemsWith(store(declarations)), []);
});

test('Libraries that depend on each other in a circle are shown with the circle', () => {
  const problems = problemsWith({
    'observability/CMakeLists.txt': 'toolgate_library(toolgate_observability SOURCES ids.cc DEPS toolgate_storage)\n',
  });
  assertOnly(problems, /toolgate_observability -> toolgate_storage -> toolgate_observability/);
});

test('A unit test stands where its source does', () => {
  const problems = problemsWith({ 'storage/store.cc': null, 'storage/store.h': null,
    'storage/CMakeLists.txt': 'toolgate_library(toolgate_storage SOURCES other.cc DEPS)\n',
    'storage/other.cc': 'namespace toolgate::storage {\n}\n',
    'tests/unit/storage/store_test.cc': 'namespace toolgate::storage {\n}\n' });
  assertOnly(problems, /^tests\/unit\/storage\/store_test\.cc:1: tests storage\/store\.h, which does not exist/);
});

test('A test is called like its folder', () => {
  const problems = problemsWith({
    'tests/unit/storage/CMakeLists.txt': 'toolgate_test(store_test SOURCES store_test.cc DEPS toolgate_storage)\n',
  });
  assertOnly(problems, /^tests\/unit\/storage\/CMakeLists\.txt:1: the test of storage is called store_test; call it storage_test$/);
});

test('A folder has one test', () => {
  const problems = problemsWith({
    'tests/unit/storage/CMakeLists.txt': `${GOOD['tests/unit/storage/CMakeLists.txt']}toolgate_test(storage_rows_test SOURCES rows_test.cc DEPS)\n`,
    'tests/unit/storage/rows_test.cc': '',
    'storage/rows.h': 'namespace toolgate::storage {\n}\n',
  });
  assertOnly(problems, /tests\/unit\/storage has a second test, storage_rows_test; add its sources to storage_test$/);
});

test('A test has sources of its own folder', () => {
  const problems = problemsWith({
    ...unitTest('storage/sqlite', 'file'),
    'tests/unit/storage/CMakeLists.txt':
      'toolgate_test(storage_test SOURCES store_test.cc sqlite/file_test.cc DEPS toolgate_storage)\n',
    'storage/sqlite/CMakeLists.txt': 'toolgate_library(toolgate_storage_sqlite SOURCES file.cc DEPS)\n',
    'storage/sqlite/file.cc': 'namespace toolgate::storage::sqlite {\n}\n',
  });
  assertOnly(problems,
    /storage_test has tests\/unit\/storage\/sqlite\/file_test\.cc; name it in tests\/unit\/storage\/sqlite\/CMakeLists\.txt$/);
});

test('A test declares the support libraries whose headers it includes; headers alone need none', () => {
  const tree = (deps) => ({
    'tests/support/CMakeLists.txt': 'toolgate_library(toolgate_test_disk SOURCES disk.cc DEPS)\n',
    'tests/support/clock.h': '',
    'tests/support/disk.h': '',
    'tests/support/disk.cc': '#include "tests/support/disk.h"\n',
    'tests/unit/storage/CMakeLists.txt': `toolgate_test(storage_test SOURCES store_test.cc DEPS ${deps})\n`,
    'tests/unit/storage/store_test.cc': '#include "tests/support/clock.h"\n#include "tests/support/disk.h"\n',
  });
  assert.deepEqual(problemsWith(tree('toolgate_storage toolgate_test_disk')), []);
  assertOnly(problemsWith(tree('toolgate_storage')),
    /store_test\.cc:2: includes tests\/support\/disk\.h of toolgate_test_disk, which storage_test does not declare; /);
});

test('Sources of tests/support are in libraries too', () => {
  assertOnly(problemsWith({ 'tests/support/disk.cc': '' }),
    /^tests\/support\/disk\.cc:1: is in no target; name it in tests\/support\/CMakeLists\.txt$/);
});

test('A folder without unit tests gives the reason', () => {
  const folder = (name) => ({
    [`services/${name}/CMakeLists.txt`]: `toolgate_library(toolgate_services_${name} SOURCES core.cc DEPS)\n`,
    [`services/${name}/core.cc`]: `namespace toolgate::services::${name} {\n}\n`,
  });
  assert.deepEqual(problemsWith(folder('core')), []);
  assertOnly(problemsWith(folder('other')), /^services\/other\/CMakeLists\.txt:1: services\/other has no unit tests; /);
  assertOnly(problemsWith({ ...folder('core'), ...unitTest('services/core', 'core') }),
    /^services\/core\/CMakeLists\.txt:1: services\/core has unit tests; take it out of NO_UNIT_TESTS$/);
});

test('A source that no target names is found', () => {
  const problems = problemsWith({ 'storage/forgotten.cc': 'namespace toolgate::storage {\n}\n' });
  assertOnly(problems, /^storage\/forgotten\.cc:1: is in no target; name it in storage\/CMakeLists\.txt$/);
});
