// Rewrites a query by a language model.
#ifndef TOOLGATE_EXECUTORS_WEB_SEARCH_QUERY_REWRITER_H_
#define TOOLGATE_EXECUTORS_WEB_SEARCH_QUERY_REWRITER_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/civil_time.h"
#include "executors/models/chat_model.h"
#include "executors/providers/provider.h"

namespace toolgate::executors::web_search {

// Thread-safe.
class QueryRewriter {
 public:
  explicit QueryRewriter(std::shared_ptr<models::ChatModel> model) : model_(std::move(model)) {}

  // One line of at most 400 characters. `today` lets the model turn "this year" into a number. Errors are those of the
  // model, and EXECUTION_ERROR when it answers with anything but one query: several lines, nothing, or an essay.
  absl::StatusOr<std::string> Rewrite(std::string_view query, absl::CivilDay today, providers::Scope& scope) const;

 private:
  const std::shared_ptr<models::ChatModel> model_;
};

}  // namespace toolgate::executors::web_search

#endif  // TOOLGATE_EXECUTORS_WEB_SEARCH_QUERY_REWRITER_H_
