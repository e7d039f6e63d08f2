#include "security/config_check.h"

#include <algorithm>

#include "common/absl_bridge.h"
#include "common/config_path.h"
#include "common/json.h"
#include "common/text/edit_distance.h"

namespace toolgate::security {

absl::Status FirstProblem(absl::FunctionRef<void(yaml::ReportProblem)> check) {
  absl::Status first;
  check([&first](std::string_view path, std::string_view what) {
    if (first.ok()) first = AtConfigPath(path, absl::InvalidArgumentError(ToAbsl(what)));
  });
  return first;
}

const executors::Tool* CheckTool(std::string_view path, const std::string& id,
                                 const std::vector<executors::Tool>& tools, yaml::ReportProblem report) {
  if (id.empty()) {
    report(path, "is empty; name a tool");
    return nullptr;
  }
  const auto found =
      std::find_if(tools.begin(), tools.end(), [&](const executors::Tool& tool) { return tool.definition.id == id; });
  if (found != tools.end()) return &*found;
  std::vector<std::string_view> ids;
  ids.reserve(tools.size());
  for (const executors::Tool& tool : tools) ids.push_back(tool.definition.id);
  report(path, absl::StrCat("there is no tool ", Quoted(id), Suggestion(id, ids)));
  return nullptr;
}

std::string Quoted(std::string_view text) { return DumpJson(Json(std::string(text))); }

std::string Suggestion(std::string_view name, const std::vector<std::string_view>& names) {
  const std::string_view nearest = text::NearestName(name, names);
  return nearest.empty() ? "" : absl::StrCat("; did you mean ", Quoted(nearest), "?");
}

}  // namespace toolgate::security
