// The one table of what can be asked over HTTP.
#ifndef TOOLGATE_SERVICES_HTTP_ROUTES_H_
#define TOOLGATE_SERVICES_HTTP_ROUTES_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/fibers/cancellation.h"
#include "services/api/known_call.h"
#include "services/api/rpc_table.h"
#include "services/http/event_stream.h"
#include "services/http/request_json.h"

namespace toolgate::services::http {

// A call of a known caller; its status is safe to show. May block.
using UnaryCall = absl::StatusOr<std::string> (*)(const api::KnownCall& known, RequestParts parts,
                                                  fibers::Cancellation& cancellation);
// A status is a refusal if no event was sent before, and otherwise the end of a stream that failed.
using StreamCall = absl::Status (*)(const api::KnownCall& known, RequestParts parts, fibers::Cancellation& cancellation,
                                    EventStream& events);

// An RPC on the wire.
struct Route {
  std::string_view method;
  std::string_view path;  // "/v1/tools/{tool_id}:execute": the variable is a field of the request.
  api::Rpc rpc;
  UnaryCall unary = nullptr;  // Exactly one of the two is set.
  StreamCall stream = nullptr;
};

// In the order of docs/http.md, which tests/e2e/http_front.test.mjs compares with what is served.
std::span<const Route> Routes();

// A path that fits.
struct RouteMatch {
  size_t index = 0;   // In Routes().
  std::string value;  // Of the variable, decoded.
};

// Routes at `path` (percent-encoded).
struct PathMatch {
  std::optional<RouteMatch> route;   // That of the method.
  std::vector<std::string> methods;  // All methods there; empty: no such path.
};

// HEAD finds the route of GET.
PathMatch FindRoute(std::string_view method, std::string_view path);

// Whether `route` reads its fields from the body (POST and PATCH) or from the query (GET and DELETE).
bool TakesBody(const Route& route);

// Name of the variable in `route`, which is a field of its request; empty: none.
std::string_view VariableOf(const Route& route);

// The route to use for a client of the one at `index` that wants events: ExecuteStream's for Execute's, otherwise the
// same.
size_t StreamingTwin(size_t index);

}  // namespace toolgate::services::http

#endif  // TOOLGATE_SERVICES_HTTP_ROUTES_H_
