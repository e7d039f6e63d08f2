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
#include "cli/connection.h"
#include "cli/progress_bar.h"
#include "grpcpp/support/status.h"
#include "interchange/block_source.h"

namespace toolgate::cli {

// One import. Batches are written while the answers to earlier ones still come, so that neither side waits for the
// other. Used once, by one thread.
class BulkImport {
 public:
  struct Outcome {
    int64_t imported = 0;      // Blocks that are committed.
    std::string last_place;    // Where the last committed row came from.
    absl::Status source;       // What was wrong with the source.
    grpc::Status rpc;          // What the service said.
    std::string failed_place;  // Of a batch that the service refused: "lines 1001 to 2000", or one line where known.
  };

  // Borrows all.
  BulkImport(const Connection& connection, interchange::BlockSource& source, ProgressBar& progress)
      : connection_(connection), source_(source), progress_(progress) {}

  // Everything without a parent is put under `root_id`.
  Outcome Run(const std::string& root_id);

 private:
  // A batch on its way.
  struct Batch {
    std::vector<std::string> places;  // Of its rows.
    double fraction = 0;              // Of the source, at its end.
  };

  // Fills `request` and `batch` with the next rows.
  absl::Status Collect(v1::ImportBlocksRequest& request, Batch& batch);
  // Fills `row` with the next one of the source, or with further links of the one before, which had too many to go with
  // it. Answers whether there was one.
  absl::StatusOr<bool> Next(v1::PortableBlock& row);
  // Takes the batch that is committed off the queue: each is answered once. `imported`: blocks so far.
  void Acknowledge(int64_t imported) ABSL_LOCKS_EXCLUDED(mutex_);
  std::string FailedPlace(const grpc::Status& status) ABSL_LOCKS_EXCLUDED(mutex_);

  const Connection& connection_;
  interchange::BlockSource& source_;
  ProgressBar& progress_;
  bool ended_ = false;
  v1::PortableBlock more_links_;  // What Next answers first, unless it has no links.

  absl::Mutex mutex_;
  std::deque<Batch> in_flight_ ABSL_GUARDED_BY(mutex_);
  int64_t acknowledged_ ABSL_GUARDED_BY(mutex_) = 0;  // Rows that are committed.
  int64_t imported_ ABSL_GUARDED_BY(mutex_) = 0;
  std::string last_place_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_BULK_IMPORT_H_
