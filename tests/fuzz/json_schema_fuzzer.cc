// One line of `inspect schema`: a schema and a value, both hostile. IsValid and Validate must agree, a valid value
// keeps its nulls, filling in defaults must come to an end, and nothing may crash or run away.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "common/json.h"
#include "security/param_validation/inspect_schema.h"
#include "security/param_validation/json_schema.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using toolgate::security::param_validation::JsonSchema;
  using toolgate::security::param_validation::SchemaInspector;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  SchemaInspector inspector;
  inspector.Inspect(text);

  const auto line = toolgate::ParseJson(text);
  if (!line.ok() || !line->is_object() || !line->contains("schema") || !line->contains("data")) return 0;
  for (const bool closed : {false, true}) {
    const auto schema = JsonSchema::Compile(line->at("schema"),
                                            {.assert_formats = closed, .close_objects = closed, .max_violations = 5});
    if (!schema.ok()) continue;
    toolgate::Json value = line->at("data");
    if ((*schema)->IsValid(value) != (*schema)->Validate(value).empty()) std::abort();
    toolgate::Json read = value;
    (*schema)->RemoveNulls(read);
    if ((*schema)->IsValid(value) && read != value) std::abort();
    (*schema)->FillDefaults(value);
    if ((*schema)->Validate(value).size() > 5) std::abort();
  }
  return 0;
}
