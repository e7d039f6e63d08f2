// Finds the branch of an anyOf or oneOf that a caller most likely meant.
#ifndef TOOLGATE_SECURITY_PARAM_VALIDATION_NEAREST_BRANCH_H_
#define TOOLGATE_SECURITY_PARAM_VALIDATION_NEAREST_BRANCH_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "common/tool_error.h"

namespace toolgate::security::param_validation {

// `failures` has the violations of each branch for the value at `here`, a JSON pointer; `lists` tells whether a branch
// restricts the member with a given escaped name to listed values (const or enum).
//
// Returns the rows of the branch that fits best, or none if each fails by its type at this very place. The best branch
// has the fewest failed discriminators: members for which several branches list values, and whose value here is another
// one. Then the deepest failure wins, because most of the value had to match to get there, then the fewest failures. If
// the value of a discriminator is not listed in any branch, one row names the values of all branches that fit equally
// well otherwise.
std::vector<Violation> NearestBranch(std::string_view here, std::vector<std::vector<Violation>> failures,
                                     absl::FunctionRef<bool(size_t branch, std::string_view member)> lists);

}  // namespace toolgate::security::param_validation

#endif  // TOOLGATE_SECURITY_PARAM_VALIDATION_NEAREST_BRANCH_H_
