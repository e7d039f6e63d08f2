#include "common/text/json_prefix.h"

#include "common/text/utf8.h"

namespace toolgate::text {
namespace {

struct Character {
  size_t bytes;          // In the text.
  size_t escaped_bytes;  // Inside a JSON string, at most.
};

size_t LengthFromLead(unsigned char lead) {
  if (lead < 0xc0) return 1;
  return lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
}

Character CharacterAt(std::string_view text, size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x20) return {1, 6};
  if (lead < 0x80) return {1, lead == '"' || lead == '\\' ? size_t{2} : size_t{1}};
  const size_t length = LengthFromLead(lead);
  size_t end = at + 1;
  while (end < text.size() && end < at + length && ContinuesCharacter(text[end])) ++end;
  // An ill-formed byte becomes U+FFFD, of three bytes.
  return end - at == length && length > 1 ? Character{length, length} : Character{1, 3};
}

}  // namespace

size_t JsonPrefix(std::string_view text, size_t room) {
  size_t end = 0;
  while (end < text.size()) {
    const Character next = CharacterAt(text, end);
    if (next.escaped_bytes > room) break;
    room -= next.escaped_bytes;
    end += next.bytes;
  }
  return end;
}

std::string_view WholeCharacters(std::string_view text) {
  size_t lead = text.size();
  while (lead > 0 && ContinuesCharacter(text[lead - 1])) --lead;
  if (lead == 0) return text.substr(0, 0);
  const size_t length = LengthFromLead(static_cast<unsigned char>(text[lead - 1]));
  return lead - 1 + length <= text.size() ? text : text.substr(0, lead - 1);
}

bool StartsCharacter(std::string_view text) { return text.empty() || !ContinuesCharacter(text.front()); }

}  // namespace toolgate::text
