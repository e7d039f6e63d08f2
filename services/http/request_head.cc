#include "services/http/request_head.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "common/absl_bridge.h"
#include "observability/tracing/tracer.h"

namespace toolgate::services::http {
namespace {

constexpr std::string_view kBearerScheme = "Bearer ";
constexpr std::string_view kEventStream = "text/event-stream";

void Join(std::string_view value, std::string& list) {
  if (!list.empty()) list += ',';
  list += value;
}

// One "Bearer TOKEN" (the scheme's case does not count, RFC 7235 section 2.1), or none at all.
void ReadBearer(const std::vector<std::string>& headers, security::Connection& connection) {
  if (headers.empty()) return;
  const std::string_view value = headers.front();
  if (headers.size() == 1 && value.size() > kBearerScheme.size() &&
      absl::StartsWithIgnoreCase(ToAbsl(value), ToAbsl(kBearerScheme))) {
    connection.bearer_token = value.substr(kBearerScheme.size());
  } else {
    connection.unreadable_authorization = true;
  }
}

}  // namespace

void RequestHead::Add(std::string_view name, std::string_view value) {
  const std::string lower = absl::AsciiStrToLower(ToAbsl(name));
  if (lower == "host") return static_cast<void>(hosts.emplace_back(value));
  if (lower == "origin") return static_cast<void>(origins.emplace_back(value));
  if (lower == "content-type") return static_cast<void>(content_types.emplace_back(value));
  if (lower == "content-length") return static_cast<void>(content_lengths.emplace_back(value));
  if (lower == "transfer-encoding") return static_cast<void>(transfer_encodings.emplace_back(value));
  if (lower == "content-encoding") return static_cast<void>(content_encodings.emplace_back(value));
  if (lower == "authorization") return static_cast<void>(authorizations.emplace_back(value));
  if (lower == "traceparent") return static_cast<void>(trace_parents.emplace_back(value));
  if (lower == "tracestate") return Join(value, trace_state);
  if (lower == "accept") return Join(value, accept);
  if (lower == "expect") expects_continue = true;
  if (lower == "access-control-request-private-network") asks_for_private_network = value == "true";
  if (lower == "access-control-request-method") preflighted = std::string(value);
}

bool RequestHead::WantsEvents() const {
  for (const auto part : absl::StrSplit(accept, ',')) {
    const std::vector<std::string> pieces = absl::StrSplit(part, ';');
    if (absl::EqualsIgnoreCase(absl::StripAsciiWhitespace(pieces.front()), ToAbsl(kEventStream))) return true;
  }
  return false;
}

api::InboundRpc InboundOf(const RequestHead& head) {
  api::InboundRpc inbound;
  ReadBearer(head.authorizations, inbound.connection);
  return inbound;
}

std::optional<observability::TraceContext> ClientSpanOf(const RequestHead& head) {
  if (head.trace_parents.size() != 1) return std::nullopt;
  return observability::tracing::ParentOf(head.trace_parents.front(), head.trace_state);
}

}  // namespace toolgate::services::http
