#include "executors/cypher/syntax/lexer.h"

#include <utf8proc.h>

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/text/hex_digit.h"

namespace toolgate::executors::cypher::syntax {
namespace {

constexpr char32_t kNoCharacter = 0xFFFFFFFF;
constexpr char32_t kLastCharacter = 0x10FFFF;

struct Decoded {
  char32_t character = kNoCharacter;  // kNoCharacter: ill-formed UTF-8, or the end of the text.
  size_t size = 1;
};

Decoded DecodeAt(std::string_view text, size_t at) {
  if (at >= text.size()) return {kNoCharacter, 0};
  utf8proc_int32_t character = 0;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at);
  const utf8proc_ssize_t size = utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size() - at), &character);
  if (size <= 0) return {};
  return {static_cast<char32_t>(character), static_cast<size_t>(size)};
}

bool IsSurrogate(char32_t character) { return character >= 0xD800 && character <= 0xDFFF; }

void AppendUtf8(std::string& out, char32_t character) {
  utf8proc_uint8_t bytes[4];
  const utf8proc_ssize_t size = utf8proc_encode_char(static_cast<utf8proc_int32_t>(character), bytes);
  out.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(size));
}

bool IsSpace(char32_t character) {
  if (character < 0x80)
    return absl::ascii_isspace(static_cast<unsigned char>(character)) || (character >= 0x1C && character <= 0x1F);
  if (character == 0xFEFF || character == 0x180E || character == 0x85) return true;
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(character));
  return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP;
}

bool BeginsName(char32_t character) {
  if (character < 0x80) return absl::ascii_isalpha(static_cast<unsigned char>(character)) || character == '_';
  if (character > kLastCharacter) return false;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(character))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_PC:
      return true;
    default:
      return false;
  }
}

bool ContinuesName(char32_t character) {
  if (character < 0x80) return absl::ascii_isdigit(static_cast<unsigned char>(character)) || BeginsName(character);
  if (BeginsName(character)) return true;
  if (character > kLastCharacter) return false;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(character))) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ND:
      return true;
    default:
      return false;
  }
}

struct Punctuation {
  std::string_view text;
  TokenKind kind;
};

