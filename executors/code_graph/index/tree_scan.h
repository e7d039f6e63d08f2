// Finds the files of a workspace's directory that the index covers.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_TREE_SCAN_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_TREE_SCAN_H_

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "executors/code_graph/index/graph_writer.h"
#include "executors/directory/directory.h"

namespace toolgate::executors::code_graph::index {

struct FoundFile {
  std::string path;
  FileStamp stamp;
};

struct TreeScan {
  std::vector<FoundFile> files;  // By path.
  bool truncated = false;        // There are more than `max_files`, or some lie deeper than tools reach.
};

FileStamp StampOf(const struct stat& stat);

// Regular files that neither the deny list nor a .gitignore file excludes. Opens the .gitignore files and no other.
// `may_go_on` is asked often; once it says no, the answer is CANCELLED.
absl::StatusOr<TreeScan> ScanTree(const directory::Directory& directory, int64_t max_files,
                                  const std::function<bool()>& may_go_on);

struct ReadFile {
  FileStamp stamp;
  std::string content;
};

// A file's contents and its state when they were read. RESOURCE_EXHAUSTED when it is longer than `max_bytes`; errors of
// Directory::OpenToRead otherwise.
absl::StatusOr<ReadFile> ReadFileOf(const directory::Directory& directory, std::string_view path, int64_t max_bytes);

}  // namespace toolgate::executors::code_graph::index

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_TREE_SCAN_H_
