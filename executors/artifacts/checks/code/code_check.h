// Check of program text in any language.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_CODE_CODE_CHECK_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_CODE_CODE_CHECK_H_

#include <string_view>
#include <vector>

#include "executors/artifacts/checks/problem.h"

namespace toolgate::executors::artifacts::checks::code {

// Warnings about brackets, strings and comments that do not end. `language` is a name as code fences have it ("python",
// "c++"), in any case; of a language that is not known here nothing is said. Linear in time.
std::vector<Problem> CheckCode(std::string_view source, std::string_view language);

}  // namespace toolgate::executors::artifacts::checks::code

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_CODE_CODE_CHECK_H_
