#include "security/param_validation/refusal.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace toolgate::security::param_validation {
namespace {

constexpr size_t kMaxSentences = 5;

std::string Sentence(const Violation& violation) {
  const std::string where = violation.path.empty() ? "the arguments: " : absl::StrCat("at \"", violation.path, "\": ");
  if (violation.rule == "additionalProperties" || violation.rule == "unevaluatedProperties") {
    return absl::StrCat(where, violation.found, "; ", violation.expected);
  }
  if (violation.rule == "required") return absl::StrCat(where, violation.expected, " is missing");
  if (violation.rule == "json") return absl::StrCat(where, violation.found);
  return absl::StrCat(where, "expected ", violation.expected, ", found ", violation.found, " (", violation.rule, ")");
}

}  // namespace

std::string Sentences(const std::vector<Violation>& violations, size_t most) {
  std::string text;
  // A sentence that asks "did you mean" ends with its own mark.
  const auto append = [&text](const auto&... parts) {
    const absl::string_view end = text.empty() ? "" : text.back() == '?' ? " " : ". ";
    absl::StrAppend(&text, end, parts...);
  };
  for (size_t i = 0; i < std::min(violations.size(), most); ++i) append(Sentence(violations[i]));
  if (violations.size() > most) append("And ", violations.size() - most, " more");
  return text;
}

absl::Status RefusalOf(std::vector<Violation> violations) {
  ToolError error;
  const bool missing = std::all_of(violations.begin(), violations.end(),
                                   [](const Violation& violation) { return violation.rule == "required"; });
  error.code = missing ? ErrorCode::kMissingRequired : ErrorCode::kInvalidParams;
  error.message = Sentences(violations, kMaxSentences);
  error.violations = std::move(violations);
  return ToStatus(error);
}

}  // namespace toolgate::security::param_validation
