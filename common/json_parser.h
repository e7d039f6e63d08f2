// Parsers that are kept from text to text.
#ifndef TOOLGATE_COMMON_JSON_PARSER_H_
#define TOOLGATE_COMMON_JSON_PARSER_H_

#include <cstddef>
#include <optional>
#include <string_view>

#include "simdjson.h"

namespace toolgate {

// Bytes. A parser keeps the memory that its longest text needed, some 14 times the text, for as long as it lives.
inline constexpr size_t kMaxTextOfKeptParser = size_t{64} << 10;

// The parser for `text`: `kept`, which a thread keeps for good, or for a longer text one that is made in `passing`.
inline simdjson::dom::parser& ParserFor(std::string_view text, simdjson::dom::parser& kept,
                                        std::optional<simdjson::dom::parser>& passing) {
  return text.size() <= kMaxTextOfKeptParser ? kept : passing.emplace();
}

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_JSON_PARSER_H_
