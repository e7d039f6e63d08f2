#include "services/rpc/rpc_runtime.h"

#include <grpc/grpc_security_constants.h>
#include <grpcpp/security/auth_context.h>

#include <chrono>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "common/absl_bridge.h"
#include "observability/trace_context.h"

namespace toolgate::services::rpc {
namespace {

constexpr std::string_view kBearer = "Bearer ";
constexpr std::string_view kSpiffe = "spiffe://";

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

// One "Bearer TOKEN" (the scheme's case does not count, RFC 7235 section 2.1), or none at all.
void ReadAuthorization(const grpc::ServerContextBase& context, security::Connection& connection) {
  const auto [first, last] = context.client_metadata().equal_range("authorization");
  if (first == last) return;
  const std::string_view value(first->second.data(), first->second.size());
  if (std::next(first) == last && value.size() > kBearer.size() &&
      absl::StartsWithIgnoreCase(ToAbsl(value), ToAbsl(kBearer))) {
    connection.bearer_token = value.substr(kBearer.size());
  } else {
    connection.unreadable_authorization = true;
  }
}

std::vector<std::string> PropertiesOf(const grpc::AuthContext& context, const char* name) {
  std::vector<std::string> values;
  for (const grpc::string_ref& value : context.FindPropertyValues(name))
    values.emplace_back(value.data(), value.size());
  return values;
}

// The names in the client's certificate, which the handshake has verified; nothing when it showed none.
std::optional<security::PeerCertificate> CertificateOf(const grpc::AuthContext& context) {
  if (context.FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME).empty()) return std::nullopt;
  security::PeerCertificate certificate;
  certificate.uris = PropertiesOf(context, GRPC_PEER_URI_PROPERTY_NAME);
  certificate.dns_names = PropertiesOf(context, GRPC_PEER_DNS_PROPERTY_NAME);
  const std::vector<std::string> names = PropertiesOf(context, GRPC_X509_CN_PROPERTY_NAME);
  if (names.size() == 1) certificate.common_name = names.front();
  // A SPIFFE id is one only as the certificate's single URI, and in good form: gRPC tells of those in a property apart.
  if (PropertiesOf(context, GRPC_PEER_SPIFFE_ID_PROPERTY_NAME).empty()) {
    std::erase_if(certificate.uris, [](const std::string& uri) { return uri.starts_with(kSpiffe); });
  }
  return certificate;
}

}  // namespace

const std::vector<observability::RpcMethod>& RpcMethods() {
  static const auto* const methods = new std::vector<observability::RpcMethod>{
      {"unary", "toolgate.v1.ToolService", "Execute"},
      {"server_stream", "toolgate.v1.ToolService", "ExecuteStream"},
      {"unary", "toolgate.v1.ToolService", "ListTools"},
      {"unary", "toolgate.v1.ToolService", "Undo"},
      {"unary", "toolgate.v1.ToolService", "ReadResult"},
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
      {"unary", "toolgate.v1.InstructionService", "GetInstruction"},
      {"unary", "toolgate.v1.InstructionService", "UpdateInstruction"},
      {"unary", "toolgate.v1.InstructionService", "BuildPrompt"},
  };
  return *methods;
}

std::span<const std::string_view> PermissionsFor(Rpc rpc) {
  static constexpr std::string_view kDecide[] = {"confirmation:decide"};
  static constexpr std::string_view kReadAudit[] = {"audit:read"};
  static constexpr std::string_view kImport[] = {"block:create", "admin:write"};
  static constexpr std::string_view kExport[] = {"block:read", "admin:read"};
  static constexpr std::string_view kBackup[] = {"system:backup"};
  static constexpr std::string_view kReadAdmin[] = {"admin:read"};
  static constexpr std::string_view kOperate[] = {"system:operate"};
  static constexpr std::string_view kReadInstruction[] = {"instruction:read"};
  switch (rpc) {
    case Rpc::kListConfirmations:
    case Rpc::kDecideConfirmation:
      return kDecide;
    case Rpc::kSearchEntries:
    case Rpc::kGetEntry:
    case Rpc::kVerifyChain:
      return kReadAudit;
    case Rpc::kImportBlocks:
      return kImport;
    case Rpc::kExportBlocks:
      return kExport;
    case Rpc::kBackup:
      return kBackup;
    case Rpc::kListBreakers:
      return kReadAdmin;
    case Rpc::kResetBreaker:
      return kOperate;
    case Rpc::kGetInstruction:
    case Rpc::kBuildPrompt:
      return kReadInstruction;
    case Rpc::kExecute:
    case Rpc::kExecuteStream:
    case Rpc::kUndo:
    case Rpc::kUpdateInstruction:
    case Rpc::kListTools:
    case Rpc::kListUndoEntries:
    case Rpc::kGetQuotaUsage:
      break;
  }
  return {};
}

security::Connection ConnectionOf(const RpcRuntime& runtime, const grpc::ServerContextBase& context) {
  security::Connection connection;
  ReadAuthorization(context, connection);
  if (runtime.tls) connection.certificate = CertificateOf(*context.auth_context());
  return connection;
}

void Arrive(RpcRuntime& runtime, const grpc::ServerContextBase& context, security::ToolCall& call) {
  call.arrived = runtime.clock.Now();
  call.arrived_monotonic = runtime.clock.Monotonic();
  call.id = runtime.ids.NewId(call.arrived);
  call.audit_entry_id = runtime.ids.NewId(call.arrived);
  call.connection = ConnectionOf(runtime, context);
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
