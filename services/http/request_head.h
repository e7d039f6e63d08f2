// Method, target and headers of one HTTP request.
#ifndef TOOLGATE_SERVICES_HTTP_REQUEST_HEAD_H_
#define TOOLGATE_SERVICES_HTTP_REQUEST_HEAD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/api/inbound_rpc.h"

namespace toolgate::services::http {

// As it came: nothing in it is decoded or verified. A header that a request may have once is counted, since a proxy in
// front and this service could disagree about which of two counts. Thread-compatible.
struct RequestHead {
  std::string method;
  std::string path;   // Percent-encoded.
  std::string query;  // Without the "?".
  std::vector<std::string> hosts;
  std::vector<std::string> origins;
  std::vector<std::string> content_types;
  std::vector<std::string> content_lengths;
  std::vector<std::string> transfer_encodings;
  std::vector<std::string> content_encodings;
  std::vector<std::string> authorizations;
  std::vector<std::string> trace_parents;
  std::string trace_state;   // All headers of this name, joined by commas.
  std::string accept;        // The same.
  int64_t header_bytes = 0;  // Of the target and all headers.
  bool is_plain = true;      // By the grammar alone (raw_head.h); otherwise no one knows where the next request begins.
  bool expects_continue = false;
  bool asks_for_private_network = false;   // Access-Control-Request-Private-Network.
  std::optional<std::string> preflighted;  // Access-Control-Request-Method.

  // Takes over a header; names that do not matter here are left out.
  void Add(std::string_view name, std::string_view value);

  // Whether the client wants events rather than one answer: "text/event-stream" is in Accept.
  bool WantsEvents() const;
  bool IsPreflight() const { return method == "OPTIONS" && origins.size() == 1 && preflighted.has_value(); }
};

// Credentials and trace of a request as an RPC's. Without the RPC's own span and the deadline.
api::InboundRpc InboundOf(const RequestHead& head);

// The client's span, if the headers state one (W3C Trace Context).
std::optional<observability::TraceContext> ClientSpanOf(const RequestHead& head);

}  // namespace toolgate::services::http

#endif  // TOOLGATE_SERVICES_HTTP_REQUEST_HEAD_H_
