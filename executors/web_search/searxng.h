// The search API of SearXNG (https://docs.searxng.org/dev/search_api.html), a metasearch engine to run oneself.
#ifndef TOOLGATE_EXECUTORS_WEB_SEARCH_SEARXNG_H_
#define TOOLGATE_EXECUTORS_WEB_SEARCH_SEARXNG_H_

#include <memory>

#include "executors/providers/provider.h"
#include "executors/web_search/search_engine.h"

namespace toolgate::executors::web_search {

// GET /search?format=json, which an instance answers with 403 unless its settings list that format. It knows no number
// of results; the first ones are taken.
std::unique_ptr<SearchEngine> Searxng(std::shared_ptr<providers::Provider> provider);

}  // namespace toolgate::executors::web_search

#endif  // TOOLGATE_EXECUTORS_WEB_SEARCH_SEARXNG_H_
