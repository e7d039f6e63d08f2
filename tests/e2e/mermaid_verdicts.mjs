// Asks Mermaid's own parser about the diagrams that the unit test of the check is held against, and records its
// verdicts:
//   npm install --prefix DIR mermaid@11 jsdom && node tests/e2e/mermaid_verdicts.mjs DIR
// Mermaid is no dependency of the tests, since it and the page that it needs take 180 MB.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const FOLDER = join(dirname(fileURLToPath(import.meta.url)), '../unit/executors/artifacts/checks/mermaid');
const MUTANTS_EACH = 6;
const PIECES = [
  '(', ')', '[', ']', '{', '}', '"', '|', ';', '#', '<', '>', '--', '-->', '->', ':', ':::', '&', '@', '%', '`', '/',
  'x', 'o', ' ', '  ', '\n', '\t', ',', '-', '=', 'é', '#35;', '<br/>', ' %% c', 'end', 'graph', 'class', 'style',
  'title', 'section', 'note', 'state', 'direction LR', 'default', 'loop', 'else', 'one', '1', '0.5',
];

// The same numbers in every run.
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 4294967296 * below);
  };
}

function mutate(text, random) {
  const tokens = text.match(/\w+|\s+|[^\w\s]/gu);
  const at = random(tokens.length);
  const other = random(tokens.length);
  switch (random(6)) {
    case 0: tokens.splice(at, 1); break;
    case 1: tokens.splice(at, 0, tokens[at]); break;
    case 2: [tokens[at], tokens[other]] = [tokens[other], tokens[at]]; break;
    case 3: tokens[at] = PIECES[random(PIECES.length)]; break;
    default: tokens.splice(at, 0, PIECES[random(PIECES.length)]);
  }
  return tokens.join('');
}

async function loadMermaid(folder) {
  const require = createRequire(join(folder, 'package.json'));
  const load = (name) => import(pathToFileURL(require.resolve(name)).href);
  const { JSDOM } = await load('jsdom');
  const { window } = new JSDOM('<!DOCTYPE html><body></body>');
  Object.assign(globalThis, { window, document: window.document, Option: window.Option });
  for (const method of ['debug', 'info', 'warn', 'error']) console[method] = () => {};
  const entry = join(folder, 'node_modules/mermaid/dist/mermaid.core.mjs');
  const { version } = JSON.parse(readFileSync(join(folder, 'node_modules/mermaid/package.json'), 'utf8'));
  return { mermaid: (await import(pathToFileURL(entry).href)).default, version };
}

async function main(folder) {
  const { mermaid, version } = await loadMermaid(folder);
  const written = readFileSync(join(FOLDER, 'diagrams.txt'), 'utf8').split(/^====\n/m);
  const random = numbers(11);
  const diagrams = new Set(written);
  for (const diagram of written) {
    for (let i = 0; i < MUTANTS_EACH; ++i) diagrams.add(mutate(diagram, random));
  }
  const lines = [JSON.stringify({ mermaid: version })];
  for (const diagram of diagrams) {
    const accepted = await mermaid.parse(diagram).then(() => true, () => false);
    lines.push(JSON.stringify({ accepted, diagram }));
  }
  writeFileSync(join(FOLDER, 'verdicts.jsonl'), `${lines.join('\n')}\n`);
  console.log(`${diagrams.size} diagrams, Mermaid ${version}`);
}

await main(process.argv[2]);
