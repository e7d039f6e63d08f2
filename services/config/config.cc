#include "services/config/config.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"
#include "common/config_path.h"
#include "common/proto_bytes.h"
#include "common/status_macros.h"
#include "common/yaml/yaml_proto.h"
#include "common/yaml/yaml_tree.h"
#include "executors/registration/registration.h"
#include "security/authorization/permissions.h"
#include "security/identity/built_in_roles.h"
#include "security/identity/identity_factory.h"
#include "services/config/config_checks.h"
#include "services/config/otel_variables.h"
#include "services/config/overlap_checks.h"
#include "services/config/toolgate_services_config_defaults.h"

namespace toolgate::services::config {
namespace {

using toolgate::config::v1::Config;

// Value for a listener that is turned off.
constexpr char kOff[] = "off";

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  std::string text(yaml::kMaxYamlBytes + 1, '\0');  // One byte more, so that a file that is too long is detected.
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (file) file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad() || (!file && !file.eof())) {
    const int error = errno == 0 ? EIO : errno;
    const std::string message = absl::StrCat("cannot read the configuration file ", path, ": ", std::strerror(error));
    if (error == ENOENT) return absl::NotFoundError(message);
    if (error == EACCES) return absl::PermissionDeniedError(message);
    return absl::InvalidArgumentError(message);
  }
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

std::optional<std::string> FromProcess(std::string_view name) {
  const char* const value = std::getenv(std::string(name).c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

absl::StatusOr<Json> MessageToJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  ASSIGN_OR_RETURN(const std::string text, ProtoToJson(message, options));
  return ParseJson(text);
}

absl::Status MergeDefaults(const std::vector<executors::Family>& families, Config& config) {
  yaml::YamlPlaces places;  // Of no use to anyone: a default is not the user's to mend.
  for (const EmbeddedFile& file : DefaultFiles()) {
    RETURN_IF_ERROR(yaml::MergeYaml(file.path, file.text, yaml::YamlOptions(), config, places));
  }
  return executors::AddDefaults(families, *config.mutable_families());
}

// Merges the file into the defaults. In a configuration that knows its callers the default of the role "developer" does
// not count: the role is only what the file says of it, and is absent if the file does not name it.
absl::Status MergeFile(const LoadOptions& options, const std::vector<executors::Family>& families, Config& config,
                       yaml::YamlPlaces& places) {
  if (options.file.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string text, ReadFile(options.file));
  yaml::YamlOptions yaml;
  yaml.environment = options.environment ? options.environment : FromProcess;
  yaml.extensions = executors::SettingsFields(families);
  Config secured = config;
  RETURN_IF_ERROR(yaml::MergeYaml(options.file, text, yaml, config, places));
  if (!security::identity::TakesCredentials(config.identity())) return absl::OkStatus();
  secured.mutable_identity()->mutable_roles()->erase(security::identity::kDeveloperRole);
  places.clear();
  RETURN_IF_ERROR(yaml::MergeYaml(options.file, text, yaml, secured, places));
  config = std::move(secured);
  return absl::OkStatus();
}

void MergeFlags(const LoadOptions& options, Config& config, yaml::YamlPlaces& places) {
  if (options.listen.has_value()) {
    config.mutable_server()->set_listen(*options.listen);
    places["server.listen"] = "--listen";
  }
  if (options.metrics_listen.has_value()) {
    config.mutable_server()->set_metrics_listen(*options.metrics_listen);
    places["server.metrics_listen"] = "--metrics-listen";
  }
  if (options.http_listen.has_value()) {
    config.mutable_http()->set_listen(*options.http_listen);
    places["http.listen"] = "--http-listen";
  }
  if (options.data_dir.has_value()) {
    config.mutable_storage()->set_data_dir(*options.data_dir);
    places["storage.data_dir"] = "--data-dir";
  }
  if (options.log_level.has_value()) {
    config.mutable_logging()->set_level(*options.log_level);
    places["logging.level"] = "--log-level";
  }
  if (options.log_format.has_value()) {
    config.mutable_logging()->set_format(*options.log_format);
    places["logging.format"] = "--log-format";
  }
}

// "off" is for people; the rest of the program uses an empty address.
void TurnOff(Config& config) {
  auto& server = *config.mutable_server();
  for (std::string* address :
       {server.mutable_metrics_listen(), server.mutable_health_listen(), config.mutable_http()->mutable_listen()}) {
    if (*address == kOff) address->clear();
  }
}

// Credentials are for the receiver of traces alone.
Config WithoutSecrets(Config config) {
  config.mutable_traces()->clear_headers();
  return config;
}

}  // namespace

absl::StatusOr<PlacedConfig> LoadPlaced(const LoadOptions& options) {
  PlacedConfig placed;
  Config& config = placed.config;
  const std::vector<executors::Family> families =
      options.families == nullptr ? executors::registration::BuiltInFamilies() : *options.families;
  RETURN_IF_ERROR(MergeDefaults(families, config));
  RETURN_IF_ERROR(MergeFile(options, families, config, placed.places));
  std::vector<std::string> problems;
  const auto report = [&](std::string_view path, std::string_view what) {
    problems.push_back(absl::StrCat(PlaceOf(placed.places, path), ": ", ToAbsl(path), ": ", ToAbsl(what)));
  };
  MergeOtelVariables({options.environment ? options.environment : FromProcess, options.open_files},
                     *config.mutable_traces(), placed.places, [&](std::string_view variable, std::string_view what) {
                       placed.warnings.push_back(absl::StrCat(ToAbsl(variable), ": ", ToAbsl(what)));
                     });
  MergeFlags(options, config, placed.places);
  TurnOff(config);
  ASSIGN_OR_RETURN(const std::shared_ptr<const executors::Catalog> catalog, executors::MakeCatalog(families, {}));
  ASSIGN_OR_RETURN(const auto permissions, security::authorization::PermissionTable::Create(catalog->permissions()));
  CheckConfig(config, families, catalog->tools(), permissions, report);
  if (problems.empty()) CheckOverlaps(config, options.file, report);
  if (problems.empty() && options.open_files) {
    const Clock& clock = options.clock == nullptr ? Clock::Real() : *options.clock;
    CheckConfigFiles(config, clock.Now(), report);
  }
  if (!problems.empty()) return absl::InvalidArgumentError(absl::StrJoin(problems, "\n"));
  return placed;
}

absl::StatusOr<Config> Load(const LoadOptions& options) {
  ASSIGN_OR_RETURN(PlacedConfig placed, LoadPlaced(options));
  return std::move(placed.config);
}

std::string DescribeAt(const yaml::YamlPlaces& places, const absl::Status& status) {
  const std::string path = ConfigPathOf(status);
  std::string what(status.message());
  return path.empty() ? what : absl::StrCat(PlaceOf(places, path), ": ", what);
}

std::string ToYaml(const Config& config) { return toolgate::yaml::ToYaml(WithoutSecrets(config)); }

// Protobuf writes no extensions, so each section of a family is written by itself.
absl::StatusOr<Json> ToJson(const Config& config) {
  Config without_families = WithoutSecrets(config);
  without_families.clear_families();
  ASSIGN_OR_RETURN(Json json, MessageToJson(without_families));
  const toolgate::config::v1::Families& families = config.families();
  std::vector<const google::protobuf::FieldDescriptor*> sections;
  families.GetReflection()->ListFields(families, &sections);
  for (const google::protobuf::FieldDescriptor* section : sections) {
    ASSIGN_OR_RETURN(json[section->name()], MessageToJson(families.GetReflection()->GetMessage(families, section)));
  }
  return json;
}

}  // namespace toolgate::services::config
