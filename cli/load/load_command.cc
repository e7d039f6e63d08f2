#include "cli/load/load_command.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "cli/load/load_run.h"
#include "cli/load/profile/profile.h"
#include "cli/load/report/html_report.h"
#include "cli/load/report/json_report.h"
#include "cli/load/report/text_report.h"
#include "cli/printable.h"
#include "cli/session.h"
#include "cli/table.h"
#include "common/absl_bridge.h"
#include "common/duration_text.h"
#include "common/output_file.h"

namespace toolgate::cli::load {
namespace {

// Quotes a value for a shell, if it needs that.
std::string Quoted(const std::string& text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("-_./:,%=+@").find(static_cast<char>(c)) != std::string_view::npos;
  });
  return plain ? text : absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

// Values of a flag that differ from its default.
std::vector<std::string> GivenValues(const FlagRow& row, const FlagRow& initial) {
  if (auto* const* text = std::get_if<std::string*>(&row.target)) {
    if (**text != *std::get<std::string*>(initial.target)) return {**text};
  } else if (auto* const* list = std::get_if<std::vector<std::string>*>(&row.target)) {
    return **list;
  } else if (auto* const* duration = std::get_if<absl::Duration*>(&row.target)) {
    if (**duration != kNotGiven) return {DurationText(**duration)};
  } else if (auto* const* on = std::get_if<bool*>(&row.target)) {
    if (**on) return {""};
  }
  return {};
}

// An output file that is created before the run, so that a wrong path costs no time.
struct Output {
  std::string path;
  std::unique_ptr<OutputFile> file;
};

absl::StatusOr<Output> Open(const std::string& path, bool force) {
  if (path.empty()) return Output();
  absl::StatusOr<std::unique_ptr<OutputFile>> file = OutputFile::Create(path, force);
  if (!file.ok()) return file.status();
  return Output{path, *std::move(file)};
}

absl::Status Write(const Output& output, const std::string& text) {
  if (output.file == nullptr) return absl::OkStatus();
  const absl::Status written = output.file->Write(text);
  return written.ok() ? output.file->Commit() : written;
}

ExitCode FailOnFile(const Session& session, const absl::Status& status) {
  return session.Fail(ExitCode::kLocalFile, FromAbsl(status.message()),
                      absl::IsAlreadyExists(status) ? "--force replaces it" : "");
}

ExitCode CodeOf(const report::Report& report) {
  const bool all_failed = report.unexpected == report.count;  // Also if there were none.
  return report.passed() && !all_failed ? ExitCode::kOk : ExitCode::kThresholdNotMet;
}

}  // namespace

CommandInfo LoadCommand::Info() const {
  return {
      .name = "load",
      .purpose = "test a service under load, and report throughput, latencies and errors",
      .details =
          "A closed loop (--concurrency) keeps a number of calls in flight; an open loop (--rate) starts calls at a\n"
          "given pace, and counts latency from the moment at which each should have started. A profile says which\n"
          "tools are called with which arguments; --list-profiles lists those that are shipped, --print-profile\n"
          "prints one as a start for your own. Each run works in new workspaces, whose blocks stay behind: use a\n"
          "service made for it. deploy/load/unlimited.yaml configures one without limits; docs/load.md explains the\n"
          "rest. Ctrl-C ends the run early and reports what was measured.",
      .examples =
          {{"toolgate load --metrics 127.0.0.1:9464 --html report.html",
            "reads and some writes for 30 s, 16 in flight; a report for a browser"},
           {"toolgate load --profile agents --rate ramp:0-2000/60s --threshold 'p99<50ms' --threshold 'errors<0.1%'",
            "more and more calls of agents; exit code 12 if it was too slow"},
           {"toolgate load --tool search_workspace --arguments '{\"query\": \"{{words 1}}\"}' --requests 10000",
            "one tool with generated arguments"}},
      .exit_codes = {ExitCode::kToolFailed, ExitCode::kRefused, ExitCode::kUnreachable, ExitCode::kThresholdNotMet}};
}

void LoadCommand::Declare(FlagSet& flags) { options_.Declare(flags); }

