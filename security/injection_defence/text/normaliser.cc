#include "security/injection_defence/text/normaliser.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "security/injection_defence/text/utf8.h"

namespace toolgate::security::injection_defence::text {
namespace {

struct LookAlike {
  char32_t code;
  char letter;
};

// Ordered by code; made by confusables_generator from ICU's data.
constexpr LookAlike kConfusables[] = {
#include "security/injection_defence/text/confusables.inc"
};

// Styles that neither compatibility decomposition nor the confusables data know: small capitals, turned letters.
// Ordered by code.
constexpr LookAlike kStyles[] = {
    {0x250, 'a'},  {0x254, 'c'},  {0x25F, 'f'},  {0x262, 'g'},  {0x265, 'h'},  {0x26F, 'm'},  {0x274, 'n'},
    {0x279, 'r'},  {0x280, 'r'},  {0x287, 't'},  {0x28C, 'v'},  {0x28D, 'w'},  {0x28E, 'y'},  {0x28F, 'y'},
    {0x299, 'b'},  {0x29C, 'h'},  {0x29E, 'k'},  {0x29F, 'l'},  {0x1D00, 'a'}, {0x1D04, 'c'}, {0x1D05, 'd'},
    {0x1D07, 'e'}, {0x1D09, 'i'}, {0x1D0A, 'j'}, {0x1D0B, 'k'}, {0x1D0D, 'm'}, {0x1D0F, 'o'}, {0x1D18, 'p'},
    {0x1D1B, 't'}, {0x1D1C, 'u'}, {0x1D20, 'v'}, {0x1D21, 'w'}, {0x1D22, 'z'}, {0xA730, 'f'}, {0xA731, 's'},
};

template <size_t N>
char Find(const LookAlike (&table)[N], char32_t code) {
  const auto* place = std::lower_bound(std::begin(table), std::end(table), code,
                                       [](const LookAlike& row, char32_t value) { return row.code < value; });
  return place != std::end(table) && place->code == code ? place->letter : '\0';
}

// Characters that look like a Latin letter only in words that mix scripts. Ordered by code.
constexpr LookAlike kLoose[] = {
    {0x3B1, 'a'}, {0x3B2, 'b'}, {0x3B3, 'y'}, {0x3B5, 'e'}, {0x3B6, 'z'}, {0x3B7, 'n'}, {0x3B9, 'i'}, {0x3BA, 'k'},
    {0x3BC, 'u'}, {0x3BD, 'v'}, {0x3BF, 'o'}, {0x3C1, 'p'}, {0x3C2, 's'}, {0x3C3, 'o'}, {0x3C4, 't'}, {0x3C5, 'u'},
    {0x3C7, 'x'}, {0x3C9, 'w'}, {0x431, 'b'}, {0x432, 'b'}, {0x433, 'r'}, {0x437, 'e'}, {0x438, 'n'}, {0x439, 'n'},
    {0x43A, 'k'}, {0x43C, 'm'}, {0x43D, 'h'}, {0x43F, 'n'}, {0x442, 't'}, {0x444, 'o'}, {0x446, 'u'}, {0x448, 'w'},
    {0x449, 'w'}, {0x44C, 'b'}, {0x44D, 'e'}, {0x44F, 'r'},
};

// Upside-down letters. Ordered by code.
constexpr LookAlike kTurned[] = {
    {0x183, 'g'}, {0x18E, 'e'}, {0x1DD, 'e'}, {0x250, 'a'}, {0x253, 'g'},  {0x254, 'c'},
    {0x25F, 'f'}, {0x265, 'h'}, {0x26F, 'm'}, {0x279, 'r'}, {0x27E, 'j'},  {0x287, 't'},
    {0x28C, 'v'}, {0x28D, 'w'}, {0x28E, 'y'}, {0x29E, 'k'}, {0x1D09, 'i'}, {0x1D1F, 'm'},
};
constexpr int kMinTurned = 4;

char LookAlikeOf(char32_t code) {
  if (const char letter = Find(kStyles, code); letter != '\0') return letter;
  return Find(kConfusables, code);
}

char LooseLookAlikeOf(char32_t code) {
  if (const char letter = Find(kLoose, code); letter != '\0') return letter;
  return LookAlikeOf(code);
}

bool IsAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsAsciiDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAsciiWord(char c) { return IsAsciiLetter(c) || IsAsciiDigit(c); }

bool IsInvisible(char32_t code) {
  return (code >= 0x200B && code <= 0x200F) || (code >= 0x2060 && code <= 0x2064) || code == 0xFEFF || code == 0xAD ||
         code == 0x34F || code == 0x61C || code == 0x115F || code == 0x1160 || code == 0x17B4 || code == 0x17B5 ||
         (code >= 0x180B && code <= 0x180E) || code == 0x3164 || code == 0xFFA0 || (code >= 0x206A && code <= 0x206F) ||
         (code >= 0xFFF9 && code <= 0xFFFB);
}
bool IsBidiControl(char32_t code) { return (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069); }
bool IsTag(char32_t code) { return code >= 0xE0000 && code <= 0xE007F; }
bool IsVariationSelector(char32_t code) {
  return (code >= 0xFE00 && code <= 0xFE0F) || (code >= 0xE0100 && code <= 0xE01EF);
}
// Marks of the alphabets; those of Indic scripts are vowels and stay.
bool IsStrippedMark(char32_t code) {
  return (code >= 0x300 && code <= 0x36F) || (code >= 0x483 && code <= 0x489) || (code >= 0x591 && code <= 0x5C7) ||
         (code >= 0x64B && code <= 0x65F) || code == 0x670 || code == 0x640 || (code >= 0x1AB0 && code <= 0x1AFF) ||
         (code >= 0x1DC0 && code <= 0x1DFF) || (code >= 0x20D0 && code <= 0x20FF) || (code >= 0xFE20 && code <= 0xFE2F);
}
// Other characters that are invisible after an ASCII character: marks of other scripts, and those that Unicode defines
// as having no appearance (Default_Ignorable_Code_Point).
bool IsUnseenAfterAscii(char32_t code) {
  if (code < 0x590 || IsTag(code) || IsVariationSelector(code) || IsBidiControl(code) || IsStrippedMark(code)) {
    return false;
  }
  if (code == 0x2065 || (code >= 0xFFF0 && code <= 0xFFF8) || (code >= 0xE0000 && code <= 0xE0FFF)) return true;
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(code));
  return category == UTF8PROC_CATEGORY_MN || category == UTF8PROC_CATEGORY_ME || category == UTF8PROC_CATEGORY_CF;
}
// Marks that may be used to hold letters apart.
bool IsSeparator(char32_t code) {
  if (code < 0x80)
    return code < 0x7F && std::string_view(" -._*|/~,:\n\t").find(static_cast<char>(code)) != std::string_view::npos;
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(code));
  return (category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO) || category == UTF8PROC_CATEGORY_SM ||
         category == UTF8PROC_CATEGORY_ZS;
}
bool IsBlank(char32_t code) {
  return code <= 0x20 || code == 0x7F || code == 0x85 || code == 0xA0 || code == 0x1680 ||
         (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 || code == 0x202F || code == 0x205F ||
         code == 0x3000 || code == 0x2800;
}
bool IsLineEnd(char32_t code) { return code == '\n' || code == 0x2028 || code == 0x2029 || code == 0x85; }

// Letters in boxes and regional indicators.
char32_t Styled(char32_t code) {
  if (code >= 0x1F150 && code <= 0x1F169) return 'a' + (code - 0x1F150);
  if (code >= 0x1F170 && code <= 0x1F189) return 'a' + (code - 0x1F170);
  if (code >= 0x1F1E6 && code <= 0x1F1FF) return 'a' + (code - 0x1F1E6);
  if (code == 0x131) return 'i';
  return code;
}

// "(a)" as one character.
char Bracketed(char32_t code) {
  if (code >= 0x249C && code <= 0x24B5) return static_cast<char>('a' + (code - 0x249C));
  if (code >= 0x1F110 && code <= 0x1F129) return static_cast<char>('a' + (code - 0x1F110));
  return '\0';
}

// The fold of a visible character.
std::string Decomposed(char32_t code) {
  if (IsStrippedMark(code)) return "";
  if (const char letter = Bracketed(code); letter != '\0') return std::string(1, letter);
  std::array<utf8proc_int32_t, 32> parts;
  int boundary = 0;
  const utf8proc_ssize_t count = utf8proc_decompose_char(
      static_cast<utf8proc_int32_t>(code), parts.data(), parts.size(),
      static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD), &boundary);
  if (count <= 0 || count > static_cast<utf8proc_ssize_t>(parts.size())) return EncodeUtf8(code);
  std::string out;
  for (utf8proc_ssize_t i = 0; i < count; ++i) {
    const auto part = static_cast<char32_t>(parts[i]);
    if (IsStrippedMark(part)) continue;
    out += IsBlank(part) ? " " : EncodeUtf8(Styled(part));
  }
  return out;
}

