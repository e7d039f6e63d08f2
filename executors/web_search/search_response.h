// Reads what the responses of search engines have in common.
#ifndef TOOLGATE_EXECUTORS_WEB_SEARCH_SEARCH_RESPONSE_H_
#define TOOLGATE_EXECUTORS_WEB_SEARCH_SEARCH_RESPONSE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/json.h"
#include "executors/web_search/search_engine.h"

namespace toolgate::executors::web_search {

// A response's body, which must be a JSON object with the array "results". EXECUTION_ERROR, retryable, names the
// engine; it says so when the body tells of an error, with an empty array or none.
absl::StatusOr<Json> ParseResponse(std::string_view engine, std::string_view body);

// The first `max_hits` results that have an address. A member of another type counts as absent: one odd result does not
// cost the others.
std::vector<Hit> HitsOf(const Json& response, size_t max_hits);

// The text of a member; empty when there is none.
std::string TextOf(const Json& object, std::string_view name);

}  // namespace toolgate::executors::web_search

#endif  // TOOLGATE_EXECUTORS_WEB_SEARCH_SEARCH_RESPONSE_H_
