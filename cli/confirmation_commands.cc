#include "cli/confirmation_commands.h"

#include <grpcpp/client_context.h>

#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "cli/api_json.h"
#include "cli/printable.h"
#include "cli/session.h"
#include "common/absl_bridge.h"
#include "common/proto_time.h"
#include "toolgate/v1/tool_service.grpc.pb.h"

namespace toolgate::cli {
namespace {

// Calls `use` for each pending confirmation, oldest first, until it returns false.
grpc::Status ForEachPending(const Connection& connection, absl::FunctionRef<bool(const v1::PendingConfirmation&)> use) {
  const auto stub = v1::ToolService::NewStub(connection.channel());
  v1::ListConfirmationsRequest request;
  *request.mutable_caller() = connection.caller();
  do {
    grpc::ClientContext context;
    connection.Prepare(Connection::Patience::kUnary, context);
    v1::ListConfirmationsResponse page;
    if (grpc::Status status = stub->ListConfirmations(&context, request, &page); !status.ok()) return status;
    for (const v1::PendingConfirmation& one : page.confirmations()) {
      if (!use(one)) return grpc::Status::OK;
    }
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  return grpc::Status::OK;
}

// One line on the call and its user, and the whole question, indented below.
std::string Block(const v1::PendingConfirmation& one, const Session& session) {
  std::string text =
      absl::StrCat(PrintableLine(one.confirmation_id()), "  ", PrintableLine(one.tool_id()), "  asked by ",
                   PrintableLine(one.user_id()), ", until ", session.ShowTime(FromProtoTime(one.expires_at())), "\n");
  for (const absl::string_view line : absl::StrSplit(absl::StripSuffix(one.summary(), "\n"), '\n')) {
    absl::StrAppend(&text, "  ", PrintableText(FromAbsl(line)), "\n");
  }
  return text;
}

}  // namespace

CommandInfo ConfirmationsCommand::Info() const {
  return {.name = name_,
          .purpose =
              name_ == "confirmations" ? "list pending confirmations, and decide them" : "list pending confirmations",
          .details = "",
          .examples = {{absl::StrCat("toolgate ", name_), "pending confirmations, oldest first"}},
          .exit_codes = {ExitCode::kRefused, ExitCode::kUnreachable}};
}

ExitCode ConfirmationsCommand::Run(Session& session) {
  Json list = Json::array();
  std::string text;
  const grpc::Status status = ForEachPending(session.connection(), [&](const v1::PendingConfirmation& one) {
    if (session.json()) {
      list.push_back(ToJson(one));
    } else {
      text += Block(one, session);
    }
    return true;
  });
  if (!status.ok()) return session.Fail(status);
  if (session.json()) {
    session.PrintJson({{"confirmations", std::move(list)}});
  } else {
    session.Print(text.empty() ? "no pending confirmations\n" : text);
  }
  return ExitCode::kOk;
}

CommandInfo DecideCommand::Info() const {
  if (approve_) {
    return {.name = "confirmations approve",
            .purpose = "approve a pending call",
            .details =
                "Shows the question, and approves the call as the question tells it. The client that made the "
                "call can then send it again with its token.",
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
  if (approve_) {
    const grpc::Status listed = ForEachPending(connection, [&](const v1::PendingConfirmation& one) {
      if (one.confirmation_id() != id_) return true;
      session.NoteQuestion(one.summary());
      request.set_question_digest(one.question_digest());
      return false;
    });
    if (!listed.ok()) return session.Fail(listed);
  }
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
