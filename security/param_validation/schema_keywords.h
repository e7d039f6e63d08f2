// Keywords with subschemas.
#ifndef TOOLGATE_SECURITY_PARAM_VALIDATION_SCHEMA_KEYWORDS_H_
#define TOOLGATE_SECURITY_PARAM_VALIDATION_SCHEMA_KEYWORDS_H_

#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "common/json.h"

namespace toolgate::security::param_validation {

// Calls `visit` with each direct subschema of an object schema and its JSON pointer from there. Leaves out values whose
// type is not a schema's. `draft7` enables the predecessors of $defs, prefixItems and the like from drafts 4 to 7.
void ForEachSubschema(const Json& schema, bool draft7, absl::FunctionRef<void(const Json&, std::string_view)> visit);

// The keywords of 2020-12, including annotations, those of earlier drafts if `earlier_drafts`, and toolgate's own.
// Other names that begin with "x-" are free for annotations.
bool IsKnownKeyword(std::string_view name, bool earlier_drafts);
std::vector<std::string_view> KnownKeywords();

// The form of the values of $anchor and $dynamicAnchor.
bool IsAnchorName(std::string_view name);

}  // namespace toolgate::security::param_validation

#endif  // TOOLGATE_SECURITY_PARAM_VALIDATION_SCHEMA_KEYWORDS_H_
