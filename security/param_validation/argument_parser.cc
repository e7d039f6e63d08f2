#include "security/param_validation/argument_parser.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/stored_json.h"
#include "security/param_validation/argument_guards.h"
#include "security/param_validation/refusal.h"
#include "security/param_validation/value_path.h"
#include "storage/undo_bound.h"

namespace toolgate::security::param_validation {

namespace {

absl::Status TooLong(size_t bytes, size_t max_bytes) {
  const absl::Status refusal = RefusalOf(
      {{"", "json", absl::StrCat("at most ", storage::FormatBytes(static_cast<int64_t>(max_bytes)), " of JSON"),
        absl::StrCat(storage::FormatBytes(static_cast<int64_t>(bytes)), " of JSON; at most ",
                     storage::FormatBytes(static_cast<int64_t>(max_bytes)),
                     " are taken in a call (param_validation.max_bytes). Give long content in parts: write the "
                     "beginning of a file and add to it by Edit, or make it by Bash")}});
  ToolError error = GetToolError(refusal).value_or(ToolError());
  error.facts = {{"setting", "param_validation.max_bytes"}, {"limit", absl::StrCat(max_bytes)}};
  return ToStatus(error);
}

}  // namespace

ArgumentParser::ArgumentParser(const config::v1::ParamValidation& config) {
  limits_.max_bytes = static_cast<size_t>(config.max_bytes());
  limits_.max_depth = config.max_depth();
  limits_.max_keys = static_cast<size_t>(config.max_keys());
}

absl::StatusOr<Json> ArgumentParser::Parse(std::string_view text) const {
  if (text.empty()) return Json::object();
  if (text.size() > limits_.max_bytes) return TooLong(text.size(), limits_.max_bytes);
  absl::StatusOr<Json> parsed = ParseJson(text, limits_);
  if (!parsed.ok()) {
    return RefusalOf({{"", "json", "one well-formed JSON object", std::string(parsed.status().message())}});
  }
  if (!parsed->is_object()) return RefusalOf({{"", "type", "object", DescribeValue(*parsed)}});
  if (std::optional<Violation> key = FindPrototypeKey(*parsed)) return RefusalOf({*std::move(key)});
  return parsed;
}

}  // namespace toolgate::security::param_validation
