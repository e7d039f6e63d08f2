// Templated JSON: strings that refer to values of a scope, "{{steps.0.blockId}}".
#ifndef TOOLGATE_EXECUTORS_JSON_TEMPLATE_H_
#define TOOLGATE_EXECUTORS_JSON_TEMPLATE_H_

#include <cstddef>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/json.h"

namespace toolgate::executors {

// Maximum size of an expansion as JSON text in bytes.
inline constexpr size_t kMaxExpandedBytes = size_t{1} << 20;

// `value` with every "{{path}}" in its strings (not in keys) replaced. A path is keys and array indexes joined by dots,
// looked up in `scope`; blanks around it are ignored. A string that is one template as a whole becomes the named value
// with its JSON type; elsewhere a string is inserted unchanged and any other value as JSON text. Inserted text is not
// expanded again. A "{{" without "}}" stays as it is. INVALID_PARAMS, naming the template, if it names nothing in
// `scope` or the result exceeds kMaxExpandedBytes.
absl::StatusOr<Json> ExpandTemplates(const Json& value, const Json& scope);
// The same, but a template whose first key is not in `scope` stays unchanged: it is expanded elsewhere.
absl::StatusOr<Json> ExpandKnownTemplates(const Json& value, const Json& scope);
// True if a template in `value` has this first key.
bool HasTemplateOf(const Json& value, std::string_view key);

}  // namespace toolgate::executors

#endif  // TOOLGATE_EXECUTORS_JSON_TEMPLATE_H_
