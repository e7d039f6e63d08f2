#include "common/http/event_stream.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"

namespace toolgate::http {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

absl::StatusOr<std::vector<ServerEvent>> EventStreamParser::Feed(std::string_view bytes) {
  std::vector<ServerEvent> events;
  while (!bytes.empty()) {
    // The second half of a CR LF.
    if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    const size_t end = std::min(bytes.find_first_of("\r\n"), bytes.size());
    RETURN_IF_ERROR(Extend(bytes.substr(0, end)));
    if (end == bytes.size()) break;
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    EndLine(events);
  }
  return events;
}

std::optional<ServerEvent> EventStreamParser::Rest() {
  std::vector<ServerEvent> events;
  if (!line_.empty()) EndLine(events);
  EndEvent(events);
  if (events.empty()) return std::nullopt;
  return std::move(events.front());
}

absl::Status EventStreamParser::Extend(std::string_view bytes) {
  if (bytes.size() > max_event_bytes_ || line_.size() + event_.data.size() > max_event_bytes_ - bytes.size()) {
    return absl::OutOfRangeError(absl::StrCat("event of more than ", max_event_bytes_, " bytes"));
  }
  line_.append(bytes);
  return absl::OkStatus();
}

void EventStreamParser::EndLine(std::vector<ServerEvent>& events) {
  std::string_view line = line_;
  if (std::exchange(at_start_, false) && absl::StartsWith(ToAbsl(line), ToAbsl(kByteOrderMark))) {
    line.remove_prefix(kByteOrderMark.size());
  }
  if (line.empty()) {
    EndEvent(events);
  } else {
    TakeField(line);
  }
  line_.clear();
}

void EventStreamParser::TakeField(std::string_view line) {
  const size_t colon = std::min(line.find(':'), line.size());
  const std::string_view name = line.substr(0, colon);
  std::string_view value = line.substr(std::min(colon + 1, line.size()));
  if (!value.empty() && value.front() == ' ') value.remove_prefix(1);
  if (name == "event") {
    event_.type = value;
  } else if (name == "data") {
    // Between lines; the standard adds one behind each and takes the last one away.
    if (std::exchange(has_data_, true)) event_.data += '\n';
    event_.data += value;
  }
}

void EventStreamParser::EndEvent(std::vector<ServerEvent>& events) {
  ServerEvent event = std::exchange(event_, {});
  if (!std::exchange(has_data_, false)) return;
  if (event.type.empty()) event.type = "message";
  events.push_back(std::move(event));
}

}  // namespace toolgate::http
