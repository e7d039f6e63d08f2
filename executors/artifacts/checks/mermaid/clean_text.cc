#include "executors/artifacts/checks/mermaid/clean_text.h"

#include <algorithm>

namespace toolgate::executors::artifacts::checks::mermaid {

void CleanText::AddLine(std::string_view line, size_t offset) {
  lines_.emplace_back(text_.size(), offset);
  text_.append(line);
  text_ += '\n';
}

size_t CleanText::SourceOffset(size_t at) const {
  const auto after = std::upper_bound(lines_.begin(), lines_.end(), at,
                                      [](size_t place, const auto& line) { return place < line.first; });
  if (after == lines_.begin()) return 0;
  const auto& line = *std::prev(after);
  return line.second + (at - line.first);
}

void Findings::Error(size_t at, std::string_view rule, std::string message) {
  problems_.Error(text_.SourceOffset(at), rule, std::move(message));
}

void Findings::Unknown(size_t at, std::string reason) {
  if (all_known_) problems_.Unchecked(text_.SourceOffset(at), "not-checked", std::move(reason));
  all_known_ = false;
}

}  // namespace toolgate::executors::artifacts::checks::mermaid
