// Bounds the length of sources: a file that grows beyond it gets another beside it.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MAX_LINES = 650;
// One table or state machine each, which is easier to read whole; with the most lines that it may have.
const LONGER = new Map([
  ['executors/code_graph/index/tokens.cc', 760],
  ['security/param_validation/schema_compiler.cc', 850],
  ['security/injection_defence/text/normaliser.cc', 820],
  ['security/safe_errors/masker.cc', 790],
  ['security/safe_errors/personal_numbers.cc', 740],
]);

function main() {
  const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.cc', '*.h'],
    { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });
  const paths = listed.split('\n').filter((path) => path !== '' && !path.startsWith('tests/') && existsSync(join(root, path)));
  if (paths.length === 0) throw new Error('git lists no C++ sources');
  let problems = 0;
  for (const path of paths) {
    const lines = readFileSync(join(root, path), 'utf8').split('\n').length - 1;
    const most = LONGER.get(path) ?? MAX_LINES;
    if (lines <= most) continue;
    problems += 1;
    console.log(`${path}:${most}: has ${lines} lines, at most ${most} are meant; split it`);
  }
  for (const path of LONGER.keys()) {
    if (existsSync(join(root, path))) continue;
    problems += 1;
    console.log(`tests/lint/source_size.mjs: ${path} does not exist; take it out of the list`);
  }
  process.exitCode = problems === 0 ? 0 : 1;
}

main();
