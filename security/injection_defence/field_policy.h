// Treatment of each text argument of a tool in layer 1, according to its argument schema.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_FIELD_POLICY_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_FIELD_POLICY_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/json.h"
#include "common/json_place.h"
#include "security/injection_defence/sanitiser.h"

namespace toolgate::security::injection_defence {

// From weakest to strictest.
enum class InjectionAction {
  kOff,    // Not scanned: code, SQL, bytes of files.
  kFlag,   // Scanned and recorded, never refused: stored content.
  kBlock,  // Refused at the threshold: for arguments that go to a model or a search provider.
};

struct FieldRule {
  InjectionAction action = InjectionAction::kFlag;
  SanitiseMode mode = SanitiseMode::kText;
  size_t max_characters = kDefaultMaxCharacters;
};

// The annotations "x-toolgate-injection" ("block", "flag", "off") and "x-toolgate-sanitize" ("line", "text",
// "verbatim") of a schema, resolved for every place in the arguments. An annotation applies to its value and everything
// inside, except where another one overrides it; the defaults are flag and text. A "maxLength" beyond the default cap
// raises the cap. Follows properties, items, prefixItems, additionalProperties, patternProperties, allOf, anyOf, oneOf
// and local $ref; where several apply, the strictest wins. Immutable, hence thread-safe.
class FieldPolicy {
 public:
  // INVALID_ARGUMENT if an annotation has an unknown value.
  static absl::StatusOr<FieldPolicy> Compile(const Json& schema);

  // Passed to the visitor: the place (for a key, that of its member), the text, and whether it is a key and not a
  // value.
  struct Text {
    const JsonPlace* place;
    const std::string& text;
    FieldRule rule;
    bool is_key = false;
  };

  // Calls `visit` for every string in `arguments`, and for every key that the schema does not name. Stops at the first
  // error.
  absl::Status Visit(const Json& arguments, absl::FunctionRef<absl::Status(const Text&)> visit) const;

 private:
  friend class FieldPolicyCompiler;

  struct Node {
    FieldRule rule;
    std::vector<std::pair<std::string, size_t>> properties;  // Node numbers, ordered by length and then by name.
    size_t other = 0;                                        // For properties without a node of their own.
    size_t items = 0;

    // The node of the property, or null.
    const size_t* Find(std::string_view name) const;
  };

  absl::Status VisitNode(const Json& value, size_t node, const JsonPlace* place,
                         absl::FunctionRef<absl::Status(const Text&)> visit) const;

  std::vector<Node> nodes_;
};

}  // namespace toolgate::security::injection_defence

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_FIELD_POLICY_H_
