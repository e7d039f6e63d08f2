#include "security/injection_defence/markup.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "common/absl_bridge.h"

namespace toolgate::security::injection_defence {
namespace {

// The longest tag or comment that is looked at: what bounds the work on a text full of "<".
constexpr size_t kMaxTag = 256;

// Elements whose edges a browser shows as a new line or a new cell.
constexpr std::string_view kBlocks[] = {
    "address", "article", "blockquote", "br",    "dd",    "div",    "dl",    "dt", "figure", "footer", "form", "h1",
    "h2",      "h3",      "h4",         "h5",    "h6",    "header", "hr",    "li", "main",   "nav",    "ol",   "option",
    "p",       "pre",     "section",    "table", "tbody", "td",     "tfoot", "th", "thead",  "title",  "tr",   "ul"};

// A letter of any script; of the others only the bytes are looked at.
bool IsLetterByte(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)) || (c & 0x80) != 0; }

bool IsBlock(std::string_view name) {
  return std::any_of(std::begin(kBlocks), std::end(kBlocks),
                     [&](std::string_view block) { return absl::EqualsIgnoreCase(ToAbsl(block), ToAbsl(name)); });
}

// The bytes of the comment or tag at the beginning of `text`, 0 when there is none that a browser would hide.
size_t HiddenLength(std::string_view text) {
  text = text.substr(0, kMaxTag);
  if (text.starts_with("<!--")) {
    const size_t end = text.find("-->", 4);
    return end == std::string_view::npos ? 0 : end + 3;
  }
  const size_t begin = text.starts_with("</") ? 2 : 1;
  size_t name = begin;
  while (name < text.size() && absl::ascii_isalnum(static_cast<unsigned char>(text[name]))) ++name;
  if (name == begin || IsBlock(text.substr(begin, name - begin))) return 0;
  const size_t end = text.find_first_of("<>", name);
  return end == std::string_view::npos || text[end] == '<' ? 0 : end + 1;
}

// The bytes of all tags and comments in one row at `at`.
size_t RowLength(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && text[end] == '<') {
    const size_t length = HiddenLength(text.substr(end));
    if (length == 0) break;
    end += length;
  }
  return end - at;
}

}  // namespace

bool JoinTornWords(std::string_view text, TextView& out) {
  out.Clear();
  size_t copied = 0;
  bool tears = false;
  const auto copy = [&](size_t until) {
    for (; copied < until; ++copied) out.Append(text[copied], static_cast<uint32_t>(copied));
  };
  for (size_t at = text.find('<'); at != std::string_view::npos;) {
    const size_t end = at + RowLength(text, at);
    if (end > at) {
      copy(at);
      copied = end;
      tears = tears || (at > 0 && end < text.size() && IsLetterByte(text[at - 1]) && IsLetterByte(text[end]));
    }
    at = text.find('<', std::max(end, at + 1));
  }
  if (tears) copy(text.size());
  return tears;
}

}  // namespace toolgate::security::injection_defence
