#include "cli/help.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/client_options.h"
#include "cli/terminal.h"

namespace toolgate::cli {
namespace {

constexpr size_t kColumn = 30;

// A line of two columns, the second at a fixed position.
std::string TwoColumns(const std::string& left, const std::string& right) {
  std::string line = absl::StrCat("  ", left);
  if (line.size() + 2 > kColumn) {
    absl::StrAppend(&line, "\n", std::string(kColumn, ' '));
  } else {
    line.resize(kColumn, ' ');
  }
  return absl::StrCat(line, right, "\n");
}

std::string FlagLine(const FlagRow& row) {
  std::string left = row.name;
  if (!row.positional && !row.placeholder.empty()) absl::StrAppend(&left, " ", row.placeholder);
  std::string right = row.help;
  if (!row.choices.empty()) absl::StrAppend(&right, ": ", absl::StrJoin(row.choices, ", "));
  const auto* text = std::get_if<std::string*>(&row.target);
  if (text != nullptr && !(*text)->empty() && row.name != "--token") {
    absl::StrAppend(&right, " (default ", **text, ")");
  }
  if (const auto* number = std::get_if<int64_t*>(&row.target)) absl::StrAppend(&right, " (default ", **number, ")");
  if (!row.environment.empty()) absl::StrAppend(&right, " [", row.environment, "]");
  return TwoColumns(left, right);
}

std::string Headline(std::string_view text, bool colour) {
  return absl::StrCat("\n", Paint(text, Style::kBold, colour), "\n");
}

std::string FlagSection(const FlagSet& flags, bool positional) {
  std::string text;
  for (const FlagRow& row : flags.rows()) {
    if (row.positional == positional) text += FlagLine(row);
  }
  return text;
}

std::string ExitCodeLine(ExitCode code) {
  return TwoColumns(absl::StrCat(static_cast<int>(code)), std::string(MeaningOf(code)));
}

std::string Children(const std::string& name, const CommandTable& commands) {
  std::string text;
  for (const auto& command : commands) {
    const CommandInfo info = command->Info();
    if (info.name.rfind(name + " ", 0) == 0) text += TwoColumns(info.name, info.purpose);
  }
  return text;
}

}  // namespace

std::string Overview(const CommandTable& commands, bool colour) {
  std::string text = "toolgate runs tools for AI agents, safely.\n";
  absl::StrAppend(&text, Headline("Usage", colour), "  toolgate COMMAND [ARGUMENTS] [FLAGS]\n",
                  Headline("Commands", colour));
  for (const auto& command : commands) {
    const CommandInfo info = command->Info();
    if (info.name.find(' ') == std::string::npos) text += TwoColumns(info.name, info.purpose);
  }
  absl::StrAppend(&text, Headline("First steps", colour), TwoColumns("toolgate serve", "start the service"),
                  TwoColumns("toolgate tools", "in a second terminal: list its tools"),
                  TwoColumns("toolgate help call", "learn how to run a tool"));
  absl::StrAppend(&text, Headline("Exit codes", colour));
  for (const ExitCodeMeaning& row : kExitCodes) text += ExitCodeLine(row.code);
  absl::StrAppend(&text, "\n`toolgate help COMMAND` explains a command.\n");
  return text;
}

std::string UsageOf(Command& command) {
  FlagSet flags;
  command.Declare(flags);
  std::string usage = absl::StrCat("toolgate ", command.Info().name);
  for (const FlagRow& row : flags.rows()) {
    if (row.positional)
      absl::StrAppend(&usage, row.required ? absl::StrCat(" ", row.name) : absl::StrCat(" [", row.name, "]"));
  }
  return absl::StrCat(usage, " [FLAGS]");
}

std::string HelpFor(Command& command, const CommandTable& commands, bool colour) {
  const CommandInfo info = command.Info();
  FlagSet flags;
  command.Declare(flags);
  std::string text = absl::StrCat(info.purpose, "\n");
  if (!info.details.empty()) absl::StrAppend(&text, "\n", info.details, "\n");
  absl::StrAppend(&text, Headline("Usage", colour), "  ", UsageOf(command), "\n");
  const auto section = [&](std::string_view title, const std::string& body) {
    if (!body.empty()) absl::StrAppend(&text, Headline(title, colour), body);
  };
  section("Subcommands", Children(info.name, commands));
  section("Arguments", FlagSection(flags, true));
  section("Flags", FlagSection(flags, false));
  ClientOptions options;
  FlagSet common_flags;
  if (info.client) options.Declare(common_flags);
  options.DeclareJson(common_flags);
  section(info.client ? "Flags of all commands that use a service" : "Flags of all commands",
          FlagSection(common_flags, false));
  std::string examples;
  for (const CommandExample& example : info.examples) {
    absl::StrAppend(&examples, "  ", example.command, "\n      ", example.effect, "\n");
  }
  section("Examples", examples);
  std::vector<ExitCode> exit_codes = info.exit_codes;
  exit_codes.insert(exit_codes.end(), {ExitCode::kOk, ExitCode::kUsage});
  if (info.client) {
    // Every call of the service may time out, need a file for TLS or a token, or meet a fault of the service.
    exit_codes.insert(exit_codes.end(), {ExitCode::kTimedOut, ExitCode::kLocalFile, ExitCode::kServiceFault});
  }
  std::sort(exit_codes.begin(), exit_codes.end());
  exit_codes.erase(std::unique(exit_codes.begin(), exit_codes.end()), exit_codes.end());
  std::string codes;
  for (const ExitCode code : exit_codes) codes += ExitCodeLine(code);
  section("Exit codes", codes);
  return text;
}

}  // namespace toolgate::cli
