// docs/api.md is what its generator writes, its links lead somewhere, and what it says of services and codes is so.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { makePage, NOT_SERVED, page, readErrorCodes } from './api_reference.mjs';
import { listServices } from './client.mjs';
import { anchorOf } from './documents.mjs';
import { serve } from './server.mjs';

const text = readFileSync(page, 'utf8');
const headings = [...text.matchAll(/^#+ (.*)$/gm)].map((match) => match[1]);

test('docs/api.md is what the protos say', () => {
  const made = makePage().split('\n');
  const line = text.split('\n').findIndex((committed, i) => committed !== made[i]);
  assert.ok(text === made.join('\n'), `docs/api.md differs in line ${line + 1}; run node tests/e2e/api_reference.mjs`);
});

test('every heading of docs/api.md has an anchor of its own', () => {
  const anchors = headings.map(anchorOf);
  assert.deepEqual(anchors.filter((anchor, i) => anchors.indexOf(anchor) !== i), []);
});

test('docs/api.md has every service that a server serves, and says which it does not', async () => {
  const server = await serve();
  try {
    const served = (await listServices(server.address)).filter((name) => name.startsWith('toolgate.'));
    const shown = [...text.matchAll(/^Full name: `([\w.]+)`\./gm)].map((match) => match[1]);
    assert.deepEqual(shown.filter((name) => !NOT_SERVED.includes(name)).sort(), served);
  } finally {
    await server.stop();
  }
});

test('the table of error codes has the codes and statuses of the code', () => {
  const rows = [...text.split('## Error codes')[1].split('\n## ')[0].matchAll(/^\| `([A-Z_]+)` \| `([A-Z_]+)`/gm)];
  const codes = readErrorCodes();
  assert.ok(codes.size >= 18, `${codes.size} codes`);
  assert.deepEqual(new Map(rows.map((row) => [row[1], row[2]])), codes);
});

test('no comment of the protos is left out', () => {
  assert.deepEqual([...text.matchAll(/^\| \d+ \| .*\| {1,2}\|$/gm)].map((match) => match[0]), []);
  assert.ok(headings.length >= 120, `${headings.length} headings`);
});
