// The code graphs of all workspaces, kept up to date in the background.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_GRAPH_INDEXES_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_GRAPH_INDEXES_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "common/fibers/event.h"
#include "executors/code_graph/index/refresh.h"
#include "executors/code_graph/index/stored_graph.h"
#include "executors/directory/directory.h"

namespace toolgate::executors::code_graph::index {

// Outcome of one refresh, for one who waits for it.
struct RefreshTicket {
  fibers::Event done;
  absl::StatusOr<RefreshReport> report;  // Once `done` is set.
};

// One database for each workspace, in a folder of the service's own. A refresh runs on a thread of this object, however
// many wait for it, and goes on when no one does any more. A workspace is known, and its directory held, only while a
// refresh of it waits or runs. Thread-safe. The destructor stops refreshes that run.
class GraphIndexes {
 public:
  // `folder` is made on demand. Empty: a temporary folder, which is deleted in the end.
  GraphIndexes(std::string folder, IndexOptions options);
  GraphIndexes(const GraphIndexes&) = delete;
  GraphIndexes& operator=(const GraphIndexes&) = delete;
  ~GraphIndexes();

  // Asks for a refresh of the workspace's graph that begins after this call, and so sees every change made before it.
  // Ends at once as OVERLOADED when too many workspaces wait.
  std::shared_ptr<RefreshTicket> Refresh(std::string_view workspace_id, std::shared_ptr<directory::Directory> directory)
      ABSL_LOCKS_EXCLUDED(mutex_);

  struct Progress {
    int64_t done = 0;
    int64_t total = 0;
  };
  // Of the workspace's refresh that runs; zeros when there is none.
  Progress ProgressOf(std::string_view workspace_id) const ABSL_LOCKS_EXCLUDED(mutex_);

  // Refreshes that wait or run now, and those that have ended since the start.
  struct Load {
    int64_t waiting = 0;
    int64_t running = 0;
    int64_t succeeded = 0;
    int64_t failed = 0;
  };
  Load load() const ABSL_LOCKS_EXCLUDED(mutex_);

  // A snapshot of the graph. FAILED_PRECONDITION while it is made.
  absl::StatusOr<std::unique_ptr<StoredGraph>> Open(std::string_view workspace_id) const;

  std::string PathOf(std::string_view workspace_id) const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Workspace {
    std::string id;
    std::shared_ptr<directory::Directory> directory;
    std::vector<std::shared_ptr<RefreshTicket>> waiting;  // For the next refresh.
    bool running = false;
    bool queued = false;
    RefreshProgress progress;
  };

  bool HasWork() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return stopping_ || !queue_.empty(); }
  void Enqueue(Workspace& workspace) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Refreshes a workspace that has ended once more if one waits for that; forgets it otherwise.
  void GoOn(Workspace& workspace) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void FailWaiting() ABSL_LOCKS_EXCLUDED(mutex_);
  void Work() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<RefreshReport> Run(const std::string& id, const directory::Directory& directory,
                                    RefreshProgress& progress) const;
  absl::StatusOr<RefreshReport> RunOnce(const std::string& path, const directory::Directory& directory,
                                        RefreshProgress& progress) const;

  const bool is_temporary_;
  const IndexOptions options_;
  std::atomic<bool> stop_{false};
  mutable absl::Mutex mutex_;
  mutable std::string folder_ ABSL_GUARDED_BY(mutex_);  // A temporary one is made with its first use.
  int idle_ ABSL_GUARDED_BY(mutex_) = 0;                // Threads that wait for work.
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  absl::flat_hash_map<std::string, std::unique_ptr<Workspace>> workspaces_ ABSL_GUARDED_BY(mutex_);
  std::deque<Workspace*> queue_ ABSL_GUARDED_BY(mutex_);
  Load load_ ABSL_GUARDED_BY(mutex_);  // Without `waiting`, which is the queue's length.
  std::vector<std::thread> threads_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::executors::code_graph::index

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_GRAPH_INDEXES_H_
