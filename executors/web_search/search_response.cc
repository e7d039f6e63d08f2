#include "executors/web_search/search_response.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/tool_error.h"
#include "executors/arguments.h"

namespace toolgate::executors::web_search {
namespace {

// A response has passed the provider's own bound. Engines repeat results of many sources with many members each.
constexpr JsonLimits kResponseLimits{
    .max_bytes = size_t{256} << 20, .max_depth = 32, .max_keys = 100'000, .max_values = 200'000};

absl::Status FailedSearch(std::string_view engine, std::string_view what) {
  ToolError error;
  error.code = ErrorCode::kExecutionError;
  error.message = absl::StrCat(ToAbsl(engine), " ", ToAbsl(what));
  error.retryable = true;
  return ToStatus(error);
}

absl::Status Unreadable(std::string_view engine) {
  return FailedSearch(engine, "did not answer with a list of results");
}

// Gateways, and services whose quota is used up, answer errors with the status 200.
bool TellsOfAnError(const Json& response) {
  for (const char* const name : {"error", "errors", "detail"}) {
    const Json* const error = FindArgument(response, name);
    const bool is_said = error != nullptr && !error->is_null() && *error != Json(false) && *error != Json("") &&
                         !((error->is_array() || error->is_object()) && error->empty());
    if (is_said) return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<Json> ParseResponse(std::string_view engine, std::string_view body) {
  absl::StatusOr<Json> response = ParseJson(body, kResponseLimits);
  if (!response.ok() || !response->is_object()) return Unreadable(engine);
  const Json* const results = FindArgument(*response, "results");
  const bool has_results = results != nullptr && results->is_array();
  if ((!has_results || results->empty()) && TellsOfAnError(*response)) {
    return FailedSearch(engine, "answered with an error instead of results");
  }
  if (!has_results) return Unreadable(engine);
  return response;
}

std::vector<Hit> HitsOf(const Json& response, size_t max_hits) {
  std::vector<Hit> hits;
  for (const Json& result : *FindArgument(response, "results")) {
    if (hits.size() == max_hits) break;
    if (!result.is_object()) continue;
    Hit hit{TextOf(result, "title"), TextOf(result, "url"), TextOf(result, "content")};
    if (!hit.url.empty()) hits.push_back(std::move(hit));
  }
  return hits;
}

std::string TextOf(const Json& object, std::string_view name) { return std::string(StringArgument(object, name)); }

}  // namespace toolgate::executors::web_search
