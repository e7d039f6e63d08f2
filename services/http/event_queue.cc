#include "services/http/event_queue.h"

#include <algorithm>

namespace toolgate::services::http {

size_t EventQueue::Take(char* buffer, size_t size) {
  size_t copied = 0;
  while (copied < size && !events_.empty()) {
    const std::string& first = events_.BeginFirst();
    const size_t count = std::min(size - copied, first.size() - taken_);
    std::copy_n(first.data() + taken_, count, buffer + copied);
    copied += count;
    taken_ += count;
    events_.CountLeft(count);
    if (taken_ == first.size()) {
      events_.Pop();
      taken_ = 0;
    }
  }
  return copied;
}

void EventQueue::Clear() {
  events_.Clear();
  taken_ = 0;
}

}  // namespace toolgate::services::http
