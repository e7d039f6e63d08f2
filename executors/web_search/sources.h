// Makes what an answer says out of what an engine found.
#ifndef TOOLGATE_EXECUTORS_WEB_SEARCH_SOURCES_H_
#define TOOLGATE_EXECUTORS_WEB_SEARCH_SOURCES_H_

#include <cstddef>
#include <string>
#include <vector>

#include "executors/web_search/search_engine.h"

namespace toolgate::executors::web_search {

// A page that has been checked: one line of title, an address that may be shown, one line of snippet.
struct Source {
  std::string title;
  std::string url;
  std::string snippet;
};

// Those of WebSearchSettings.
struct SourceLimits {
  size_t max_sources;
  size_t max_snippet_bytes;
  size_t max_context_bytes;
};

struct Digest {
  std::vector<Source> sources;
  std::string context;  // For a model to read.
  std::string answer;   // The engine's, cleaned.
  size_t unsafe = 0;    // Hits whose address may not be shown.
  size_t repeated = 0;  // Hits of a page that stands there already.
};

// Checks and cleans hits, drops repeated pages, and numbers the rest from 1:
//
//   Answer: Oslo has about 700,000 inhabitants.
//
//   [1] Oslo
//   https://en.wikipedia.org/wiki/Oslo
//   Oslo is the capital of Norway …
//
// Each part of a source is one line, so no page can write a source of its own. Sources that do not fit into the
// context are left out of the list as well, so that numbers agree. `findings` hold well-formed UTF-8.
Digest DigestFindings(const Findings& findings, const SourceLimits& limits);

}  // namespace toolgate::executors::web_search

#endif  // TOOLGATE_EXECUTORS_WEB_SEARCH_SOURCES_H_
