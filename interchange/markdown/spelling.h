// Escapes blocks' texts for a Markdown document, so that reading it returns them unchanged.
//
// A block's content is light Markdown already: emphasis, code and links stay unchanged, line breaks become hard breaks,
// and a line that would begin another block is escaped. The result is tested with the reader of document.h: a text that
// it reads differently is escaped further, in the end so far that every character is literal. One difference is
// accepted: "_emphasis_" is read as "*emphasis*".
#ifndef TOOLGATE_INTERCHANGE_MARKDOWN_SPELLING_H_
#define TOOLGATE_INTERCHANGE_MARKDOWN_SPELLING_H_

#include <string>
#include <string_view>

namespace toolgate::interchange::markdown {

// Prefixes of the first line of a block's text and of the others.
struct LineMarks {
  std::string_view first;
  std::string_view rest;
};

// For a block of `type` at the top of a document; nothing for a paragraph.
LineMarks MarksOf(std::string_view type);

// The content of a paragraph, heading, todo, list item, quote or callout, without the blanks and control characters
// that a document cannot hold; lines are separated by '\n', marks are not included.
std::string SpellContent(std::string_view type, std::string_view content);

// A page's title, after "# ". Titles have no markup: every character is literal.
std::string SpellTitle(std::string_view title);

// A cell of a table, with "<br>" for line breaks.
std::string SpellCell(std::string_view text);

// Makes every character of `text` literal.
std::string SpellLiterally(std::string_view text);

}  // namespace toolgate::interchange::markdown

#endif  // TOOLGATE_INTERCHANGE_MARKDOWN_SPELLING_H_
