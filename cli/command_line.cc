#include "cli/command_line.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cctype>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/client_options.h"
#include "cli/help.h"
#include "cli/session.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/text/edit_distance.h"

namespace toolgate::cli {
namespace {

// Returns "; did you mean X?", or an empty text.
std::string Suggestion(std::string_view written, const std::vector<std::string>& known) {
  const std::string_view nearest = text::NearestName(written, {known.begin(), known.end()});
  return nearest.empty() ? "" : absl::StrCat("; did you mean ", ToAbsl(nearest), "?");
}

// Parses text into any target: for values from the environment, and for types that CLI11 does not know.
absl::Status Assign(const FlagRow& row, const std::string& value) {
  const auto invalid = [&](std::string_view expected) {
    return absl::InvalidArgumentError(absl::StrCat(row.name, ": \"", value, "\" is not ", ToAbsl(expected)));
  };
  if (row.not_empty && value.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(row.name, " is empty; give a value, or leave it out"));
  }
  if (!row.choices.empty() && std::find(row.choices.begin(), row.choices.end(), value) == row.choices.end()) {
    return invalid(absl::StrCat("one of ", absl::StrJoin(row.choices, ", "), Suggestion(value, row.choices)));
  }
  if (auto* const* text = std::get_if<std::string*>(&row.target)) {
    **text = value;
  } else if (auto* const* maybe = std::get_if<std::optional<std::string>*>(&row.target)) {
    **maybe = value;
  } else if (auto* const* list = std::get_if<std::vector<std::string>*>(&row.target)) {
    (*list)->push_back(value);
  } else if (auto* const* number = std::get_if<int64_t*>(&row.target)) {
    if (!absl::SimpleAtoi(value, *number)) return invalid("a whole number");
  } else if (auto* const* duration = std::get_if<absl::Duration*>(&row.target)) {
    if (!absl::ParseDuration(value, *duration)) return invalid("a duration such as 90s, 5m or 1h30m");
  }
  return absl::OkStatus();
}

struct Node {
  Command* command = nullptr;
  CLI::App* app = nullptr;
  FlagSet flags;
  std::map<std::string, bool> given;  // Positional arguments that were given.
};

// One run of CLI11 over the whole command table.
class Parser {
 public:
  Parser(const CommandTable& commands, const Terminal& terminal, ClientOptions& options)
      : terminal_(terminal), root_("", "toolgate") {
    options.Declare(client_flags_);
    options.DeclareJson(common_flags_);
    Set(root_);
    root_.add_flag("--version", show_version_);
    Bind(client_flags_, nullptr, root_);
    Bind(common_flags_, nullptr, root_);
    for (const auto& command : commands) Add(*command, nodes_.emplace_back());
  }

  bool help_wanted() const { return help_wanted_; }
  bool show_version() const { return show_version_; }
  // The selected command; null if there is none.
  Node* chosen() { return chosen_; }

  // Error messages are for people.
  absl::Status Parse(std::vector<std::string> arguments) {
    RETURN_IF_ERROR(ReadEnvironment());
    std::reverse(arguments.begin(), arguments.end());
    try {
      root_.parse(std::move(arguments));
    } catch (const CLI::CallForHelp&) {
      help_wanted_ = true;
    } catch (const CLI::ParseError& error) {
      Choose();
      return absl::InvalidArgumentError(error.what());
    }
    Choose();
    RETURN_IF_ERROR(CheckExtras());
    return help_wanted_ ? absl::OkStatus() : CheckRequired();
  }

 private:
  static void Set(CLI::App& app) {
    app.set_help_flag("-h,--help", "");
    app.allow_extras();
    app.require_subcommand(0, 1);
  }

  void Add(Command& command, Node& node) {
    const CommandInfo info = command.Info();
    node.command = &command;
    CLI::App* parent = &root_;
    std::string name = info.name;
    if (const size_t blank = name.find(' '); blank != std::string::npos) {
      parent = root_.get_subcommand(name.substr(0, blank));
      name = name.substr(blank + 1);
    }
    node.app = parent->add_subcommand(name);
    Set(*node.app);
    command.Declare(node.flags);
    Bind(node.flags, &node, *node.app);
    Bind(common_flags_, nullptr, *node.app);
    if (info.client) Bind(client_flags_, nullptr, *node.app);
  }

  void Bind(const FlagSet& flags, Node* node, CLI::App& app) {
    for (const FlagRow& row : flags.rows()) {
      if (auto* const* on = std::get_if<bool*>(&row.target)) {
        app.add_flag_callback(row.name, [target = *on] { *target = true; });
        continue;
      }
      const std::string name = row.positional ? Lower(row.name) : row.name;
      CLI::Option* option = app.add_option(name, [row, node](const CLI::results_t& values) {
        if (node != nullptr && row.positional) node->given[row.name] = true;
        for (const std::string& value : values) {
          if (value == "%%") continue;  // CLI11's own mark behind "{}".
          if (const absl::Status status = Assign(row, value); !status.ok()) {
            throw CLI::ValidationError(std::string(FromAbsl(status.message())), CLI::ExitCodes::ValidationError);
          }
        }
        return true;
      });
      option->allow_extra_args(false);
      const bool list = std::holds_alternative<std::vector<std::string>*>(row.target);
      option->multi_option_policy(list ? CLI::MultiOptionPolicy::TakeAll : CLI::MultiOptionPolicy::TakeLast);
    }
  }

