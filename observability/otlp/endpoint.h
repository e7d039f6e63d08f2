// Address of a receiver of OTLP over gRPC.
#ifndef TOOLGATE_OBSERVABILITY_OTLP_ENDPOINT_H_
#define TOOLGATE_OBSERVABILITY_OTLP_ENDPOINT_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace toolgate::observability::otlp {

struct Endpoint {
  std::string target;  // As gRPC names it: "collector:4317", "unix:/run/otel.sock".
  bool tls = false;
};

// Parses "http://host:port", "https://host:port" or "unix:/path". The port is 4317 unless another is given.
// INVALID_ARGUMENT says what would be right, and quotes nothing of `text`, which may hold a password by mistake.
absl::StatusOr<Endpoint> ParseEndpoint(std::string_view text);

}  // namespace toolgate::observability::otlp

#endif  // TOOLGATE_OBSERVABILITY_OTLP_ENDPOINT_H_
