// Bytes of a stream that its client has not read yet.
#ifndef TOOLGATE_SERVICES_HTTP_EVENT_QUEUE_H_
#define TOOLGATE_SERVICES_HTTP_EVENT_QUEUE_H_

#include <cstddef>
#include <string>
#include <utility>

#include "services/api/outgoing_events.h"

namespace toolgate::services::http {

// Not thread-safe. Takes any number of bytes; whoever adds asks HasRoom.
class EventQueue {
 public:
  static constexpr size_t kMaxQueuedBytes = api::OutgoingEvents<std::string>::kMaxQueuedBytes;

  // As OutgoingEvents::Push.
  void Push(std::string bytes, bool replaceable) {
    const size_t size = bytes.size();
    events_.Push(std::move(bytes), size, replaceable);
  }
  // Moves at most `size` bytes to `buffer`; answers how many.
  size_t Take(char* buffer, size_t size);
  void Clear();

  bool empty() const { return events_.empty(); }
  bool HasRoom() const { return events_.HasRoom(); }

 private:
  api::OutgoingEvents<std::string> events_;
  size_t taken_ = 0;  // Of the first.
};

}  // namespace toolgate::services::http

#endif  // TOOLGATE_SERVICES_HTTP_EVENT_QUEUE_H_
