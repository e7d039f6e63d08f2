// The search API of Tavily (https://docs.tavily.com/documentation/api-reference/endpoint/search).
#ifndef TOOLGATE_EXECUTORS_WEB_SEARCH_TAVILY_H_
#define TOOLGATE_EXECUTORS_WEB_SEARCH_TAVILY_H_

#include <memory>

#include "executors/providers/provider.h"
#include "executors/web_search/search_engine.h"

namespace toolgate::executors::web_search {

struct TavilyOptions {
  bool include_answer = false;
  bool in_depth = false;
};

// POST /search. Longer queries than the API takes are shortened.
std::unique_ptr<SearchEngine> Tavily(std::shared_ptr<providers::Provider> provider, const TavilyOptions& options);

}  // namespace toolgate::executors::web_search

#endif  // TOOLGATE_EXECUTORS_WEB_SEARCH_TAVILY_H_