  static std::string Lower(std::string name) {
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    return name;
  }

  absl::Status ReadEnvironment() {
    if (!terminal_.environment) return absl::OkStatus();
    const auto read = [&](const FlagSet& flags) -> absl::Status {
      for (const FlagRow& row : flags.rows()) {
        if (row.environment.empty()) continue;
        const std::optional<std::string> value = terminal_.environment(row.environment);
        if (!value.has_value() || value->empty()) continue;
        if (const absl::Status status = Assign(row, *value); !status.ok()) {
          return absl::InvalidArgumentError(absl::StrCat(row.environment, ", ", status.message()));
        }
      }
      return absl::OkStatus();
    };
    RETURN_IF_ERROR(read(client_flags_));
    for (const Node& node : nodes_) RETURN_IF_ERROR(read(node.flags));
    return absl::OkStatus();
  }

  void Choose() {
    const CLI::App* app = &root_;
    while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
    for (Node& node : nodes_) {
      if (node.app == app) chosen_ = &node;
    }
  }

  absl::Status CheckExtras() const {
    const CLI::App& app = chosen_ == nullptr ? root_ : *chosen_->app;
    std::vector<std::string> extras = app.remaining();
    for (const CLI::App* up = app.get_parent(); up != nullptr; up = up->get_parent()) {
      const std::vector<std::string> more = up->remaining();
      extras.insert(extras.end(), more.begin(), more.end());
    }
    if (extras.empty()) return absl::OkStatus();
    const std::string& extra = extras.front();
    const bool flag = extra.size() > 1 && extra[0] == '-';
    const bool is_command = !flag && !ChildNames(app).empty();
    return absl::InvalidArgumentError(
        absl::StrCat(flag         ? "unknown flag "
                     : is_command ? "unknown command "
                                  : "unexpected argument ",
                     extra, Suggestion(extra.substr(0, extra.find('=')), flag ? FlagNames() : ChildNames(app))));
  }

  std::vector<std::string> FlagNames() const {
    std::vector<std::string> names = {"--help"};
    const auto add = [&](const FlagSet& flags) {
      for (const FlagRow& row : flags.rows()) {
        if (!row.positional) names.push_back(row.name);
      }
    };
    if (chosen_ != nullptr) add(chosen_->flags);
    add(common_flags_);
    if (chosen_ == nullptr || chosen_->command->Info().client) add(client_flags_);
    return names;
  }

  static std::vector<std::string> ChildNames(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* child : app.get_subcommands([](const CLI::App*) { return true; })) {
      names.push_back(child->get_name());
    }
    return names;
  }

  absl::Status CheckRequired() const {
    if (chosen_ == nullptr) return absl::OkStatus();
    for (const FlagRow& row : chosen_->flags.rows()) {
      if (row.required && chosen_->given.count(row.name) == 0) {
        return absl::InvalidArgumentError(absl::StrCat(row.name, " is missing: ", row.help));
      }
    }
    return absl::OkStatus();
  }

  const Terminal& terminal_;
  CLI::App root_;
  FlagSet client_flags_;
  FlagSet common_flags_;
  std::deque<Node> nodes_;  // Stable addresses.
  Node* chosen_ = nullptr;
  bool help_wanted_ = false;
  bool show_version_ = false;
};

int Usage(const Session& session, Node* node, const absl::Status& status) {
  const std::string hint = node == nullptr ? "`toolgate help` lists the commands"
                                           : absl::StrCat("usage: ", UsageOf(*node->command), "; see `toolgate help ",
                                                          node->command->Info().name, "`");
  return static_cast<int>(session.Fail(ExitCode::kUsage, FromAbsl(status.message()), hint));
}

// Turns a result that could not be written into a failure.
int Finish(const Terminal& terminal, const Session& session, ExitCode code) {
  terminal.out.flush();
  if (terminal.out.good()) return static_cast<int>(code);
  return static_cast<int>(session.Fail(ExitCode::kLocalFile, "the standard output cannot be written"));
}

}  // namespace

int RunCommandLine(const CommandTable& commands, const std::vector<std::string>& arguments, const Terminal& terminal,
                   IdSource& ids) {
  ClientOptions options;
  Parser parser(commands, terminal, options);
  absl::Status status = parser.Parse(arguments);
  // A failed parse may have stopped before --json, which decides how the failure is printed.
  if (!status.ok() && std::find(arguments.begin(), arguments.end(), "--json") != arguments.end()) options.json = true;
  Session session(terminal, options, ids, commands);
  Node* node = parser.chosen();
  if (!status.ok()) return Usage(session, node, status);
  const bool colour = terminal.colour_out();
  if (parser.show_version()) {
    for (const auto& command : commands) {
      if (command->Info().name == "version") return Finish(terminal, session, command->Run(session));
    }
  }
  if (node == nullptr || parser.help_wanted()) {
    terminal.out << (node == nullptr ? Overview(commands, colour) : HelpFor(*node->command, commands, colour));
    return Finish(terminal, session, parser.help_wanted() || arguments.empty() ? ExitCode::kOk : ExitCode::kUsage);
  }
  if (node->command->Info().client) status = options.Check();
  if (!status.ok()) return Usage(session, node, status);
  if (node->command->Info().client) status = options.ReadFiles();
  if (!status.ok()) return static_cast<int>(session.Fail(ExitCode::kLocalFile, FromAbsl(status.message())));
  return Finish(terminal, session, node->command->Run(session));
}

}  // namespace toolgate::cli
