#include "common/text/visible_text.h"

#include <utf8proc.h>

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace toolgate::text {
namespace {

constexpr int kMaxMarks = 3;

// One character, or one byte that belongs to none.
struct Unit {
  int32_t character = -1;  // A code point; -1: none.
  std::string_view bytes;
};

Unit UnitAt(std::string_view text, size_t at) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  utf8proc_int32_t character = -1;
  const utf8proc_ssize_t length =
      utf8proc_iterate(bytes + at, static_cast<utf8proc_ssize_t>(text.size() - at), &character);
  if (length <= 0) return {-1, text.substr(at, 1)};
  return {character, text.substr(at, static_cast<size_t>(length))};
}

// Drawn as nothing, though no category says so: the empty Braille pattern, and a musical symbol.
bool IsDrawnEmpty(int32_t character) { return character == 0x2800 || character == 0x1D159; }

bool IsMark(int32_t character) {
  const utf8proc_category_t category = utf8proc_category(character);
  return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_MC || category == UTF8PROC_CATEGORY_ME;
}

bool IsEnclosing(int32_t character) { return utf8proc_category(character) == UTF8PROC_CATEGORY_ME; }

bool IsBase(int32_t character) {
  switch (utf8proc_category(character)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_ND:
      return true;
    default:
      return false;
  }
}

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

bool IsPrintableAscii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

// Writes one text. In quotes every backslash is doubled; in lines only those before an escape, so that commands stay
// readable: an escape then follows an odd number of backslashes, of which the last is its own.
class VisibleWriter {
 public:
  VisibleWriter(std::string_view text, bool quoted) : text_(text), quoted_(quoted) {
    result_.reserve(text.size() + 16);
  }

  std::string Write() && {
    while (at_ < text_.size()) {
      if (const char c = text_[at_]; IsBlank(c) || c == '\n') {
        WriteBlanks();
      } else {
        WriteCharacter();
      }
    }
    return std::move(result_);
  }

 private:
  void WriteCharacter() {
    const Unit unit = UnitAt(text_, at_);
    if (unit.character < 0 || !IsVisible(unit.character) || IsStray(unit.character)) {
      WriteEscape(unit, CountSame(unit));
      return;
    }
    marks_ = IsMark(unit.character) ? marks_ + 1 : 0;
    if (!IsMark(unit.character)) after_base_ = IsBase(unit.character);
    if (quoted_) {
      if (unit.character == '"' || unit.character == '\\') result_ += '\\';
    } else if (LooksLikeEscape()) {
      DoubleBackslashes();
    }
    result_.append(unit.bytes);
    at_ += unit.bytes.size();
  }

  // Whether a mark would be drawn over something that is not its letter, or over the lines around it.
  bool IsStray(int32_t character) const {
    if (!IsMark(character)) return false;
    return IsEnclosing(character) || !after_base_ || marks_ >= kMaxMarks;
  }

  size_t CountSame(const Unit& unit) const {
    size_t count = 1;
    for (size_t next = at_ + unit.bytes.size(); text_.substr(next, unit.bytes.size()) == unit.bytes;
         next += unit.bytes.size()) {
      ++count;
    }
    return count;
  }

  void WriteEscape(const Unit& unit, size_t count) {
    if (!quoted_) DoubleBackslashes();
    if (unit.character >= 0) {
      absl::StrAppendFormat(&result_, "\\u{%x", unit.character);
    } else {
      absl::StrAppendFormat(&result_, "\\x{%02x", static_cast<unsigned char>(unit.bytes.front()));
    }
    if (count > 1) absl::StrAppend(&result_, " x ", count);
    result_ += '}';
    at_ += count * unit.bytes.size();
    after_base_ = false;
    marks_ = 0;
  }

  // Blanks and line breaks from here on: as they are, or counted if there are many, or if no one would see them.
  void WriteBlanks() {
    const size_t end = std::min(text_.find_first_not_of(" \t\n", at_), text_.size());
    const std::string_view run = text_.substr(at_, end - at_);
    after_base_ = false;
    marks_ = 0;
    if (static_cast<size_t>(std::count(run.begin(), run.end(), '\n')) > kMaxShownBreaks) {
      while (at_ < end) WriteCounted();
      // The rest begins on a line of its own, as it did.
      if (!quoted_ && run.back() == '\n') result_ += "\\\n";
      return;
    }
    while (at_ < end) {
      if (text_[at_] == '\n') {
        WriteBreak();
      } else {
        WriteBlanksOfLine(end);
      }
    }
  }

  void WriteCounted() {
    const Unit unit = UnitAt(text_, at_);
    WriteEscape(unit, CountSame(unit));
  }

  void WriteBreak() {
    result_ += quoted_ ? "\\n" : "\n";
    ++at_;
  }

  void WriteBlanksOfLine(size_t end) {
    const size_t stop = std::min(text_.find('\n', at_), end);
    const bool ends_line = !quoted_ && (stop == text_.size() || text_[stop] == '\n');
    if (ends_line || stop - at_ > kMaxShownBlanks) {
      while (at_ < stop) WriteCounted();
      return;
    }
    for (; at_ < stop; ++at_) {
      if (quoted_ && text_[at_] == '\t') {
        result_ += "\\t";
      } else {
        result_ += text_[at_];
      }
    }
  }

  // Whether the text itself has "u{" or "x{" here, after a backslash.
  bool LooksLikeEscape() const {
    const std::string_view next = text_.substr(at_, 2);
    return (next == "u{" || next == "x{") && !result_.empty() && result_.back() == '\\';
  }

  void DoubleBackslashes() {
    const size_t end = result_.find_last_not_of('\\');
    result_.append(result_.size() - (end == std::string::npos ? 0 : end + 1), '\\');
  }

  const std::string_view text_;
  const bool quoted_;
  size_t at_ = 0;
  int marks_ = 0;  // On the present letter.
  bool after_base_ = false;
  std::string result_;
};

void AppendJsonEscape(int32_t character, std::string& result) {
  if (character < 0x10000) {
    absl::StrAppendFormat(&result, "\\u%04x", character);
    return;
  }
  const int32_t offset = character - 0x10000;
  absl::StrAppendFormat(&result, "\\u%04x\\u%04x", 0xD800 + (offset >> 10), 0xDC00 + (offset & 0x3FF));
}

}  // namespace

