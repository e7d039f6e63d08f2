#include "executors/arguments.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/text/edit_distance.h"
#include "common/tool_error.h"

namespace toolgate::executors {
namespace {

int64_t ToInteger(const Json& value) {
  if (value.is_number_unsigned()) return static_cast<int64_t>(std::min<uint64_t>(value.get<uint64_t>(), INT64_MAX));
  if (value.is_number_integer()) return value.get<int64_t>();
  if (!value.is_number_float()) return 0;
  constexpr double kLimit = 9007199254740992.0;  // 2^53
  return static_cast<int64_t>(std::clamp(value.get<double>(), -kLimit, kLimit));
}

absl::Status Violated(ErrorCode code, std::string_view path, std::string_view rule, std::string_view problem,
                      std::string_view expected, std::string_view found) {
  ToolError error;
  error.code = code;
  error.message = problem;
  error.violations.push_back({std::string(path), std::string(rule), std::string(expected), std::string(found)});
  return ToStatus(error);
}

}  // namespace

size_t CountCharacters(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

const Json* FindArgument(const Json& arguments, std::string_view name) {
  if (!arguments.is_object()) return nullptr;
  for (const auto& member : arguments.get_ref<const Json::object_t&>()) {
    if (member.first == name) return member.second.is_null() ? nullptr : &member.second;
  }
  return nullptr;
}

std::optional<std::string> OptionalString(const Json& arguments, std::string_view name) {
  const Json* value = FindArgument(arguments, name);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return value->get<std::string>();
}

std::string_view StringArgument(const Json& arguments, std::string_view name) {
  const Json* value = FindArgument(arguments, name);
  if (value == nullptr || !value->is_string()) return {};
  return value->get_ref<const std::string&>();
}

int64_t IntegerArgument(const Json& arguments, std::string_view name) {
  return OptionalInteger(arguments, name).value_or(0);
}

std::optional<int64_t> OptionalInteger(const Json& arguments, std::string_view name) {
  const Json* value = FindArgument(arguments, name);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return ToInteger(*value);
}

bool BoolArgument(const Json& arguments, std::string_view name) {
  const Json* value = FindArgument(arguments, name);
  return value != nullptr && value->is_boolean() && value->get<bool>();
}

absl::Status InvalidArgument(std::string_view path, std::string_view rule, std::string_view problem,
                             std::string_view expected, std::string_view found) {
  return Violated(ErrorCode::kInvalidParams, path, rule, problem, expected, found);
}

absl::Status MissingArgument(std::string_view path, std::string_view problem) {
  return Violated(ErrorCode::kMissingRequired, path, "required", problem, "a value", "nothing");
}

absl::Status AtArgument(const absl::Status& status, std::string_view path) {
  std::optional<ToolError> error = GetToolError(status);
  if (!error.has_value()) return status;
  for (Violation& violation : error->violations) {
    if (violation.path.empty()) violation.path = path;
  }
  return ToStatus(*error);
}

std::string KindOf(const Json& value) {
  switch (value.type()) {
    case Json::value_t::string:
      return absl::StrCat("string of ", CountCharacters(value.get_ref<const std::string&>()), " characters");
    case Json::value_t::array:
      return absl::StrCat("array of ", value.size());
    case Json::value_t::object:
      return absl::StrCat("object of ", value.size(), " members");
    case Json::value_t::boolean:
      return "boolean";
    case Json::value_t::null:
      return "null";
    default:
      return "number";
  }
}

std::string WithArticle(std::string_view noun) {
  const bool vowel = !noun.empty() && std::string_view("aeiou").find(noun.front()) != std::string_view::npos;
  return absl::StrCat(vowel ? "an " : "a ", ToAbsl(noun));
}

std::string NameList(const std::vector<std::string>& names, size_t limit) {
  std::string out;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i == limit) return out + ", …";
    const std::string_view separator = i == 0 ? "" : i + 1 == names.size() ? " and " : ", ";
    absl::StrAppend(&out, ToAbsl(separator), names[i]);
  }
  return out;
}

std::string Suggestion(std::string_view written, const std::vector<std::string>& known) {
  const std::string_view nearest = text::NearestName(written, {known.begin(), known.end()});
  return nearest.empty() ? "" : absl::StrCat("; did you mean \"", ToAbsl(nearest), "\"?");
}

}  // namespace toolgate::executors
