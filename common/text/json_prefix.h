// Cutting text so that it fits into a JSON string.
#ifndef TOOLGATE_COMMON_TEXT_JSON_PREFIX_H_
#define TOOLGATE_COMMON_TEXT_JSON_PREFIX_H_

#include <cstddef>
#include <string_view>

namespace toolgate::text {

// Length in bytes of the longest prefix of UTF-8 `text`, to the end of a character, that takes at most `room` bytes
// inside a JSON string, without its quotes. An ill-formed byte counts as the U+FFFD that DumpJson writes for it.
size_t JsonPrefix(std::string_view text, size_t room);

// `text`, a piece of longer well-formed UTF-8, without the character that its end cuts through.
std::string_view WholeCharacters(std::string_view text);

// Whether well-formed UTF-8 may begin with this text: it does not start within a character.
bool StartsCharacter(std::string_view text);

}  // namespace toolgate::text

#endif  // TOOLGATE_COMMON_TEXT_JSON_PREFIX_H_
