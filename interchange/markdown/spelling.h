// Blocks' texts as they have to stand in a Markdown document so that reading it gives them back.
//
// A block's content is light Markdown already: emphasis, code and links stay as they are, line breaks become hard
// breaks, and a line that would begin another block is escaped. Whether that is enough is not guessed: the reader of
// document.h is asked, and a text that it reads as another one is escaped further, in the end so far that
// every character stands for itself. One difference is let pass: "_emphasis_" is read as "*emphasis*".
#ifndef TOOLGATE_INTERCHANGE_MARKDOWN_SPELLING_H_
#define TOOLGATE_INTERCHANGE_MARKDOWN_SPELLING_H_

#include <string>
#include <string_view>

namespace toolgate::interchange::markdown {

// What stands before the first line of a block's text and before the others.
struct LineMarks {
  std::string_view first;
  std::string_view rest;
};

// For a block of `type` at the top of a document; nothing for a paragraph.
LineMarks MarksOf(std::string_view type);

// The content of a paragraph, heading, todo, list item, quote or callout. Without the blanks and control characters
// that a document cannot hold; lines are separated by '\n', marks are not included.
std::string SpellContent(std::string_view type, std::string_view content);

// A page's title, behind "# ". Titles have no markup: every character stands for itself.
std::string SpellTitle(std::string_view title);

// A cell of a table, with "<br>" for line breaks.
std::string SpellCell(std::string_view text);

// Every character of `text` stands for itself.
std::string SpellLiterally(std::string_view text);

}  // namespace toolgate::interchange::markdown

#endif  // TOOLGATE_INTERCHANGE_MARKDOWN_SPELLING_H_
