// The rules that the fields of a configuration state as options (toolgate/config/v1/options.proto), for any message.
#ifndef TOOLGATE_COMMON_YAML_CONFIG_RULES_H_
#define TOOLGATE_COMMON_YAML_CONFIG_RULES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "google/protobuf/message.h"

namespace toolgate::yaml {

// Told of each problem of a configuration: the path of the value, in the form of YamlPlaces (common/yaml/yaml_proto.h),
// and what is wrong; what would be right.
using ReportProblem = absl::FunctionRef<void(std::string_view path, std::string_view what)>;

// Reports every value in `message`, however deep, that is out of the range at its field. A field that is not set counts
// with its default, zero, and so does a message that is not set, but not below a field that is `partial`. `path` is
// that of `message`, "" for the whole.
void CheckRanges(const google::protobuf::Message& message, std::string_view path, ReportProblem report);

// The paths of the settings that differ between two messages of one type and are fixed until a restart, in the order of
// their fields. Lists and maps are compared as a whole.
std::vector<std::string> ChangedFixedSettings(const google::protobuf::Message& at_start,
                                              const google::protobuf::Message& now);

}  // namespace toolgate::yaml

#endif  // TOOLGATE_COMMON_YAML_CONFIG_RULES_H_
