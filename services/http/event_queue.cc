#include "services/http/event_queue.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace toolgate::services::http {

void EventQueue::Push(std::string bytes, bool replaceable) {
  const bool last_is_whole = events_.size() > 1 || (events_.size() == 1 && taken_ == 0);
  if (replaceable && last_is_whole && events_.back().replaceable) {
    queued_bytes_ += bytes.size() - events_.back().bytes.size();
    events_.back().bytes = std::move(bytes);
    return;
  }
  queued_bytes_ += bytes.size();
  events_.push_back({std::move(bytes), replaceable});
}

size_t EventQueue::Take(char* buffer, size_t size) {
  size_t copied = 0;
  while (copied < size && !events_.empty()) {
    const std::string& first = events_.front().bytes;
    const size_t count = std::min(size - copied, first.size() - taken_);
    std::memcpy(buffer + copied, first.data() + taken_, count);
    copied += count;
    taken_ += count;
    if (taken_ == first.size()) {
      events_.pop_front();
      taken_ = 0;
    }
  }
  queued_bytes_ -= copied;
  return copied;
}

void EventQueue::Clear() {
  events_.clear();
  taken_ = 0;
  queued_bytes_ = 0;
}

}  // namespace toolgate::services::http
