#include "services/grpc/inbound.h"

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
#include "absl/time/time.h"
#include "common/absl_bridge.h"
#include "observability/tracing/tracer.h"

namespace toolgate::services::grpc {
namespace {

constexpr std::string_view kBearer = "Bearer ";
constexpr std::string_view kSpiffe = "spiffe://";

std::string_view MetadataOf(const ::grpc::ServerContextBase& context, const char* key) {
  const auto& metadata = context.client_metadata();
  const auto row = metadata.find(key);
  return row == metadata.end() ? std::string_view() : std::string_view(row->second.data(), row->second.size());
}

// Several headers of one name count as one, joined by commas.
std::string TraceStateOf(const ::grpc::ServerContextBase& context) {
  std::string joined;
  const auto [first, last] = context.client_metadata().equal_range("tracestate");
  for (auto row = first; row != last; ++row) {
    if (!joined.empty()) joined += ',';
    joined.append(row->second.data(), row->second.size());
  }
  return joined;
}

// One "Bearer TOKEN" (the scheme's case does not count, RFC 7235 section 2.1), or none at all.
void ReadAuthorization(const ::grpc::ServerContextBase& context, security::Connection& connection) {
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

std::vector<std::string> PropertiesOf(const ::grpc::AuthContext& context, const char* name) {
  std::vector<std::string> values;
  for (const ::grpc::string_ref& value : context.FindPropertyValues(name))
    values.emplace_back(value.data(), value.size());
  return values;
}

// The names in the client's certificate, which the handshake has verified; nothing when it showed none.
std::optional<security::PeerCertificate> CertificateOf(const ::grpc::AuthContext& context) {
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

// Without the trace.
api::InboundRpc Read(const GrpcRuntime& runtime, const ::grpc::ServerContextBase& context) {
  api::InboundRpc inbound;
  ReadAuthorization(context, inbound.connection);
  if (runtime.tls) inbound.connection.certificate = CertificateOf(*context.auth_context());
  const auto deadline = context.deadline();
  if (deadline != std::chrono::system_clock::time_point::max()) inbound.deadline = absl::FromChrono(deadline);
  inbound.peer = [&context] { return context.peer(); };
  return inbound;
}

}  // namespace

api::InboundRpc InboundOf(const GrpcRuntime& runtime, const ::grpc::ServerContextBase& context, const RpcTimer& timer) {
  api::InboundRpc inbound = Read(runtime, context);
  inbound.trace = timer.trace().server_span();
  inbound.recording = timer.trace().recording();
  return inbound;
}

api::InboundRpc InboundOf(const GrpcRuntime& runtime, const ::grpc::ServerContextBase& context) {
  api::InboundRpc inbound = Read(runtime, context);
  if (std::optional<observability::TraceContext> client = ClientSpanOf(context); client.has_value()) {
    inbound.trace = *std::move(client);
  }
  return inbound;
}

std::optional<observability::TraceContext> ClientSpanOf(const ::grpc::ServerContextBase& context) {
  const std::string_view parent = MetadataOf(context, "traceparent");
  return parent.empty() ? std::nullopt : observability::tracing::ParentOf(parent, TraceStateOf(context));
}

}  // namespace toolgate::services::grpc
