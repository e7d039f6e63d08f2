#include "security/param_validation/refusal.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace toolgate::security::param_validation {
namespace {

constexpr size_t kMaxSentences = 5;

}  // namespace

std::string Sentence(const Violation& violation) {
  const std::string where = violation.path.empty() ? "the arguments: " : absl::StrCat("at \"", violation.path, "\": ");
  if (violation.rule == "additionalProperties" || violation.rule == "unevaluatedProperties") {
    return absl::StrCat(where, violation.found, "; ", violation.expected);
  }
  if (violation.rule == "required") return absl::StrCat(where, violation.expected, " is missing");
  if (violation.rule == "json") return absl::StrCat(where, violation.found);
  return absl::StrCat(where, "expected ", violation.expected, ", found ", violation.found, " (", violation.rule, ")");
}

absl::Status RefusalOf(std::vector<Violation> violations) {
  ToolError error;
  const bool missing = std::all_of(violations.begin(), violations.end(),
                                   [](const Violation& violation) { return violation.rule == "required"; });
  error.code = missing ? ErrorCode::kMissingRequired : ErrorCode::kInvalidParams;
  for (size_t i = 0; i < std::min(violations.size(), kMaxSentences); ++i) {
    absl::StrAppend(&error.message, i == 0 ? "" : ". ", Sentence(violations[i]));
  }
  if (violations.size() > kMaxSentences) {
    absl::StrAppend(&error.message, ". And ", violations.size() - kMaxSentences, " more");
  }
  error.violations = std::move(violations);
  return ToStatus(error);
}

}  // namespace toolgate::security::param_validation
