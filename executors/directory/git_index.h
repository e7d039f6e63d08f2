// The index of a git repository, compared by what it lists.
#ifndef TOOLGATE_EXECUTORS_DIRECTORY_GIT_INDEX_H_
#define TOOLGATE_EXECUTORS_DIRECTORY_GIT_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace toolgate::executors::directory {

// A digest of the paths, modes and objects that an index lists. Without times, inodes and sizes of files, which git
// notes anew whenever it looks at the repository's state, and without what it derives from the rest. Nothing for
// a text that is no index, or one that is split or sparse.
std::optional<std::string> IndexDigest(std::string_view index);

// The same of a regular file below the folder `root`, if it is named as git names its index; otherwise empty.
std::string IndexDigestAt(int root, std::string_view path);

// One path that an index lists, as git would check it out.
struct IndexEntry {
  std::string path;   // Any bytes.
  uint32_t mode = 0;  // 0100644, 0100755, 0120000 (link), 0160000 (submodule), or 040000 (folder of a sparse index).
};

// All that an index lists, of a repository whose objects have names of `object_bytes`: 20 (SHA-1) or 32 (SHA-256).
// Reads versions 2 to 4 as git does, in whatever order it reads them. Nothing for any other text, for a split index,
// and for one that could be read in two ways.
std::optional<std::vector<IndexEntry>> ListIndex(std::string_view index, size_t object_bytes);

// Whether git may check a listed path out: it is relative, and none of its components is empty, "." or "..", or ".git"
// on any file system.
bool IsSafeInIndex(const IndexEntry& entry);

}  // namespace toolgate::executors::directory

#endif  // TOOLGATE_EXECUTORS_DIRECTORY_GIT_INDEX_H_
