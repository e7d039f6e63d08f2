#include "tests/support/example_runner.h"

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "executors/json_template.h"

namespace toolgate::testing {
namespace {

absl::Status Failed(std::string_view what, std::string_view why) {
  return absl::FailedPreconditionError(absl::StrCat(ToAbsl(what), ": ", ToAbsl(why)));
}

}  // namespace

absl::Status RunExample(std::string_view tool_id, const executors::Example& example, const CallTool& call) {
  Json scope = Json::object();
  for (size_t i = 0; i < example.setup.size(); ++i) {
    const Json& step = example.setup[i];
    const std::string name = absl::StrCat("setup ", i, " of \"", example.description, "\"");
    const absl::StatusOr<Json> arguments = executors::ExpandKnownTemplates(step.at("arguments"), scope);
    if (!arguments.ok()) return Failed(name, arguments.status().ToString());
    const absl::StatusOr<Json> result = call(step.at("tool").get<std::string>(), *arguments);
    if (!result.ok()) return Failed(name, result.status().ToString());
    if (step.contains("as")) scope[step["as"].get<std::string>()] = *result;
  }
  const absl::StatusOr<Json> arguments = executors::ExpandKnownTemplates(example.arguments, scope);
  if (!arguments.ok()) return Failed(example.description, arguments.status().ToString());
  const absl::StatusOr<Json> expected = executors::ExpandKnownTemplates(example.result, scope);
  if (!expected.ok()) return Failed(example.description, expected.status().ToString());
  const absl::StatusOr<Json> result = call(tool_id, *arguments);
  if (!result.ok()) return Failed(example.description, result.status().ToString());
  const std::optional<std::string> difference = FindDifference(*expected, *result);
  if (!difference.has_value()) return absl::OkStatus();
  return Failed(example.description, absl::StrCat("the result differs at ", *difference, " in ", DumpJson(*result)));
}

std::optional<std::string> FindDifference(const Json& expected, const Json& actual, const std::string& path) {
  if (expected.is_object() && actual.is_object()) {
    for (const auto& member : expected.get_ref<const Json::object_t&>()) {
      const std::string place = absl::StrCat(path, "/", EscapePointerToken(member.first));
      const auto found = actual.find(member.first);
      if (found == actual.end()) return absl::StrCat(place, " (missing)");
      if (auto difference = FindDifference(member.second, *found, place); difference.has_value()) return difference;
    }
    return std::nullopt;
  }
  if (expected.is_array() && actual.is_array()) {
    if (expected.size() != actual.size()) {
      return absl::StrCat(path, " (", expected.size(), " elements expected, ", actual.size(), " found)");
    }
    for (size_t i = 0; i < expected.size(); ++i) {
      const std::string place = absl::StrCat(path, "/", i);
      if (auto difference = FindDifference(expected[i], actual[i], place); difference.has_value()) return difference;
    }
    return std::nullopt;
  }
  if (expected == actual) return std::nullopt;
  return absl::StrCat(path.empty() ? "the root" : path, " (", DumpJson(expected), " expected)");
}

}  // namespace toolgate::testing
