#include "services/rpc/rpc_runtime.h"

#include <chrono>
#include <optional>
#include <string>

#include "observability/trace_context.h"

namespace toolgate::services::rpc {
namespace {

constexpr std::string_view kBearer = "Bearer ";

std::string_view MetadataOf(const grpc::ServerContextBase& context, const char* key) {
  const auto& metadata = context.client_metadata();
  const auto row = metadata.find(key);
  return row == metadata.end() ? std::string_view() : std::string_view(row->second.data(), row->second.size());
}

// Several headers of one name count as one, joined by commas.
std::string TraceStateOf(const grpc::ServerContextBase& context) {
  std::string joined;
  const auto [first, last] = context.client_metadata().equal_range("tracestate");
  for (auto row = first; row != last; ++row) {
    if (!joined.empty()) joined += ',';
    joined.append(row->second.data(), row->second.size());
  }
  return joined.empty() ? joined : observability::ParseTraceState(joined);
}

}  // namespace

const std::vector<observability::RpcMethod>& RpcMethods() {
  static const auto* const methods = new std::vector<observability::RpcMethod>{
      {"unary", "toolgate.v1.ToolService", "Execute"},
      {"server_stream", "toolgate.v1.ToolService", "ExecuteStream"},
      {"unary", "toolgate.v1.ToolService", "ListTools"},
      {"unary", "toolgate.v1.ToolService", "Undo"},
      {"unary", "toolgate.v1.ToolService", "ListUndoEntries"},
      {"unary", "toolgate.v1.ToolService", "ListConfirmations"},
      {"unary", "toolgate.v1.ToolService", "DecideConfirmation"},
      {"unary", "toolgate.v1.AuditService", "SearchEntries"},
      {"unary", "toolgate.v1.AuditService", "GetEntry"},
      {"unary", "toolgate.v1.AuditService", "VerifyChain"},
      {"bidi_stream", "toolgate.v1.DataService", "ImportBlocks"},
      {"server_stream", "toolgate.v1.DataService", "ExportBlocks"},
      {"server_stream", "toolgate.v1.DataService", "Backup"},
      {"unary", "toolgate.v1.AdminService", "ListBreakers"},
      {"unary", "toolgate.v1.AdminService", "ResetBreaker"},
      {"unary", "toolgate.v1.AdminService", "GetQuotaUsage"},
  };
  return *methods;
}

security::Connection ConnectionOf(const grpc::ServerContextBase& context) {
  security::Connection connection;
  const std::string_view authorization = MetadataOf(context, "authorization");
  if (authorization.substr(0, kBearer.size()) == kBearer) {
    connection.bearer_token = authorization.substr(kBearer.size());
  }
  return connection;
}

void Arrive(RpcRuntime& runtime, const grpc::ServerContextBase& context, security::ToolCall& call) {
  call.arrived = runtime.clock.Now();
  call.arrived_monotonic = runtime.clock.Monotonic();
  call.id = runtime.ids.NewId(call.arrived);
  call.audit_entry_id = runtime.ids.NewId(call.arrived);
  call.connection = ConnectionOf(context);
  const std::string_view header = MetadataOf(context, "traceparent");
  if (std::optional<observability::TraceContext> parent;
      !header.empty() && (parent = observability::ParseTraceParent(header)).has_value()) {
    parent->trace_state = TraceStateOf(context);
    call.parent_span_id = parent->span_id;
    call.trace = runtime.trace_ids.NewChild(*parent);
  } else {
    call.trace = runtime.trace_ids.NewTrace();
  }
  const auto deadline = context.deadline();
  absl::Duration due = absl::InfiniteDuration();
  if (deadline != std::chrono::system_clock::time_point::max()) {
    due = call.arrived_monotonic + (absl::FromChrono(deadline) - call.arrived);
  }
  call.cancellation.Reset(runtime.clock, due);
}

RpcTimer::RpcTimer(RpcRuntime& runtime, Rpc rpc)
    : runtime_(runtime), method_(static_cast<size_t>(rpc)), start_(runtime.clock.Monotonic()) {
  runtime_.metrics.RpcStarted(method_);
}

void RpcTimer::Finished(grpc::StatusCode code) const {
  runtime_.metrics.RpcHandled(method_, static_cast<int>(code), runtime_.clock.Monotonic() - start_);
}

}  // namespace toolgate::services::rpc