// Scripts with blanks between words, as far as they have relevant look-alikes.
bool IsAlphabetic(char32_t code) {
  return (code >= 0xC0 && code < 0x590 && code != 0xD7 && code != 0xF7) || (code >= 0x13A0 && code < 0x1400) ||
         (code >= 0x1D00 && code < 0x2000) || (code >= 0x2C60 && code < 0x2E00) || (code >= 0xA640 && code < 0xA800) ||
         (code >= 0xAB30 && code < 0xABC0) || (code >= 0x10000 && code < 0x1F000);
}

// All properties of one character.
struct Character {
  static constexpr uint8_t kUnfolded = 0xFF;

  std::array<char, 9> folded{};
  uint8_t folded_size = kUnfolded;  // kUnfolded: it folds to several characters, or is not visible.
  char look_alike = '\0';
  char loose_look_alike = '\0';
  char turned = '\0';
  bool alphabetic = false;
  bool visible = false;  // Neither white space, invisible, a control character nor a mark that is removed.
};

Character CharacterOf(char32_t code) {
  Character character;
  character.look_alike = LookAlikeOf(code);
  character.loose_look_alike = LooseLookAlikeOf(code);
  character.turned = Find(kTurned, code);
  character.alphabetic = IsAlphabetic(code);
  character.visible = !IsTag(code) && !IsVariationSelector(code) && !IsBidiControl(code) && !IsInvisible(code) &&
                      !IsBlank(code) && !IsStrippedMark(code);
  const std::string folded = Decomposed(code);
  if (character.visible && folded.size() <= character.folded.size()) {
    character.folded_size = static_cast<uint8_t>(folded.size());
    std::copy(folded.begin(), folded.end(), character.folded.begin());
  }
  return character;
}

