// Check of Mermaid diagrams.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MERMAID_MERMAID_CHECK_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MERMAID_MERMAID_CHECK_H_

#include <string_view>
#include <vector>

#include "executors/artifacts/checks/problem.h"

namespace toolgate::executors::artifacts::checks::mermaid {

inline constexpr size_t kMaxBytes = size_t{256} << 10;

// Problems of a diagram, and what would weaken or run something in the page around it. Without an error and anything
// unchecked, Mermaid 11 accepts the diagram; with an error it refuses it, or shows nothing of what is meant. Linear in
// time. docs/generation.md lists the rules. Thread-safe.
std::vector<Problem> CheckMermaid(std::string_view source);

}  // namespace toolgate::executors::artifacts::checks::mermaid

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MERMAID_MERMAID_CHECK_H_
