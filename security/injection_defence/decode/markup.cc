#include "security/injection_defence/decode/markup.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "common/absl_bridge.h"

namespace toolgate::security::injection_defence::decode {
namespace {

// Elements whose edges browsers show as a new line or a new cell.
constexpr std::string_view kBlocks[] = {
    "address", "article", "blockquote", "br",    "dd",    "div",    "dl",    "dt", "figure", "footer", "form", "h1",
    "h2",      "h3",      "h4",         "h5",    "h6",    "header", "hr",    "li", "main",   "nav",    "ol",   "option",
    "p",       "pre",     "section",    "table", "tbody", "td",     "tfoot", "th", "thead",  "title",  "tr",   "ul"};

// A letter of any script; beyond ASCII only the byte is examined.
bool IsLetterByte(char c) { return absl::ascii_isalpha(static_cast<unsigned char>(c)) || (c & 0x80) != 0; }

bool IsBlock(std::string_view name) {
  return std::any_of(std::begin(kBlocks), std::end(kBlocks),
                     [&](std::string_view block) { return absl::EqualsIgnoreCase(ToAbsl(block), ToAbsl(name)); });
}

// Finds tags and comments. The end of a tag depends on its quotes, so that unterminated tags could be examined again
// and again: the work is limited to a few times the length of the text.
class TagReader {
 public:
  explicit TagReader(std::string_view text) : text_(text), patience_(4 * text.size()) {}

  // The end of a sequence of adjacent tags and comments at `at`; `at` if there is none.
  size_t RowEnd(size_t at) {
    while (at < text_.size() && text_[at] == '<') {
      const size_t end = text_.substr(at).starts_with("<!--") ? CommentEnd(at) : TagEnd(at);
      if (end == at) break;
      at = end;
    }
    return at;
  }

 private:
  size_t CommentEnd(size_t at) {
    // No comment ends after the last one.
    if (last_comment_ == kUnknown) last_comment_ = text_.rfind("-->");
    if (last_comment_ == std::string_view::npos || last_comment_ < at + 4) return at;
    return text_.find("-->", at + 4) + 3;
  }

  size_t TagEnd(size_t at) {
    const size_t begin = at + (text_.substr(at).starts_with("</") ? 2 : 1);
    size_t end = begin;
    while (end < text_.size() && absl::ascii_isalnum(static_cast<unsigned char>(text_[end]))) ++end;
    if (end == begin || IsBlock(text_.substr(begin, end - begin))) return at;
    char quote = 0;
    for (; end < text_.size() && patience_ > 0; ++end, --patience_) {
      const char c = text_[end];
      if (quote != 0) {
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '>') {
        return end + 1;
      } else if (c == '<') {
        break;
      }
    }
    return at;
  }

  static constexpr size_t kUnknown = std::string_view::npos - 1;

  const std::string_view text_;
  size_t patience_;
  size_t last_comment_ = kUnknown;
};

}  // namespace

bool JoinTornWords(std::string_view text, text::TextView& out) {
  out.Clear();
  size_t copied = 0;
  bool tears = false;
  const auto copy = [&](size_t until) {
    for (; copied < until; ++copied) out.Append(text[copied], static_cast<uint32_t>(copied));
  };
  TagReader reader(text);
  for (size_t at = text.find('<'); at != std::string_view::npos;) {
    const size_t end = reader.RowEnd(at);
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

}  // namespace toolgate::security::injection_defence::decode
