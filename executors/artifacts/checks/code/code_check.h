// Check of program text in any language.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_CODE_CODE_CHECK_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_CODE_CODE_CHECK_H_

#include <string_view>
#include <vector>

#include "executors/artifacts/checks/problem.h"

namespace toolgate::executors::artifacts::checks::code {

// JSON is checked as a whole. Of other languages no grammar is known here, so they are unchecked, with warnings about
// brackets, strings and comments that do not end where the language's are simple. `language` is a name as code fences
// have it ("python", "c++"), in any case. Linear in time.
std::vector<Problem> CheckCode(std::string_view source, std::string_view language);

}  // namespace toolgate::executors::artifacts::checks::code

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_CODE_CODE_CHECK_H_
