// Expands any JSON value against a small scope: never crashes, never exceeds its limit.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "common/json.h"
#include "executors/json_template.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const toolgate::Json* const scope = new toolgate::Json(
      {{"context", {{"name", "x{{context.name}}"}, {"list", {1, "two", nullptr}}}}, {"steps", {{{"id", "b"}}}}});
  const auto json = toolgate::ParseJson(text);
  const toolgate::Json value = json.ok() ? *json : toolgate::Json(toolgate::DumpJson(text));
  const auto expanded = toolgate::executors::ExpandTemplates(value, *scope);
  if (expanded.ok() && toolgate::DumpJson(*expanded).size() >
                           toolgate::DumpJson(value).size() * 3 + toolgate::executors::kMaxExpandedBytes * 6) {
    std::abort();
  }
  static_cast<void>(toolgate::executors::ExpandKnownTemplates(value, *scope));
  return 0;
}
