#include "services/rendering/json_text.h"

namespace toolgate::services::rendering {
namespace {

constexpr char kHex[] = "0123456789abcdef";

// The character after the backslash of a short escape, 'u' for the long form, 0 for unescaped characters.
char EscapeOf(char c) {
  switch (c) {
    case '"':
    case '\\':
      return c;
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    default:
      return static_cast<unsigned char>(c) < 0x20 ? 'u' : '\0';
  }
}

}  // namespace

void AppendJsonString(std::string_view text, std::string* out) {
  out->reserve(out->size() + text.size() + text.size() / 8 + 2);
  out->push_back('"');
  size_t copied = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char escape = EscapeOf(text[i]);
    if (escape == '\0') continue;
    out->append(text, copied, i - copied);
    copied = i + 1;
    out->push_back('\\');
    out->push_back(escape);
    if (escape == 'u') {
      const auto byte = static_cast<unsigned char>(text[i]);
      out->append({'0', '0', kHex[byte >> 4], kHex[byte & 0xF]});
    }
  }
  out->append(text, copied);
  out->push_back('"');
}

std::string WithoutMarkup(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  size_t copied = 0;
  for (size_t at = json.find('<'); at != std::string_view::npos; at = json.find('<', copied)) {
    out.append(json, copied, at - copied);
    out.append("\\u003c");
    copied = at + 1;
  }
  out.append(json, copied);
  return out;
}

bool IsJsonObject(std::string_view json) {
  const size_t start = json.find_first_not_of(" \t\r\n");
  return start != std::string_view::npos && json[start] == '{';
}

}  // namespace toolgate::services::rendering
