// Argument schemas in the subsets of JSON Schema that providers' strict modes accept.
#ifndef TOOLGATE_SERVICES_RENDERING_STRICT_SCHEMA_H_
#define TOOLGATE_SERVICES_RENDERING_STRICT_SCHEMA_H_

#include <optional>

#include "common/json.h"

namespace toolgate::services::rendering {

enum class StrictDialect {
  // Every property is required, and one that may be left out takes null instead. Arguments with such a null are read as
  // if it were left out (ExecuteRequest.input).
  kOpenAi,
  // Properties may be optional. Numbers and lengths have no bounds.
  kAnthropic,
};

struct StrictSchema {
  Json schema;
  // Sizes that Anthropic bounds for all tools of a request together.
  int optional_properties = 0;
  int unions = 0;  // Schemas with more than one type.
};

// `schema`, the public schema of a tool's arguments, in the subset of `dialect`. Everything that `schema` accepts can
// be said in it, with null for absent properties. It accepts more than `schema` only by bounds that the subset lacks
// (lengths, patterns, formats, uniqueness and, for Anthropic, ranges), which are written into the descriptions instead:
// a call is checked against `schema` in any case.
//
// Nothing when there is no such schema: for open objects, values of any type, references, conditions and negations; for
// OpenAI, optional properties that give null a meaning; and for a schema beyond the dialect's limits of size.
std::optional<StrictSchema> MakeStrict(const Json& schema, StrictDialect dialect);

}  // namespace toolgate::services::rendering

#endif  // TOOLGATE_SERVICES_RENDERING_STRICT_SCHEMA_H_