// Longer ones first.
constexpr Punctuation kPunctuation[] = {
    {"..", TokenKind::kDotDot},      {"<=", TokenKind::kLessOrEqual}, {">=", TokenKind::kGreaterOrEqual},
    {"<>", TokenKind::kNotEqual},    {"=~", TokenKind::kMatches},     {"+=", TokenKind::kPlusEqual},
    {"(", TokenKind::kLeftParen},    {")", TokenKind::kRightParen},   {"[", TokenKind::kLeftBracket},
    {"]", TokenKind::kRightBracket}, {"{", TokenKind::kLeftBrace},    {"}", TokenKind::kRightBrace},
    {",", TokenKind::kComma},        {".", TokenKind::kDot},          {":", TokenKind::kColon},
    {";", TokenKind::kSemicolon},    {"|", TokenKind::kBar},          {"=", TokenKind::kEqual},
    {"<", TokenKind::kLess},         {">", TokenKind::kGreater},      {"+", TokenKind::kPlus},
    {"-", TokenKind::kMinus},        {"*", TokenKind::kStar},         {"/", TokenKind::kSlash},
    {"%", TokenKind::kPercent},      {"^", TokenKind::kCaret},
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Tokens Run() && {
    while (SkipSeparators()) ReadToken();
    Add(TokenKind::kEnd, text_.size(), 0);
    MatchBrackets();
    return std::move(out_);
  }

 private:
  char Peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void Add(TokenKind kind, size_t begin, size_t value) {
    out_.tokens.push_back(
        {kind, static_cast<uint32_t>(begin), static_cast<uint32_t>(at_), static_cast<uint32_t>(value)});
  }

  void AddName(TokenKind kind, size_t begin, std::string name) {
    out_.names.push_back(std::move(name));
    Add(kind, begin, out_.names.size() - 1);
  }

  void AddFault(size_t begin, std::string_view detail, std::string message, size_t offset) {
    out_.faults.push_back({std::string(detail), std::move(message), static_cast<uint32_t>(offset)});
    Add(TokenKind::kInvalid, begin, out_.faults.size() - 1);
  }

  // Skips white space and comments; false at the end of the text.
  bool SkipSeparators() {
    while (at_ < text_.size()) {
      const Decoded next = DecodeAt(text_, at_);
      if (next.character != kNoCharacter && IsSpace(next.character)) {
        at_ += next.size;
      } else if (Peek() == '/' && Peek(1) == '/') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (Peek() == '/' && Peek(1) == '*') {
        SkipBlockComment();
      } else {
        return true;
      }
    }
    return false;
  }

  void SkipBlockComment() {
    const size_t begin = at_;
    const size_t end = text_.find("*/", at_ + 2);
    at_ = end == std::string_view::npos ? text_.size() : end + 2;
    if (end == std::string_view::npos) AddFault(begin, "UnexpectedSyntax", "A comment has no closing \"*/\"", begin);
  }

  void ReadToken() {
    const char c = Peek();
    if (absl::ascii_isdigit(static_cast<unsigned char>(c))) return ReadNumber();
    // A digit after a dot begins a number, except after "..", which is a range: 1...5 is none.
    if (c == '.' && absl::ascii_isdigit(static_cast<unsigned char>(Peek(1)))) return ReadNumber();
    if (c == '\'' || c == '"') return ReadString(c);
    if (c == '`') return ReadQuotedName(TokenKind::kQuotedName, at_);
    if (c == '$') return ReadParameter();
    const Decoded first = DecodeAt(text_, at_);
    if (first.character != kNoCharacter && BeginsName(first.character)) return ReadWord();
    ReadPunctuation(first);
  }

  void SkipName() {
    for (Decoded next = DecodeAt(text_, at_); next.character != kNoCharacter && ContinuesName(next.character);
         next = DecodeAt(text_, at_)) {
      at_ += next.size;
    }
  }

  void ReadWord() {
    const size_t begin = at_;
    SkipName();
    Add(TokenKind::kWord, begin, 0);
  }

  void ReadPunctuation(const Decoded& first) {
    const size_t begin = at_;
    for (const Punctuation& row : kPunctuation) {
      if (text_.substr(at_, row.text.size()) != row.text) continue;
      at_ += row.text.size();
      return Add(row.kind, begin, 0);
    }
    at_ += first.size;
    if (first.character == kNoCharacter) {
      return AddFault(begin, "InvalidUnicodeCharacter", "The text is not valid UTF-8 here", begin);
    }
    if (first.character >= 0x80) {
      return AddFault(begin, "InvalidUnicodeCharacter",
                      absl::StrCat("The character \"", ToAbsl(text_.substr(begin, first.size)),
                                   "\" may stand only in strings, comments and names in backticks"),
                      begin);
    }
    AddFault(begin, "UnexpectedSyntax",
             first.character < 0x20 || first.character == 0x7F
                 ? std::string("A control character may stand only in strings and comments")
                 : absl::StrCat("The character \"", ToAbsl(text_.substr(begin, 1)), "\" has no meaning here"),
             begin);
  }

  // From the opening backtick; a doubled one inside stands for itself. The name may be empty: {``: 1} is a map.
  void ReadQuotedName(TokenKind kind, size_t begin) {
    const size_t open = at_++;
    std::string name;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c != '`') {
        name.push_back(c);
      } else if (Peek() == '`') {
        name.push_back('`');
        ++at_;
      } else if (!IsUtf8(name)) {
        return AddFault(begin, "InvalidUnicodeCharacter", "A name is not valid UTF-8", open);
      } else {
        return AddName(kind, begin, std::move(name));
      }
    }
    AddFault(begin, "UnexpectedSyntax", "A name has no closing backtick", open);
  }

  static bool IsUtf8(std::string_view text) {
    for (size_t at = 0; at < text.size();) {
      const Decoded next = DecodeAt(text, at);
      if (next.character == kNoCharacter) return false;
      at += next.size;
    }
    return true;
  }

  void ReadParameter() {
    const size_t begin = at_++;
    if (Peek() == '`') return ReadQuotedName(TokenKind::kParameter, begin);
    const size_t name = at_;
    SkipName();
    if (at_ == name) return AddFault(begin, "UnexpectedSyntax", "\"$\" must be followed by a parameter's name", begin);
    AddName(TokenKind::kParameter, begin, std::string(text_.substr(name, at_ - name)));
  }

  // --- Strings

  void ReadString(char quote) {
    const size_t begin = at_++;
    std::string value;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == quote) {
        ++at_;
        if (!IsUtf8(value)) return AddFault(begin, "InvalidUnicodeCharacter", "A string is not valid UTF-8", begin);
        return AddName(TokenKind::kString, begin, std::move(value));
      }
      if (c == '\\') {
        if (!ReadEscape(value)) return SkipFaultyString(begin, quote);
      } else {
        value.push_back(c);
        ++at_;
      }
    }
    AddFault(begin, "UnexpectedSyntax", "A string has no closing quotation mark", begin);
  }

  // Goes on behind a string whose escape at `at_` is wrong, so that what follows is read as what it is.
  void SkipFaultyString(size_t begin, char quote) {
    const size_t escape = at_;
    const bool unicode = Peek(1) == 'u' || Peek(1) == 'U';
    while (at_ < text_.size() && text_[at_] != quote) at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
    if (unicode) {
      return AddFault(
          begin, "InvalidUnicodeLiteral",
          "\"\\u\" needs four hexadecimal digits, \"\\U\" eight or six, and together they must name a character",
          escape);
    }
    AddFault(begin, "UnexpectedSyntax",
             "Unknown escape in a string; the known ones are \\\\ \\' \\\" \\` \\b \\f \\n \\r \\t \\uXXXX \\UXXXXXXXX",
             escape);
  }

  // At a backslash. False, and nothing consumed, when the escape is wrong.
  bool ReadEscape(std::string& value) {
    switch (Peek(1)) {
      case '\\':
      case '\'':
      case '"':
      case '`':
        value.push_back(Peek(1));
        break;
      case 'b':
        value.push_back('\b');
        break;
      case 'f':
        value.push_back('\f');
        break;
      case 'n':
        value.push_back('\n');
        break;
      case 'r':
        value.push_back('\r');
        break;
      case 't':
        value.push_back('\t');
        break;
      case 'u':
        return ReadShortUnicode(value);
      case 'U':
        return ReadLongUnicode(value, HexNumber(at_ + 2, 8).has_value() ? 8 : 6);
      default:
        return false;
    }
    at_ += 2;
    return true;
  }

  // The number in `digits` hexadecimal digits from `from` on.
  std::optional<char32_t> HexNumber(size_t from, size_t digits) const {
    if (from + digits > text_.size()) return std::nullopt;
    uint32_t number = 0;
    for (const char c : text_.substr(from, digits)) {
      if (text::HexDigit(c) < 0) return std::nullopt;
      number = number * 16 + static_cast<uint32_t>(text::HexDigit(c));
    }
    return number;
  }

  // \uXXXX, or two of them that are a surrogate pair.
  bool ReadShortUnicode(std::string& value) {
    const std::optional<char32_t> first = HexNumber(at_ + 2, 4);
    if (!first.has_value()) return false;
    if (!IsSurrogate(*first)) {
      AppendUtf8(value, *first);
      at_ += 6;
      return true;
    }
    if (text_.substr(at_ + 6, 2) != "\\u") return false;
    const std::optional<char32_t> second = HexNumber(at_ + 8, 4);
    if (*first >= 0xDC00 || !second.has_value() || *second < 0xDC00 || *second > 0xDFFF) return false;
    AppendUtf8(value, 0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00));
    at_ += 12;
    return true;
  }

  bool ReadLongUnicode(std::string& value, size_t digits) {
    const std::optional<char32_t> character = HexNumber(at_ + 2, digits);
    if (!character.has_value() || *character > kLastCharacter || IsSurrogate(*character)) return false;
    AppendUtf8(value, *character);
    at_ += 2 + digits;
    return true;
  }

  // --- Numbers

  void SkipDigits() {
    while (absl::ascii_isdigit(static_cast<unsigned char>(Peek()))) ++at_;
  }

  void ReadNumber() {
    const size_t begin = at_;
    if (Peek() == '0' && (Peek(1) == 'x' || Peek(1) == 'X')) return ReadRadix(begin, 2, 16);
    if (Peek() == '0' && (Peek(1) == 'o' || Peek(1) == 'O')) return ReadRadix(begin, 2, 8);
    SkipDigits();
    const bool fraction = Peek() == '.' && absl::ascii_isdigit(static_cast<unsigned char>(Peek(1)));
    if (fraction) {
      ++at_;
      SkipDigits();
    }
    const bool exponent = SkipExponent();
    if (NumberGoesOn()) return AddNumberFault(begin);
    if (fraction || exponent) return AddFloat(begin);
    const bool octal = text_[begin] == '0' && at_ - begin > 1;
    at_ = begin;
    ReadRadix(begin, octal ? 1 : 0, octal ? 8 : 10);
  }

  bool SkipExponent() {
    if (Peek() != 'e' && Peek() != 'E') return false;
    const size_t sign = Peek(1) == '-' || Peek(1) == '+' ? 1 : 0;
    if (!absl::ascii_isdigit(static_cast<unsigned char>(Peek(1 + sign)))) return false;
    at_ += 1 + sign;
    SkipDigits();
    return true;
  }

  // Whether a letter, digit or underscore follows, which the number must not have.
  bool NumberGoesOn() const { return ContinuesName(DecodeAt(text_, at_).character); }

  void AddNumberFault(size_t begin) {
    while (at_ < text_.size() && NumberGoesOn()) at_ += DecodeAt(text_, at_).size;
    AddFault(begin, "InvalidNumberLiteral",
             absl::StrCat("\"", ToAbsl(text_.substr(begin, std::min<size_t>(at_ - begin, 40))), "\" is not a number"),
             begin);
  }

  void AddFloat(size_t begin) {
    double value = 0;
    if (!absl::SimpleAtod(ToAbsl(text_.substr(begin, at_ - begin)), &value) || !std::isfinite(value)) {
      return AddFault(begin, "FloatingPointOverflow", "The number is too large for a 64-bit float", begin);
    }
    out_.floats.push_back(value);
    Add(TokenKind::kFloat, begin, out_.floats.size() - 1);
  }

  // Digits of `radix` after a prefix of `prefix` bytes.
  void ReadRadix(size_t begin, size_t prefix, uint64_t radix) {
    at_ += prefix;
    const size_t digits = at_;
    IntegerText integer{0, false};
    for (; text::HexDigit(Peek()) >= 0 && static_cast<uint64_t>(text::HexDigit(Peek())) < radix; ++at_) {
      const auto digit = static_cast<uint64_t>(text::HexDigit(Peek()));
      integer.too_large |= integer.magnitude > (std::numeric_limits<uint64_t>::max() - digit) / radix;
      integer.magnitude = integer.magnitude * radix + digit;
    }
    if (at_ == digits || NumberGoesOn()) return AddNumberFault(begin);
    out_.integers.push_back(integer);
    Add(TokenKind::kInteger, begin, out_.integers.size() - 1);
  }

  // --- Brackets

  static TokenKind OpeningOf(TokenKind kind) {
    switch (kind) {
      case TokenKind::kRightParen:
        return TokenKind::kLeftParen;
      case TokenKind::kRightBracket:
        return TokenKind::kLeftBracket;
      case TokenKind::kRightBrace:
        return TokenKind::kLeftBrace;
      default:
        return TokenKind::kEnd;
    }
  }

  // Lets each opening bracket know the one that closes it, up to the first that does not match.
  void MatchBrackets() {
    std::vector<uint32_t> open;
    for (uint32_t i = 0; i < out_.tokens.size(); ++i) {
      const TokenKind kind = out_.tokens[i].kind;
      if (kind == TokenKind::kLeftParen || kind == TokenKind::kLeftBracket || kind == TokenKind::kLeftBrace) {
        open.push_back(i);
      } else if (const TokenKind opening = OpeningOf(kind); opening != TokenKind::kEnd) {
        if (open.empty() || out_.tokens[open.back()].kind != opening) return;
        out_.tokens[open.back()].value = i;
        open.pop_back();
      }
    }
  }

  const std::string_view text_;
  size_t at_ = 0;
  Tokens out_;
};

}  // namespace

Tokens Tokenize(std::string_view text) { return Lexer(text).Run(); }

}  // namespace toolgate::executors::cypher::syntax
