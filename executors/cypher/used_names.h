// The labels, types and properties that a query names.
#ifndef TOOLGATE_EXECUTORS_CYPHER_USED_NAMES_H_
#define TOOLGATE_EXECUTORS_CYPHER_USED_NAMES_H_

#include <string>
#include <vector>

#include "executors/cypher/syntax/ast.h"

namespace toolgate::executors::cypher {

struct UsedName {
  enum class Kind { kLabel, kType, kNodeProperty, kRelationshipProperty };

  Kind kind = Kind::kLabel;
  std::string name;
  // Of a property: the labels or types that the patterns give to its owner; none: any.
  std::vector<std::string> of = {};

  bool operator==(const UsedName&) const = default;
};

// Each once, patterns first. Properties of variables that may hold something other than a node or a relationship of a
// pattern are left out.
std::vector<UsedName> NamesUsedIn(const syntax::Query& query);

}  // namespace toolgate::executors::cypher

#endif  // TOOLGATE_EXECUTORS_CYPHER_USED_NAMES_H_
