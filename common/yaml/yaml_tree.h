// YAML text as a tree that knows where each value was written.
#ifndef TOOLGATE_COMMON_YAML_YAML_TREE_H_
#define TOOLGATE_COMMON_YAML_YAML_TREE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace toolgate::yaml {

struct YamlNode {
  enum class Kind { kNull, kScalar, kSequence, kMap };

  Kind kind = Kind::kNull;
  int line = 0;  // From 1.
  int column = 0;
  std::string scalar;
  bool quoted = false;  // Of a scalar: it is text whatever it looks like.
  // An alias shares its anchor's node.
  std::vector<std::shared_ptr<const YamlNode>> items;
  // As written: also twice the same key.
  std::vector<std::pair<std::shared_ptr<const YamlNode>, std::shared_ptr<const YamlNode>>> members;
};

// Bounds of one document. An alias can make a small text large, so the reader of the tree must bound itself: see
// `max_values` of YamlOptions.
inline constexpr size_t kMaxYamlBytes = size_t{1} << 20;
inline constexpr size_t kMaxYamlDepth = 64;

// Reads exactly one document; a text without any is null. INVALID_ARGUMENT with "FILE:LINE:COLUMN: what" otherwise,
// also for more than kMaxYamlBytes or kMaxYamlDepth, tags other than "!", and an alias inside its own anchor.
absl::StatusOr<std::shared_ptr<const YamlNode>> ParseYaml(std::string_view file_name, std::string_view text);

}  // namespace toolgate::yaml

#endif  // TOOLGATE_COMMON_YAML_YAML_TREE_H_
