#include "common/http/response_channel.h"

#include <utility>

#include "absl/time/time.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"

namespace toolgate::http {

void ResponseChannel::PutHead(ResponseHead head) {
  {
    absl::MutexLock lock(&mutex_);
    head_ = std::move(head);
  }
  changed_.Set();
}

bool ResponseChannel::Put(std::string_view piece) {
  {
    absl::MutexLock lock(&mutex_);
    if (buffer_.size() >= kMaxBuffered) {
      stalled_ = true;
      return false;
    }
    buffer_.append(piece);
  }
  changed_.Set();
  return true;
}

void ResponseChannel::End(absl::Status status) {
  {
    absl::MutexLock lock(&mutex_);
    if (end_.has_value()) return;
    end_ = std::move(status);
  }
  changed_.Set();
}

template <typename Ready>
absl::Status ResponseChannel::Await(fibers::Wait wait, Ready ready) {
  while (true) {
    {
      absl::MutexLock lock(&mutex_);
      if (ready()) return absl::OkStatus();
      // The next piece sets it again.
      changed_.Reset();
    }
    RETURN_IF_ERROR(wait(changed_, absl::InfiniteDuration()).status());
  }
}

absl::StatusOr<ResponseHead> ResponseChannel::Head(fibers::Wait wait) {
  const auto ready = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return head_.has_value() || end_.has_value(); };
  RETURN_IF_ERROR(Await(wait, ready));
  absl::MutexLock lock(&mutex_);
  if (head_.has_value()) return *head_;
  return end_->ok() ? absl::DataLossError("the response has no head") : *end_;
}

absl::StatusOr<std::string> ResponseChannel::Next(fibers::Wait wait) {
  const auto ready = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !buffer_.empty() || end_.has_value(); };
  RETURN_IF_ERROR(Await(wait, ready));
  absl::MutexLock lock(&mutex_);
  if (!buffer_.empty() || end_->ok()) return std::exchange(buffer_, {});
  return *end_;
}

bool ResponseChannel::TakeStalled() {
  absl::MutexLock lock(&mutex_);
  return std::exchange(stalled_, false);
}

bool ResponseChannel::ended() const {
  absl::MutexLock lock(&mutex_);
  return end_.has_value();
}

}  // namespace toolgate::http
