#include "executors/continuation.h"

#include <charconv>

#include "absl/strings/str_cat.h"

namespace toolgate::executors {

std::string Continuation::ToText() const { return absl::StrCat(id, ".", offset); }

std::optional<Continuation> Continuation::Parse(std::string_view text) {
  const size_t dot = text.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  Continuation parsed{std::string(text.substr(0, dot)), 0};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data() + dot + 1, end, parsed.offset);
  if (error != std::errc() || stopped != end || parsed.offset < 0) return std::nullopt;
  return parsed;
}

}  // namespace toolgate::executors
