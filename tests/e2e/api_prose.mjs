// Turns the comments of the protos into Markdown: names become code, and names of the API links.

import { anchorOf } from './documents.mjs';

// Code in prose, first match wins: what is code already, placeholders and elements, quoted words, permissions,
// JSON with one level of objects in it, values of flags, and words, among them names.
const CODE = new RegExp([
  /`[^`]+`/,
  /"?<[a-z][a-z_ ]*>"?/,
  /"[^"\s]+"/,
  /\b[a-z]+:[a-z]+\b/,
  /\{(?:[^{}]|\{[^{}]*\})*\}/,
  /\b[a-z_]+ = (?:true|false)\b/,
  /\*_[a-z]+\b/,
  /\b[A-Za-z][A-Za-z0-9]*(?:[_.][A-Za-z0-9]+)*\b/,
].map((part) => part.source).join('|'), 'g');

// Statuses of gRPC that comments name and that are no codes of errors.
const STATUSES = new Set(['ABORTED', 'DEADLINE_EXCEEDED', 'FAILED_PRECONDITION', 'INTERNAL', 'INVALID_ARGUMENT',
  'PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'UNAUTHENTICATED', 'UNAVAILABLE', 'UNIMPLEMENTED']);

const hasHumps = (word) => /[a-z][A-Z]/.test(word);
const isSnake = (word) => /^[a-z][a-z0-9]*(_[a-z0-9]+)+(\.[a-z_]+)*$/.test(word);
const isConstant = (word) => /^[A-Z]+(_[A-Z]+)+$/.test(word);

export class Prose {
  // `headings`: name in the protos, without package → heading on the page; `codes`: the codes of errors.
  constructor(headings, codes) {
    this.headings = headings;
    this.codes = codes;
  }

  // A link to the heading of a name, shown as `text`.
  link(name, text = name) {
    return `[\`${text}\`](#${anchorOf(this.headings.get(name))})`;
  }

  // A word as Markdown. `self` is the heading that the comment stands under, to which nothing links.
  #word(word, self) {
    if (word.startsWith('`')) return word;
    if (/^".*"$/.test(word)) return `\`${word.slice(1, -1)}\``;
    if (/^[<{*]| = |:/.test(word)) return `\`${word}\``;
    if (this.codes.has(word)) return `[\`${word}\`](#error-codes)`;
    if (STATUSES.has(word)) return `\`${word}\``;
    if (word.includes('.') && this.headings.has(word)) return this.link(word);
    const [first, second] = word.split('.');
    const isName = this.headings.has(first) && (second || hasHumps(first) || first === 'Execute');
    if (isName && this.headings.get(first) !== self) return this.link(first, word);
    return isName || isSnake(word) || isConstant(word) ? `\`${word}\`` : word;
  }

  // One paragraph, without line breaks.
  #inline(text, self) {
    return text.replace(CODE, (word) => this.#word(word, self));
  }

  #paragraphs(comment) {
    // Items of a list are paragraphs of their own.
    return (comment ?? '').split('\n').map((line) => line.replace(/^ /, '').trimEnd()).join('\n').trim()
      .replace(/(?<=\n)- /g, '\n- ').split(/\n{2,}/).filter((paragraph) => paragraph !== '');
  }

  // A comment as paragraphs; indented ones are preformatted.
  block(comment, self) {
    return this.#paragraphs(comment).map((text) => (/^\s/.test(text)
      ? '```text\n' + text.replace(/^ {2}/gm, '') + '\n```'
      : wrap(this.#inline(text.replace(/\n\s*/g, ' '), self)))).join('\n\n');
  }

  // A comment in a cell of a table.
  cell(comment, self) {
    const html = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    return this.#paragraphs(comment).map((text) => (/^\s/.test(text)
      ? text.split('\n').map((line) => `<code>${html(line.trim())}</code>`).join('<br>')
      : this.#inline(text.replace(/^- /, '• ').replace(/\n\s*/g, ' '), self)))
      .join('<br><br>').replaceAll('<br><br>•', '<br>•').replaceAll('|', '\\|');
  }
}

// Breaks a paragraph at 120 characters, never inside code or a link.
function wrap(text) {
  const lines = [''];
  for (const word of text.match(/(?:\[[^\]]*\]\([^)]*\)|`[^`]*`|\S)+/g) ?? []) {
    if (lines.at(-1) !== '' && lines.at(-1).length + word.length + 1 > 120) lines.push('');
    lines[lines.length - 1] += (lines.at(-1) === '' ? '' : ' ') + word;
  }
  return lines.join('\n');
}
