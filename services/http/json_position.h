// The place at which a text stops being JSON.
#ifndef TOOLGATE_SERVICES_HTTP_JSON_POSITION_H_
#define TOOLGATE_SERVICES_HTTP_JSON_POSITION_H_

#include <cstddef>
#include <optional>
#include <string_view>

namespace toolgate::services::http {

// Both count from 1; a column is a byte.
struct TextPosition {
  size_t line = 1;
  size_t column = 1;
};

// The first place at which `text` is no JSON; nothing if it is, whatever else may be wrong with it (a key twice, too
// deep). For error messages: it reads the whole text again, without recursion.
std::optional<TextPosition> FindSyntaxError(std::string_view text);

}  // namespace toolgate::services::http

#endif  // TOOLGATE_SERVICES_HTTP_JSON_POSITION_H_
