// A stream of events says the same whatever pieces it comes in, and no event exceeds its limit. The first byte is the
// size of the pieces.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "common/http/event_stream.h"

namespace {

constexpr size_t kMaxEventBytes = 256;

// All events, and whether one was too large.
std::string Read(std::string_view stream, size_t piece) {
  toolgate::http::EventStreamParser parser(kMaxEventBytes);
  std::string all;
  for (size_t at = 0; at < stream.size(); at += piece) {
    const auto events = parser.Feed(stream.substr(at, piece));
    if (!events.ok()) return "too large";
    for (const toolgate::http::ServerEvent& event : *events) {
      if (event.type.empty() || event.data.size() > kMaxEventBytes) std::abort();
      all += event.type + '\0' + event.data + '\0';
    }
  }
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view stream(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (Read(stream, std::max<size_t>(data[0], 1)) != Read(stream, std::max<size_t>(stream.size(), 1))) std::abort();
  return 0;
}
