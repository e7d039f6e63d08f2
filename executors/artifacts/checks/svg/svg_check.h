// Check of SVG images.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_SVG_SVG_CHECK_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_SVG_SVG_CHECK_H_

#include <string_view>
#include <vector>

#include "executors/artifacts/checks/problem.h"

namespace toolgate::executors::artifacts::checks::svg {

inline constexpr size_t kMaxBytes = size_t{2} << 20;
inline constexpr int kMaxDepth = 200;
inline constexpr int kMaxElements = 50'000;

// Problems of an image that may be shown inside a page: well-formed XML whose root is an svg element in its namespace,
// without scripts, documents of other kinds, or references to anything but itself. It is read by libxml2 as a stream:
// nothing is fetched, and document types, which could define entities, end the reading. docs/generation.md lists the
// rules.
std::vector<Problem> CheckSvg(std::string_view source);

}  // namespace toolgate::executors::artifacts::checks::svg

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_SVG_SVG_CHECK_H_
