// Cleans what search engines say about pages: texts and addresses from outside.
#ifndef TOOLGATE_EXECUTORS_WEB_SEARCH_SOURCE_TEXT_H_
#define TOOLGATE_EXECUTORS_WEB_SEARCH_SOURCE_TEXT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace toolgate::executors::web_search {

// One line of at most `max_bytes`, and "…" where it was cut: without control, invisible and bidirectional characters,
// blanks and line ends folded to one blank. `text` is well-formed UTF-8.
std::string CleanLine(std::string_view text, size_t max_bytes);

// An address that is safe to show and to follow, or nothing: http or https, a host of letters, digits, "-", "_" and
// ".", or a literal IPv6 address, without user information, at most 2,048 bytes. Scheme and host in lower case;
// whatever has no place in a URL (RFC 3986), such as blanks, quotes and letters of other scripts, is percent-encoded.
std::optional<std::string> CleanUrl(std::string_view url);

// The same for addresses of one page: without scheme, "www.", fragment and a slash at the end. `url` is CleanUrl's.
std::string PageKey(std::string_view url);

}  // namespace toolgate::executors::web_search

#endif  // TOOLGATE_EXECUTORS_WEB_SEARCH_SOURCE_TEXT_H_
