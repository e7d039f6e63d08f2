// The quick starts in languages whose tool chains are large: Go and Java.
import { test } from 'node:test';
import { checkPage } from './clients.mjs';

for (const language of ['go', 'java']) {
  test(`the quick start in ${language} does what it shows`, { timeout: 600_000 }, () => checkPage(language));
}
