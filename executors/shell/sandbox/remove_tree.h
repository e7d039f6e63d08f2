// Removes folders in which commands have left things.
#ifndef TOOLGATE_EXECUTORS_SHELL_SANDBOX_REMOVE_TREE_H_
#define TOOLGATE_EXECUTORS_SHELL_SANDBOX_REMOVE_TREE_H_

#include <string>

namespace toolgate::executors::shell::sandbox {

// Removes a path with all below it, also folders whose modes forbid that to their owner. Follows no links. What cannot
// be removed stays.
void RemoveTree(const std::string& path);

}  // namespace toolgate::executors::shell::sandbox

#endif  // TOOLGATE_EXECUTORS_SHELL_SANDBOX_REMOVE_TREE_H_
