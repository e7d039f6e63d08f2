// Searches on the web as a family of one tool.
#ifndef TOOLGATE_EXECUTORS_WEB_SEARCH_WEB_SEARCH_TOOLS_H_
#define TOOLGATE_EXECUTORS_WEB_SEARCH_WEB_SEARCH_TOOLS_H_

#include "executors/family.h"
#include "executors/web_search/settings.pb.h"
#include "executors/web_search/sources.h"

namespace toolgate::executors::web_search {

// "browser.search", with the settings of the section "web_search". Absent, with the reason, while the search engine is
// not configured.
Family WebSearchFamily();

// `settings` has a value for every field.
SourceLimits LimitsOf(const WebSearchSettings& settings);

}  // namespace toolgate::executors::web_search

#endif  // TOOLGATE_EXECUTORS_WEB_SEARCH_WEB_SEARCH_TOOLS_H_