// The characters of the basic plane, in pages of 256, each built when a text first needs it. Thread-safe.
class CharacterTable {
 public:
  static const Character& Of(char32_t code) {
    static constinit CharacterTable table;  // Its pages are never freed.
    return (*table.PageOf(code >> 8))[code & 0xFF];
  }
  static bool Has(char32_t code) { return code < 0x10000; }

 private:
  using Page = std::array<Character, 256>;

  const Page* PageOf(size_t number) {
    const Page* page = pages_[number].load(std::memory_order_acquire);
    return page != nullptr ? page : Make(number);
  }

  const Page* Make(size_t number) {
    auto made = std::make_unique<Page>();
    for (size_t i = 0; i < made->size(); ++i) (*made)[i] = CharacterOf(static_cast<char32_t>(number << 8 | i));
    const Page* expected = nullptr;
    // The second thread uses the page of the first.
    if (!pages_[number].compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel)) return expected;
    return made.release();
  }

  std::array<std::atomic<const Page*>, 256> pages_{};
};

// The fold of a character without a page. A copy.
Character Look(char32_t code) { return CharacterTable::Has(code) ? CharacterTable::Of(code) : CharacterOf(code); }

// Folds runs of white space as they come.
class BlankFolder {
 public:
  explicit BlankFolder(TextView& out) : out_(out) {}

  void Blank(char32_t code, uint32_t at) {
    if (blanks_++ == 0) start_ = at;
    if (IsLineEnd(code)) ++lines_;
    if (code == 0x2029) lines_ += 2;
  }
  void Flush() {
    if (blanks_ == 0) return;
    if (lines_ >= 2) {
      out_.Append("\n\n", start_);
    } else {
      out_.Append(' ', start_);
    }
    blanks_ = 0;
    lines_ = 0;
  }

 private:
  TextView& out_;
  uint32_t start_ = 0;
  int blanks_ = 0;
  int lines_ = 0;
};

void Note(int& count, uint32_t& offset, uint32_t at) {
  if (count++ == 0) offset = at;
}

constexpr size_t kMaxFlagTags = 6;

