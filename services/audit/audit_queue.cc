#include "services/audit/audit_queue.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "absl/time/clock.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "storage/fault.h"

namespace toolgate::services::audit {
namespace {

// Pause between attempts while the store fails, so that a broken disk does not occupy a core.
constexpr absl::Duration kRetryPause = absl::Milliseconds(250);
constexpr absl::Duration kTrimInterval = absl::Minutes(1);
constexpr char kTrimLease[] = "audit retention";

}  // namespace

AuditQueue::AuditQueue(storage::Store& store, const toolgate::config::v1::Audit& config, Options options)
    : store_(store),
      flush_interval_(FromProtoDuration(config.flush_interval())),
      max_pending_(static_cast<size_t>(config.max_pending())),
      retention_(FromProtoDuration(config.retention())),
      options_(std::move(options)),
      eager_(std::max<size_t>(1, std::min<size_t>(512, max_pending_ / 4))),
      thread_([this] { Loop(); }) {}

AuditQueue::~AuditQueue() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
    due_.Signal();
  }
  thread_.join();
}

absl::Status AuditQueue::Add(const v1::AuditEntry& entry) {
  ASSIGN_OR_RETURN(storage::PackedAuditEntry packed, storage::PackAuditEntry(entry));
  const size_t bytes = packed.bytes.size();
  absl::MutexLock lock(&mutex_);
  if (pending_.load(std::memory_order_relaxed) >= max_pending_ || pending_bytes_ >= options_.max_pending_bytes) {
    return storage::MarkFault(
        absl::UnavailableError("the audit log cannot be written, and no further call may go unaudited"));
  }
  if (entries_.empty()) entries_since_ = options_.clock->Monotonic();
  entries_.push_back(std::move(packed));
  entries_bytes_ += bytes;
  pending_bytes_ += bytes;
  pending_.fetch_add(1, std::memory_order_relaxed);
  if (Due()) due_.Signal();
  return absl::OkStatus();
}

absl::Status AuditQueue::Flush() {
  absl::MutexLock lock(&mutex_);
  ++flushers_;
  due_.Signal();
  // A round that has started may have taken its entries before ours was added, so only the next one counts.
  const uint64_t target = rounds_started_ + 1;
  const auto reached = [this, target]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return rounds_done_ >= target; };
  mutex_.Await(absl::Condition(&reached));
  --flushers_;
  return last_status_;
}

absl::Duration AuditQueue::lag() const {
  absl::MutexLock lock(&mutex_);
  const absl::Duration oldest = std::min(entries_since_, batch_since_);
  if (oldest == absl::InfiniteDuration()) return absl::ZeroDuration();
  return std::max(options_.clock->Monotonic() - oldest, absl::ZeroDuration());
}

bool AuditQueue::Due() const {
  return stopping_ || flushers_ > 0 || entries_.size() >= eager_ || entries_bytes_ >= options_.max_pending_bytes / 4;
}

void AuditQueue::Loop() {
  while (true) {
    std::vector<storage::PackedAuditEntry> batch;
    size_t bytes = 0;
    bool last = false;
    {
      absl::MutexLock lock(&mutex_);
      const absl::Duration pause = trim_from_ == 0 ? flush_interval_ : absl::ZeroDuration();
      const absl::Time end = absl::Now() + pause;
      while (!Due() && !due_.WaitWithDeadline(&mutex_, end)) {
      }
      last = stopping_;
      batch.swap(entries_);
      // As many will come again, and growing moves those that are there.
      entries_.reserve(std::min(batch.size(), eager_));
      bytes = std::exchange(entries_bytes_, 0);
      batch_since_ = std::exchange(entries_since_, absl::InfiniteDuration());
      ++rounds_started_;
    }
    WriteBatch(std::move(batch), bytes);
    if (last) return;
    Trim();
  }
}

void AuditQueue::Trim() {
  const absl::Time now = options_.clock->Now();
  if (trim_from_ == 0) {
    if (retention_ <= absl::ZeroDuration() || now < next_trim_) return;
    next_trim_ = now + kTrimInterval;
    if (!TakeTrimLease()) return;
  }
  const absl::StatusOr<storage::AuditTrim> step = store_.TrimAudit(now - retention_, trim_from_);
  trim_from_ = step.ok() ? step->next : 0;
  if (trim_from_ == 0) trim_lease_.reset();
  const absl::Status& status = step.ok() ? step->kept : step.status();
  if (!status.ok() && options_.on_trim_failed != nullptr) options_.on_trim_failed(status);
}

bool AuditQueue::TakeTrimLease() {
  if (options_.leases == nullptr) return true;
  absl::StatusOr<std::optional<coordination::leases::Leases::Lease>> lease = options_.leases->TryTake({"", kTrimLease});
  if (!lease.ok() || !lease->has_value()) return false;
  trim_lease_.emplace(**std::move(lease));
  return true;
}

void AuditQueue::WriteBatch(std::vector<storage::PackedAuditEntry> batch, size_t bytes) {
  absl::Status status;
  const absl::Time start = absl::Now();
  if (!batch.empty()) status = store_.AppendPackedAudit(batch);
  if (!batch.empty() && options_.on_flush != nullptr) options_.on_flush(batch.size(), absl::Now() - start, status);
  bool pause = false;
  {
    absl::MutexLock lock(&mutex_);
    if (status.ok()) {
      pending_.fetch_sub(batch.size(), std::memory_order_relaxed);
      pending_bytes_ -= bytes;
    } else {
      batch.insert(batch.end(), std::make_move_iterator(entries_.begin()), std::make_move_iterator(entries_.end()));
      entries_ = std::move(batch);
      entries_bytes_ += bytes;
      entries_since_ = std::min(entries_since_, batch_since_);
      pause = !stopping_;
    }
    batch_since_ = absl::InfiniteDuration();
    last_status_ = status;
    rounds_done_ = rounds_started_;
  }
  if (pause) absl::SleepFor(kRetryPause);
}

}  // namespace toolgate::services::audit
