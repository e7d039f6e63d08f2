// CountJson must count exactly what ParseJson makes of a text, and refuse by its bounds just what the parser refuses.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "common/json.h"
#include "common/json_count.h"

namespace {

using toolgate::Json;
using toolgate::JsonCounts;
using toolgate::JsonLimits;

void Add(const Json& value, JsonCounts& counts) {
  ++counts.values;
  if (value.is_object()) counts.keys += value.size();
  if (!value.is_structured()) return;
  for (const Json& part : value) Add(part, counts);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // The bounds of depth and numbers are the parser's own; one below a text's counts is tried on both.
  JsonLimits limits{.max_bytes = size + 1, .max_depth = 64, .max_keys = size + 1, .max_values = size + 1};
  const auto parsed = toolgate::ParseJson(text, limits);
  const auto counted = toolgate::CountJson(text, limits);
  if (!parsed.ok()) return 0;
  JsonCounts real;
  Add(*parsed, real);
  if (!counted.ok() || counted->keys != real.keys || counted->values != real.values) std::abort();
  limits.max_values = real.values - 1;
  if (toolgate::CountJson(text, limits).ok() || toolgate::ParseJson(text, limits).ok()) std::abort();
  return 0;
}
