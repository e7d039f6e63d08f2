#include "services/rpc/rpc_runtime.h"

#include <grpc/grpc_security_constants.h>
#include <grpcpp/security/auth_context.h>

#include <chrono>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