// The state of one FoldUnicode.
class UnicodeFolder {
 public:
  UnicodeFolder(std::string_view text, TextView& out, HiddenText& hidden, TextView& tag_text, TextView& selector_text)
      : text_(text), out_(out), hidden_(hidden), tag_text_(tag_text), selector_text_(selector_text), blanks_(out) {}

  void Run() {
    out_.text.reserve(text_.size() + text_.size() / 8);
    out_.origin.reserve(text_.size() + text_.size() / 8);
    for (size_t i = 0; i < text_.size();) {
      const Decoded decoded = DecodeUtf8(text_, i);
      Fold(decoded.code, static_cast<uint32_t>(i));
      i += decoded.length;
    }
    EndFlag();
    blanks_.Flush();
  }

 private:
  void Fold(char32_t code, uint32_t at) {
    if (code >= 0x590 && previous_ < 0x80 && IsUnseenAfterAscii(code)) {
      if (pending_invisible_++ == 0) pending_offset_ = at;
      return;
    }
    if (code >= 0x80 && CharacterTable::Has(code)) {
      const Character& known = CharacterTable::Of(code);
      if (known.folded_size != Character::kUnfolded) {
        Letter(code);
        out_.Append(std::string_view(known.folded.data(), known.folded_size), at);
        return;
      }
    }
    if (code > 0x20 && code < 0x7F) {
      Letter(code);
      char c = static_cast<char>(code);
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
      out_.Append(c, at);
    } else if (IsTag(code)) {
      Tag(code, at);
    } else if (IsVariationSelector(code)) {
      Selector(code, at);
    } else if (IsBidiControl(code)) {
      if (code == 0x202D || code == 0x202E) Note(hidden_.bidi_overrides, hidden_.bidi_offset, at);
    } else if (IsInvisible(code)) {
      if (pending_invisible_++ == 0) pending_offset_ = at;
    } else if (IsBlank(code)) {
      marks_ = 0;
      previous_ = ' ';
      pending_invisible_ = 0;
      blanks_.Blank(code, at);
    } else {
      if (IsStrippedMark(code)) {
        Mark(at);
      } else {
        Letter(code);
      }
      out_.Append(Decomposed(code), at);
    }
  }

  // Handles a visible character that is not a mark.
  void Letter(char32_t code) {
    BeginVisible(code);
    marks_ = 0;
    previous_ = code;
    in_flag_ = code == 0x1F3F4;
  }

  void Mark(uint32_t at) {
    BeginVisible(0);
    if (++marks_ > 2) Note(hidden_.stacked_marks, hidden_.marks_offset, at);
  }

  // Ends the sequence before `code`. Counts invisible characters between two Latin letters; elsewhere they have honest
  // uses.
  void BeginVisible(char32_t code) {
    blanks_.Flush();
    const bool letter = code < 0x80 && IsAsciiLetter(static_cast<char>(code));
    if (pending_invisible_ > 0 && letter && previous_ < 0x80 && IsAsciiLetter(static_cast<char>(previous_))) {
      if (hidden_.invisible_in_words == 0) hidden_.invisible_offset = pending_offset_;
      hidden_.invisible_in_words += pending_invisible_;
    }
    pending_invisible_ = 0;
    EndFlag();
    selectors_here_ = 0;
  }

  // The flag of a part of a country is a black flag, up to six tags for its code and an end tag (UTS #51, ED-14a); any
  // other tags after a flag are hidden text.
  void Tag(char32_t code, uint32_t at) {
    if (in_flag_ && code == 0xE007F) {
      in_flag_ = false;
      flag_.clear();
      return;
    }
    const bool in_code = (code >= 0xE0030 && code <= 0xE0039) || (code >= 0xE0061 && code <= 0xE007A);
    if (in_flag_ && in_code && flag_.size() < kMaxFlagTags) {
      flag_.emplace_back(code, at);
      return;
    }
    EndFlag();
    HiddenTag(code, at);
  }

  void HiddenTag(char32_t code, uint32_t at) {
    Note(hidden_.tags, hidden_.tag_offset, at);
    if (code >= 0xE0020 && code < 0xE007F) tag_text_.Append(static_cast<char>(code - 0xE0000), at);
  }

  // The tags did not form a flag.
  void EndFlag() {
    in_flag_ = false;
    for (const auto& [code, at] : flag_) HiddenTag(code, at);
    flag_.clear();
  }

