// Bytes of a stream that its client has not read yet.
#ifndef TOOLGATE_SERVICES_HTTP_EVENT_QUEUE_H_
#define TOOLGATE_SERVICES_HTTP_EVENT_QUEUE_H_

#include <cstddef>
#include <deque>
#include <string>

namespace toolgate::services::http {

// Not thread-safe. Takes any number of bytes; whoever adds asks HasRoom.
class EventQueue {
 public:
  // Bytes that a slow client may leave unread, before the call waits.
  static constexpr size_t kMaxQueuedBytes = size_t{256} << 10;

  // A replaceable event takes the place of a replaceable one of which nothing has left and that nothing has followed.
  void Push(std::string bytes, bool replaceable);
  // Moves at most `size` bytes to `buffer`; answers how many.
  size_t Take(char* buffer, size_t size);
  void Clear();

  bool empty() const { return events_.empty(); }
  bool HasRoom() const { return queued_bytes_ <= kMaxQueuedBytes; }

 private:
  struct Entry {
    std::string bytes;
    bool replaceable = false;
  };

  std::deque<Entry> events_;
  size_t taken_ = 0;  // Of the first.
  size_t queued_bytes_ = 0;
};

}  // namespace toolgate::services::http

#endif  // TOOLGATE_SERVICES_HTTP_EVENT_QUEUE_H_
