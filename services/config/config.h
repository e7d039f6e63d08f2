// Configuration of a server: the defaults, overridden by a file, by OpenTelemetry's variables, and by flags.
#ifndef TOOLGATE_SERVICES_CONFIG_CONFIG_H_
#define TOOLGATE_SERVICES_CONFIG_CONFIG_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/clock.h"
#include "common/json.h"
#include "common/yaml/yaml_proto.h"
#include "executors/family.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::services::config {

struct LoadOptions {
  // Path of a YAML file; empty: only the defaults.
  std::string file = {};

  // Flags of the command line, which override the file.
  std::optional<std::string> listen = std::nullopt;
  std::optional<std::string> metrics_listen = std::nullopt;
  std::optional<std::string> http_listen = std::nullopt;
  std::optional<std::string> data_dir = std::nullopt;
  std::optional<std::string> log_level = std::nullopt;
  std::optional<std::string> log_format = std::nullopt;

  // Families of tools of the service; null: those of this program.
  const std::vector<executors::Family>* families = nullptr;

  // Whether the certificates, keys and secrets that it names are read: false on a machine that has none of them.
  bool open_files = true;
  const Clock* clock = nullptr;  // For the expiry of certificates; null: the real one.

  // Returns the values of "${NAME}" in the file and of OpenTelemetry's variables; if not set, the process's environment
  // is used.
  std::function<std::optional<std::string>(std::string_view)> environment = nullptr;
};

// A valid configuration, and the place where each value of it was written.
struct PlacedConfig {
  toolgate::config::v1::Config config;
  yaml::YamlPlaces places;
  // Variables of OpenTelemetry that were ignored, and why: "NAME: what is wrong; what would be right".
  std::vector<std::string> warnings;
};

// Reads services/config/default.yaml and the families' defaults, then the file, OpenTelemetry's variables
// (otel_variables.h) and the flags, and checks the whole (config_checks.h). NOT_FOUND or PERMISSION_DENIED when the
// file cannot be read; INVALID_ARGUMENT with one line a problem,
// "FILE:LINE:COLUMN: path: what is wrong; what would be right", where a flag, a variable or "default" may stand for the
// place.
absl::StatusOr<PlacedConfig> LoadPlaced(const LoadOptions& options);
absl::StatusOr<toolgate::config::v1::Config> Load(const LoadOptions& options);

// Describes the problem, with the place of the setting that it concerns, if any (common/config_path.h).
std::string DescribeAt(const yaml::YamlPlaces& places, const absl::Status& status);

// Converts `config` to a file that Load reads back as the same configuration, but for credentials, which are left out.
std::string ToYaml(const toolgate::config::v1::Config& config);

// `config` as JSON, with the names of the YAML file, without credentials.
absl::StatusOr<Json> ToJson(const toolgate::config::v1::Config& config);

}  // namespace toolgate::services::config

#endif  // TOOLGATE_SERVICES_CONFIG_CONFIG_H_