  // Each selector can carry one byte; more than one after a character has no other use.
  void Selector(char32_t code, uint32_t at) {
    const uint32_t value = code >= 0xE0100 ? code - 0xE0100 + 16 : code - 0xFE00;
    if (++selectors_here_ > 1) Note(hidden_.variation_selectors, hidden_.selector_offset, at);
    selector_text_.Append(static_cast<char>(value), at);
  }

  const std::string_view text_;
  TextView& out_;
  HiddenText& hidden_;
  TextView& tag_text_;
  TextView& selector_text_;
  BlankFolder blanks_;
  char32_t previous_ = ' ';
  int pending_invisible_ = 0;
  uint32_t pending_offset_ = 0;
  int marks_ = 0;
  int selectors_here_ = 0;
  bool in_flag_ = false;
  std::vector<std::pair<char32_t, uint32_t>> flag_;  // Tags that may be a flag's.
};

bool IsWordCode(char32_t code) {
  if (code < 0x80) return IsAsciiWord(static_cast<char>(code));
  return (code >= 0xAA && code < 0x2000 && code != 0xAB && code != 0xBB && code != 0xB7 && code != 0xD7 &&
          !(code >= 0xE00 && code < 0xF00) && !(code >= 0x1000 && code < 0x10A0) &&
          !(code >= 0x1100 && code < 0x1200) && !(code >= 0x1780 && code < 0x1800) && code != 0x964 && code != 0x965 &&
          code != 0x60C && code != 0x61B && code != 0x61F && code != 0xBF && code != 0xA1) ||
         (code >= 0x2C60 && code < 0x2E00) || (code >= 0xA640 && code < 0xA800);
}

// The mark between the characters at `i`, if it holds at least `least` of them in a row apart; otherwise nothing.
std::string_view StretchedBy(std::string_view raw, size_t i, int least) {
  std::string_view mark;
  for (int seen = 1; i < raw.size(); ++seen) {
    if (IsBlank(static_cast<uint8_t>(raw[i]))) return {};
    i += DecodeUtf8(raw, i).length;
    if (seen == least) return mark;
    if (i >= raw.size()) return {};
    const Decoded next = DecodeUtf8(raw, i);
    const std::string_view found = raw.substr(i, next.length);
    if (!IsSeparator(next.code) || (!mark.empty() && found != mark)) return {};
    mark = found;
    i += next.length;
  }
  return {};
}

// A run of ASCII and alphabetic characters.
struct ScriptedWord {
  size_t end;
  int latin = 0;
  int foreign = 0;
  int mapped = 0;
  int loosely_mapped = 0;
};

ScriptedWord WordAt(std::string_view text, size_t start) {
  ScriptedWord word{start};
  while (word.end < text.size()) {
    if (static_cast<uint8_t>(text[word.end]) < 0x80) {
      if (!IsAsciiWord(text[word.end])) break;
      word.latin += IsAsciiLetter(text[word.end]) ? 1 : 0;
      ++word.end;
      continue;
    }
    const Decoded decoded = DecodeUtf8(text, word.end);
    Character beyond;
    const Character& character =
        CharacterTable::Has(decoded.code) ? CharacterTable::Of(decoded.code) : (beyond = CharacterOf(decoded.code));
    if (!character.alphabetic) break;
    ++word.foreign;
    word.mapped += character.look_alike != '\0' ? 1 : 0;
    word.loosely_mapped += character.loose_look_alike != '\0' ? 1 : 0;
    word.end += decoded.length;
  }
  return word;
}

// Words of a text whose look-alikes are worth reading as the letters that they resemble.
struct Mixture {
  bool mixed = false;      // Some word mixes Latin letters with look-alikes of other scripts.
  bool disguised = false;  // Enough words consist only of look-alikes to be evidence.
};

// In Cyrillic some short words consist only of look-alikes; long ones, and a text full of them, are a disguise.
Mixture MixtureOf(std::string_view text) {
  constexpr int kLongWord = 5;
  Mixture mixture;
  int mapped = 0;
  int words = 0;
  for (size_t i = 0; i < text.size() && !mixture.mixed;) {
    const ScriptedWord word = WordAt(text, i);
    if (word.latin > 0 && word.loosely_mapped > 0) mixture.mixed = true;
    if (word.foreign > 0) {
      ++words;
      if (word.mapped == word.foreign) ++mapped;
      mixture.disguised |= word.mapped == word.foreign && word.foreign >= kLongWord;
    }
    i = word.end > i ? word.end : i + DecodeUtf8(text, i).length;
  }
  mixture.disguised |= mixture.mixed || mapped * 2 >= std::max(words, 1);
  return mixture;
}

