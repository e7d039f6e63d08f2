#include "services/http/routes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/status_macros.h"
#include "services/api/admin_api.h"
#include "services/api/audit_api.h"
#include "services/api/chat_api.h"
#include "services/api/confirmation_api.h"
#include "services/api/instruction_api.h"
#include "services/api/tool_api.h"
#include "services/http/message_json.h"
#include "services/http/query_json.h"
#include "services/http/stream_calls.h"

namespace toolgate::services::http {
namespace {

// Types of an RPC of services/api.
template <typename Function>
struct RpcTypes;
template <typename In, typename Out>
struct RpcTypes<absl::Status (*)(const api::KnownCall&, const In&, Out&, fibers::Cancellation&)> {
  using Request = In;
  using Response = Out;
};

// Reads the request of `kMethod`, runs it, and writes the response.
template <auto kMethod>
absl::StatusOr<std::string> Answered(const api::KnownCall& known, RequestParts parts,
                                     fibers::Cancellation& cancellation) {
  typename RpcTypes<decltype(kMethod)>::Request request;
  RETURN_IF_ERROR(ReadRequest(std::move(parts), request));
  typename RpcTypes<decltype(kMethod)>::Response response;
  RETURN_IF_ERROR(kMethod(known, request, response, cancellation));
  return MessageToJson(response);
}

absl::StatusOr<std::string> Executed(const api::KnownCall& known, RequestParts parts,
                                     fibers::Cancellation& cancellation) {
  v1::ExecuteRequest request;
  RETURN_IF_ERROR(ReadExecuteRequest(std::move(parts), request));
  v1::ExecuteResponse response;
  RETURN_IF_ERROR(api::Execute(known, request, response, cancellation));
  return MessageToJson(response);
}

using api::Rpc;

// Imports, exports and backups are streams of files, which gRPC carries alone.
constexpr Route kRoutes[] = {
    {"POST", "/v1/tools/{tool_id}:execute", Rpc::kExecute, Executed},
    {"POST", "/v1/tools/{tool_id}:executeStream", Rpc::kExecuteStream, nullptr, StreamExecute},
    {"GET", "/v1/tools", Rpc::kListTools, Answered<&api::ListTools>},
    {"POST", "/v1/results:read", Rpc::kReadResult, Answered<&api::ReadResult>},
    {"POST", "/v1/undo", Rpc::kUndo, Answered<&api::Undo>},
    {"GET", "/v1/undoEntries", Rpc::kListUndoEntries, Answered<&api::ListUndoEntries>},
    {"GET", "/v1/confirmations", Rpc::kListConfirmations, Answered<&api::ListConfirmations>},
    {"POST", "/v1/confirmations/{confirmation_id}:decide", Rpc::kDecideConfirmation,
     Answered<&api::DecideConfirmation>},
    {"GET", "/v1/confirmations/{confirmation_id}:wait", Rpc::kWaitConfirmation, Answered<&api::WaitConfirmation>},
    {"GET", "/v1/auditEntries", Rpc::kSearchEntries, Answered<&api::SearchEntries>},
    {"GET", "/v1/auditEntries:verify", Rpc::kVerifyChain, Answered<&api::VerifyChain>},
    {"GET", "/v1/auditEntries/{entry_id}", Rpc::kGetEntry, Answered<&api::GetEntry>},
    {"GET", "/v1/instruction", Rpc::kGetInstruction, Answered<&api::GetInstruction>},
    {"PATCH", "/v1/instruction", Rpc::kUpdateInstruction, Answered<&api::UpdateInstruction>},
    {"GET", "/v1/instruction:prompt", Rpc::kBuildPrompt, Answered<&api::BuildPrompt>},
    {"POST", "/v1/chat", Rpc::kChat, nullptr, StreamChat},
    {"GET", "/v1/conversations", Rpc::kListConversations, Answered<&api::ListConversations>},
    {"GET", "/v1/conversations/{conversation_id}", Rpc::kGetConversation, Answered<&api::GetConversation>},
    {"DELETE", "/v1/conversations/{conversation_id}", Rpc::kDeleteConversation, Answered<&api::DeleteConversation>},
    {"GET", "/v1/breakers", Rpc::kListBreakers, Answered<&api::ListBreakers>},
    {"POST", "/v1/breakers/{name}:reset", Rpc::kResetBreaker, Answered<&api::ResetBreaker>},
    {"GET", "/v1/quotaUsage", Rpc::kGetQuotaUsage, Answered<&api::GetQuotaUsage>},
    {"POST", "/v1/catalog:reload", Rpc::kReloadCatalog, Answered<&api::ReloadCatalog>},
};

// Whether `path` fits `route`; `value` becomes that of its variable, decoded.
bool Fits(const Route& route, std::string_view path, std::string& value) {
  const size_t open = route.path.find('{');
  if (open == std::string_view::npos) return path == route.path;
  const std::string_view before = route.path.substr(0, open);
  const std::string_view after = route.path.substr(route.path.find('}') + 1);
  if (path.size() <= before.size() + after.size() || !path.starts_with(before) || !path.ends_with(after)) return false;
  const std::string_view middle = path.substr(before.size(), path.size() - before.size() - after.size());
  return middle.find('/') == std::string_view::npos && DecodePercent(middle, /*plus_is_blank=*/false, value);
}

}  // namespace

std::span<const Route> Routes() { return kRoutes; }

PathMatch FindRoute(std::string_view method, std::string_view path) {
  PathMatch match;
  const std::string_view wanted = method == "HEAD" ? "GET" : method;
  for (size_t i = 0; i < std::size(kRoutes); ++i) {
    std::string value;
    if (!Fits(kRoutes[i], path, value)) continue;
    match.methods.emplace_back(kRoutes[i].method);
    if (kRoutes[i].method == wanted && !match.route.has_value()) match.route = RouteMatch{i, std::move(value)};
  }
  return match;
}

bool TakesBody(const Route& route) { return route.method == "POST" || route.method == "PATCH"; }

std::string_view VariableOf(const Route& route) {
  const size_t open = route.path.find('{');
  if (open == std::string_view::npos) return {};
  return route.path.substr(open + 1, route.path.find('}') - open - 1);
}

size_t StreamingTwin(size_t index) {
  if (kRoutes[index].rpc != Rpc::kExecute) return index;
  const auto* const twin = std::find_if(std::begin(kRoutes), std::end(kRoutes),
                                        [](const Route& route) { return route.rpc == Rpc::kExecuteStream; });
  return static_cast<size_t>(twin - std::begin(kRoutes));
}

}  // namespace toolgate::services::http
