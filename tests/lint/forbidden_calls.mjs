// Calls that our C++ sources make in only one place, or not at all. `./dev lint` and the test lint_forbidden_calls
// check every source that git knows; findings are printed to the standard output, and the exit status is 1 if there are
// any.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { withoutCommentsAndLiterals } from './cpp_text.mjs';

// `calls`: the functions, as a regular expression over their names. `allowed`: files, and folders with a slash at their
// end. `instead`: the replacement.
export const rules = [
  {
    name: 'proto-serialise',
    calls:
      'Serialize(?:Partial)?(?:AsString|AsCord|ToString|ToArray|ToCord|ToOstream|ToCodedStream|ToZeroCopyStream|' +
      'ToFileDescriptor)|SerializeDelimitedTo\\w+|Append(?:Partial)?ToString|Append(?:Partial)?ToCord|' +
      'SerializeWithCachedSizes\\w*|PackFrom',
    allowed: ['common/proto_bytes.cc', 'services/api/message_spool.cc', 'tests/'],
    instead: 'SerializeProto, AppendProto or PackProto of common/proto_bytes.h: protobuf tells a failure by an empty ' +
      'string or a bool that is easily dropped',
  },
  {
    name: 'proto-parse',
    calls:
      '(?:Parse|Merge)(?:Partial)?From(?:String|Array|Cord|Istream|CodedStream|(?:Bounded)?ZeroCopyStream|' +
      'FileDescriptor)|(?:Parse|Merge)DelimitedFrom\\w+|UnpackTo',
    allowed: ['common/proto_bytes.cc', 'services/api/message_spool.cc', 'tests/'],
    instead: 'ParseProto or UnpackProto of common/proto_bytes.h, whose answer cannot be dropped',
  },
  {
    name: 'proto-text',
    calls:
      'JsonStringToMessage|MessageToJsonString|JsonToBinaryString|BinaryToJsonString|JsonToBinaryStream|' +
      'BinaryToJsonStream|TextFormat::\\w+',
    allowed: ['common/proto_bytes.cc', 'tests/'],
    instead: 'ProtoToJson or JsonToProto of common/proto_bytes.h',
  },
  {
    name: 'time-zone',
    calls: 'LoadTimeZone',
    allowed: ['common/time_zones.cc', 'tests/'],
    instead: 'common/time_zones.h: absl::LoadTimeZone opens paths, and keeps every name that it could not load',
  },
];

const isAllowed = (rule, path) =>
  rule.allowed.some((place) => (place.endsWith('/') ? path.startsWith(place) : path === place));

// One line for each forbidden call in the source `text` of the file `path`.
export function findings(path, text) {
  const code = withoutCommentsAndLiterals(text);
  const found = [];
  for (const rule of rules) {
    if (isAllowed(rule, path)) continue;
    for (const match of code.matchAll(new RegExp(`\\b(?:${rule.calls})\\b`, 'g'))) {
      const line = code.slice(0, match.index).split('\n').length;
      found.push({ path, line, rule: rule.name, call: match[0], instead: rule.instead });
    }
  }
  return found;
}

function main() {
  const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.cc', '*.h'],
    { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });
  const paths = listed.split('\n').filter((path) => path !== '' && existsSync(join(root, path)));
  if (paths.length === 0) throw new Error('git lists no C++ sources');
  const all = paths.flatMap((path) => findings(path, readFileSync(join(root, path), 'utf8')));
  for (const { path, line, rule, call, instead } of all) {
    console.log(`${path}:${line}: ${call} is forbidden here [${rule}]; use ${instead}`);
  }
  console.log(`${paths.length} sources, ${all.length} forbidden calls`);
  process.exitCode = all.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
