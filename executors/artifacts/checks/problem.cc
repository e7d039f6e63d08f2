#include "executors/artifacts/checks/problem.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/text/cut_text.h"
#include "common/text/utf8.h"

namespace toolgate::executors::artifacts::checks {

std::string Quoted(std::string_view piece) {
  std::string shown(piece.substr(0, 4 * kMaxQuoted));
  for (char& c : shown) {
    if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) c = ' ';
  }
  return absl::StrCat("\"", text::CutText(std::move(shown), kMaxQuoted), "\"");
}

void Problems::Add(Severity severity, size_t offset, std::string_view rule, std::string message) {
  if (counts_[static_cast<int>(severity)]++ >= kMaxProblems) return;
  Found found;
  found.offset = std::min(offset, source_.size());
  found.problem.rule = std::string(rule);
  found.problem.message = std::move(message);
  found.problem.severity = severity;
  found_.push_back(std::move(found));
}

std::vector<Problem> Problems::Take() {
  std::stable_sort(found_.begin(), found_.end(), [](const Found& a, const Found& b) { return a.offset < b.offset; });
  std::vector<Problem> problems;
  int line = 1;
  size_t line_start = 0;
  size_t seen = 0;
  for (Found& found : found_) {
    for (; seen < found.offset; ++seen) {
      if (source_[seen] != '\n') continue;
      ++line;
      line_start = seen + 1;
    }
    found.problem.line = line;
    const size_t characters = text::CountCharacters(source_.substr(line_start, found.offset - line_start));
    found.problem.column = static_cast<int>(characters) + 1;
    problems.push_back(std::move(found.problem));
  }
  found_.clear();
  std::fill(std::begin(counts_), std::end(counts_), size_t{0});
  return problems;
}

bool HasErrors(const std::vector<Problem>& problems) {
  return std::any_of(problems.begin(), problems.end(),
                     [](const Problem& problem) { return problem.severity >= Severity::kError; });
}

bool HasUnsafe(const std::vector<Problem>& problems) {
  return std::any_of(problems.begin(), problems.end(),
                     [](const Problem& problem) { return problem.severity == Severity::kUnsafe; });
}

bool HasUnchecked(const std::vector<Problem>& problems) {
  return std::any_of(problems.begin(), problems.end(),
                     [](const Problem& problem) { return problem.severity == Severity::kUnchecked; });
}

void DropUncheckedBesideErrors(std::vector<Problem>& problems) {
  if (!HasErrors(problems)) return;
  std::erase_if(problems, [](const Problem& problem) { return problem.severity == Severity::kUnchecked; });
}

}  // namespace toolgate::executors::artifacts::checks
