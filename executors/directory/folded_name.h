// The form in which names that some file system takes for one are equal.
#ifndef TOOLGATE_EXECUTORS_DIRECTORY_FOLDED_NAME_H_
#define TOOLGATE_EXECUTORS_DIRECTORY_FOLDED_NAME_H_

#include <string>
#include <string_view>

namespace toolgate::executors::directory {

// Without regard to case, and without characters that take no room. Thread-safe.
std::string FoldName(std::string_view name);

}  // namespace toolgate::executors::directory

#endif  // TOOLGATE_EXECUTORS_DIRECTORY_FOLDED_NAME_H_
