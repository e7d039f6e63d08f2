#include "cli/check_command.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/session.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "services/config/config.h"

namespace toolgate::cli {

CommandInfo CheckCommand::Info() const {
  CommandInfo info;
  info.name = "check";
  info.purpose = "validate a configuration";
  info.details =
      "Reports everything that `serve` would refuse in a configuration, with the line. Reads the certificates, keys\n"
      "and secrets that it names, but connects to nothing. Only `serve` can tell whether an address is free and\n"
      "whether the data directory can be used. Without --config, the built-in defaults are checked.";
  info.examples = {{"toolgate check --config toolgate.yaml", "reports whether `serve` would accept this file"},
                   {"toolgate check --print", "prints every setting with its default"}};
  info.exit_codes = {ExitCode::kLocalFile};
  info.client = false;
  return info;
}

void CheckCommand::Declare(FlagSet& flags) {
  flags.Value("--config", "FILE", &config_file_, "YAML file to check").environment = "TOOLGATE_CONFIG";
  flags.Switch("--without-files", &without_files_, "do not read the files that the configuration names");
  flags.Switch("--print", &print_, "print the complete resulting configuration");
}

ExitCode CheckCommand::Run(Session& session) {
  services::config::LoadOptions options;
  options.file = config_file_;
  options.open_files = !without_files_;
  const auto loaded = services::config::LoadPlaced(options);
  if (!loaded.ok()) {
    if (session.json()) {
      const std::vector<std::string> problems = absl::StrSplit(loaded.status().message(), '\n', absl::SkipEmpty());
      session.PrintJson(Json{{"valid", false}, {"problems", problems}});
      return ExitCode::kLocalFile;
    }
    return session.Fail(ExitCode::kLocalFile, FromAbsl(loaded.status().message()));
  }
  const config::v1::Config& config = loaded->config;
  if (!session.json()) {
    for (const std::string& warning : loaded->warnings) session.Warn(warning);
  }
  if (print_ && session.json()) {
    const absl::StatusOr<Json> all = services::config::ToJson(config);
    if (!all.ok()) return session.Fail(ExitCode::kServiceFault, FromAbsl(all.status().message()));
    session.PrintJson(
        Json{{"valid", true}, {"problems", Json::array()}, {"warnings", loaded->warnings}, {"config", *all}});
  } else if (print_) {
    session.Print(services::config::ToYaml(config));
  } else if (session.json()) {
    session.PrintJson(Json{{"valid", true}, {"problems", Json::array()}, {"warnings", loaded->warnings}});
  } else {
    session.Print(absl::StrCat(config_file_.empty() ? "the defaults" : config_file_, ": valid\n"));
  }
  return ExitCode::kOk;
}

}  // namespace toolgate::cli
