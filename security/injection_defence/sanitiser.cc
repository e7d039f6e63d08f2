#include "security/injection_defence/sanitiser.h"

#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "security/injection_defence/text/utf8.h"

namespace toolgate::security::injection_defence {
namespace {

Violation MakeViolation(std::string rule, std::string expected, std::string found) {
  return {"", std::move(rule), std::move(expected), std::move(found)};
}

bool IsControl(char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0); }

// White space that a line folds, including every kind of line end.
bool IsBlank(char32_t c) {
  return c == ' ' || (c >= 0x09 && c <= 0x0D) || c == 0x85 || c == 0xA0 || c == 0x2028 || c == 0x2029 || c == 0x3000 ||
         (c >= 0x2000 && c <= 0x200A);
}

// For names and other short texts that no mode changes, the fast path below costs more than it saves.
constexpr size_t kShort = 32;
bool IsShortAndPlain(std::string_view text) {
  if (text.size() > kShort) return false;
  char before = ' ';  // A line must not begin with a space.
  for (const char c : text) {
    const auto byte = static_cast<uint8_t>(c);
    if (byte < 0x20 || byte >= 0x7F || (c == ' ' && before == ' ')) return false;
    before = c;
  }
  return before != ' ';
}

// Facts found by one pass over the bytes, without a branch in it, so that the compiler can vectorise it. Most texts
// need no other.
struct Bytes {
  bool ascii = false;
  bool nul = false;
  bool control = false;  // Any character that text must not contain: control characters other than tab and newline.
  bool fold = false;     // Tabs, newlines, or superfluous spaces in a line.
  size_t characters = 0;
};

Bytes LookAt(std::string_view text) {
  if (text.empty()) return {.ascii = true};
  const auto* const at = reinterpret_cast<const uint8_t*>(text.data());
  uint8_t high = 0;
  uint8_t nul = 0;
  uint8_t control = 0;
  uint8_t fold = 0;
  size_t characters = 0;
  const auto look = [&](uint8_t before, uint8_t c) {
    high |= c;
    nul |= c == 0;
    control |= ((c < 0x20) & (c != '\t') & (c != '\n')) | (c == 0x7F) | ((before == 0xC2) & (c < 0xA0));
    fold |= (c == '\t') | (c == '\n') | ((c == ' ') & (before == ' '));
    characters += (c & 0xC0) != 0x80;
  };
  look(' ', at[0]);  // A line must not begin with a space.
  for (size_t i = 1; i < text.size(); ++i) look(at[i - 1], at[i]);
  return {high < 0x80, nul != 0, control != 0, fold != 0 || text.back() == ' ', characters};
}

// True if the bytes alone show that the mode leaves the text unchanged; its characters are counted then.
bool IsKept(std::string_view text, SanitiseMode mode, const Bytes& bytes) {
  if (!bytes.ascii && (mode == SanitiseMode::kLine || !simdjson::validate_utf8(text.data(), text.size()))) return false;
  switch (mode) {
    case SanitiseMode::kVerbatim:
      return !bytes.nul;
    case SanitiseMode::kText:
      return !bytes.control;
    case SanitiseMode::kLine:
      return !bytes.control && !bytes.fold;
  }
  return false;
}

class Cleaner {
 public:
  explicit Cleaner(SanitiseMode mode) : mode_(mode) {}

  void Take(char32_t code, std::string_view bytes) {
    if (mode_ == SanitiseMode::kLine && IsBlank(code)) {
      pending_space_ = !out_.empty();
    } else if (IsControl(code) && code != '\t' && code != '\n') {
      return;
    } else {
      if (pending_space_) Append(" ");
      pending_space_ = false;
      Append(bytes);
    }
  }

  std::string& out() { return out_; }
  size_t characters() const { return characters_; }

 private:
  void Append(std::string_view bytes) {
    out_.append(bytes);
    ++characters_;
  }

  const SanitiseMode mode_;
  std::string out_;
  size_t characters_ = 0;
  bool pending_space_ = false;
};

Violation TooLong(size_t characters, size_t max_characters) {
  return MakeViolation("maxLength", absl::StrCat("at most ", max_characters, " characters"),
                       absl::StrCat("string of ", characters, " characters"));
}

}  // namespace

Sanitised Sanitise(std::string_view text, SanitiseMode mode, size_t max_characters) {
  Sanitised result;
  if (IsShortAndPlain(text) && text.size() <= max_characters) return result;
  if (const Bytes bytes = LookAt(text); IsKept(text, mode, bytes)) {
    if (bytes.characters > max_characters) result.violation = TooLong(bytes.characters, max_characters);
    return result;
  }
  Cleaner cleaner(mode);
  size_t characters = 0;
  for (size_t i = 0; i < text.size(); ++characters) {
    const text::Decoded decoded = text::DecodeUtf8(text, i);
    if (!decoded.ok) {
      result.violation = MakeViolation("utf8", "well-formed UTF-8", "string with ill-formed bytes");
      return result;
    }
    if (mode == SanitiseMode::kVerbatim) {
      if (decoded.code == 0) {
        result.violation = MakeViolation("nul", "a string without NUL", "string with a NUL character");
        return result;
      }
    } else {
      cleaner.Take(decoded.code, text.substr(i, decoded.length));
    }
    i += decoded.length;
  }
  if (mode != SanitiseMode::kVerbatim) {
    characters = cleaner.characters();
    if (cleaner.out() != text) result.changed = std::move(cleaner.out());
  }
  if (characters > max_characters) result.violation = TooLong(characters, max_characters);
  return result;
}

}  // namespace toolgate::security::injection_defence
