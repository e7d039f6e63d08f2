// A service that searches the web.
#ifndef TOOLGATE_EXECUTORS_WEB_SEARCH_SEARCH_ENGINE_H_
#define TOOLGATE_EXECUTORS_WEB_SEARCH_SEARCH_ENGINE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "executors/providers/provider.h"

namespace toolgate::executors::web_search {

// One page, as the engine says it. Nothing of it is to be trusted.
struct Hit {
  std::string title;
  std::string url;
  std::string snippet;
};

struct Findings {
  std::vector<Hit> hits = {};  // Best first.
  std::string answer = {};     // The engine's own; empty when it gives none.
  std::string note = {};       // About what is missing, one clean line; empty when nothing is.
};

// Thread-safe.
class SearchEngine {
 public:
  virtual ~SearchEngine() = default;

  // At most about `max_results` hits. Errors are those of Provider, and EXECUTION_ERROR, retryable, when the response
  // is none of the engine's.
  virtual absl::StatusOr<Findings> Search(std::string_view query, int max_results, providers::Scope& scope) const = 0;
};

}  // namespace toolgate::executors::web_search

#endif  // TOOLGATE_EXECUTORS_WEB_SEARCH_SEARCH_ENGINE_H_
