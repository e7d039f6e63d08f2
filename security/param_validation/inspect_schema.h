// `toolgate inspect schema`: one line of JSON in, a verdict line out.
#ifndef TOOLGATE_SECURITY_PARAM_VALIDATION_INSPECT_SCHEMA_H_
#define TOOLGATE_SECURITY_PARAM_VALIDATION_INSPECT_SCHEMA_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "common/json.h"
#include "security/param_validation/json_schema.h"

namespace toolgate::security::param_validation {

// Input lines are {"schema": …, "data": …} or {"schema": …, "data_json": "raw text"}. By default the schema is
// interpreted as in the standard, with "format" as an annotation; {"formats": true} asserts it. {"as": "arguments"}
// treats the data as a tool's arguments: strict parsing, an empty text as {}, an object, no prototype keys, nulls that
// can only mean "left out" removed, defaults filled in, formats asserted, objects closed.
//
// Not thread-safe: it keeps the schemas that it has compiled.
class SchemaInspector {
 public:
  // {"valid": bool, "errors": [{"path", "rule", "expected", "found"}…]}, or {"error": "…"} for an unreadable line or a
  // refused schema. No line end.
  std::string Inspect(std::string_view line);

 private:
  // The verdict, or an error that becomes {"error"}.
  absl::StatusOr<Json> Verdict(std::string_view line);
  // Borrowed from the cache.
  absl::StatusOr<const JsonSchema*> SchemaFor(const Json& schema, bool as_arguments, bool formats);

  absl::flat_hash_map<std::string, std::unique_ptr<const JsonSchema>> schemas_;
};

}  // namespace toolgate::security::param_validation

#endif  // TOOLGATE_SECURITY_PARAM_VALIDATION_INSPECT_SCHEMA_H_
