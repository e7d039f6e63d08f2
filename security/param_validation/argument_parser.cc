#include "security/param_validation/argument_parser.h"

#include <optional>
#include <utility>

#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/stored_json.h"
#include "security/param_validation/argument_guards.h"
#include "security/param_validation/refusal.h"
#include "security/param_validation/value_path.h"

namespace toolgate::security::param_validation {

ArgumentParser::ArgumentParser(const config::v1::ParamValidation& config) {
  limits_.max_bytes = static_cast<size_t>(config.max_bytes());
  limits_.max_depth = config.max_depth();
  limits_.max_keys = static_cast<size_t>(config.max_keys());
}

absl::StatusOr<Json> ArgumentParser::Parse(std::string_view text) const {
  if (text.empty()) return Json::object();
  absl::StatusOr<Json> parsed = ParseJson(text, limits_);
  if (!parsed.ok()) {
    return RefusalOf({{"", "json", "one well-formed JSON object", std::string(parsed.status().message())}});
  }
  if (!parsed->is_object()) return RefusalOf({{"", "type", "object", DescribeValue(*parsed)}});
  if (std::optional<Violation> key = FindPrototypeKey(*parsed)) return RefusalOf({*std::move(key)});
  return parsed;
}

}  // namespace toolgate::security::param_validation
