// A Mermaid diagram as Mermaid's own parsers see it.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MERMAID_CLEAN_TEXT_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MERMAID_CLEAN_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "executors/artifacts/checks/problem.h"

namespace toolgate::executors::artifacts::checks::mermaid {

// A diagram without its front matter, directives and comments, with "\n" at the end of each line. Used by one thread.
class CleanText {
 public:
  // `line`, without its line end, begins at `offset` of the source.
  void AddLine(std::string_view line, size_t offset);

  std::string_view text() const { return text_; }
  // Of a place in text(): its place in the source.
  size_t SourceOffset(size_t at) const;

 private:
  std::string text_;
  std::vector<std::pair<size_t, size_t>> lines_;  // Begin in text_, begin in the source.
};

// Findings of readers, at places in its clean text. Used by one thread.
class Findings {
 public:
  // Borrows both.
  Findings(const CleanText& text, Problems& problems) : text_(text), problems_(problems) {}

  // Mermaid refuses the diagram.
  void Error(size_t at, std::string_view rule, std::string message);
  // Mermaid may or may not accept it. The first such place is reported.
  void Unknown(size_t at, std::string reason);
  // Whether every statement was understood so far.
  bool all_known() const { return all_known_; }

 private:
  const CleanText& text_;
  Problems& problems_;
  bool all_known_ = true;
};

}  // namespace toolgate::executors::artifacts::checks::mermaid

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MERMAID_CLEAN_TEXT_H_
