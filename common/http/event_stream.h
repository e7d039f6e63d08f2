// Server-sent events, as the HTML standard has them (https://html.spec.whatwg.org/#server-sent-events).
#ifndef TOOLGATE_COMMON_HTTP_EVENT_STREAM_H_
#define TOOLGATE_COMMON_HTTP_EVENT_STREAM_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace toolgate::http {

struct ServerEvent {
  std::string type;  // "message" unless the stream says otherwise.
  std::string data;
};

// Parses a text/event-stream, whatever pieces it comes in. Not thread-safe.
class EventStreamParser {
 public:
  explicit EventStreamParser(size_t max_event_bytes = size_t{1} << 20) : max_event_bytes_(max_event_bytes) {}

  // The events that `bytes` completes. OUT_OF_RANGE when one exceeds the limit. An event without its blank line at the
  // end of the stream is none, as the standard says.
  absl::StatusOr<std::vector<ServerEvent>> Feed(std::string_view bytes);
  // The event that the stream ended in, for readers that are less strict: some servers write no blank line at the end.
  std::optional<ServerEvent> Rest();

 private:
  // Adds to the line that has begun.
  absl::Status Extend(std::string_view bytes);
  void EndLine(std::vector<ServerEvent>& events);
  void TakeField(std::string_view line);
  void EndEvent(std::vector<ServerEvent>& events);

  const size_t max_event_bytes_;
  std::string line_;
  ServerEvent event_;
  bool has_data_ = false;
  bool after_cr_ = false;
  bool at_start_ = true;
};

}  // namespace toolgate::http

#endif  // TOOLGATE_COMMON_HTTP_EVENT_STREAM_H_
