// "Did you mean …".
#ifndef TOOLGATE_CLI_NEAREST_NAME_H_
#define TOOLGATE_CLI_NEAREST_NAME_H_

#include <string>
#include <string_view>
#include <vector>

namespace toolgate::cli {

// The name in `known` that takes the fewest edits (insert, delete, replace, swap of neighbours) to reach from `name`,
// or
// "" when none is near enough to be what was meant. Of equally near ones the first.
std::string NearestName(std::string_view name, const std::vector<std::string>& known);

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_NEAREST_NAME_H_
