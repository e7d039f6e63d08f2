// Rules that a check of artifacts reports, in a short form for tables.
#ifndef TOOLGATE_TESTS_SUPPORT_ARTIFACT_RULES_H_
#define TOOLGATE_TESTS_SUPPORT_ARTIFACT_RULES_H_

#include <set>
#include <string>
#include <vector>

#include "executors/artifacts/checks/problem.h"

namespace toolgate::testing {

// "unsafe event-handler", "error unclosed-element", "warning fragment"; each once.
inline std::set<std::string> RulesIn(const std::vector<executors::artifacts::checks::Problem>& problems) {
  using executors::artifacts::checks::Severity;
  std::set<std::string> rules;
  for (const auto& problem : problems) {
    const char* severity = problem.severity == Severity::kUnsafe      ? "unsafe "
                           : problem.severity == Severity::kError     ? "error "
                           : problem.severity == Severity::kUnchecked ? "unchecked "
                                                                      : "warning ";
    rules.insert(severity + problem.rule);
  }
  return rules;
}

// A source and the rules that it breaks.
struct RuleCase {
  const char* name;
  std::string source;
  std::set<std::string> rules = {};
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_ARTIFACT_RULES_H_
