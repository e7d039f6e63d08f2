// The waits between the attempts to export a batch.
#ifndef TOOLGATE_OBSERVABILITY_OTLP_EXPORT_RETRY_H_
#define TOOLGATE_OBSERVABILITY_OTLP_EXPORT_RETRY_H_

#include <optional>

#include "absl/random/bit_gen_ref.h"
#include "absl/time/time.h"
#include "observability/otlp/transport.h"

namespace toolgate::observability::otlp {

// Waits between the attempts to export one batch: 1 s, growing by half up to 5 s, each shortened or lengthened by up to
// a fifth at random, so that replicas do not come back in step. Not thread-safe.
class ExportRetry {
 public:
  explicit ExportRetry(absl::BitGenRef random) : random_(random) {}

  // Time until the next attempt after one that failed; nothing when the batch must be given up. A wait that the
  // receiver asked for counts instead of the back-off.
  std::optional<absl::Duration> WaitAfter(const Attempt& failure);

 private:
  absl::BitGenRef random_;
  absl::Duration next_ = absl::Seconds(1);
};

}  // namespace toolgate::observability::otlp

#endif  // TOOLGATE_OBSERVABILITY_OTLP_EXPORT_RETRY_H_
