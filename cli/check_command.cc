#include "cli/check_command.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/session.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "common/proto_bytes.h"
#include "common/status_macros.h"
#include "services/config/config.h"

namespace toolgate::cli {
namespace {

// With the names that the YAML file has.
absl::StatusOr<Json> AsJson(const config::v1::Config& config) {
  google::protobuf::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  ASSIGN_OR_RETURN(const std::string text, ProtoToJson(config, options));
  return ParseJson(text);
}

}  // namespace

CommandInfo CheckCommand::Info() const {
  CommandInfo info;
  info.name = "check";
  info.purpose = "validate a configuration and say what is wrong, by line";
  info.details =
      "Finds all that `serve` would refuse in a configuration, at once, in the same words and with the line. The "
      "certificates, keys and secrets that it names are looked at too; nothing is connected to. What depends on the "
      "moment only `serve` can tell: whether an address is free, and whether the data directory can be used. Without "
      "--config the built-in defaults are checked. With --print the whole configuration that would be in force is "
      "printed, defaults included.";
  info.examples = {{"toolgate check --config toolgate.yaml", "says whether `serve` would take this file"},
                   {"toolgate check --print", "prints every setting with its default"}};
  info.exit_codes = {ExitCode::kLocalFile};
  info.client = false;
  return info;
}

void CheckCommand::Declare(FlagSet& flags) {
  flags.Value("--config", "FILE", &config_file_, "The YAML file.").environment = "TOOLGATE_CONFIG";
  flags.Switch("--without-files", &without_files_,
               "Look at no file that the configuration names: for another machine than the one that serves.");
  flags.Switch("--print", &print_, "Print the configuration that would be in force.");
}

ExitCode CheckCommand::Run(Session& session) {
  services::config::LoadOptions options;
  options.file = config_file_;
  options.open_files = !without_files_;
  const auto config = services::config::Load(options);
  if (!config.ok()) {
    if (session.json()) {
      const std::vector<std::string> problems = absl::StrSplit(config.status().message(), '\n', absl::SkipEmpty());
      session.PrintJson(Json{{"valid", false}, {"problems", problems}});
      return ExitCode::kLocalFile;
    }
    return session.Fail(ExitCode::kLocalFile, FromAbsl(config.status().message()));
  }
  if (print_ && session.json()) {
    const absl::StatusOr<Json> all = AsJson(*config);
    if (!all.ok()) return session.Fail(ExitCode::kServiceFault, FromAbsl(all.status().message()));
    session.PrintJson(Json{{"valid", true}, {"problems", Json::array()}, {"config", *all}});
  } else if (print_) {
    session.Print(services::config::ToYaml(*config));
  } else if (session.json()) {
    session.PrintJson(Json{{"valid", true}, {"problems", Json::array()}});
  } else {
    session.Print(absl::StrCat(config_file_.empty() ? "the defaults" : config_file_, ": good\n"));
  }
  return ExitCode::kOk;
}

}  // namespace toolgate::cli
