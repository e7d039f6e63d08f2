#include "services/grpc/call_tracker.h"

namespace toolgate::services::grpc {

CallTracker::Shard& CallTracker::ShardOf(const TrackedCall& call) {
  const auto address = reinterpret_cast<uintptr_t>(&call);
  return shards_[((address >> 6) ^ (address >> 12)) % shards_.size()];
}

void CallTracker::CancelIfAsked(Shard& shard, TrackedCall& call) {
  if (call.cancelled_ || !(call.open_ended_ ? shard.cancel_open_ended : shard.cancel_bounded)) return;
  call.cancelled_ = true;
  call.Cancel();
}

void CallTracker::Add(TrackedCall& call, Length length) {
  Shard& shard = ShardOf(call);
  absl::MutexLock lock(&shard.mutex);
  call.open_ended_ = length == Length::kOpenEnded;
  call.next_ = shard.first;
  if (shard.first != nullptr) shard.first->previous_ = &call;
  shard.first = &call;
  ++shard.count;
  CancelIfAsked(shard, call);
}

void CallTracker::Remove(TrackedCall& call) {
  Shard& shard = ShardOf(call);
  absl::MutexLock lock(&shard.mutex);
  (call.previous_ == nullptr ? shard.first : call.previous_->next_) = call.next_;
  if (call.next_ != nullptr) call.next_->previous_ = call.previous_;
  call.previous_ = nullptr;
  call.next_ = nullptr;
  --shard.count;
}

void CallTracker::CancelWhere(bool bounded_too) {
  for (Shard& shard : shards_) {
    absl::MutexLock lock(&shard.mutex);
    shard.cancel_open_ended = true;
    shard.cancel_bounded = shard.cancel_bounded || bounded_too;
    for (TrackedCall* call = shard.first; call != nullptr; call = call->next_) CancelIfAsked(shard, *call);
  }
}

void CallTracker::CancelOpenEnded() { CancelWhere(false); }

void CallTracker::CancelAll() { CancelWhere(true); }

int64_t CallTracker::count() const {
  int64_t total = 0;
  for (const Shard& shard : shards_) {
    absl::MutexLock lock(&shard.mutex);
    total += shard.count;
  }
  return total;
}

}  // namespace toolgate::services::grpc
