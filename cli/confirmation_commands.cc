#include "cli/confirmation_commands.h"

#include <grpcpp/client_context.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "cli/api_json.h"
#include "cli/printable.h"
#include "cli/session.h"
#include "cli/table.h"
#include "common/proto_time.h"
#include "toolgate/v1/tool_service.grpc.pb.h"

namespace toolgate::cli {

CommandInfo ConfirmationsCommand::Info() const {
  return {.name = name_,
          .purpose =
              name_ == "confirmations" ? "list pending confirmations, and decide them" : "list pending confirmations",
          .details = "",
          .examples = {{absl::StrCat("toolgate ", name_), "pending confirmations, oldest first"}},
          .exit_codes = {ExitCode::kRefused, ExitCode::kUnreachable}};
}

ExitCode ConfirmationsCommand::Run(Session& session) {
  const Connection& connection = session.connection();
  const auto stub = v1::ToolService::NewStub(connection.channel());
  v1::ListConfirmationsRequest request;
  *request.mutable_caller() = connection.caller();
  v1::ListConfirmationsResponse all;
  do {
    grpc::ClientContext context;
    connection.Prepare(Connection::Patience::kUnary, context);
    v1::ListConfirmationsResponse page;
    if (const grpc::Status status = stub->ListConfirmations(&context, request, &page); !status.ok()) {
      return session.Fail(status);
    }
    request.set_page_token(page.next_page_token());
    all.MergeFrom(page);
  } while (!request.page_token().empty());
  if (session.json()) {
    Json list = Json::array();
    for (const v1::PendingConfirmation& one : all.confirmations()) list.push_back(ToJson(one));
    session.PrintJson({{"confirmations", std::move(list)}});
    return ExitCode::kOk;
  }
  Table table({"ID", "USER", "TOOL", "EXPIRES", "EFFECT"});
  for (const v1::PendingConfirmation& one : all.confirmations()) {
    table.AddRow({one.confirmation_id(), one.user_id(), one.tool_id(),
                  session.ShowTime(FromProtoTime(one.expires_at())), one.summary()});
  }
  session.Print(table.empty() ? "no pending confirmations\n" : table.Render(session.terminal()));
  return ExitCode::kOk;
}

CommandInfo DecideCommand::Info() const {
  if (approve_) {
    return {.name = "confirmations approve",
            .purpose = "approve a pending call",
            .details = "The client that made the call can then send it again with its token.",
            .examples = {{"toolgate confirmations approve 01jq8zs2m4x7k9v3b5n6p8r0tw", "approves one"}},
            .exit_codes = {ExitCode::kRefused, ExitCode::kUnreachable}};
  }
  return {.name = "confirmations deny",
          .purpose = "deny a pending call",
          .details = "Sending the call again is then refused with CANCELLED.",
          .examples = {{"toolgate confirmations deny 01jq8zs2m4x7k9v3b5n6p8r0tw", "denies one"}},
          .exit_codes = {ExitCode::kRefused, ExitCode::kUnreachable}};
}

void DecideCommand::Declare(FlagSet& flags) {
  flags.Argument("ID", &id_, "id of the confirmation, from `toolgate confirmations`");
}

ExitCode DecideCommand::Run(Session& session) {
  const Connection& connection = session.connection();
  v1::DecideConfirmationRequest request;
  *request.mutable_caller() = connection.caller();
  request.set_confirmation_id(id_);
  request.set_approve(approve_);
  grpc::ClientContext context;
  connection.Prepare(Connection::Patience::kUnary, context);
  v1::DecideConfirmationResponse response;
  const grpc::Status status =
      v1::ToolService::NewStub(connection.channel())->DecideConfirmation(&context, request, &response);
  if (!status.ok()) return session.Fail(status);
  if (session.json()) {
    session.PrintJson({{"confirmationId", id_}, {"state", response.state()}});
  } else {
    session.Print(absl::StrCat(PrintableLine(response.state()), "\n"));
  }
  return ExitCode::kOk;
}

}  // namespace toolgate::cli
