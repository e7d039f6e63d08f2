// The configuration of a server: the defaults, a file on top of them, flags on top of that.
#ifndef TOOLGATE_SERVICES_CONFIG_CONFIG_H_
#define TOOLGATE_SERVICES_CONFIG_CONFIG_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::services::config {

struct LoadOptions {
  // Path of a YAML file; empty: only the defaults.
  std::string file = {};

  // Flags of the command line, which win over the file.
  std::optional<std::string> listen = std::nullopt;
  std::optional<std::string> metrics_listen = std::nullopt;
  std::optional<std::string> data_dir = std::nullopt;

  // The ids of all tools, against which the names of tools in the configuration are checked. Empty: not checked.
  std::vector<std::string> tools = {};

  // Answers the values of "${NAME}" in the file; when not set, the process's environment does.
  std::function<std::optional<std::string>(std::string_view)> environment = nullptr;
};

// Reads services/config/default.yaml, then the file, then the flags, and checks the whole. NOT_FOUND or
// PERMISSION_DENIED when the file cannot be read; INVALID_ARGUMENT with one line a problem,
// "FILE:LINE:COLUMN: path: what is wrong; what would be right", where a flag or "default" may stand for the place.
absl::StatusOr<toolgate::config::v1::Config> Load(const LoadOptions& options);

// `config` as a file that Load reads back to the same configuration.
std::string ToYaml(const toolgate::config::v1::Config& config);

}  // namespace toolgate::services::config

#endif  // TOOLGATE_SERVICES_CONFIG_CONFIG_H_
