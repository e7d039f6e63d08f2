// Sends spans by OTLP.
#ifndef TOOLGATE_OBSERVABILITY_OTLP_OTLP_EXPORTER_H_
#define TOOLGATE_OBSERVABILITY_OTLP_OTLP_EXPORTER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/random/random.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "observability/otlp/request_encoder.h"
#include "observability/otlp/transport.h"
#include "observability/tracing/resource.h"
#include "observability/tracing/span_exporter.h"

namespace toolgate::observability::otlp {

// Sends a batch until it is taken, refused for good, or out of time.
class OtlpExporter final : public tracing::SpanExporter {
 public:
  struct Options {
    absl::Duration timeout;  // Of one batch, with all retries.
    tracing::Resource resource;
    std::string version;  // Of toolgate.
    // Told of the receiver's remarks on batches that it took.
    std::function<void(int64_t rejected, std::string_view message)> on_remark = nullptr;
    // Waits between two attempts, in place of real time; for tests.
    std::function<void(absl::Duration)> wait = nullptr;
    const Clock* clock = &Clock::Real();  // Measures the time-out. Borrowed.
  };

  OtlpExporter(Options options, std::unique_ptr<Transport> transport);

  absl::StatusOr<int64_t> Export(std::span<const tracing::SpanRef> batch, absl::Duration timeout) override;
  void StopRetrying() override ABSL_LOCKS_EXCLUDED(mutex_);
  void Cancel() override ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // False when no further attempt shall be made.
  bool Wait(absl::Duration duration) ABSL_LOCKS_EXCLUDED(mutex_);
  int64_t ReadResponse(std::string_view response) const;

  const Options options_;
  const std::unique_ptr<Transport> transport_;
  RequestEncoder encoder_;
  absl::BitGen random_;
  absl::Mutex mutex_;
  bool no_retries_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace toolgate::observability::otlp

#endif  // TOOLGATE_OBSERVABILITY_OTLP_OTLP_EXPORTER_H_
