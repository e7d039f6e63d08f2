// Brings a workspace's code graph up to date with its directory.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_REFRESH_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_REFRESH_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/code_graph/index/ctags_process.h"
#include "executors/directory/directory.h"
#include "storage/sqlite/connection.h"

namespace toolgate::executors::code_graph::index {

struct IndexOptions {
  std::string ctags;  // The program.
  CtagsLimits ctags_limits;
  // Those of CodeGraphSettings.
  int processes = 0;            // Of ctags at a time, for one workspace.
  int64_t max_files = 0;        // Further ones are left out, the last by path first.
  int64_t max_file_bytes = 0;   // Longer files have no symbols.
  int64_t max_index_bytes = 0;  // Of the database; files that come later have no symbols.
};

// How far a refresh is. Read by other threads.
struct RefreshProgress {
  std::atomic<int64_t> done{0};
  std::atomic<int64_t> total{0};  // Files to read.
};

struct RefreshReport {
  int64_t files = 0;    // In the graph.
  int64_t read = 0;     // Files that were read.
  int64_t changed = 0;  // Of those, files whose contents were other ones.
  int64_t removed = 0;
  bool truncated = false;  // There are more files than the index may have.
};

// Reads the files whose size, times or inode differ from those they were last read with, and indexes those whose
// contents differ. A file that changed less than two seconds before it was read is read again the next time, since
// another change may leave its times as they are.
//
// Few changes are one transaction. Many are written in several, while the graph counts as incomplete; one that was
// interrupted goes on where it was. `connection` is the one that may write. CANCELLED once `may_go_on` says no;
// DATA_LOSS when the database is damaged.
absl::StatusOr<RefreshReport> Refresh(const directory::Directory& directory, storage::sqlite::Connection& connection,
                                      const IndexOptions& options, const std::function<bool()>& may_go_on,
                                      RefreshProgress& progress);

}  // namespace toolgate::executors::code_graph::index

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_REFRESH_H_
