// Check of React components.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_REACT_REACT_CHECK_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_REACT_REACT_CHECK_H_

#include <string>
#include <string_view>
#include <vector>

#include "executors/artifacts/checks/problem.h"

namespace toolgate::executors::artifacts::checks::react {

inline constexpr size_t kMaxBytes = size_t{1} << 20;

struct ReactPolicy {
  // Modules that the frame around a component provides; each allows what lies below it, too ("react/jsx-runtime").
  std::vector<std::string> modules;
};

// Problems of a module in JavaScript or TypeScript with JSX that exports a component: brackets, literals and tags that
// do not fit, imports, exports, and names that work in no sandboxed frame. docs/generation.md lists the rules.
std::vector<Problem> CheckReact(std::string_view source, const ReactPolicy& policy);

// `source` with what has one right form put into it: <br> becomes <br />, class becomes className. Linear in time.
std::string FixReact(std::string_view source);

// Name of the exported component; empty when it has none.
std::string ComponentName(std::string_view source);

}  // namespace toolgate::executors::artifacts::checks::react

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_REACT_REACT_CHECK_H_
