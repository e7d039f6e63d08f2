// Helpers for the checks of the layers' configurations. Two places decide whether a layer accepts its configuration:
// the ranges at the fields (common/yaml/config_rules.h), and that layer's own check of everything else. services/config
// reports all problems at once, with their lines; the layer's Create refuses with the first of them.
#ifndef TOOLGATE_SECURITY_CONFIG_CHECK_H_
#define TOOLGATE_SECURITY_CONFIG_CHECK_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/yaml/config_rules.h"
#include "executors/tool.h"

namespace toolgate::security {

using toolgate::yaml::ReportProblem;

// OK, or INVALID_ARGUMENT "path: what" with the first problem that `check` reports, which also carries the path
// (common/config_path.h).
absl::Status FirstProblem(absl::FunctionRef<void(yaml::ReportProblem)> check);

// Null, and a problem, when there is no tool `id`.
const executors::Tool* CheckTool(std::string_view path, const std::string& id,
                                 const std::vector<executors::Tool>& tools, yaml::ReportProblem report);

// The same for a list of ids.
template <typename Ids>
void CheckTools(std::string_view path, const Ids& ids, const std::vector<executors::Tool>& tools,
                yaml::ReportProblem report) {
  for (int i = 0; i < ids.size(); ++i) {
    CheckTool(absl::StrCat(std::string(path), "[", i, "]"), ids[i], tools, report);
  }
}

// The entries of a map of the configuration, ordered by key, so that problems come in the same order each time.
template <typename Map>
auto Sorted(const Map& map) {
  return std::map<typename Map::key_type, typename Map::mapped_type>(map.begin(), map.end());
}

// `text` in the form that problems use.
std::string Quoted(std::string_view text);

// "; did you mean …?", or nothing if no name is similar.
std::string Suggestion(std::string_view name, const std::vector<std::string_view>& names);

}  // namespace toolgate::security

#endif  // TOOLGATE_SECURITY_CONFIG_CHECK_H_
