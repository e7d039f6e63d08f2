// The queue of finished spans, and the thread that has them exported.
#ifndef TOOLGATE_OBSERVABILITY_TRACING_BATCH_PROCESSOR_H_
#define TOOLGATE_OBSERVABILITY_TRACING_BATCH_PROCESSOR_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"
#include "observability/metrics.h"
#include "observability/tracing/span_exporter.h"
#include "observability/tracing/trace_recording.h"
#include "observability/tracing/tracer.h"

namespace toolgate::observability::tracing {

// The batching span processor of the OpenTelemetry specification. The spans of an RPC come in together: that is two
// atomic operations, whatever the exporter does, and a lock only for the one RPC that fills a batch. What does not fit
// is dropped and counted.
class BatchProcessor final : public RecordingSink {
 public:
  struct Options {
    absl::Duration delay;           // Longest time that a span waits for others to share its batch.
    absl::Duration export_timeout;  // Of one batch, with all retries.
    int64_t max_queue = 0;          // Spans that are kept, apart from the batch that is being exported.
    int64_t max_batch = 0;          // Spans in a batch.
    // Told of each export that failed (not OK), and of the first that succeeds afterwards (OK).
    std::function<void(const absl::Status&)> on_change = nullptr;
  };

  // Borrows `exporter` and `metrics`.
  BatchProcessor(Options options, SpanExporter& exporter, Metrics& metrics);
  // As Shutdown, without time, if that was not called.
  ~BatchProcessor() override;

  void Take(std::unique_ptr<TraceRecording> recording) override;

  // Exports everything that is queued, without retries, for `timeout` at most; the export of what is left then fails.
  // Everything that comes later is dropped and counted. A second call does nothing. Called by one thread at a time.
  void Shutdown(absl::Duration timeout) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void Run() ABSL_LOCKS_EXCLUDED(mutex_);
  // Waits until a batch is full, the delay is over, or Shutdown was called (false).
  bool WaitForWork() ABSL_LOCKS_EXCLUDED(mutex_);
  bool MayWork() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return stopping_ || IsBatchFull(); }
  bool IsBatchFull() const { return queued_.load(std::memory_order_relaxed) >= options_.max_batch; }

  // Fills batch_ from what came in; false when there is nothing.
  bool FillBatch();
  void Collect();
  void ExportBatch();
  // Counts what is left as dropped, once the thread has ended.
  void DropRest();

  const Options options_;
  SpanExporter& exporter_;
  Metrics& metrics_;
  std::atomic<TraceRecording*> incoming_{nullptr};  // A stack, newest first, linked by TraceRecording::next.
  std::atomic<int64_t> queued_{0};                  // Spans in incoming_ and pending_.

  // Of the thread alone.
  std::vector<std::unique_ptr<TraceRecording>> pending_;  // Oldest last.
  size_t exported_of_last_ = 0;                           // Spans of pending_.back() that are in a batch already.
  std::vector<std::unique_ptr<TraceRecording>> done_;     // All in the present batch, which borrows them.
  std::vector<SpanRef> batch_;
  bool failing_ = false;

  absl::Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::atomic<bool> closed_{false};  // Nothing is queued any more.
  absl::Notification ended_;         // The thread has nothing more to do.
  std::thread thread_;
};

}  // namespace toolgate::observability::tracing

#endif  // TOOLGATE_OBSERVABILITY_TRACING_BATCH_PROCESSOR_H_