int CountTurned(std::string_view text) {
  int seen = 0;
  for (size_t i = 0; i < text.size();) {
    const auto byte = static_cast<uint8_t>(text[i]);
    // All of them are within U+0180 to U+02FF or U+1D00 to U+1DFF.
    if (byte < 0xC6 || (byte > 0xCB && byte != 0xE1)) {
      ++i;
      continue;
    }
    const Decoded decoded = DecodeUtf8(text, i);
    seen += Find(kTurned, decoded.code) != '\0' ? 1 : 0;
    i += decoded.length;
  }
  return seen;
}

char Unleeted(char c, char one) {
  switch (c) {
    case '0':
      return 'o';
    case '1':
    case '|':
      return one;
    case '!':
      return 'i';
    case '3':
      return 'e';
    case '4':
    case '@':
      return 'a';
    case '5':
    case '$':
      return 's';
    case '7':
    case '+':
      return 't';
    case '6':
      return 'g';
    case '8':
      return 'b';
    case '9':
      return 'g';
    default:
      return '\0';
  }
}

// The letter that the character at `i` represents if digits and marks are letters.
char UnleetedAt(std::string_view text, size_t i, char one) {
  const auto is_part = [&](size_t k) {
    return k < text.size() && (IsAsciiWord(text[k]) || Unleeted(text[k], one) != '\0');
  };
  const char letter = Unleeted(text[i], one);
  // A mark such as "!" at the end of a word is punctuation, but "$" is not.
  const bool at_end = (text[i] == '$' || text[i] == '@' || text[i] == '+') && i > 0 && is_part(i - 1);
  if (letter == '\0' || !(IsAsciiDigit(text[i]) || is_part(i + 1) || at_end)) return text[i];
  // "a11" is "all".
  const bool doubled = text[i] == '1' && ((i > 0 && text[i - 1] == '1') || (i + 1 < text.size() && text[i + 1] == '1'));
  return doubled ? 'l' : letter;
}

// A run of letters, digits and marks that look like letters.
struct LeetWord {
  size_t start = 0;
  size_t end = 0;
  bool letters = false;
  bool mixed = false;  // A letter follows a look-alike.
};

// The first word at or after `at`; at the end of the text if there is none.
LeetWord LeetWordAt(std::string_view text, size_t at) {
  const auto is_part = [](char c) { return IsAsciiWord(c) || Unleeted(c, 'i') != '\0'; };
  LeetWord word;
  while (at < text.size() && !is_part(text[at])) ++at;
  word.start = at;
  bool look_alike = false;
  for (; at < text.size() && is_part(text[at]); ++at) {
    const bool letter = IsAsciiWord(text[at]) && !IsAsciiDigit(text[at]) && text[at] != '_';
    word.letters |= letter;
    word.mixed |= letter && look_alike;
    look_alike |= Unleeted(text[at], 'i') != '\0';
  }
  word.end = at;
  return word;
}

}  // namespace

void Normaliser::FoldBlanks(std::string_view text, TextView& out) {
  out.Clear();
  out.text.reserve(text.size());
  out.origin.reserve(text.size());
  BlankFolder blanks(out);
  for (size_t i = 0; i < text.size(); ++i) {
    const auto at = static_cast<uint32_t>(i);
    if (static_cast<uint8_t>(text[i]) <= 0x20 || text[i] == 0x7F) {
      blanks.Blank(static_cast<uint8_t>(text[i]), at);
    } else {
      blanks.Flush();
      out.Append(text[i], at);
    }
  }
  blanks.Flush();
}

void Normaliser::FoldUnicode(std::string_view text, TextView& out, HiddenText& hidden, TextView& tag_text,
                             TextView& selector_text) {
  out.Clear();
  tag_text.Clear();
  selector_text.Clear();
  hidden = {};
  UnicodeFolder(text, out, hidden, tag_text, selector_text).Run();
}

