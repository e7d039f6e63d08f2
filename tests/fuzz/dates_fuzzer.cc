// Any text that is read as a date is written in the stored form and read back as the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "common/dates.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const absl::Time now = absl::FromUnixSeconds(1772442000);
  static_cast<void>(toolgate::ParseClockTime(text));
  static_cast<void>(toolgate::ParseStoredDate(text));
  const auto date = toolgate::ParseDate(text, now, absl::UTCTimeZone());
  if (!date.ok()) return 0;
  const std::string stored = toolgate::FormatDate(*date);
  const auto again = toolgate::ParseStoredDate(stored);
  if (!again.ok() || toolgate::FormatDate(*again) != stored) std::abort();
  return 0;
}
