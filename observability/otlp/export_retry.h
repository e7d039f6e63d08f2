// The retry rules of OTLP over gRPC.
#ifndef TOOLGATE_OBSERVABILITY_OTLP_EXPORT_RETRY_H_
#define TOOLGATE_OBSERVABILITY_OTLP_EXPORT_RETRY_H_

#include <grpcpp/support/status.h>

#include <optional>

#include "absl/random/bit_gen_ref.h"
#include "absl/time/time.h"

namespace toolgate::observability::otlp {

// Waits between the attempts to export one batch: 1 s, growing by half up to 5 s, each shortened or lengthened by up to
// a fifth at random, so that replicas do not come back in step. Not thread-safe.
class ExportRetry {
 public:
  explicit ExportRetry(absl::BitGenRef random) : random_(random) {}

  // Time until the next attempt after one that ended with `failure`; nothing when the batch must be given up. The
  // receiver's own RetryInfo, if it sent one, counts instead of the back-off. As the specification lists them,
  // CANCELLED, DEADLINE_EXCEEDED, ABORTED, OUT_OF_RANGE, UNAVAILABLE and DATA_LOSS are retried, RESOURCE_EXHAUSTED only
  // with RetryInfo, everything else never.
  std::optional<absl::Duration> WaitAfter(const ::grpc::Status& failure);

 private:
  absl::BitGenRef random_;
  absl::Duration next_ = absl::Seconds(1);
};

}  // namespace toolgate::observability::otlp

#endif  // TOOLGATE_OBSERVABILITY_OTLP_EXPORT_RETRY_H_
