#include "storage/sqlite/write_queue.h"

#include <algorithm>

namespace toolgate::storage::sqlite {

absl::Status WriteQueue::Run(WriteJob& job) {
  bool leads = false;
  {
    absl::MutexLock lock(&mutex_);
    waiting_.push_back(&job);
    leads = waiting_.size() == 1;
  }
  if (!leads) {
    job.turn_.Wait();
    if (job.done_) return job.status;
  }
  const std::vector<WriteJob*> batch = Batch();
  run_(batch);
  // Wakes the next leader first, so that the disk is not idle while the others wake.
  if (WriteJob* const next = Remove(batch.size()); next != nullptr) next->turn_.Post();
  for (WriteJob* const member : batch) {
    if (member == &job) continue;
    member->done_ = true;
    member->turn_.Post();
  }
  return job.status;
}

std::vector<WriteJob*> WriteQueue::Batch() {
  absl::MutexLock lock(&mutex_);
  const size_t size = std::min(waiting_.size(), max_batch_);
  return {waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(size)};
}

WriteJob* WriteQueue::Remove(size_t count) {
  absl::MutexLock lock(&mutex_);
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(count));
  return waiting_.empty() ? nullptr : waiting_.front();
}

}  // namespace toolgate::storage::sqlite
