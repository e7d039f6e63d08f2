// The tool browser.search.
#ifndef TOOLGATE_EXECUTORS_WEB_SEARCH_WEB_SEARCH_H_
#define TOOLGATE_EXECUTORS_WEB_SEARCH_WEB_SEARCH_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "executors/effect_session.h"
#include "executors/providers/provider.h"
#include "executors/tool.h"
#include "executors/web_search/query_rewriter.h"
#include "executors/web_search/search_engine.h"
#include "executors/web_search/sources.h"
#include "executors/web_search/usage.h"

namespace toolgate::executors::web_search {

// Rewrites the query, asks the engine, formats what it found, and counts. Changes nothing, so a dry run searches too.
// Thread-safe.
class WebSearch {
 public:
  // `rewriter` may be null: queries are only tidied then.
  WebSearch(std::unique_ptr<SearchEngine> engine, std::unique_ptr<QueryRewriter> rewriter, const SourceLimits& limits);

  // Errors are those of SearchEngine. A failure of the rewriter is none: the tidied query is searched for instead.
  absl::StatusOr<Acted> Run(ToolContext& context, EffectSession& session);

  const Usage& usage() const { return usage_; }

 private:
  std::string RewriteQuery(std::string_view query, const ToolContext& context, providers::Scope& scope);

  const std::unique_ptr<SearchEngine> engine_;
  const std::unique_ptr<QueryRewriter> rewriter_;
  const SourceLimits limits_;
  Usage usage_;
};

}  // namespace toolgate::executors::web_search

#endif  // TOOLGATE_EXECUTORS_WEB_SEARCH_WEB_SEARCH_H_
