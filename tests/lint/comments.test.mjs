// Comments that comments.mjs must flag, and text that it must not flag.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { findings } from './comments.mjs';

const found = (path, text) => findings(path, text).map(({ line, word }) => `${line} ${word}`);

// WORD stands for a question word: the check reads this file too.
const flagged = [
  ['a line', 'a.cc', '// WORD stands there.\n', 1],
  ['a line of a header', 'a/b.h', '#include <x>\n\n  // WORD stands there.\n', 3],
  ['a line after code', 'a.cc', 'int i = 0;  // WORD stands there.\n', 1],
  ['a line after a comment after code', 'a.cc', 'int i = 0;  // A number.\n// WORD stands there.\n', 2],
  ['a paragraph', 'a.proto', '// A noun.\n//\n// WORD stands there.\n', 3],
  ['a documentation line', 'a.cc', '/// WORD stands there.\n', 1],
  ['a block', 'a.mjs', 'x();\n/* WORD stands there. */\n', 2],
  ['a documentation block', 'a.mjs', '/** WORD stands there. */\n', 1],
  ['a block that begins on its second line', 'a.mjs', '/**\n * WORD stands there.\n */\n', 2],
  ['a line of CMake', 'a/CMakeLists.txt', '# WORD stands there.\n', 1],
  ['a line of YAML', 'a.yaml', 'key: 1  # WORD stands there.\n', 1],
  ['a line of a script', 'dev', '# WORD stands there.\n', 1],
  ['a line of suppressions', 'tsan.supp', '# WORD stands there.\n', 1],
  ['a documentation string', 'a.bzl', 'def f():\n    """WORD stands there."""\n', 2],
  ['a documentation string on its second line', 'a.py', '    """\n    WORD stands there.\n    """\n', 2],
  ['a line of SQL', 'a.sql', '-- WORD stands there.\n', 1],
];

const left = [
  ['a noun', 'a.cc', '// Places WORD may stand.\n'],
  ['a sentence that begins with a later line', 'a.cc', '// A noun that is long.\n// WORD it stands is said here.\n'],
  ['a longer word', 'a.cc', '// WORDs stand there.\n'],
  ['code', 'a.cc', 'int WORD = 0;\n'],
  ['an address', 'a.cc', 'Get("http://WORD/");\n'],
  ['a directive', 'a.cc', '#WORD\n'],
  ['a document', 'a.md', '# WORD stands there\n'],
  ['a text of the corpus', 'tests/corpora/rows.yaml', '# WORD stands there\n'],
];

for (const word of ['What', 'Whatever', 'Where', 'Wherever', 'Who', 'Whoever', 'Whose']) {
  for (const [name, path, text, line] of flagged) {
    test(`flags ${name} that begins with "${word}"`, () => {
      assert.deepEqual(found(path, text.replaceAll('WORD', word)), [`${line} ${word}`]);
    });
  }
  for (const [name, path, text] of left) {
    test(`leaves ${name} with "${word}" alone`, () => assert.deepEqual(found(path, text.replaceAll('WORD', word)), []));
  }
}
