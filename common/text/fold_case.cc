#include "common/text/fold_case.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace toolgate::text {
namespace {

absl::string_view ToView(std::string_view text) { return {text.data(), text.size()}; }

bool IsAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string Fold(std::string_view text, int options) {
  if (IsAscii(text)) return absl::AsciiStrToLower(ToView(text));
  utf8proc_uint8_t* folded = nullptr;
  const utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                   &folded, static_cast<utf8proc_option_t>(options));
  const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owned(folded, &std::free);
  if (size < 0) return absl::AsciiStrToLower(ToView(text));
  return {reinterpret_cast<const char*>(folded), static_cast<size_t>(size)};
}

}  // namespace

std::string FoldCase(std::string_view text) {
  return Fold(text, UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD);
}

std::string FoldMarks(std::string_view text) {
  return Fold(text, UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_STRIPMARK);
}

bool EqualFolded(std::string_view a, std::string_view b) {
  if (IsAscii(a) && IsAscii(b)) return absl::EqualsIgnoreCase(ToView(a), ToView(b));
  return FoldCase(a) == FoldCase(b);
}

}  // namespace toolgate::text
