#include "storage/postgres/write_queue.h"

#include <algorithm>
#include <utility>

namespace toolgate::storage::postgres {

bool WriteJob::Begin() {
  State expected = State::kWaiting;
  return state_.compare_exchange_strong(expected, State::kBegun) || expected == State::kBegun;
}

bool WriteJob::Leave() {
  State expected = State::kWaiting;
  return state_.compare_exchange_strong(expected, State::kLeft);
}

absl::Status WriteQueue::Run(std::string_view workspace_id, const fibers::Cancellation& call, WriteJob::Body body) {
  const std::string id(workspace_id);
  const auto job = std::make_shared<WriteJob>(call, body);
  bool leads = false;
  {
    absl::MutexLock lock(&mutex_);
    Line& line = lines_[id];
    leads = line.leader == nullptr;
    if (leads) line.leader = job;
    line.waiting.push_back(job);
  }
  if (leads) return Lead(id, job);
  const absl::Status ended = Await(id, *job);
  if (!ended.ok()) return ended;
  return job->done_ ? job->status : Lead(id, job);
}

// OK: it was done, or leads now.
absl::Status WriteQueue::Await(const std::string& workspace_id, WriteJob& job) {
  const absl::Status came = timer_.Wait(job.turn_, job.call_).status();
  if (came.ok()) return came;
  bool leads = false;
  {
    absl::MutexLock lock(&mutex_);
    const auto line = lines_.find(workspace_id);
    leads = line != lines_.end() && line->second.leader.get() == &job;
    if (!leads && job.Leave()) {
      if (line != lines_.end())
        std::erase_if(line->second.waiting, [&](const auto& other) { return other.get() == &job; });
      return came;
    }
  }
  while (!job.turn_.IsSet()) job.turn_.WaitAside();
  return absl::OkStatus();
}

absl::Status WriteQueue::Lead(const std::string& workspace_id, const std::shared_ptr<WriteJob>& job) {
  const std::vector<std::shared_ptr<WriteJob>> batch = TakeBatch(workspace_id);
  const size_t done = run_(workspace_id, batch);
  PassOn(workspace_id, absl::MakeConstSpan(batch).subspan(done));
  for (size_t i = 0; i < done; ++i) {
    if (batch[i] == job) continue;
    batch[i]->done_ = true;
    batch[i]->turn_.Set();
  }
  return job->status;
}

std::vector<std::shared_ptr<WriteJob>> WriteQueue::TakeBatch(const std::string& workspace_id) {
  absl::MutexLock lock(&mutex_);
  std::deque<std::shared_ptr<WriteJob>>& waiting = lines_[workspace_id].waiting;
  const auto end = waiting.begin() + static_cast<ptrdiff_t>(std::min(waiting.size(), max_batch_));
  std::vector<std::shared_ptr<WriteJob>> batch(waiting.begin(), end);
  waiting.erase(waiting.begin(), end);
  return batch;
}

void WriteQueue::PassOn(const std::string& workspace_id, Jobs left) {
  std::shared_ptr<WriteJob> next;
  {
    absl::MutexLock lock(&mutex_);
    Line& line = lines_[workspace_id];
    for (size_t i = left.size(); i-- > 0;) line.waiting.push_front(left[i]);
    // A caller that left while its job was in the batch is not in the line any more.
    while (!line.waiting.empty() && line.waiting.front()->state_.load() == WriteJob::State::kLeft) {
      line.waiting.pop_front();
    }
    if (line.waiting.empty()) {
      lines_.erase(workspace_id);
      return;
    }
    next = line.leader = line.waiting.front();
  }
  next->turn_.Set();
}

}  // namespace toolgate::storage::postgres
