// Any text that is read as iCalendar can be written and read back with as many events.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "common/ids.h"
#include "interchange/icalendar/export.h"
#include "interchange/icalendar/import.h"
#include "interchange/icalendar/text.h"

namespace toolgate::interchange::icalendar {
namespace {

// Returns the file written from the parsed text, and counts its blocks; "" if it could not be parsed.
std::string Rewrite(std::string_view text, int64_t& blocks) {
  const absl::Time now = absl::FromUnixSeconds(1772442000);
  const auto source = IcalImport::Parse(text, now, IdSource::Real());
  if (!source.ok()) return "";
  IcalExport calendar(now);
  v1::PortableBlock block;
  while (*(*source)->Next(block)) {
    if (!calendar.Add(block).ok()) std::abort();
  }
  blocks = calendar.events();
  return calendar.Finish();
}

}  // namespace
}  // namespace toolgate::interchange::icalendar

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(toolgate::interchange::icalendar::UnescapeIcalList(text));
  if (toolgate::interchange::icalendar::UnescapeIcal(toolgate::interchange::icalendar::EscapeIcal("x")) != "x")
    std::abort();
  int64_t first = 0;
  int64_t second = 0;
  const std::string rewritten = toolgate::interchange::icalendar::Rewrite(text, first);
  if (rewritten.empty()) return 0;
  if (toolgate::interchange::icalendar::Rewrite(rewritten, second).empty() || first != second) std::abort();
  return 0;
}
