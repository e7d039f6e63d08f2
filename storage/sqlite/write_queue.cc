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
  if (job.alone_) {
    job.status = job.RunBody();
  } else {
    run_(batch);
  }
  // Wakes the next leader first, so that the disk is not idle while the others wake.
  if (WriteJob* const next = Remove(batch.size()); next != nullptr) next->turn_.Post();
  for (WriteJob* const member : batch) {
    if (member == &job) continue;
    member->done_ = true;
    member->turn_.Post();
  }
  return job.status;
}

void WriteQueue::RunAlone(absl::FunctionRef<void()> work) {
  const auto run = [&] {
    work();
    return absl::OkStatus();
  };
  WriteJob job(run);
  job.alone_ = true;
  Run(job).IgnoreError();
}

std::vector<WriteJob*> WriteQueue::Batch() {
  absl::MutexLock lock(&mutex_);
  std::vector<WriteJob*> batch = {waiting_.front()};
  while (!batch.front()->alone_ && batch.size() < std::min(waiting_.size(), max_batch_) &&
         !waiting_[batch.size()]->alone_) {
    batch.push_back(waiting_[batch.size()]);
  }
  return batch;
}

WriteJob* WriteQueue::Remove(size_t count) {
  absl::MutexLock lock(&mutex_);
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<ptrdiff_t>(count));
  return waiting_.empty() ? nullptr : waiting_.front();
}

}  // namespace toolgate::storage::sqlite
