#include "cli/whole_result.h"

#include <grpcpp/client_context.h>

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cli/api_json.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "toolgate/v1/tool_service.grpc.pb.h"

namespace toolgate::cli {
namespace {

// Text member `name` of a response's data.
absl::StatusOr<std::string> PieceOf(const v1::ToolResult& result, const char* name) {
  const Json data = EmbeddedJson(result.data_json());
  if (data.is_object()) {
    const auto piece = data.find(name);
    if (piece != data.end() && piece->is_string()) return piece->get<std::string>();
  }
  return absl::InternalError("the service sent an unreadable part");
}

absl::StatusOr<v1::ToolResult> ReadPart(Session& session, const std::string& continuation) {
  const Connection& connection = session.connection();
  v1::ReadResultRequest request;
  *request.mutable_caller() = connection.caller();
  request.set_continuation(continuation);
  grpc::ClientContext context;
  connection.Prepare(Connection::Patience::kUnary, context);
  v1::ReadResultResponse response;
  const grpc::Status status = v1::ToolService::NewStub(connection.channel())->ReadResult(&context, request, &response);
  if (!status.ok()) return absl::UnavailableError(status.error_message());
  if (!response.result().success()) return absl::UnavailableError(response.result().error().message());
  return std::move(*response.mutable_result());
}

absl::StatusOr<std::string> Whole(Session& session, const v1::ToolResult& result) {
  ASSIGN_OR_RETURN(std::string whole, PieceOf(result, "head"));
  for (std::string next = result.continuation(); !next.empty();) {
    ASSIGN_OR_RETURN(const v1::ToolResult part, ReadPart(session, next));
    ASSIGN_OR_RETURN(const std::string text, PieceOf(part, "text"));
    if (text.empty()) return absl::InternalError("the service sent an empty part");
    whole += text;
    next = part.continuation();
  }
  return whole;
}

}  // namespace

void FetchRest(Session& session, v1::ToolResult& result) {
  if (result.continuation().empty()) return;
  absl::StatusOr<std::string> whole = Whole(session, result);
  if (!whole.ok()) {
    session.Warn(absl::StrCat("the rest of the result could not be read: ", whole.status().message()));
    return;
  }
  result.set_data_json(*std::move(whole));
  result.set_truncated(false);
  result.clear_continuation();
}

}  // namespace toolgate::cli
