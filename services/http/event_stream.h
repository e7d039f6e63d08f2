// Server-sent events on their way to a client.
#ifndef TOOLGATE_SERVICES_HTTP_EVENT_STREAM_H_
#define TOOLGATE_SERVICES_HTTP_EVENT_STREAM_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "common/fibers/cancellation.h"

namespace toolgate::services::http {

// One event. `data` has no line breaks: JSON, or a word.
struct ServerSentEvent {
  std::string_view name;  // Empty: none, which a browser calls "message".
  std::string data;
  // Whether the next replaceable event takes its place while it has not left.
  bool replaceable = false;
};

// `event` as it goes over the wire.
std::string FormatEvent(const ServerSentEvent& event);

// The client's end of a stream, which begins with the first event. Used by one fiber at a time.
class EventStream {
 public:
  virtual ~EventStream() = default;

  // Queues `event`. Never waits; an event for a client that is gone is dropped.
  virtual void Send(const ServerSentEvent& event) = 0;

  // As Send, and waits while the queue is full, so the caller holds no lock and no transaction. CANCELLED when the
  // client is gone, TIMEOUT at the deadline of `cancellation`.
  virtual absl::Status SendAndWait(const ServerSentEvent& event, const fibers::Cancellation& cancellation) = 0;
};

}  // namespace toolgate::services::http

#endif  // TOOLGATE_SERVICES_HTTP_EVENT_STREAM_H_
