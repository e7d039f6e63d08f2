#include "services/http/event_stream.h"

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"

namespace toolgate::services::http {

std::string FormatEvent(const ServerSentEvent& event) {
  if (event.name.empty()) return absl::StrCat("data: ", event.data, "\n\n");
  return absl::StrCat("event: ", ToAbsl(event.name), "\ndata: ", event.data, "\n\n");
}

}  // namespace toolgate::services::http
