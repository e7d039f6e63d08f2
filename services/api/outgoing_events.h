// Events of a stream that have not left yet.
#ifndef TOOLGATE_SERVICES_API_OUTGOING_EVENTS_H_
#define TOOLGATE_SERVICES_API_OUTGOING_EVENTS_H_

#include <cstddef>
#include <deque>
#include <utility>

namespace toolgate::services::api {

// A queue of both transports, each with its own kind of bytes. Not thread-safe. Takes any number of events; senders ask
// HasRoom, and wait while there is none.
template <typename Bytes>
class OutgoingEvents {
 public:
  // Bytes that a slow client may leave unread, before the call waits.
  static constexpr size_t kMaxQueuedBytes = size_t{256} << 10;

  // A replaceable event takes the place of a replaceable one that has not begun to leave and that nothing has followed.
  void Push(Bytes bytes, size_t size, bool replaceable) {
    const bool last_is_whole = events_.size() > (first_leaves_ ? 1 : 0);
    if (replaceable && last_is_whole && events_.back().replaceable) {
      queued_bytes_ -= events_.back().size;
      events_.pop_back();
    }
    queued_bytes_ += size;
    events_.push_back({std::move(bytes), size, replaceable});
  }

  // The first event, which begins to leave; valid until Pop. There is one.
  Bytes& BeginFirst() {
    first_leaves_ = true;
    return events_.front().bytes;
  }
  // `size` bytes of the first event have left.
  void CountLeft(size_t size) {
    events_.front().size -= size;
    queued_bytes_ -= size;
  }
  // The whole of the first event has left.
  void Pop() {
    queued_bytes_ -= events_.front().size;
    events_.pop_front();
    first_leaves_ = false;
  }
  void Clear() {
    events_.clear();
    queued_bytes_ = 0;
    first_leaves_ = false;
  }

  bool empty() const { return events_.empty(); }
  bool HasRoom() const { return queued_bytes_ <= kMaxQueuedBytes; }

 private:
  struct Event {
    Bytes bytes;
    size_t size = 0;  // Of what has not left.
    bool replaceable = false;
  };

  std::deque<Event> events_;
  size_t queued_bytes_ = 0;
  bool first_leaves_ = false;
};

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_OUTGOING_EVENTS_H_
