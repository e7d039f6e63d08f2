// Statements of Mermaid flowcharts.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MERMAID_FLOWCHART_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MERMAID_FLOWCHART_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "executors/artifacts/checks/mermaid/clean_text.h"
#include "re2/re2.h"

namespace toolgate::executors::artifacts::checks::mermaid {

// Reads a flowchart by a part of Mermaid's grammar that it surely accepts. What is outside of this part is an error
// where Mermaid surely refuses it, and unknown elsewhere. Used by one thread.
class FlowchartCheck {
 public:
  // Borrows both. `text` is clean.
  FlowchartCheck(std::string_view text, Findings& findings) : text_(text), findings_(findings) {}

  // `begin` is that of the first line.
  void Read(size_t begin);

 private:
  // The fate of a part: read; or refused or unknown, and reported.
  enum class Part { kRead, kFailed };
  struct Shape;

  bool ReadHeader();
  void ReadStatement();
  // Whether the line begins with a keyword, and so was read.
  bool ReadKeywordLine(std::string_view line);
  bool ReadStyleLine(std::string_view word, std::string_view line);
  void ReadSubgraph(std::string_view line);
  void ReadEnd(std::string_view line);
  Part ReadChain();
  Part ReadNodes(int& count);
  Part ReadNode();
  Part ReadShape(const Shape& shape);
  Part ReadQuotedLabel(size_t label, std::string_view close, std::string_view other_close);
  Part ReadPlainLabel(size_t open, size_t label, std::string_view close);
  Part ReadSlantedLabel(size_t open);
  Part ReadProperties();
  // kRead without having moved: there is no link.
  Part ReadLink();
  Part ReadLinkText();
  Part FailAtLink();
  Part FailAtNode(bool after_link);

  const Shape* ShapeHere() const;
  std::string_view rest() const { return text_.substr(at_); }
  char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool Eat(const RE2& pattern, std::string_view* group = nullptr);
  Part Error(size_t at, std::string_view rule, std::string message);
  Part Unknown(size_t at, std::string message);

  const std::string_view text_;
  Findings& findings_;
  size_t at_ = 0;
  size_t line_end_ = 0;  // Of the present statement.
  std::vector<size_t> subgraphs_;
  int links_ = 0;
  // A text that began on this line has no end.
  bool is_open_ = false;
  // The last node has properties, after which Mermaid takes no blank.
  bool after_properties_ = false;
};

}  // namespace toolgate::executors::artifacts::checks::mermaid

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MERMAID_FLOWCHART_H_
