#include "storage/search/words.h"

#include <unicode/ubrk.h>
#include <unicode/utext.h>
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_replace.h"

namespace toolgate::storage::search {
namespace {

// Texts are brought into their normal form piece by piece, since that takes many times their size. A piece ends with a
// blank, or where there is none, anywhere between two characters.
constexpr size_t kPieceBytes = size_t{16} << 10;

struct Range {
  char32_t first;
  char32_t last;
};

template <size_t kCount>
bool IsIn(const std::array<Range, kCount>& ranges, char32_t c) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [c](const Range& range) { return range.first <= c && c <= range.last; });
}

// Accents of all scripts, and the points and signs of Hebrew and Arabic that texts are written without.
constexpr std::array<Range, 19> kLeftOut = {{{0x300, 0x36F},
                                             {0x483, 0x487},
                                             {0x591, 0x5BD},
                                             {0x5BF, 0x5BF},
                                             {0x5C1, 0x5C2},
                                             {0x5C4, 0x5C5},
                                             {0x5C7, 0x5C7},
                                             {0x610, 0x61A},
                                             {0x640, 0x640},
                                             {0x64B, 0x65F},
                                             {0x670, 0x670},
                                             {0x6D6, 0x6DC},
                                             {0x6DF, 0x6E8},
                                             {0x6EA, 0x6ED},
                                             {0x1AB0, 0x1AFF},
                                             {0x1DC0, 0x1DFF},
                                             {0x200B, 0x200F},
                                             {0x20D0, 0x20FF},
                                             {0xFE20, 0xFE2F}}};

// Scripts that write no blanks between words.
constexpr std::array<Range, 12> kWithoutBlanks = {{{0x0E00, 0x0EFF},  // Thai and Lao.
                                                   {0x1000, 0x109F},  // Burmese.
                                                   {0x1780, 0x17FF},  // Khmer.
                                                   {0x3005, 0x3007},  // Signs that repeat a character, and zero.
                                                   {0x3040, 0x30FF},  // Kana.
                                                   {0x31F0, 0x31FF},
                                                   {0x3400, 0x4DBF},  // Characters of Chinese.
                                                   {0x4E00, 0x9FFF},
                                                   {0xA9E0, 0xA9FF},  // Burmese.
                                                   {0xAA60, 0xAA7F},
                                                   {0xF900, 0xFAFF},
                                                   {0x20000, 0x323AF}}};

constexpr char32_t kBreve = 0x306;

// Whether the breve makes a letter of its own of it.
bool IsOtherLetterWithBreve(char32_t c) { return c == U'и' || c == U'у'; }

bool IsWordCharacter(char32_t c) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return true;
    default:
      return false;
  }
}

struct FreeText {
  void operator()(utf8proc_uint8_t* text) const { std::free(text); }
};
struct CloseBreaker {
  void operator()(UBreakIterator* breaker) const { ubrk_close(breaker); }
};
struct CloseText {
  void operator()(UText* text) const { utext_close(text); }
};

std::string Mapped(std::string_view text, int options) {
  utf8proc_uint8_t* mapped = nullptr;
  const utf8proc_ssize_t length =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()), static_cast<utf8proc_ssize_t>(text.size()),
                   &mapped, static_cast<utf8proc_option_t>(options));
  const std::unique_ptr<utf8proc_uint8_t, FreeText> owned(mapped);
  return length < 0 ? std::string() : std::string(reinterpret_cast<const char*>(mapped), static_cast<size_t>(length));
}

// Reads the character at the beginning of the text. Returns its length in bytes, 0 if it is ill-formed or there is
// none.
size_t ReadCharacter(std::string_view text, char32_t& c) {
  utf8proc_int32_t read = -1;
  const utf8proc_ssize_t length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                                   static_cast<utf8proc_ssize_t>(text.size()), &read);
  c = static_cast<char32_t>(read);
  return length <= 0 ? 0 : static_cast<size_t>(length);
}

std::string WithoutMarks(std::string_view decomposed) {
  std::string kept;
  kept.reserve(decomposed.size());
  char32_t base = 0;
  while (!decomposed.empty()) {
    char32_t c = 0;
    const size_t length = ReadCharacter(decomposed, c);
    if (length == 0) break;
    const bool stays = c == kBreve && IsOtherLetterWithBreve(base);
    if (stays || !IsIn(kLeftOut, c)) {
      kept.append(decomposed.substr(0, length));
      base = c;
    }
    decomposed.remove_prefix(length);
  }
  return kept;
}

