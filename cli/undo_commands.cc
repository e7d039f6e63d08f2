#include "cli/undo_commands.h"

#include <grpcpp/client_context.h>

#include <algorithm>
#include <utility>

#include "cli/api_json.h"
#include "cli/result_view.h"
#include "cli/session.h"
#include "cli/table.h"
#include "common/proto_time.h"
#include "toolgate/v1/tool_service.grpc.pb.h"

namespace toolgate::cli {
namespace {

constexpr int64_t kPageSize = 50;

std::string State(const v1::UndoEntry& entry) {
  if (!entry.can_undo()) return "no";
  return entry.undoes_entry_id().empty() ? "yes" : "yes (redo)";
}

}  // namespace

CommandInfo UndoCommand::Info() const {
  return {.name = "undo",
          .purpose = "undo your latest change, a given one, or all of a request or a conversation",
          .details =
              "An undo that would overwrite a later change is refused with CONFLICT and changes nothing. Undoing the\n"
              "entry of an undo redoes what it undid.",
          .examples = {{"toolgate undo", "undoes the latest change"},
                       {"toolgate undo --dry-run", "shows what the undo would change"},
                       {"toolgate undo 01jq8zs2m4x7k9v3b5n6p8r0tw", "undoes one entry of `toolgate history`"},
                       {"toolgate undo --all-of-request turn-7", "undoes every change that this request made"}},
          .exit_codes = {ExitCode::kToolFailed, ExitCode::kRefused, ExitCode::kUnreachable, ExitCode::kTimedOut}};
}

void UndoCommand::Declare(FlagSet& flags) {
  flags.Argument("ENTRY", &entry_, "entry of `toolgate history`; default the latest", false);
  flags.Value("--all-of-request", "ID", &all_of_request_, "undo all changes of this request, as one").not_empty = true;
  flags.Value("--all-of-conversation", "ID", &all_of_conversation_, "undo all changes of this conversation, as one")
      .not_empty = true;
  flags.Switch("--dry-run", &dry_run_, "commit nothing, and show what would change");
  flags.Value("--idempotency-key", "KEY", &idempotency_key_, "a repeat with the same key undoes nothing again")
      .not_empty = true;
  flags.Value("--request-id", "ID", &request_id_, "request that the undo belongs to, for budgets");
}

ExitCode UndoCommand::Run(Session& session) {
  const int given = static_cast<int>(!entry_.empty()) + static_cast<int>(!all_of_request_.empty()) +
                    static_cast<int>(!all_of_conversation_.empty());
  if (given > 1) {
    return session.Fail(ExitCode::kUsage, "give at most one of ENTRY, --all-of-request and --all-of-conversation");
  }
  const Connection& connection = session.connection();
  v1::UndoRequest request;
  *request.mutable_caller() = connection.caller();
  request.set_entry_id(entry_);
  if (!all_of_request_.empty()) request.set_all_of_request_id(all_of_request_);
  if (!all_of_conversation_.empty()) request.set_all_of_conversation_id(all_of_conversation_);
  request.set_request_id(request_id_);
  request.set_idempotency_key(idempotency_key_);
  request.set_dry_run(dry_run_);
  grpc::ClientContext context;
  connection.Prepare(Connection::Patience::kUnary, context);
  v1::UndoResponse response;
  const grpc::Status status = v1::ToolService::NewStub(connection.channel())->Undo(&context, request, &response);
  if (!status.ok()) return session.Fail(status);
  return ShowResult(response.result(), session);
}

CommandInfo HistoryCommand::Info() const {
  return {.name = "history",
          .purpose = "show your undo stack, newest first",
          .details = "",
          .examples = {{"toolgate history", "lists the changes that `toolgate undo` can undo"}},
          .exit_codes = {ExitCode::kRefused, ExitCode::kUnreachable}};
}

void HistoryCommand::Declare(FlagSet& flags) { flags.Value("--limit", "N", &limit_, "maximum number of entries"); }

ExitCode HistoryCommand::Run(Session& session) {
  const Connection& connection = session.connection();
  const auto stub = v1::ToolService::NewStub(connection.channel());
  if (limit_ < 1) return session.Fail(ExitCode::kUsage, "--limit must be at least 1");
  v1::ListUndoEntriesRequest request;
  *request.mutable_caller() = connection.caller();
  v1::ListUndoEntriesResponse all;
  do {
    request.set_page_size(static_cast<int>(std::min(kPageSize, limit_ - all.entries_size())));
    grpc::ClientContext context;
    connection.Prepare(Connection::Patience::kUnary, context);
    v1::ListUndoEntriesResponse page;
    if (const grpc::Status status = stub->ListUndoEntries(&context, request, &page); !status.ok()) {
      return session.Fail(status);
    }
    request.set_page_token(page.next_page_token());
    all.MergeFrom(page);
  } while (!request.page_token().empty() && all.entries_size() < limit_);
  if (session.json()) {
    Json entries = Json::array();
    for (const v1::UndoEntry& entry : all.entries()) entries.push_back(ToJson(entry));
    session.PrintJson({{"entries", std::move(entries)}});
    return ExitCode::kOk;
  }
  Table table({"ENTRY", "WHEN", "TOOL", "CAN UNDO", "CHANGE"});
  for (const v1::UndoEntry& entry : all.entries()) {
    table.AddRow({entry.id(), session.ShowTime(FromProtoTime(entry.created_at())), entry.tool_id(), State(entry),
                  entry.description()});
  }
  session.Print(table.empty() ? "nothing to undo\n" : table.Render(session.terminal()));
  return ExitCode::kOk;
}

}  // namespace toolgate::cli