bool IsVisible(int32_t character) {
  if (character > ' ' && character <= '~') return true;
  switch (utf8proc_category(character)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_ZS:
      return false;
    default:
      return utf8proc_get_property(character)->ignorable == 0 && !IsDrawnEmpty(character);
  }
}

bool IsAllVisible(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Unit unit = UnitAt(text, at);
    if (unit.character < 0 || (unit.character != ' ' && !IsVisible(unit.character))) return false;
    at += unit.bytes.size();
  }
  return true;
}

bool HasRightToLeft(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Unit unit = UnitAt(text, at);
    at += unit.bytes.size();
    if (unit.character < 0x590) continue;  // The first of them is Hebrew.
    const auto direction = utf8proc_get_property(unit.character)->bidi_class;
    if (direction == UTF8PROC_BIDI_CLASS_R || direction == UTF8PROC_BIDI_CLASS_AL) return true;
  }
  return false;
}

std::string VisibleLines(std::string_view text) { return VisibleWriter(text, /*quoted=*/false).Write(); }

std::string Quoted(std::string_view text) {
  return absl::StrCat("\"", VisibleWriter(text, /*quoted=*/true).Write(), "\"");
}

std::string VisibleJson(std::string_view json) {
  if (IsPrintableAscii(json)) return std::string(json);
  std::string result;
  result.reserve(json.size() + 16);
  for (size_t at = 0; at < json.size();) {
    const Unit unit = UnitAt(json, at);
    at += unit.bytes.size();
    const bool is_layout = unit.character == ' ' || unit.character == '\n' || unit.character == '\t';
    if (unit.character < 0) {
      result.append("\xEF\xBF\xBD");
    } else if (is_layout || IsVisible(unit.character)) {
      result.append(unit.bytes);
    } else {
      AppendJsonEscape(unit.character, result);
    }
  }
  return result;
}

}  // namespace toolgate::text
