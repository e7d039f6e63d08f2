#include "cli/audit_commands.h"

#include <grpcpp/client_context.h>

#include <algorithm>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "cli/api_json.h"
#include "cli/printable.h"
#include "cli/session.h"
#include "cli/table.h"
#include "common/absl_bridge.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "toolgate/v1/audit_service.grpc.pb.h"

namespace toolgate::cli {
namespace {

constexpr int64_t kLargestPage = 500;

std::string Who(const v1::AuditEntry& entry) {
  const std::string person = entry.user_name().empty() ? entry.user_id() : entry.user_name();
  return entry.ai_model().empty() ? person : absl::StrCat(person, " (", entry.ai_model(), ")");
}

// Also names a rule of layer 1 that found something, and says how many findings there are besides.
std::string Outcome(const v1::AuditEntry& entry) {
  std::string text =
      entry.refused_by().empty() ? entry.outcome() : absl::StrCat(entry.outcome(), " by ", entry.refused_by());
  if (entry.injection_findings().empty()) return text;
  absl::StrAppend(&text, " (", entry.injection_findings(0).rule_id());
  const int more = entry.injection_findings_size() - 1 + entry.injection_findings_omitted();
  if (more > 0) absl::StrAppend(&text, " and ", more, " more");
  return text + ")";
}

ExitCode ShowEntries(const v1::SearchEntriesResponse& all, const Session& session) {
  if (session.json()) {
    Json entries = Json::array();
    for (const v1::AuditEntry& entry : all.entries()) entries.push_back(ToJson(entry));
    session.PrintJson({{"entries", std::move(entries)}, {"more", !all.next_page_token().empty()}});
    return ExitCode::kOk;
  }
  Table table({"WHEN", "WHO", "TOOL", "OUTCOME", "ENTRY", "ARGUMENTS"});
  for (const v1::AuditEntry& entry : all.entries()) {
    table.AddRow({session.ShowTime(FromProtoTime(entry.timestamp())), Who(entry), entry.tool_id(), Outcome(entry),
                  entry.id(), entry.params_json()});
  }
  session.Print(table.empty() ? "no entries\n" : table.Render(session.terminal()));
  if (!all.next_page_token().empty()) session.Note("there are older entries; --limit shows more (0 for all)");
  return ExitCode::kOk;
}

}  // namespace

CommandInfo AuditCommand::Info() const {
  return {.name = "audit",
          .purpose = "search the audit log, newest first",
          .details =
              "Every call has an entry, refused calls included. Entries must match all given filters. A time is\n"
              "2026-03-02, 2026-03-02T09:00:00Z, or how long ago: 90m, 24h.",
          .examples = {{"toolgate audit --failed --since 24h", "failed and refused calls of the last 24 hours"},
                       {"toolgate audit --block 01jq8zs2m4x7k9v3b5n6p8r0tw", "all calls that affected one block"},
                       {"toolgate audit --ai-only --limit 0 --json", "all calls of models, for a script"}},
          .exit_codes = {ExitCode::kRefused, ExitCode::kUnreachable}};
}

void AuditCommand::Declare(FlagSet& flags) {
  flags.Value("--block", "ID", &block_, "entries that affected this block");
  flags.Value("--by", "USER", &by_, "entries of this user");
  flags.Value("--tool", "TOOL", &tool_, "entries of this tool");
  flags.Value("--in-conversation", "ID", &in_conversation_, "entries of this conversation");
  flags.Value("--request", "ID", &request_, "entries of this request");
  flags.Value("--text", "TEXT", &text_, "text in the arguments, tool, user's name or error; at most 256 bytes");
  flags.Value("--since", "WHEN", &since_, "entries at or after this time");
  flags.Value("--until", "WHEN", &until_, "entries before this time");
  flags.Switch("--ai-only", &ai_only_, "only calls that a model asked for");
  flags.Switch("--with-findings", &with_findings_, "only calls in which layer 1 found something");
  flags.Value("--finding", "NAME", &finding_, "entries with a finding of this rule or family");
  flags.Switch("--succeeded", &succeeded_, "only successes");
  flags.Switch("--failed", &failed_, "only failures and refusals");
  flags.Value("--limit", "N", &limit_, "maximum number of entries; 0 for all");
}

absl::StatusOr<v1::SearchEntriesRequest> AuditCommand::MakeRequest(Session& session) const {
  v1::SearchEntriesRequest request;
  *request.mutable_caller() = session.connection().caller();
  request.set_block_id(block_);
  request.set_user_id(by_);
  request.set_tool_id(tool_);
  request.set_conversation_id(in_conversation_);
  request.set_request_id(request_);
  request.set_text(text_);
  request.set_ai_actions_only(ai_only_);
  request.set_with_findings(with_findings_);
  request.set_finding(finding_);
  if (succeeded_ && failed_) return absl::InvalidArgumentError("--succeeded and --failed cannot be combined");
  if (succeeded_ || failed_) request.set_success(succeeded_);
  if (limit_ < 0) return absl::InvalidArgumentError("--limit must not be negative");
  const absl::Time now = session.terminal().clock.Now();
  const absl::TimeZone zone = session.options().ShownZone();
  if (!since_.empty()) {
    ASSIGN_OR_RETURN(const absl::Time since, ParseWhen(since_, zone, now));
    SetProtoTime(since, *request.mutable_start_time());
  }
  if (!until_.empty()) {
    ASSIGN_OR_RETURN(const absl::Time until, ParseWhen(until_, zone, now));
    SetProtoTime(until, *request.mutable_end_time());
  }
  return request;
}

ExitCode AuditCommand::Run(Session& session) {
  absl::StatusOr<v1::SearchEntriesRequest> request = MakeRequest(session);
  if (!request.ok()) return session.Fail(ExitCode::kUsage, FromAbsl(request.status().message()));
  const Connection& connection = session.connection();
  const auto stub = v1::AuditService::NewStub(connection.channel());
  v1::SearchEntriesResponse all;
  do {
    const int64_t wanted = limit_ == 0 ? kLargestPage : limit_ - all.entries_size();
    request->set_page_size(static_cast<int>(std::min(kLargestPage, wanted)));
    grpc::ClientContext context;
    connection.Prepare(Connection::Patience::kUnary, context);
    v1::SearchEntriesResponse page;
    if (const grpc::Status status = stub->SearchEntries(&context, *request, &page); !status.ok()) {
      return session.Fail(status);
    }
    request->set_page_token(page.next_page_token());
    all.clear_next_page_token();
    all.MergeFrom(page);
  } while (!request->page_token().empty() && (limit_ == 0 || all.entries_size() < limit_));
  return ShowEntries(all, session);
}

CommandInfo AuditShowCommand::Info() const {
  return {.name = "audit show",
          .purpose = "show one entry of the audit log in full",
          .details = "",
          .examples = {{"toolgate audit show 01jq8zs2m4x7k9v3b5n6p8r0tw", "prints all fields of the entry"}},
          .exit_codes = {ExitCode::kRefused, ExitCode::kUnreachable}};
}

void AuditShowCommand::Declare(FlagSet& flags) {
  flags.Argument("ENTRY", &entry_, "id of the entry, from `toolgate audit`");
}

ExitCode AuditShowCommand::Run(Session& session) {
  const Connection& connection = session.connection();
  v1::GetEntryRequest request;
  *request.mutable_caller() = connection.caller();
  request.set_entry_id(entry_);
  grpc::ClientContext context;
  connection.Prepare(Connection::Patience::kUnary, context);
  v1::GetEntryResponse response;
  const grpc::Status status = v1::AuditService::NewStub(connection.channel())->GetEntry(&context, request, &response);
  if (!status.ok()) return session.Fail(status);
  session.Print(absl::StrCat(PrintableJson(ToJson(response.entry()), session.json() ? -1 : 2), "\n"));
  return ExitCode::kOk;
}

CommandInfo AuditVerifyCommand::Info() const {
  return {.name = "audit verify",
          .purpose = "verify that the audit log was not altered",
          .details =
              "Recomputes the hash chain of the workspace. Keep a copy of the head hash elsewhere: a log that was cut\n"
              "at its end still verifies, but has another head.",
          .examples = {{"toolgate audit verify", "prints the number of entries and the head hash"},
                       {"toolgate audit verify --json", "for monitoring; exit code 6 if the chain is broken"}},
          .exit_codes = {ExitCode::kRefused, ExitCode::kUnreachable, ExitCode::kChainBroken, ExitCode::kTimedOut}};
}

ExitCode AuditVerifyCommand::Run(Session& session) {
  const Connection& connection = session.connection();
  v1::VerifyChainRequest request;
  *request.mutable_caller() = connection.caller();
  grpc::ClientContext context;
  connection.Prepare(Connection::Patience::kBulk, context);
  v1::VerifyChainResponse response;
  const grpc::Status status =
      v1::AuditService::NewStub(connection.channel())->VerifyChain(&context, request, &response);
  if (!status.ok()) return session.Fail(status);
  if (session.json()) {
    session.PrintJson(ToJson(response));
    return response.valid() ? ExitCode::kOk : ExitCode::kChainBroken;
  }
  const bool colour = session.terminal().colour_out();
  if (response.valid()) {
    session.Print(absl::StrCat(Paint("valid", Style::kGood, colour), ": ", response.entries_checked(),
                               " entries, sequence ", response.first_sequence(), " to ", response.last_sequence(),
                               "\nhead: ", absl::BytesToHexString(response.head_hash()), "\n"));
    return ExitCode::kOk;
  }
  session.Print(absl::StrCat(Paint("broken", Style::kBad, colour), " at sequence ", response.broken_sequence(), ": ",
                             PrintableLine(response.problem()), " (", response.entries_checked(),
                             " entries were checked)\n"));
  return ExitCode::kChainBroken;
}

absl::StatusOr<absl::Time> ParseWhen(const std::string& text, absl::TimeZone zone, absl::Time now) {
  absl::Duration ago;
  if (absl::ParseDuration(text, &ago) && ago > absl::ZeroDuration()) return now - ago;
  absl::Time time;
  std::string ignored;
  for (const char* format : {"%Y-%m-%d%ET%H:%M:%E*S%Ez", "%Y-%m-%d%ET%H:%M:%E*S", "%Y-%m-%d%ET%H:%M",
                             "%Y-%m-%d %H:%M:%E*S", "%Y-%m-%d %H:%M", "%Y-%m-%d"}) {
    if (absl::ParseTime(format, text, zone, &time, &ignored)) return time;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("\"", text, "\" is not a time; write 2026-03-02, 2026-03-02T09:00:00Z, or an age such as 90m"));
}

}  // namespace toolgate::cli