std::string Normaliser::Fold(std::string_view text) {
  TextView out;
  TextView tags;
  TextView selectors;
  HiddenText hidden;
  FoldUnicode(text, out, hidden, tags, selectors);
  return std::move(out.text);
}

bool Normaliser::Skeleton(const TextView& in, TextView& out) {
  out.Clear();
  bool changed = false;
  const std::string_view text = in.text;
  const Mixture mixture = MixtureOf(text);
  if (!mixture.disguised) return false;
  const bool suspicious = mixture.mixed;
  for (size_t i = 0; i < text.size();) {
    const ScriptedWord word = WordAt(text, i);
    if (word.end == i) {
      const Decoded decoded = DecodeUtf8(text, i);
      out.Append(text.substr(i, decoded.length), in.origin[i]);
      i += decoded.length;
      continue;
    }
    const bool loose = suspicious && word.loosely_mapped > 0 && (word.latin > 0 || word.loosely_mapped == word.foreign);
    const bool map = loose || (word.mapped > 0 && word.mapped == word.foreign);
    changed |= map;
    while (i < word.end) {
      const Decoded decoded = DecodeUtf8(text, i);
      char letter = '\0';
      if (map && decoded.code >= 0x80) {
        const Character character = Look(decoded.code);
        letter = loose ? character.loose_look_alike : character.look_alike;
      }
      if (letter != '\0') {
        out.Append(letter, in.origin[i]);
      } else {
        out.Append(text.substr(i, decoded.length), in.origin[i]);
      }
      i += decoded.length;
    }
  }
  if (!changed) out.Clear();
  return changed;
}

void Normaliser::Unleet(const TextView& in, char one, TextView& out) {
  out.Clear();
  out.unspaced = in.unspaced;
  const std::string_view text = in.text;
  out.text.reserve(text.size());
  out.origin = in.origin;
  LeetWord before;
  for (LeetWord word = LeetWordAt(text, 0); word.start < text.size();) {
    const LeetWord after = LeetWordAt(text, word.end);
    // Numbers represent words ("411" for "all") only next to words that are written so.
    const bool is_number = !word.letters && !before.mixed && !after.mixed;
    out.text.append(text.substr(out.text.size(), word.start - out.text.size()));
    for (size_t i = word.start; i < word.end; ++i) out.text.push_back(is_number ? text[i] : UnleetedAt(text, i, one));
    before = std::exchange(word, after);
  }
  out.text.append(text.substr(out.text.size()));
}

bool Normaliser::Rejoin(std::string_view raw, TextView& out) {
  out.Clear();
  bool changed = false;
  std::string_view mark;   // Inside of a stretched place: its separator.
  std::string_view usual;  // Separator in the last such place: then two letters are enough for a place as well.
  for (size_t i = 0; i < raw.size();) {
    const size_t length = DecodeUtf8(raw, i).length;
    const bool starts = i == 0 || !IsAsciiWord(raw[i - 1]);
    if (mark.empty() && starts) {
      mark = StretchedBy(raw, i, 3);
      if (!mark.empty()) {
        usual = mark;
      } else if (!usual.empty() && usual != " " && StretchedBy(raw, i, 2) == usual) {
        mark = usual;
      }
    }
    out.Append(raw.substr(i, length), static_cast<uint32_t>(i));
    i += length;
    if (mark.empty()) continue;
    if (raw.substr(i, mark.size()) == mark) {
      i += mark.size();
      changed = true;
    } else {
      mark = {};
    }
  }
  if (!changed) out.Clear();
  return changed;
}

void Normaliser::Unspace(const TextView& in, TextView& out) {
  out.Clear();
  out.unspaced = true;
  for (size_t i = 0; i < in.text.size(); ++i) {
    const char c = in.text[i];
    if (IsAsciiWord(c) || static_cast<uint8_t>(c) >= 0x80) out.Append(c, in.origin[i]);
  }
}

void Normaliser::Reverse(const TextView& in, TextView& out) {
  out.Clear();
  out.unspaced = in.unspaced;
  for (size_t end = in.text.size(); end > 0;) {
    size_t start = end - 1;
    while (start > 0 && end - start < 4 && (static_cast<uint8_t>(in.text[start]) & 0xC0) == 0x80) --start;
    out.Append(std::string_view(in.text).substr(start, end - start), in.origin[start]);
    end = start;
  }
}

