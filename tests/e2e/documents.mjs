// The documents as tests read them: blocks of commands, and comparison of what they print with what is shown.
import assert from 'node:assert/strict';
import { resolve, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

// The lines of a `text` block that must be printed.
export const shownLines = (text) => text.split('\n').filter((line) => line.trim() !== '' && line.trim() !== '…');

// A line without the parts that differ from run to run: ids, hashes, dates, times, days of the week, the number of
// audit entries, and the widths of columns.
function comparable(line) {
  return line.replace(/\b[0-9a-hjkmnp-tv-z]{26}\b/g, 'ID')
    .replace(/\b[0-9a-f]{64}\b/g, 'HASH')
    .replace(/\d{4}-\d\d-\d\d([T ]\d\d:\d\d:\d\d(\.\d+)?Z?)?/g, 'TIME')
    .replace(/\b(Sun|Mon|Tues|Wednes|Thurs|Fri|Satur)day\b/g, 'DAY')
    .replace(/^(valid: )\d+( entries, sequence 1 to )\d+$/, '$1N$2N').replace(/\s+/g, ' ').trim();
}

// Whether a printed line is the one shown, which "…" cuts off at its end.
function isShown(shown, printed) {
  const [want, got] = [comparable(shown), comparable(printed)];
  return want.endsWith('…') ? got.startsWith(comparable(want.slice(0, -1))) : got === want;
}

// Fails unless each shown line was printed, each by a line of its own. The order does not count, since the audit log
// may hold a read after a change that followed it.
export function assertPrinted(shown, printed, where) {
  const left = printed.split('\n');
  for (const line of shown) {
    const at = left.findIndex((candidate) => isShown(line, candidate));
    assert.ok(at >= 0, `${where} shows\n  ${line}\nbut this is printed:\n${printed}`);
    left.splice(at, 1);
  }
}

// A heading's anchor, as GitHub makes it.
export const anchorOf = (heading) =>
  heading.trim().toLowerCase().replace(/[^\p{L}\p{N}\p{M} _-]/gu, '').replaceAll(' ', '-');
