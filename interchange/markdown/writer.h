// Writes the blocks of one document as Markdown that document.h reads.
//
// A writer of our own and not cmark-gfm's renderer, which puts "<!-- end list -->" after a list, which would be read as
// another block, escapes the box of a task in a quote, changes addresses of links, and escapes every "_" and "#", which
// makes the text hard to read. tests/integration/interchange/markdown/cmark_test.cc shows this.
#ifndef TOOLGATE_INTERCHANGE_MARKDOWN_WRITER_H_
#define TOOLGATE_INTERCHANGE_MARKDOWN_WRITER_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/json.h"

namespace toolgate::interchange::markdown {

// Takes the blocks depth first, parents before children. A block below one that cannot have children in Markdown (a
// paragraph, for example) is written after it. Not thread-safe.
class MarkdownWriter {
 public:
  // Document for a block of `type`: a page, board, database, note, journal entry, event or automation. Any other type
  // is treated as a page.
  MarkdownWriter(std::string_view type, const Json& data);

  // True for the types that are separate documents.
  static bool IsDocument(std::string_view type);

  // The next block; `depth` counts the blocks between it and the document: 0 is directly below.
  void Add(int depth, std::string_view type, const Json& data);

  // The whole text. Nothing can be added afterwards.
  std::string Finish();

 private:
  // An open block that holds others.
  struct Container {
    int depth = 0;
    std::string first = {};  // Prefix of its first line,
    std::string rest = {};   // and this before the others.
    bool begun = false;      // The first line is written.
    int numbered = 0;        // Items so far in the numbered list that is open in it.
  };

  void FrontMatter(std::string_view type, const Json& data);
  void Columns(const Json& data);
  void Row(const Json& data);
  void Block(int depth, std::string_view type, const Json& data);
  void Item(int depth, std::string marker, std::string_view type, std::string_view content);
  void Quote(int depth, std::string_view first_line, std::string_view type, const Json& data);
  void Heading(int level, std::string_view content);
  void Code(std::string_view content, std::string_view language);
  void Table(const Json& header, const Json& rows);
  void Image(const Json& data);
  void LooseRow(int depth, const Json& data);
  // Text that is Markdown itself, with any blocks in it.
  void Body(std::string_view markdown);

  // Before the first line of a block. Items follow each other without a blank line.
  void Begin(bool item = false, bool empty = false);
  void Lines(std::string_view text);
  void Line(std::string_view text);
  void OpenContainer(int depth, std::string first, std::string rest);
  // Closes the containers that do not hold a block at `depth`.
  void CloseContainers(int depth);

  std::vector<Container> containers_ = {Container{.depth = -1, .begun = true}};
  std::string text_;
  bool after_item_ = false;

  // A database's table comes before the content below its rows.
  struct Column {
    std::string id;
    std::string name;
  };
  std::optional<std::vector<Column>> columns_;
  Json rows_ = Json::array();
  std::string head_;
  std::string row_title_;  // Of the latest row, until its first content was written.
};

}  // namespace toolgate::interchange::markdown

#endif  // TOOLGATE_INTERCHANGE_MARKDOWN_WRITER_H_
