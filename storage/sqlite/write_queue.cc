#include "storage/sqlite/write_queue.h"

#include <algorithm>
#include <vector>

namespace toolgate::storage::sqlite {

absl::Status WriteQueue::Run(WriteJob& job) {
  absl::MutexLock lock(&mutex_);
  waiting_.push_back(&job);
  while (!job.done_ && waiting_.front() != &job) job.turn_.Wait(&mutex_);
  if (job.done_) return job.status;

  const size_t size = std::min(waiting_.size(), max_batch_);
  const std::vector<WriteJob*> batch(waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(size));
  mutex_.Unlock();
  run_(batch);
  mutex_.Lock();
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(size));
  // The next leader first, so that the disk is not idle while the others wake.
  if (!waiting_.empty()) waiting_.front()->turn_.Signal();
  for (WriteJob* member : batch) {
    member->done_ = true;
    if (member != &job) member->turn_.Signal();
  }
  return job.status;
}

}  // namespace toolgate::storage::sqlite
