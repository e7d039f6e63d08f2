// The quick starts in the languages whose tool chains every test run has.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPage, codeLines, readPage } from './clients.mjs';

for (const language of ['python', 'node', 'cpp']) {
  test(`the quick start in ${language} does what it shows`, { timeout: 300_000 }, () => checkPage(language));
}

test('a first call takes at most 30 lines in each language', () => {
  for (const language of ['python', 'node', 'go', 'java', 'cpp']) {
    const [name, text] = [...readPage(language).files].find(([file]) => /^first_?call\./i.test(file));
    assert.ok(codeLines(text) <= 30, `${name} has ${codeLines(text)} lines`);
  }
});
