#include "observability/tracing/batch_processor.h"

#include <algorithm>
#include <utility>

#include "absl/status/statusor.h"

namespace toolgate::observability::tracing {

BatchProcessor::BatchProcessor(Options options, SpanExporter& exporter, Metrics& metrics)
    : options_(std::move(options)), exporter_(exporter), metrics_(metrics), thread_([this] { Run(); }) {}

BatchProcessor::~BatchProcessor() {
  Shutdown(absl::ZeroDuration());
  DropRest();  // Recordings that came in while the thread ended.
}

void BatchProcessor::Take(std::unique_ptr<TraceRecording> recording) {
  const auto count = static_cast<int64_t>(recording->spans().size());
  if (recording->dropped() > 0) {
    metrics_.CountDroppedSpans(SpanDrop::kTraceTooLong, static_cast<int64_t>(recording->dropped()));
  }
  if (closed_.load(std::memory_order_acquire)) return metrics_.CountDroppedSpans(SpanDrop::kShutdown, count);
  const int64_t before = queued_.fetch_add(count, std::memory_order_relaxed);
  if (before + count > options_.max_queue) {
    queued_.fetch_sub(count, std::memory_order_relaxed);
    return metrics_.CountDroppedSpans(SpanDrop::kQueueFull, count);
  }
  TraceRecording* const added = recording.release();
  added->next = incoming_.load(std::memory_order_relaxed);
  while (!incoming_.compare_exchange_weak(added->next, added, std::memory_order_release, std::memory_order_relaxed)) {
  }
  // The lock is free but for moments: releasing it is what wakes the thread.
  if (before < options_.max_batch && before + count >= options_.max_batch) absl::MutexLock wake(&mutex_);
}

void BatchProcessor::Shutdown(absl::Duration timeout) {
  if (!thread_.joinable()) return;
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  exporter_.StopRetrying();
  if (!ended_.WaitForNotificationWithTimeout(timeout)) exporter_.Cancel();
  thread_.join();
  DropRest();
}

void BatchProcessor::Run() {
  while (WaitForWork()) {
    if (FillBatch()) ExportBatch();
  }
  while (FillBatch()) ExportBatch();
  closed_.store(true, std::memory_order_release);
  ended_.Notify();
}

bool BatchProcessor::WaitForWork() {
  absl::MutexLock lock(&mutex_);
  mutex_.AwaitWithTimeout(absl::Condition(this, &BatchProcessor::MayWork), options_.delay);
  return !stopping_;
}

void BatchProcessor::Collect() {
  std::vector<std::unique_ptr<TraceRecording>> came;  // Newest first, as in the stack.
  TraceRecording* next = incoming_.exchange(nullptr, std::memory_order_acquire);
  while (next != nullptr) {
    came.emplace_back(next);
    next = next->next;
  }
  pending_.insert(pending_.begin(), std::make_move_iterator(came.begin()), std::make_move_iterator(came.end()));
}

bool BatchProcessor::FillBatch() {
  batch_.clear();
  done_.clear();
  Collect();
  const auto wanted = static_cast<size_t>(options_.max_batch);
  while (batch_.size() < wanted && !pending_.empty()) {
    const TraceRecording& recording = *pending_.back();
    const size_t end = std::min(recording.spans().size(), exported_of_last_ + wanted - batch_.size());
    for (size_t i = exported_of_last_; i < end; ++i) batch_.push_back({&recording, i});
    exported_of_last_ = end;
    if (end < recording.spans().size()) break;
    exported_of_last_ = 0;
    done_.push_back(std::move(pending_.back()));
    pending_.pop_back();
  }
  queued_.fetch_sub(static_cast<int64_t>(batch_.size()), std::memory_order_relaxed);
  return !batch_.empty();
}

void BatchProcessor::ExportBatch() {
  const auto count = static_cast<int64_t>(batch_.size());
  const absl::StatusOr<int64_t> rejected = exporter_.Export(batch_, options_.export_timeout);
  if (rejected.ok()) {
    const int64_t refused = std::clamp<int64_t>(*rejected, 0, count);
    metrics_.CountExportedSpans(count - refused);
    if (refused > 0) metrics_.CountDroppedSpans(SpanDrop::kRejected, refused);
  } else {
    metrics_.CountFailedSpanExport();
    metrics_.CountDroppedSpans(SpanDrop::kExportFailed, count);
  }
  const bool report = !rejected.ok() || failing_;
  failing_ = !rejected.ok();
  if (report && options_.on_change != nullptr) options_.on_change(rejected.status());
}

void BatchProcessor::DropRest() {
  while (FillBatch()) metrics_.CountDroppedSpans(SpanDrop::kShutdown, static_cast<int64_t>(batch_.size()));
}

}  // namespace toolgate::observability::tracing
