// ParseJson must neither crash nor accept anything that it cannot write back and read again as the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "common/json.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = toolgate::ParseJson(text);
  if (!parsed.ok()) return 0;
  const auto again = toolgate::ParseJson(toolgate::DumpJson(*parsed));
  if (!again.ok() || toolgate::CanonicalJson(*again) != toolgate::CanonicalJson(*parsed)) std::abort();
  return 0;
}
