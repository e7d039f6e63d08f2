// Streams blocks into a service.
#ifndef TOOLGATE_CLI_BULK_IMPORT_H_
#define TOOLGATE_CLI_BULK_IMPORT_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "cli/block_source.h"
#include "cli/connection.h"
#include "cli/progress_bar.h"
#include "grpcpp/support/status.h"

namespace toolgate::cli {

// One import. Batches are written while the answers to earlier ones still come, so that neither side waits for the
// other. Used once, by one thread.
class BulkImport {
 public:
  struct Outcome {
    int64_t imported = 0;      // Blocks that are committed.
    std::string last_place;    // Where the last committed block came from.
    absl::Status source;       // What was wrong with the source.
    grpc::Status rpc;          // What the service said.
    std::string failed_place;  // Of a batch that the service refused: "lines 1001 to 2000", or one line where known.
  };

  // Borrows all.
  BulkImport(const Connection& connection, BlockSource& source, ProgressBar& progress)
      : connection_(connection), source_(source), progress_(progress) {}

  // Everything without a parent is put under `root_id`.
  Outcome Run(const std::string& root_id);

 private:
  // A batch on its way.
  struct Batch {
    std::vector<std::string> places;  // Of its blocks.
    double fraction = 0;              // Of the source, at its end.
  };

  // Fills `request` and `batch` with the next blocks.
  absl::Status Collect(v1::ImportBlocksRequest& request, Batch& batch);
  // Takes the batches that are committed off the queue.
  void Acknowledge(int64_t imported) ABSL_LOCKS_EXCLUDED(mutex_);
  std::string FailedPlace(const grpc::Status& status) ABSL_LOCKS_EXCLUDED(mutex_);

  const Connection& connection_;
  BlockSource& source_;
  ProgressBar& progress_;
  bool ended_ = false;

  absl::Mutex mutex_;
  std::deque<Batch> in_flight_ ABSL_GUARDED_BY(mutex_);
  int64_t imported_ ABSL_GUARDED_BY(mutex_) = 0;
  std::string last_place_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_BULK_IMPORT_H_
