// Address of a receiver of OTLP.
#ifndef TOOLGATE_OBSERVABILITY_OTLP_ENDPOINT_H_
#define TOOLGATE_OBSERVABILITY_OTLP_ENDPOINT_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace toolgate::observability::otlp {

// The protocols under OTLP, as OpenTelemetry names them.
inline constexpr char kGrpcProtocol[] = "grpc";
inline constexpr char kHttpProtocol[] = "http/protobuf";

struct Endpoint {
  std::string target;  // As gRPC names it: "collector:4317", "unix:/run/otel.sock".
  bool tls = false;
};

// Parses "http://host:port", "https://host:port" or "unix:/path". The port is 4317 unless another is given.
// INVALID_ARGUMENT says what would be right, and quotes nothing of `text`, which may hold a password by mistake.
absl::StatusOr<Endpoint> ParseEndpoint(std::string_view text);

// The same for OTLP over HTTP: the URL to which batches are posted. One without a path gets "/v1/traces", before its
// query; the port is the scheme's own unless another is given.
absl::StatusOr<std::string> ParseHttpEndpoint(std::string_view text);

// "scheme://authority" of a URL, without path, query and fragment, which may be secret; all of a text without "://".
std::string_view OriginOf(std::string_view url);

// `url` with `path` between its origin and its query, unless it has a path.
std::string WithPath(std::string_view url, std::string_view path);

}  // namespace toolgate::observability::otlp

#endif  // TOOLGATE_OBSERVABILITY_OTLP_ENDPOINT_H_
