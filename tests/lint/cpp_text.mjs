// C++ source text without its comments and literals: these become blanks, and every line and column is kept.

// The prefixes a string or character literal may have.
const LITERAL_PREFIX = /(?:u8|u|U|L)$/;
const RAW_PREFIX = /(?:u8|u|U|L)?R$/;
const WORD = /[A-Za-z0-9_]/;

const blank = (text) => text.replace(/[^\n]/g, ' ');

// The end of the literal that `quote` opens at `start`, or of its line if it is not closed.
function endOfQuoted(text, start, quote) {
  for (let i = start + 1; i < text.length; ++i) {
    if (text[i] === '\\') ++i;
    else if (text[i] === quote) return i + 1;
    else if (text[i] === '\n') return i;
  }
  return text.length;
}

// The end of the raw string whose quote is at `start`.
function endOfRaw(text, start) {
  const open = text.indexOf('(', start);
  if (open < 0) return text.length;
  const close = `)${text.slice(start + 1, open)}"`;
  const end = text.indexOf(close, open);
  return end < 0 ? text.length : end + close.length;
}

// The end of a line comment; a backslash at the end of a line continues it.
function endOfLineComment(text, start) {
  for (let end = text.indexOf('\n', start); end >= 0; end = text.indexOf('\n', end + 1)) {
    if (text[end - 1] !== '\\') return end;
  }
  return text.length;
}

// The word that ends before `end`.
function wordBefore(text, end) {
  let start = end;
  while (start > 0 && WORD.test(text[start - 1])) --start;
  return text.slice(start, end);
}

// The end of the comment or literal that begins at `i`; `i` if none does.
function endOfHidden(text, i) {
  if (text.startsWith('//', i)) return endOfLineComment(text, i);
  if (text.startsWith('/*', i)) {
    const end = text.indexOf('*/', i + 2);
    return end < 0 ? text.length : end + 2;
  }
  const word = wordBefore(text, i);
  if (text[i] === '"') return RAW_PREFIX.exec(word)?.[0] === word && word !== '' ? endOfRaw(text, i) : endOfQuoted(text, i, '"');
  // A quote within a number separates digits.
  if (text[i] === "'" && (word === '' || LITERAL_PREFIX.exec(word)?.[0] === word)) return endOfQuoted(text, i, "'");
  return i;
}

export function withoutCommentsAndLiterals(text) {
  let code = '';
  for (let i = 0; i < text.length;) {
    const end = endOfHidden(text, i);
    code += end > i ? blank(text.slice(i, end)) : text[i];
    i = Math.max(end, i + 1);
  }
  return code;
}
