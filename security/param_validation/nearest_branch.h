// Which branch of an anyOf or oneOf a caller most likely meant.
#ifndef TOOLGATE_SECURITY_PARAM_VALIDATION_NEAREST_BRANCH_H_
#define TOOLGATE_SECURITY_PARAM_VALIDATION_NEAREST_BRANCH_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "common/tool_error.h"

namespace toolgate::security::param_validation {

// `failures` has what each branch says of the value at `here`, a JSON pointer; `lists` answers whether a branch
// restricts the member whose escaped name it is given to listed values (const or enum).
//
// Answers the rows of the branch that fits best, or none when each fails by its kind at this very place. The best one
// has the fewest discriminators against it: members that several branches list values for, and that have another one
// here. Then the deepest failure wins, because it took the most agreement to get there, then the fewest failures. Where
// a discriminator has a value that no branch lists, one row names the values of all that are otherwise as good.
std::vector<Violation> NearestBranch(std::string_view here, std::vector<std::vector<Violation>> failures,
                                     absl::FunctionRef<bool(size_t branch, std::string_view member)> lists);

}  // namespace toolgate::security::param_validation

#endif  // TOOLGATE_SECURITY_PARAM_VALIDATION_NEAREST_BRANCH_H_
