#ifndef TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_COMPONENT_H_
#define TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_COMPONENT_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "executors/cypher/temporal/temporal.h"

namespace toolgate::executors::cypher::temporal {

using ComponentValue = std::variant<int64_t, double, std::string, Temporal>;

// One member of a map that describes a temporal value. The caller leaves out members that are null. `name` is borrowed
// for the call.
struct Component {
  std::string_view name;
  ComponentValue value;
};

}  // namespace toolgate::executors::cypher::temporal

#endif  // TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_COMPONENT_H_