void Normaliser::ReverseWords(const TextView& in, TextView& out) {
  out = in;
  const auto is_blank = [&](size_t i) { return in.text[i] == ' ' || in.text[i] == '\n'; };
  for (size_t i = 0; i < in.text.size();) {
    size_t end = i;
    while (end < in.text.size() && !is_blank(end)) ++end;
    std::reverse(out.text.begin() + static_cast<ptrdiff_t>(i), out.text.begin() + static_cast<ptrdiff_t>(end));
    std::reverse(out.origin.begin() + static_cast<ptrdiff_t>(i), out.origin.begin() + static_cast<ptrdiff_t>(end));
    i = std::max(end, i + 1);
  }
}

bool Normaliser::Unturn(std::string_view raw, const TextView& in, TextView& out) {
  out.Clear();
  if (CountTurned(in.text) < kMinTurned) return false;
  TextView turned;
  for (size_t i = 0; i < in.text.size();) {
    const Decoded decoded = DecodeUtf8(in.text, i);
    constexpr std::string_view kFrom = "nupdbq";
    constexpr std::string_view kTo = "undpqb";
    const char letter = Find(kTurned, decoded.code);
    const bool small = decoded.code < 0x80 && raw[in.origin[i]] == static_cast<char>(decoded.code);
    const size_t swapped = small ? kFrom.find(static_cast<char>(decoded.code)) : std::string_view::npos;
    if (letter != '\0') {
      turned.Append(letter, in.origin[i]);
    } else if (swapped != std::string_view::npos) {
      turned.Append(kTo[swapped], in.origin[i]);
    } else {
      turned.Append(std::string_view(in.text).substr(i, decoded.length), in.origin[i]);
    }
    i += decoded.length;
  }
  Reverse(turned, out);
  return true;
}

bool Normaliser::IsJoint(char c) { return std::string_view("_-.+*|~/:").find(c) != std::string_view::npos; }

void Normaliser::Unjoin(const TextView& in, TextView& out) {
  out = in;
  for (size_t i = 1; i + 1 < out.text.size(); ++i) {
    if (IsJoint(in.text[i]) && IsAsciiWord(in.text[i - 1])) out.text[i] = ' ';
  }
}

void Normaliser::Undelete(std::string_view raw, bool apply, TextView& out) {
  out.Clear();
  for (size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\b' && raw[i] != '\x7F') {
      out.Append(raw[i], static_cast<uint32_t>(i));
      continue;
    }
    bool more = apply && !out.text.empty();
    while (more) {
      more = (static_cast<uint8_t>(out.text.back()) & 0xC0) == 0x80 && out.text.size() > 1;
      out.text.pop_back();
      out.origin.pop_back();
    }
  }
}

bool Normaliser::Strip(std::string_view raw, TextView& out) {
  out.Clear();
  bool changed = false;
  for (size_t i = 0; i < raw.size();) {
    const Decoded decoded = DecodeUtf8(raw, i);
    const char32_t code = decoded.code;
    if (code >= 0x80 &&
        (IsInvisible(code) || IsBidiControl(code) || IsVariationSelector(code) || IsStrippedMark(code))) {
      changed = true;
    } else if (code >= 0xFF01 && code <= 0xFF5E) {
      out.Append(static_cast<char>(code - 0xFF01 + '!'), static_cast<uint32_t>(i));
      changed = true;
    } else {
      out.Append(raw.substr(i, decoded.length), static_cast<uint32_t>(i));
    }
    i += decoded.length;
  }
  if (!changed) out.Clear();
  return changed;
}

void Normaliser::Rot13(const TextView& in, TextView& out) {
  out = in;
  for (char& c : out.text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>('a' + (c - 'a' + 13) % 26);
    if (c >= 'A' && c <= 'Z') c = static_cast<char>('A' + (c - 'A' + 13) % 26);
  }
}

bool StartsWithWordCharacter(std::string_view text) { return IsWordCode(DecodeUtf8(text, 0).code); }

bool EndsWithWordCharacter(std::string_view text) {
  size_t start = text.size() - 1;
  while (start > 0 && text.size() - start < 4 && (static_cast<uint8_t>(text[start]) & 0xC0) == 0x80) --start;
  return IsWordCode(DecodeUtf8(text, start).code);
}

}  // namespace toolgate::security::injection_defence::text
