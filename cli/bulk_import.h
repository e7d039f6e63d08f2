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

// One import. Batches are written while the answers to earlier ones are still arriving, so that neither side waits for
// the other. Used once, by one thread.
class BulkImport {
 public:
  struct Outcome {
    int64_t imported = 0;      // Number of committed blocks.
    std::string last_place;    // Place of the last committed row in the source.
    absl::Status source;       // Failure of the source.
    grpc::Status rpc;          // Status from the service.
    std::string failed_place;  // Of a batch that the service refused: "lines 1001 to 2000", or one line if known.
  };

  // Borrows all.
  BulkImport(const Connection& connection, interchange::BlockSource& source, ProgressBar& progress)
      : connection_(connection), source_(source), progress_(progress) {}

  // Puts everything without a parent under `root_id`.
  Outcome Run(const std::string& root_id);

 private:
  // A batch that was sent and is not committed yet.
  struct Batch {
    std::vector<std::string> places;  // Of its rows.
    double fraction = 0;              // Fraction of the source, at its end.
  };

  // Fills `request` and `batch` with the next rows.
  absl::Status Collect(v1::ImportBlocksRequest& request, Batch& batch);
  // Fills `row` with the next one of the source, or with further links of the previous one if it had too many for one
  // row. Returns whether there was one.
  absl::StatusOr<bool> Next(v1::PortableBlock& row);
  // Removes the committed batch from the queue: each is answered once. `imported`: blocks so far.
  void Acknowledge(int64_t imported) ABSL_LOCKS_EXCLUDED(mutex_);
  std::string FailedPlace(const grpc::Status& status) ABSL_LOCKS_EXCLUDED(mutex_);

  const Connection& connection_;
  interchange::BlockSource& source_;
  ProgressBar& progress_;
  bool ended_ = false;
  v1::PortableBlock more_links_;  // Returned by Next first, unless it has no links.

  absl::Mutex mutex_;
  std::deque<Batch> in_flight_ ABSL_GUARDED_BY(mutex_);
  int64_t acknowledged_ ABSL_GUARDED_BY(mutex_) = 0;  // Number of committed rows.
  int64_t imported_ ABSL_GUARDED_BY(mutex_) = 0;
  std::string last_place_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_BULK_IMPORT_H_
