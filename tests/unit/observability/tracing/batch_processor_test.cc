#include "observability/tracing/batch_processor.h"

#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "common/ids.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "observability/trace_ids.h"
#include "tests/support/fake_clock.h"

namespace toolgate::observability::tracing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Le;

// Keeps the ids of the spans of each batch. Thread-safe.
class FakeExporter final : public SpanExporter {
 public:
  absl::StatusOr<int64_t> Export(std::span<const SpanRef> batch, absl::Duration /*timeout*/) override {
    absl::MutexLock lock(&mutex_);
    ++started_;
    mutex_.Await(absl::Condition(this, &FakeExporter::MayContinue));
    if (cancelled_) return absl::CancelledError("cancelled");
    std::vector<uint64_t>& ids = batches_.emplace_back();
    for (const SpanRef& ref : batch) ids.push_back(ref.recording->spans()[ref.index].id);
    return result_;
  }
  void StopRetrying() override {}
  void Cancel() override {
    absl::MutexLock lock(&mutex_);
    cancelled_ = true;
  }

  void SetResult(absl::StatusOr<int64_t> result) {
    absl::MutexLock lock(&mutex_);
    result_ = std::move(result);
  }
  void Hold(bool held) {
    absl::MutexLock lock(&mutex_);
    held_ = held;
  }
  void AwaitStarted(int count) {
    absl::MutexLock lock(&mutex_);
    const auto reached = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return started_ >= count; };
    mutex_.Await(absl::Condition(&reached));
  }
  std::vector<std::vector<uint64_t>> batches() {
    absl::MutexLock lock(&mutex_);
    return batches_;
  }
  size_t exported() {
    size_t count = 0;
    for (const auto& batch : batches()) count += batch.size();
    return count;
  }

 private:
  bool MayContinue() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return !held_ || cancelled_; }

  absl::Mutex mutex_;
  absl::StatusOr<int64_t> result_ ABSL_GUARDED_BY(mutex_) = 0;
  bool held_ ABSL_GUARDED_BY(mutex_) = false;
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  int started_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<std::vector<uint64_t>> batches_ ABSL_GUARDED_BY(mutex_);
};

// A delay that no test waits for: only full batches and the end cause exports.
BatchProcessor::Options Patient() {
  BatchProcessor::Options options;
  options.delay = absl::Hours(1);
  options.export_timeout = absl::Seconds(30);
  options.max_queue = 20;
  options.max_batch = 4;
  return options;
}

class BatchProcessorTest : public ::testing::Test {
 protected:
  std::unique_ptr<TraceRecording> Recording(std::initializer_list<uint64_t> ids) {
    auto recording = std::make_unique<TraceRecording>(TraceContext{1, 2, 3, 1, {}}, ids_, clock_);
    for (const uint64_t id : ids) recording->Add({.id = id, .name = "span"});
    return recording;
  }

  double Dropped(const std::string& reason) {
    return Value(absl::StrCat("toolgate_spans_dropped_total{reason=\"", reason, "\"} "));
  }
  double Exported() { return Value("\ntoolgate_spans_exported_total "); }
  double Failed() { return Value("\ntoolgate_span_exports_failed_total "); }

  testing::FakeClock clock_;
  TraceIds ids_{IdSource::Real()};
  Metrics metrics_{{}};
  FakeExporter exporter_;

 private:
  double Value(const std::string& row) const {
    const std::string text = metrics_.Text();
    const size_t at = text.find(row);
    return at == std::string::npos ? -1 : std::stod(text.substr(at + row.size()));
  }
};

TEST_F(BatchProcessorTest, AFullBatchGoesOutAtOnce) {
  BatchProcessor processor(Patient(), exporter_, metrics_);
  processor.Take(Recording({1, 2}));
  processor.Take(Recording({3, 4}));
  exporter_.AwaitStarted(1);
  processor.Shutdown(absl::InfiniteDuration());
  EXPECT_THAT(exporter_.batches(), ElementsAre(ElementsAre(1, 2, 3, 4)));
  EXPECT_EQ(Exported(), 4);
}

TEST_F(BatchProcessorTest, ASpanWaitsNoLongerThanTheDelay) {
  BatchProcessor::Options options = Patient();
  options.delay = absl::Milliseconds(1);
  BatchProcessor processor(options, exporter_, metrics_);
  processor.Take(Recording({1}));
  exporter_.AwaitStarted(1);
  processor.Shutdown(absl::InfiniteDuration());
  EXPECT_THAT(exporter_.batches(), ElementsAre(ElementsAre(1)));
}