ExitCode LoadCommand::Run(Session& session) {
  if (options_.list_profiles) return ListProfiles(session);
  const absl::StatusOr<profile::Profile> profile = ReadProfile(options_);
  if (!profile.ok()) {
    const bool of_flags = !options_.tool.empty() || !options_.arguments.empty();
    return session.Fail(of_flags ? ExitCode::kUsage : ExitCode::kLocalFile, FromAbsl(profile.status().message()));
  }
  if (options_.print_profile) return PrintProfile(session);
  const auto setting = MakeSetting(options_, session.options(), *profile, session.ids(), absl::Now());
  if (!setting.ok()) {
    return session.Fail(absl::IsNotFound(setting.status()) ? ExitCode::kLocalFile : ExitCode::kUsage,
                        FromAbsl(setting.status().message()));
  }
  const absl::StatusOr<Output> html = Open(options_.html_file, options_.force);
  if (!html.ok()) return FailOnFile(session, html.status());
  const absl::StatusOr<Output> json = Open(options_.json_file, options_.force);
  if (!json.ok()) return FailOnFile(session, json.status());

  report::Report report;
  report.command_line = CommandLine(session);
  if (const std::optional<RunFailure> failure = RunLoad(*setting, session, report)) {
    return session.Fail(failure->code, failure->message, failure->hint);
  }
  const Json as_json = report::JsonReport(report);
  if (session.json()) {
    session.PrintJson(as_json);
  } else {
    session.Print(report::TextReport(report, session.terminal()));
  }
  for (const absl::Status& written :
       {Write(*html, report::HtmlReport(report)),
        Write(*json, as_json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n")}) {
    if (!written.ok()) return FailOnFile(session, written);
  }
  if (html->file != nullptr) session.Note(absl::StrCat("report: ", html->path));
  return CodeOf(report);
}

ExitCode LoadCommand::ListProfiles(const Session& session) const {
  Table table({"profile", "calls"});
  Json list = Json::array();
  for (const profile::ShippedProfile& shipped : profile::ShippedProfiles()) {
    table.AddRow({shipped.name, shipped.description});
    list.push_back({{"name", shipped.name}, {"description", shipped.description}});
  }
  if (session.json()) {
    session.PrintJson({{"profiles", std::move(list)}});
  } else {
    session.Print(table.Render(session.terminal()));
  }
  return ExitCode::kOk;
}

ExitCode LoadCommand::PrintProfile(const Session& session) const {
  const std::string name = options_.profile.empty() ? "read-mostly" : options_.profile;
  std::string text;
  for (const profile::ShippedProfile& shipped : profile::ShippedProfiles()) {
    if (shipped.name == name) text = shipped.text;
  }
  if (text.empty() && !options_.profile.empty()) {
    std::ifstream file(options_.profile, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(file), {});
  }
  session.Print(PrintableText(text));
  return ExitCode::kOk;
}

std::string LoadCommand::CommandLine(const Session& session) const {
  std::string line = "toolgate load";
  LoadOptions given = options_;
  LoadOptions initial;
  FlagSet given_flags;
  FlagSet initial_flags;
  given.Declare(given_flags);
  initial.Declare(initial_flags);
  for (size_t i = 0; i < given_flags.rows().size(); ++i) {
    const FlagRow& row = given_flags.rows()[i];
    for (const std::string& value : GivenValues(row, initial_flags.rows()[i])) {
      absl::StrAppend(&line, " ", row.name, value.empty() ? "" : " ", value.empty() ? "" : Quoted(value));
    }
  }
  const ClientOptions& client = session.options();
  if (options_.targets.empty()) absl::StrAppend(&line, " --address ", Quoted(client.address));
  if (!client.workspace.empty()) absl::StrAppend(&line, " --workspace ", Quoted(client.workspace));
  if (!client.user.empty()) absl::StrAppend(&line, " --user ", Quoted(client.user));
  // Their values may be secrets.
  if (!client.token.empty()) line += " --token-file …";
  if (!client.tls_ca.empty()) line += " --tls-ca …";
  if (!client.tls_cert.empty()) line += " --tls-cert … --tls-key …";
  return line;
}

}  // namespace toolgate::cli::load
