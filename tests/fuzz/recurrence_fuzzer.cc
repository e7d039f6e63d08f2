// Any text that is read as a rule has an equivalent normal form, and stays within its limits when it is expanded.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "executors/blocks/recurrence.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using toolgate::executors::blocks::Recurrence;
  const auto rule = Recurrence::Parse(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!rule.ok()) return 0;
  const auto again = Recurrence::Parse(rule->ToString());
  if (!again.ok() || !(*again == *rule)) std::abort();
  const absl::CivilDay start(2024, 2, 29);
  const absl::CivilDay from = start + 200;
  const absl::CivilDay to = start + 1'000;
  absl::CivilDay last = from - 1;
  rule->Visit(start, from, to, [&](absl::CivilDay day) {
    if (day <= last || day > to) std::abort();  // In order, each once, within.
    last = day;
    return true;
  });
  static_cast<void>(rule->Shifted(start, 3));
  return 0;
}