TEST_F(BatchProcessorTest, ALongTraceIsSplitAndNothingIsLostOrSentTwice) {
  BatchProcessor processor(Patient(), exporter_, metrics_);
  processor.Take(Recording({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
  processor.Take(Recording({11}));
  processor.Shutdown(absl::InfiniteDuration());
  std::vector<uint64_t> all;
  std::vector<size_t> sizes;
  for (const auto& batch : exporter_.batches()) {
    sizes.push_back(batch.size());
    all.insert(all.end(), batch.begin(), batch.end());
  }
  EXPECT_THAT(sizes, Each(Le(4u)));
  EXPECT_THAT(all, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
  EXPECT_EQ(Exported(), 11);
}

TEST_F(BatchProcessorTest, AFullQueueDropsWholeCallsAndCounts) {
  exporter_.Hold(true);
  BatchProcessor processor(Patient(), exporter_, metrics_);
  processor.Take(Recording({1, 2, 3, 4}));
  exporter_.AwaitStarted(1);
  for (int i = 0; i < 5; ++i) processor.Take(Recording({5, 6, 7, 8}));  // Fills the queue.
  EXPECT_EQ(Dropped("queue_full"), 0);
  processor.Take(Recording({9, 10, 11}));
  EXPECT_EQ(Dropped("queue_full"), 3);
  exporter_.Hold(false);
  processor.Shutdown(absl::InfiniteDuration());
  EXPECT_EQ(exporter_.exported(), 24u);
}

TEST_F(BatchProcessorTest, CountsFailuresAndRefusedSpans) {
  std::vector<bool> changes;
  BatchProcessor::Options options = Patient();
  options.on_change = [&](const absl::Status& status) { changes.push_back(status.ok()); };
  BatchProcessor processor(options, exporter_, metrics_);
  exporter_.SetResult(absl::UnavailableError("down"));
  processor.Take(Recording({1, 2, 3, 4}));
  exporter_.AwaitStarted(1);
  exporter_.SetResult(1);
  processor.Take(Recording({5, 6, 7, 8}));
  exporter_.AwaitStarted(2);
  processor.Take(Recording({9, 10, 11, 12}));
  processor.Shutdown(absl::InfiniteDuration());
  EXPECT_EQ(Failed(), 1);
  EXPECT_EQ(Dropped("export_failed"), 4);
  EXPECT_EQ(Dropped("rejected"), 2);
  EXPECT_EQ(Exported(), 6);
  EXPECT_THAT(changes, ElementsAre(false, true));
}

TEST_F(BatchProcessorTest, SpansBeyondATracesBoundAreCounted) {
  auto recording = std::make_unique<TraceRecording>(TraceContext{1, 2, 3, 1, {}}, ids_, clock_);
  for (size_t i = 0; i < TraceRecording::kMaxSpans + 2; ++i) recording->Add({.id = i + 1, .name = "span"});
  BatchProcessor processor(Patient(), exporter_, metrics_);
  processor.Take(std::move(recording));
  EXPECT_EQ(Dropped("trace_too_long"), 2);
  EXPECT_EQ(Dropped("queue_full"), static_cast<double>(TraceRecording::kMaxSpans));
}

TEST_F(BatchProcessorTest, AReceiverThatHangsDoesNotHoldUpTheEnd) {
  exporter_.Hold(true);
  BatchProcessor processor(Patient(), exporter_, metrics_);
  processor.Take(Recording({1, 2, 3, 4}));
  exporter_.AwaitStarted(1);
  processor.Take(Recording({5}));
  processor.Shutdown(absl::Milliseconds(1));
  EXPECT_EQ(exporter_.exported(), 0u);
  EXPECT_EQ(Dropped("export_failed"), 5);
}

TEST_F(BatchProcessorTest, SpansAfterTheEndAreCounted) {
  BatchProcessor processor(Patient(), exporter_, metrics_);
  processor.Shutdown(absl::InfiniteDuration());
  processor.Take(Recording({1, 2}));
  EXPECT_EQ(Dropped("shutdown"), 2);
}

TEST_F(BatchProcessorTest, EverySpanOfManyThreadsIsExportedOrCounted) {
  constexpr int kThreads = 4;
  constexpr int kCalls = 500;
  BatchProcessor processor(Patient(), exporter_, metrics_);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < kCalls; ++j)
        processor.Take(Recording({ids_.NewSpanId(), ids_.NewSpanId(), ids_.NewSpanId()}));
    });
  }
  for (std::thread& thread : threads) thread.join();
  processor.Shutdown(absl::InfiniteDuration());
  std::vector<uint64_t> all;
  for (const auto& batch : exporter_.batches()) all.insert(all.end(), batch.begin(), batch.end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end()) << "a span was exported twice";
  EXPECT_EQ(static_cast<double>(all.size()), Exported());
  EXPECT_EQ(Exported() + Dropped("queue_full"), 3.0 * kThreads * kCalls);
}

}  // namespace
}  // namespace toolgate::observability::tracing
