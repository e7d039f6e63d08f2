// Makes a search query out of the words in which a person, or a model, asks for a search.
#ifndef TOOLGATE_EXECUTORS_WEB_SEARCH_QUERY_TEXT_H_
#define TOOLGATE_EXECUTORS_WEB_SEARCH_QUERY_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace toolgate::executors::web_search {

// Trims, folds blanks, and drops what is said to an assistant and not to a search engine: "Hi, could you please search
// the web for flights to Oslo? Thanks!" becomes "flights to Oslo". Knows English only, leaves quoted phrases and
// operators alone, and never makes a query empty: when nothing else is left, the words stay.
std::string TidyQuery(std::string_view query);

// The first `max_characters` of a query, without the word that the bound cuts through. For engines that refuse longer
// ones.
std::string ShortenQuery(std::string_view query, size_t max_characters);

}  // namespace toolgate::executors::web_search

#endif  // TOOLGATE_EXECUTORS_WEB_SEARCH_QUERY_TEXT_H_
