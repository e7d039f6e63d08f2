// What the checks of the layers' configurations have in common. What a layer can be made with is decided in one place,
// that layer's own check: services/config tells of all its problems at once, with their lines, and the layer's Create
// refuses by the first of them.
#ifndef TOOLGATE_SECURITY_CONFIG_CHECK_H_
#define TOOLGATE_SECURITY_CONFIG_CHECK_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "executors/tool.h"
#include "google/protobuf/duration.pb.h"

namespace toolgate::security {

// Told of each problem of a configuration: the path of the value, in the form of YamlPlaces (common/yaml_proto.h), and
// what is wrong; what would be right.
using ReportProblem = absl::FunctionRef<void(std::string_view path, std::string_view what)>;

// OK, or INVALID_ARGUMENT "path: what" with the first problem that `check` reports, which also carries the path
// (common/config_path.h).
absl::Status FirstProblem(absl::FunctionRef<void(ReportProblem)> check);

// A number without a bound that means anything.
inline constexpr int64_t kMany = 1'000'000'000;

// Each reports a value that is not within its bounds, both included.
void CheckInteger(std::string_view path, int64_t value, int64_t min, int64_t max, ReportProblem report);
void CheckDuration(std::string_view path, const google::protobuf::Duration& value, absl::Duration min,
                   absl::Duration max, ReportProblem report);
// Above 0 and at most 1.
void CheckShare(std::string_view path, double value, ReportProblem report);

// Null, and a problem, when there is no tool `id`.
const executors::Tool* CheckTool(std::string_view path, const std::string& id,
                                 const std::vector<executors::Tool>& tools, ReportProblem report);

// The same for a list of ids.
template <typename Ids>
void CheckTools(std::string_view path, const Ids& ids, const std::vector<executors::Tool>& tools,
                ReportProblem report) {
  for (int i = 0; i < ids.size(); ++i) {
    CheckTool(absl::StrCat(std::string(path), "[", i, "]"), ids[i], tools, report);
  }
}

// The entries of a map of the configuration by their keys, so that problems come in the same order each time.
template <typename Map>
auto Sorted(const Map& map) {
  return std::map<typename Map::key_type, typename Map::mapped_type>(map.begin(), map.end());
}

// `text` as it is shown in a problem.
std::string Quoted(std::string_view text);

// "; did you mean …?", or nothing when no name is near.
std::string Suggestion(std::string_view name, const std::vector<std::string_view>& names);

}  // namespace toolgate::security

#endif  // TOOLGATE_SECURITY_CONFIG_CHECK_H_
