// The index of a git repository, compared by what it lists.
#ifndef TOOLGATE_EXECUTORS_DIRECTORY_GIT_INDEX_H_
#define TOOLGATE_EXECUTORS_DIRECTORY_GIT_INDEX_H_

#include <optional>
#include <string>
#include <string_view>

namespace toolgate::executors::directory {

// A digest of the paths, modes and objects that an index lists. Without times, inodes and sizes of files, which git
// notes anew whenever somebody looks at the repository's state, and without what it derives from the rest. Nothing for
// a text that is no index, or one that is split or sparse.
std::optional<std::string> IndexDigest(std::string_view index);

// The same of a regular file below the folder `root`, if it is named as git names its index; otherwise empty.
std::string IndexDigestAt(int root, std::string_view path);

}  // namespace toolgate::executors::directory

#endif  // TOOLGATE_EXECUTORS_DIRECTORY_GIT_INDEX_H_
