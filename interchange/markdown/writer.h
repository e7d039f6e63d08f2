// The blocks of one document as Markdown that document.h reads.
//
// Own code and not cmark-gfm's renderer, which puts "<!-- end list -->" behind a list, to be read as a block of its
// own, escapes the box of a task in a quote, changes addresses of links, and escapes every "_" and "#" that a person
// then has to read. tests/unit/interchange/markdown/cmark_test.cc shows it.
#ifndef TOOLGATE_INTERCHANGE_MARKDOWN_WRITER_H_
#define TOOLGATE_INTERCHANGE_MARKDOWN_WRITER_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/json.h"

namespace toolgate::interchange::markdown {

// Takes the blocks depth first, parents before children. A block below one that Markdown gives no place for children
// (a paragraph, say) stands behind it. Not thread-safe.
class MarkdownWriter {
 public:
  // The document that a block of `type` is: a page, board, database, note, journal entry, event or automation. Any
  // other type is a page.
  MarkdownWriter(std::string_view type, const Json& data);

  // True for the types that are documents of their own.
  static bool IsDocument(std::string_view type);

  // The next block; `depth` counts the blocks between it and the document: 0 is directly below.
  void Add(int depth, std::string_view type, const Json& data);

  // The whole text. Nothing can be added behind it.
  std::string Finish();

 private:
  // An open block that holds others.
  struct Container {
    int depth = 0;
    std::string first = {};  // Stands before the first line in it,
    std::string rest = {};   // and this before the others.
    bool begun = false;      // The first line is written.
    int numbered = 0;        // Items in the numbered list that is open in it.
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
  // Text that is Markdown of its own, with any blocks in it.
  void Body(std::string_view markdown);

  // Before the first line of a block. Items follow each other without a blank line.
  void Begin(bool item = false, bool empty = false);
  void Lines(std::string_view text);
  void Line(std::string_view text);
  void OpenContainer(int depth, std::string first, std::string rest);
  // Leaves the containers that do not hold a block at `depth`.
  void CloseContainers(int depth);

  std::vector<Container> containers_ = {Container{.depth = -1, .begun = true}};
  std::string text_;
  bool after_item_ = false;

  // A database's table stands before all that is below its rows.
  struct Column {
    std::string id;
    std::string name;
  };
  std::optional<std::vector<Column>> columns_;
  Json rows_ = Json::array();
  std::string head_;
  std::string row_title_;  // Of the latest row, until something below it was written.
};

}  // namespace toolgate::interchange::markdown

#endif  // TOOLGATE_INTERCHANGE_MARKDOWN_WRITER_H_
