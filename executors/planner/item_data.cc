#include "executors/planner/item_data.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/text/fold_case.h"
#include "common/tool_error.h"
#include "executors/arguments.h"

namespace toolgate::executors::planner {
namespace {

constexpr std::string_view kTags = "tags";
constexpr std::string_view kDataPath = "/data";

Json FieldOf(std::string_view name, const Json& value) {
  if (value.is_string() && value.get_ref<const std::string&>().empty()) return nullptr;
  if (name != kTags || !value.is_array()) return value;
  Json tags = NormalisedTags(value);
  return tags.empty() ? Json() : tags;
}

}  // namespace

Json NormalisedTags(const Json& tags) {
  Json kept = Json::array();
  for (const Json& tag : tags) {
    const std::string_view text = FromAbsl(absl::StripAsciiWhitespace(tag.get_ref<const std::string&>()));
    const auto same = [&](const Json& other) { return text::EqualFolded(other.get_ref<const std::string&>(), text); };
    if (!text.empty() && std::none_of(kept.begin(), kept.end(), same)) kept.push_back(std::string(text));
  }
  return kept;
}

Json PatchOf(const Json& arguments, const std::vector<std::string>& names) {
  Json patch = Json::object();
  for (const std::string& name : names) {
    if (const auto value = arguments.find(name); value != arguments.end()) patch[name] = FieldOf(name, *value);
  }
  return patch;
}

Json DataOf(const Json& arguments, const std::vector<std::string>& names) {
  Json data = Json::object();
  for (const std::string& name : names) {
    const Json* value = FindArgument(arguments, name);
    if (value == nullptr) continue;
    if (Json field = FieldOf(name, *value); !field.is_null()) data[name] = std::move(field);
  }
  return data;
}

absl::Status CheckChanges(const Json& arguments, const std::vector<std::string>& names) {
  if (std::any_of(names.begin(), names.end(), [&](const std::string& name) { return arguments.contains(name); })) {
    return absl::OkStatus();
  }
  return MissingArgument("", absl::StrCat("nothing to change was given; give at least one of ", NameList(names)));
}

absl::Status OfArguments(const absl::Status& status) {
  std::optional<ToolError> error = GetToolError(status);
  if (!error.has_value()) return status;
  for (Violation& violation : error->violations) {
    if (violation.path.starts_with(absl::StrCat(ToAbsl(kDataPath), "/"))) violation.path.erase(0, kDataPath.size());
  }
  return ToStatus(*error);
}

}  // namespace toolgate::executors::planner
