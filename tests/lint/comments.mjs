// Comments that begin with a question word: they make the reader wait for the noun. `./dev lint` and the test
// lint_comments check every source that git knows; findings are printed to the standard output, and the exit status is 1
// if there are any.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const WORDS = '(What|Whatever|Where|Wherever|Who|Whoever|Whose)\\b';

// Kinds of files, by the ends of their names. `line` begins a comment that ends with its line, `block` one of several.
const KINDS = [
  { files: /\.(cc|css|h|js|mjs|proto)$/, line: '//+', block: '/\\*+' },
  { files: /\.(bazel|bzl|cmake|py|service|sh|supp|yaml|yml)$|(^|\/)(BUILD|CMakeLists\.txt|Dockerfile|WORKSPACE|dev|run)$/,
    line: '#+', block: '"""' },
  { files: /\.sql$/, line: '--+', block: '/\\*+' },
];

// Texts that tests read, which are no sources.
const DATA = /^(tests\/corpora|tests\/fuzz\/corpus|training\/.*\/texts)\//;

/** The kind of a file; undefined for one that is not checked. */
const kindOf = (path) => (DATA.test(path) ? undefined : KINDS.find(({ files }) => files.test(path)));

/** Each comment in `text`, the file `path`, that begins with a question word. */
export function findings(path, text) {
  const kind = kindOf(path);
  if (kind === undefined) return [];
  const begins = new RegExp(`(?:(?:^|\\s)${kind.line}|${kind.block})\\s*${WORDS}`);
  const wholeLine = new RegExp(`^\\s*${kind.line}\\s*(\\S.*)?$`);
  const opened = new RegExp(`^\\s*${kind.block}$`);
  const lines = text.split('\n');
  const found = [];
  lines.forEach((line, index) => {
    const before = lines[index - 1] ?? '';
    // A line of a comment that has begun on an earlier one.
    if (wholeLine.test(line) && wholeLine.exec(before)?.[1] !== undefined) return;
    const inBlock = opened.test(before) ? new RegExp(`^[\\s*]*${WORDS}`).exec(line) : null;
    const match = begins.exec(line) ?? inBlock;
    if (match !== null) found.push({ path, line: index + 1, word: match[1] });
  });
  return found;
}

function main() {
  const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'],
    { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 });
  const paths = listed.split('\n').filter((path) => path !== '' && kindOf(path) !== undefined && existsSync(join(root, path)));
  if (paths.length === 0) throw new Error('git lists no sources');
  const all = paths.flatMap((path) => findings(path, readFileSync(join(root, path), 'utf8')));
  for (const { path, line, word } of all) {
    console.log(`${path}:${line}: a comment begins with "${word}"; begin it with a noun or a verb`);
  }
  console.log(`${paths.length} sources, ${all.length} comments that begin with a question word`);
  process.exitCode = all.length === 0 ? 0 : 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
