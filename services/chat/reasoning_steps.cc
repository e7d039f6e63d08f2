#include "services/chat/reasoning_steps.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/absl_bridge.h"
#include "common/text/utf8.h"

namespace toolgate::services::chat {
namespace {

constexpr size_t kMaxStepBytes = 160;
constexpr int kMaxItems = 50;

// Without marks of emphasis and headings: "## **Look it up**" is "Look it up".
std::string_view WithoutMarks(std::string_view line) {
  const auto is_mark = [](char c) { return c == '#' || c == '*' || c == '_' || c == ' ' || c == '\t' || c == '\r'; };
  while (!line.empty() && is_mark(line.front())) line.remove_prefix(1);
  while (!line.empty() && is_mark(line.back())) line.remove_suffix(1);
  return line;
}

// The text of a list item; empty if the line is none.
std::string_view ItemOf(std::string_view line) {
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  for (const std::string_view bullet : {"- ", "* ", "+ "}) {
    if (line.substr(0, 2) == bullet) return line.substr(2);
  }
  size_t digits = 0;
  while (digits < line.size() && absl::ascii_isdigit(static_cast<unsigned char>(line[digits]))) ++digits;
  const bool numbered = digits > 0 && digits < 4 && (line.substr(digits, 2) == ". " || line.substr(digits, 2) == ") ");
  return numbered ? line.substr(digits + 2) : std::string_view();
}

v1::ReasoningStep StepOf(std::string_view paragraph, const std::string& phase) {
  v1::ReasoningStep step;
  step.set_phase(phase);
  for (const absl::string_view absl_line : absl::StrSplit(ToAbsl(paragraph), '\n')) {
    const std::string_view line = FromAbsl(absl_line);
    const std::string_view item = ItemOf(line);
    if (step.title().empty()) {
      const std::string_view title = WithoutMarks(item.empty() ? line : item);
      step.set_title(std::string(text::PrefixOfBytes(title, kMaxStepBytes)));
    } else if (!item.empty() && step.items_size() < kMaxItems) {
      step.add_items(std::string(text::PrefixOfBytes(WithoutMarks(item), kMaxStepBytes)));
    }
  }
  return step;
}

}  // namespace

std::vector<v1::ReasoningStep> ReasoningSteps::Feed(std::string_view piece) {
  std::vector<v1::ReasoningStep> steps;
  while (!piece.empty()) {
    const size_t end = piece.find('\n');
    line_.append(piece.substr(0, end));
    if (end == std::string_view::npos) break;
    piece.remove_prefix(end + 1);
    if (absl::StripAsciiWhitespace(line_).empty()) {
      EndParagraph(steps);
    } else {
      paragraph_.append(line_).push_back('\n');
    }
    line_.clear();
  }
  return steps;
}

std::vector<v1::ReasoningStep> ReasoningSteps::Finish() {
  std::vector<v1::ReasoningStep> steps;
  paragraph_.append(line_);
  line_.clear();
  EndParagraph(steps);
  return steps;
}

void ReasoningSteps::EndParagraph(std::vector<v1::ReasoningStep>& steps) {
  v1::ReasoningStep step = StepOf(paragraph_, phase_);
  paragraph_.clear();
  if (step.title().empty() || made_ == kMaxSteps) return;
  ++made_;
  steps.push_back(std::move(step));
}

}  // namespace toolgate::services::chat