// With a blank for each byte that is no UTF-8.
std::string WellFormed(std::string_view text) {
  std::string well_formed;
  while (!text.empty()) {
    char32_t c = 0;
    const size_t length = ReadCharacter(text, c);
    well_formed.append(length == 0 ? " " : text.substr(0, length));
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return well_formed;
}

std::string NormalForm(std::string_view text) {
  constexpr int kOptions = UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE;
  std::string decomposed = Mapped(text, kOptions);
  if (decomposed.empty()) decomposed = Mapped(WellFormed(text), kOptions);
  // Compatibility takes two vowels apart that are written as one, and ICU's dictionaries have them so.
  return absl::StrReplaceAll(Mapped(WithoutMarks(decomposed), UTF8PROC_STABLE | UTF8PROC_COMPOSE),
                             {{"\u0E4D\u0E32", "\u0E33"}, {"\u0ECD\u0EB2", "\u0EB3"}});
}

// One for each thread, since it is made from the dictionaries.
UBreakIterator* Breaker() {
  thread_local const std::unique_ptr<UBreakIterator, CloseBreaker> breaker = [] {
    UErrorCode error = U_ZERO_ERROR;
    return std::unique_ptr<UBreakIterator, CloseBreaker>(ubrk_open(UBRK_WORD, "", nullptr, 0, &error));
  }();
  return breaker.get();
}

using Take = absl::FunctionRef<void(std::string_view)>;

// A run of characters of scripts without blanks; one word if ICU cannot tell.
void SplitByDictionary(std::string_view run, Take take) {
  UErrorCode error = U_ZERO_ERROR;
  const std::unique_ptr<UText, CloseText> text(
      utext_openUTF8(nullptr, run.data(), static_cast<int64_t>(run.size()), &error));
  UBreakIterator* const breaker = Breaker();
  if (breaker == nullptr || U_FAILURE(error)) return take(run);
  ubrk_setUText(breaker, text.get(), &error);
  if (U_FAILURE(error)) return take(run);
  size_t begin = 0;
  for (int32_t end = ubrk_next(breaker); end != UBRK_DONE; end = ubrk_next(breaker)) {
    take(run.substr(begin, static_cast<size_t>(end) - begin));
    begin = static_cast<size_t>(end);
  }
}

// A run of letters, digits and marks.
void SplitRun(std::string_view run, Take take) {
  while (!run.empty()) {
    char32_t c = 0;
    size_t length = ReadCharacter(run, c);
    const bool without_blanks = IsIn(kWithoutBlanks, c);
    for (size_t next = ReadCharacter(run.substr(length), c); next != 0 && IsIn(kWithoutBlanks, c) == without_blanks;
         next = ReadCharacter(run.substr(length), c)) {
      length += next;
    }
    if (without_blanks) {
      SplitByDictionary(run.substr(0, length), take);
    } else {
      take(run.substr(0, length));
    }
    run.remove_prefix(length);
  }
}

void SplitAscii(std::string_view piece, Take take) {
  const auto is_word = [](char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)); };
  std::string word;
  for (auto begin = std::find_if(piece.begin(), piece.end(), is_word); begin != piece.end();) {
    const auto end = std::find_if_not(begin, piece.end(), is_word);
    word.assign(begin, end);
    absl::AsciiStrToLower(&word);
    take(word);
    begin = std::find_if(end, piece.end(), is_word);
  }
}

void SplitPiece(std::string_view piece, Take take) {
  if (std::all_of(piece.begin(), piece.end(),
                  [](char c) { return absl::ascii_isascii(static_cast<unsigned char>(c)); })) {
    return SplitAscii(piece, take);
  }
  const std::string normal = NormalForm(piece);
  std::string_view rest = normal;
  size_t run = 0;
  while (run < rest.size()) {
    char32_t c = 0;
    const size_t length = ReadCharacter(rest.substr(run), c);
    if (length > 0 && IsWordCharacter(c)) {
      run += length;
      continue;
    }
    SplitRun(rest.substr(0, run), take);
    rest.remove_prefix(std::min(rest.size(), run + std::max<size_t>(length, 1)));
    run = 0;
  }
  SplitRun(rest, take);
}

size_t PieceEnd(std::string_view text) {
  if (text.size() <= kPieceBytes) return text.size();
  const size_t blank = text.find_last_of(" \n\t", kPieceBytes - 1);
  if (blank != std::string_view::npos) return blank + 1;
  size_t end = kPieceBytes;
  while (end > kPieceBytes - 4 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return end;
}

}  // namespace

void SplitWords(std::string_view text, Take take) {
  while (!text.empty()) {
    const size_t end = PieceEnd(text);
    SplitPiece(text.substr(0, end), take);
    text.remove_prefix(end);
  }
}

}  // namespace toolgate::storage::search
