#include "cli/about_commands.h"

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/help.h"
#include "cli/session.h"
#include "common/absl_bridge.h"
#include "common/build_info/build_info.h"
#include "common/text/edit_distance.h"

namespace toolgate::cli {

const char* Version() { return build_info::Version(); }

CommandInfo VersionCommand::Info() const {
  return {.name = "version",
          .purpose = "print the version of this binary",
          .details = "With the commit in brackets where the build was told it.",
          .examples = {{"toolgate version", "prints for example: toolgate 0.1.0"}},
          .exit_codes = {},
          .client = false};
}

ExitCode VersionCommand::Run(Session& session) {
  const std::string revision = build_info::Revision();
  const std::string shown = revision.empty() ? "" : absl::StrCat(" (", revision, ")");
  if (session.json()) {
    session.PrintJson({{"version", Version()}, {"revision", revision}});
  } else {
    session.Print(absl::StrCat("toolgate ", Version(), shown, "\n"));
  }
  return ExitCode::kOk;
}

CommandInfo HelpCommand::Info() const {
  return {.name = "help",
          .purpose = "explain a command, or list all commands",
          .details = "",
          .examples = {{"toolgate help", "all commands and exit codes"},
                       {"toolgate help audit verify", "one command in full"}},
          .exit_codes = {},
          .client = false};
}

void HelpCommand::Declare(FlagSet& flags) {
  flags.Argument("COMMAND", &command_, "the command to explain", false);
  flags.Argument("BELOW", &below_, "a subcommand, such as `verify` of `audit verify`", false);
}

ExitCode HelpCommand::Run(Session& session) {
  const bool colour = session.terminal().colour_out();
  if (command_.empty()) {
    session.Print(Overview(session.commands(), colour));
    return ExitCode::kOk;
  }
  const std::string wanted = below_.empty() ? command_ : absl::StrCat(command_, " ", below_);
  std::vector<std::string> names;
  for (const auto& command : session.commands()) {
    names.push_back(command->Info().name);
    if (names.back() != wanted) continue;
    session.Print(HelpFor(*command, session.commands(), colour));
    return ExitCode::kOk;
  }
  const std::string_view nearest = text::NearestName(wanted, {names.begin(), names.end()});
  return session.Fail(
      ExitCode::kUsage, absl::StrCat("unknown command ", wanted),
      nearest.empty() ? "`toolgate help` lists them" : absl::StrCat("did you mean ", ToAbsl(nearest), "?"));
}

}  // namespace toolgate::cli
