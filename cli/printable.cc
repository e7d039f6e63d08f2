#include "cli/printable.h"

#include <utf8proc.h>

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/absl_bridge.h"
#include "common/text/visible_text.h"

namespace toolgate::cli {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool IsUnsafe(utf8proc_int32_t rune) {
  switch (utf8proc_category(rune)) {
    case UTF8PROC_CATEGORY_CC:  // Control: C0, DEL, C1.
    case UTF8PROC_CATEGORY_CF:  // Format: bidirectional controls, zero-width characters, tags.
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      // Joins the parts of an emoji, and of words in some scripts; has no other effect.
      return rune != 0x200C && rune != 0x200D;
    default:
      return false;
  }
}

// Calls `use(rune, bytes)` for each character; rune is -1 for an invalid byte.
template <typename Use>
void ForEachRune(std::string_view text, Use use) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  for (size_t i = 0; i < text.size();) {
    utf8proc_int32_t rune = -1;
    const auto rest = static_cast<utf8proc_ssize_t>(text.size() - i);
    utf8proc_ssize_t length = utf8proc_iterate(bytes + i, rest, &rune);
    if (length <= 0) {
      rune = -1;
      length = 1;
    }
    if (!use(rune, text.substr(i, static_cast<size_t>(length)))) return;
    i += static_cast<size_t>(length);
  }
}

bool IsPlainAscii(std::string_view text) {
  for (const char c : text) {
    if (c < 0x20 || c > 0x7e) return false;  // Bytes above 0x7f are negative or large: not plain either way.
  }
  return true;
}

std::string Escape(std::string_view text, bool keep_lines) {
  if (IsPlainAscii(text)) return std::string(text);
  std::string result;
  result.reserve(text.size() + 16);
  ForEachRune(text, [&](utf8proc_int32_t rune, std::string_view bytes) {
    const bool breaks = rune == '\n' || rune == '\t';
    if (rune < 0) {
      result.append(kReplacement);
    } else if (breaks && !keep_lines) {
      result.append(rune == '\n' ? "\\n" : "\\t");
    } else if (!breaks && IsUnsafe(rune)) {
      absl::StrAppendFormat(&result, "\\u{%x}", rune);
    } else {
      result.append(bytes);
    }
    return true;
  });
  return result;
}

}  // namespace

std::string PrintableLine(std::string_view text) { return Escape(text, false); }

std::string PrintableText(std::string_view text) { return Escape(text, true); }

std::string PrintableJson(const Json& value, int indent) {
  return text::VisibleJson(value.dump(indent, ' ', false, Json::error_handler_t::replace));
}

std::string Counted(int64_t count, std::string_view noun) {
  return absl::StrCat(count, " ", ToAbsl(noun), count == 1 ? "" : "s");
}

int DisplayWidth(std::string_view text) {
  if (IsPlainAscii(text)) return static_cast<int>(text.size());
  int width = 0;
  ForEachRune(text, [&](utf8proc_int32_t rune, std::string_view) {
    width += rune < 0 ? 1 : utf8proc_charwidth(rune);
    return true;
  });
  return width;
}

std::string CutToWidth(std::string_view text, int columns) {
  if (DisplayWidth(text) <= columns) return std::string(text);
  if (columns <= 0) return "";
  std::string result;
  int width = 0;
  ForEachRune(text, [&](utf8proc_int32_t rune, std::string_view bytes) {
    const int next = rune < 0 ? 1 : utf8proc_charwidth(rune);
    if (width + next > columns - 1) return false;
    width += next;
    result.append(bytes);
    return true;
  });
  return absl::StrCat(result, "…");
}

}  // namespace toolgate::cli
