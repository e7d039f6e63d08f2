// Code that forbidden_calls.mjs must flag, and code that it must not flag.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { withoutCommentsAndLiterals } from './cpp_text.mjs';
import { findings, rules } from './forbidden_calls.mjs';

const calls = (text, path = 'storage/a.cc') => findings(path, text).map(({ rule, call, line }) => `${rule} ${call} ${line}`);

const flagged = [
  ['serialises to a string', 'auto s = m.SerializeAsString();', 'proto-serialise SerializeAsString'],
  ['serialises through a pointer', 'm->SerializeToString(&s);', 'proto-serialise SerializeToString'],
  ['serialises in part', 'm.SerializePartialToArray(p, n);', 'proto-serialise SerializePartialToArray'],
  ['serialises to a stream', 'm.SerializeToCodedStream(&out);', 'proto-serialise SerializeToCodedStream'],
  ['serialises with a length', 'SerializeDelimitedToOstream(m, &out);', 'proto-serialise SerializeDelimitedToOstream'],
  ['appends', 'm.AppendToString(&s);', 'proto-serialise AppendToString'],
  ['packs', 'any.PackFrom(m);', 'proto-serialise PackFrom'],
  ['parses a string', 'm.ParseFromString(s);', 'proto-parse ParseFromString'],
  ['parses in part', 'm.ParsePartialFromArray(p, n);', 'proto-parse ParsePartialFromArray'],
  ['merges bytes', 'm.MergeFromCodedStream(&in);', 'proto-parse MergeFromCodedStream'],
  ['merges a string', 'm.MergeFromString(s);', 'proto-parse MergeFromString'],
  ['unpacks', 'any.UnpackTo(&m);', 'proto-parse UnpackTo'],
  ['names a function without calling it', 'Apply(&Message::ParseFromString);', 'proto-parse ParseFromString'],
  ['reads JSON', 'JsonStringToMessage(s, &m);', 'proto-text JsonStringToMessage'],
  ['reads a text format', 'TextFormat::ParseFromString(s, &m);', 'proto-text TextFormat::ParseFromString'],
  ['loads a zone', 'absl::LoadTimeZone(name, &zone);', 'time-zone LoadTimeZone'],
  ['stands behind a comment', '/* a */ m.PackFrom(n); // b', 'proto-serialise PackFrom'],
  ['stands behind a string', 'Log("\\"//"); m.PackFrom(n);', 'proto-serialise PackFrom'],
  ['stands behind a raw string', 'Log(R"x(" )" )x"); m.PackFrom(n);', 'proto-serialise PackFrom'],
  ['stands behind a separated number', "int n = 1'000; m.PackFrom(n);", 'proto-serialise PackFrom'],
  ['stands behind a character', "char c = '\"'; m.PackFrom(n);", 'proto-serialise PackFrom'],
  ['stands behind a quote character', "char c = '\\''; m.PackFrom(n);", 'proto-serialise PackFrom'],
];

const left = [
  ['a comment', '// m.SerializeAsString()'],
  ['a comment that goes on', '// a \\\n m.SerializeAsString()'],
  ['a block comment', '/* m.SerializeAsString()\n m.ParseFromString(s) */'],
  ['a string', 'Log("m.SerializeAsString()");'],
  ['a string with a quote', 'Log("\\"m.SerializeAsString()");'],
  ['a raw string', 'Log(R"(" m.SerializeAsString())");'],
  ['a raw string with a delimiter', 'Log(u8R"x()" m.SerializeAsString())x");'],
  ['a merger of messages', 'all.MergeFrom(page);'],
  ['a name that is longer', 'MySerializeAsStringOf(m); ParseFromStringView(s);'],
  ['our own function', 'SerializeProto(m); ParseProto(s, m);'],
  ['a map of ranks', 'map.Serialize();'],
];

for (const [name, text, expected] of flagged) {
  test(`flags code that ${name}`, () => {
    const line = text.slice(0, text.lastIndexOf('\n') + 1).split('\n').length;
    assert.ok(calls(text).includes(`${expected} ${line}`), `${JSON.stringify(calls(text))} lacks ${expected}`);
  });
}
for (const [name, text] of left) {
  test(`leaves ${name} alone`, () => assert.deepEqual(calls(text), []));
}

test('names the line', () => {
  assert.deepEqual(calls('/*\n*/\nR"(\n\n)";\nm.PackFrom(n);\n'), ['proto-serialise PackFrom 6']);
});

test('allows files and folders by their whole path', () => {
  assert.deepEqual(calls('m.PackFrom(n);', 'common/proto_bytes.cc'), []);
  assert.deepEqual(calls('m.PackFrom(n);', 'tests/unit/a_test.cc'), []);
  assert.equal(calls('m.PackFrom(n);', 'common/proto_bytes.cc.h').length, 1);
  assert.equal(calls('m.PackFrom(n);', 'services/tests/a.cc').length, 1);
});

test('keeps the length of every line', () => {
  const text = 'a("b", \'c\'); // d\n/* e\n f */ g(R"(h\n)");\n';
  const code = withoutCommentsAndLiterals(text);
  assert.deepEqual(code.split('\n').map((line) => line.length), text.split('\n').map((line) => line.length));
  assert.equal(code.replace(/\s+/g, ' ').trim(), 'a( , ); g(R );');
});

test('every rule says what to write instead', () => {
  for (const rule of rules) assert.ok(rule.name && rule.instead && rule.allowed.length > 0, rule.name);
});
