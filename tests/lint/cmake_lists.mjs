// Parses the tree's CMakeLists.txt files into targets. They use only the few functions of cmake/targets.cmake, with
// explicit file lists, so that a parser does not need CMake: it looks only for calls of those functions.
import fs from 'node:fs';
import path from 'node:path';

const KEYWORDS = new Set(['SOURCES', 'SOURCE', 'CORPUS', 'DEPS', 'LABELS', 'TIMEOUT', 'DATA', 'NAMESPACE', 'FUNCTION',
  'FILES', 'PUBLIC', 'PRIVATE', 'INTERFACE', 'STATIC', 'ALIAS', 'IMPORTED']);
const CALL = /\b(toolgate_library|toolgate_test|toolgate_benchmark|toolgate_fuzzer|toolgate_embed|toolgate_messages|add_executable|add_library|target_link_libraries)\s*\(([^()]*)\)/g;

// The words of a call by the keyword before them; those before any keyword are under ''.
function sections(words) {
  const result = { '': [] };
  let section = '';
  for (const word of words) {
    if (KEYWORDS.has(word)) section = word;
    else (result[section] ??= []).push(word);
  }
  return result;
}

// The path from the root of a source in `dir`'s list.
function sourcePath(dir, name) {
  const fromRoot = name.replace('${CMAKE_SOURCE_DIR}/', '');
  return fromRoot === name ? path.posix.join(dir, name) : fromRoot;
}

// A variable in executors/registration/CMakeLists.txt that stands for the families that a source includes.
const INCLUDED_FAMILIES = '${included_families}';
function expand(root, sources, dep) {
  if (dep !== INCLUDED_FAMILIES) return [dep];
  const includes = sources.flatMap((source) => fs.readFileSync(path.join(root, source), 'utf8')
    .match(/(?<=^#include "executors\/)[a-z_]+(?=\/)/gm) ?? []);
  return includes.filter((folder) => folder !== 'registration').map((folder) => `toolgate_executors_${folder}`);
}

/**
 * Every target of the tree.
 * @param {string} root The tree's root folder.
 * @param {string[]} files Paths from the root, of which those named CMakeLists.txt are read.
 * @returns {Map<string, {name: string, kind: string, dir: string, sources: string[], deps: string[], files: string[], list: string}>}
 *   By name. `kind` is the function that made the target, `files` what it is generated from, `list` the CMakeLists.txt.
 */
export function readTargets(root, files) {
  const targets = new Map();
  for (const list of files.filter((file) => path.posix.basename(file) === 'CMakeLists.txt')) {
    const dir = path.posix.dirname(list);
    const text = fs.readFileSync(path.join(root, list), 'utf8').replace(/(^|\s)#.*$/gm, '$1');
    for (const [, kind, body] of text.matchAll(CALL)) {
      const [name, ...words] = body.trim().split(/\s+/);
      const parts = sections(words);
      if (kind === 'target_link_libraries') {
        targets.get(name)?.deps.push(...['PUBLIC', 'PRIVATE', 'INTERFACE'].flatMap((key) => parts[key] ?? []));
        continue;
      }
      const plain = kind.startsWith('add_') ? [...parts[''], ...(parts.STATIC ?? [])] : [];
      const named = [...(parts.SOURCES ?? []), ...(parts.SOURCE ?? []), ...plain];
      const sources = named.filter((source) => /\.(cc|h)$/.test(source)).map((source) => sourcePath(dir, source));
      const deps = (parts.DEPS ?? []).flatMap((dep) => expand(root, sources, dep));
      targets.set(name, { name, kind, dir, sources, deps, files: parts.FILES ?? [], list });
    }
  }
  return targets;
}
