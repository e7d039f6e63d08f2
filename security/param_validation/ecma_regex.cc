#include "security/param_validation/ecma_regex.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "re2/re2.h"
#include "unicode/uniset.h"
#include "unicode/unistr.h"
#include "unicode/utf8.h"

namespace toolgate::security::param_validation {
namespace {

// RE2's own limit for a repetition; larger ones are written as several.
constexpr int kMaxRepeat = 1000;
constexpr int kMaxTotalRepeat = 10'000;
constexpr size_t kMaxPattern = size_t{64} << 10;
// Properties expand to long classes, and nested repetitions that are written as several multiply.
constexpr size_t kMaxTranslation = size_t{1} << 20;
constexpr int kMaxGroupDepth = 200;
constexpr int64_t kMaxProgramBytes = int64_t{16} << 20;
constexpr uint32_t kMaxCodePoint = 0x10FFFF;

// ECMA-262's white space and line ends, as the content of a class, and everything else.
constexpr std::string_view kSpace =
    R"(\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff})";
constexpr std::string_view kNotSpace =
    R"(\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e})"
    R"(\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff})";
constexpr std::string_view kNotLineEnd = R"([^\n\r\x{2028}\x{2029}])";
constexpr std::string_view kNothing = R"([^\x{0}-\x{10ffff}])";
constexpr std::string_view kAnything = R"([\x{0}-\x{10ffff}])";
constexpr std::string_view kSyntaxCharacters = R"(^$\.*+?()[]{}|/)";

// One pass over a pattern, always to its end, so that malformed parts after an unsupported one are found too. Used
// once.
class Translator {
 public:
  explicit Translator(std::string_view pattern) : in_(pattern) {}

  absl::StatusOr<std::string> Translate() && {
    if (in_.size() > kMaxPattern) return Malformed("is longer than 64 KiB");
    while (at_ < in_.size()) {
      RETURN_IF_ERROR(Term());
      BoundTranslation();
    }
    if (!groups_.empty()) return Malformed("has an unclosed group");
    RETURN_IF_ERROR(CheckBackreferences());
    RETURN_IF_ERROR(unsupported_);
    return std::move(out_);
  }

 private:
  absl::Status Malformed(std::string_view what) const {
    return absl::InvalidArgumentError(absl::StrCat("the pattern ", ToAbsl(what), " at byte ", at_));
  }
  // After the first call, the translation is useless.
  void Unsupported(absl::string_view message) {
    if (unsupported_.ok()) unsupported_ = absl::UnimplementedError(message);
  }
  // A useless translation is not kept either.
  void BoundTranslation() {
    if (out_.size() > kMaxTranslation) Unsupported("the pattern is too large when it is written out; use maxLength");
    if (!unsupported_.ok()) out_.clear();
  }
  void RulesOut(std::string_view what) {
    Unsupported(
        absl::StrCat("the pattern uses ", ToAbsl(what), " at byte ", at_, ", which matching in linear time rules out"));
  }

  bool Next(std::string_view text) {
    if (in_.substr(at_, text.size()) != text) return false;
    at_ += text.size();
    return true;
  }

  void BeginAtom() { atom_ = out_.size(); }
  void NoAtom() { atom_ = std::string::npos; }

  absl::Status Term() {
    const char c = in_[at_];
    switch (c) {
      case '(':
        return OpenGroup();
      case ')':
        return CloseGroup();
      case '[':
        BeginAtom();
        return Class();
      case '\\':
        return Escape();
      case '*':
      case '+':
      case '?':
        return Quantifier();
      case '{':
        return BraceQuantifier();
      case '.':
        BeginAtom();
        out_ += kNotLineEnd;
        ++at_;
        return absl::OkStatus();
      case '^':
      case '$':
      case '|':
        NoAtom();
        // In RE2, as in ECMA-262 without the m flag, these are the ends of the whole text.
        out_ += c;
        ++at_;
        return absl::OkStatus();
      default:
        return Literal();
    }
  }

  absl::Status Literal() {
    BeginAtom();
    ASSIGN_OR_RETURN(const uint32_t point, CodePoint());
    AppendPoint(point);
    return absl::OkStatus();
  }

  // Reads one code point of UTF-8.
  absl::StatusOr<uint32_t> CodePoint() {
    int32_t offset = 0;
    UChar32 point = 0;
    const std::string_view rest = in_.substr(at_);
    U8_NEXT(rest.data(), offset, static_cast<int32_t>(rest.size()), point);
    if (point < 0) return Malformed("is not well-formed UTF-8");
    at_ += static_cast<size_t>(offset);
    return static_cast<uint32_t>(point);
  }

  void AppendPoint(uint32_t point) {
    const char c = static_cast<char>(point);
    if (point < 0x80 && (absl::ascii_isdigit(c) || absl::ascii_isalpha(c) || c == '_' || c == ' ')) {
      out_ += c;
    } else {
      absl::StrAppendFormat(&out_, "\\x{%x}", point);
    }
  }

  absl::Status OpenGroup() {
    Group group{out_.size()};
    if (groups_.size() >= kMaxGroupDepth) return Malformed("nests groups too deep");
    ++at_;
    if (Next("?=") || Next("?!")) {
      RulesOut("a look-ahead");
    } else if (Next("?<=") || Next("?<!")) {
      RulesOut("a look-behind");
      group.repeatable = false;
    } else if (Next("?<")) {
      ASSIGN_OR_RETURN(const std::string_view name, GroupName());
      names_.insert(name);
      ++captures_;
    } else if (!Next("?:")) {
      if (at_ < in_.size() && in_[at_] == '?') return Malformed("has an unknown kind of group");
      ++captures_;
    }
    out_ += "(?:";
    groups_.push_back(group);
    NoAtom();
    return absl::OkStatus();
  }

  // Reads up to and including its ">".
  absl::StatusOr<std::string_view> GroupName() {
    const size_t end = in_.find('>', at_);
    if (end == std::string_view::npos || end == at_) return Malformed("has a group without a name");
    const std::string_view name = in_.substr(at_, end - at_);
    // Letters beyond ASCII and their escapes are assumed to be valid.
    const bool good = !absl::ascii_isdigit(name.front()) && std::all_of(name.begin(), name.end(), [](char c) {
      return absl::ascii_isalpha(c) || absl::ascii_isdigit(c) || static_cast<unsigned char>(c) >= 0x80 ||
             std::string_view(R"(_$\{})").find(c) != std::string_view::npos;
    });
    if (!good) return Malformed("has a malformed group name");
    at_ = end + 1;
    return name;
  }

  absl::Status CloseGroup() {
    if (groups_.empty()) return Malformed("closes a group that is not open");
    atom_ = groups_.back().repeatable ? groups_.back().start : std::string::npos;
    groups_.pop_back();
    out_ += ')';
    ++at_;
    return absl::OkStatus();
  }

  absl::Status Quantifier() {
    if (atom_ == std::string::npos) return Malformed("repeats nothing");
    out_ += in_[at_++];
    EndQuantifier();
    return absl::OkStatus();
  }

  // The mark of a lazy quantifier is left out: it chooses among matches and does not affect whether there is one. After
  // a repetition that was written as several it would have another meaning.
  void EndQuantifier() {
    Next("?");
    NoAtom();
  }

  std::optional<int> Number() {
    if (at_ >= in_.size() || !absl::ascii_isdigit(in_[at_])) return std::nullopt;
    int value = 0;
    for (; at_ < in_.size() && absl::ascii_isdigit(in_[at_]); ++at_)
      value = std::min(value * 10 + (in_[at_] - '0'), 100'000'000);
    return value;
  }

  // {n}, {n,} or {n,m}; any other brace is literal, as in browsers.
  absl::Status BraceQuantifier() {
    const size_t start = at_;
    ++at_;
    const std::optional<int> low = Number();
    std::optional<int> high = low;
    bool closed = low.has_value();
    if (closed && Next(",")) high = Number();
    closed = closed && Next("}");
    if (!closed) {
      at_ = start;
      return Literal();
    }
    if (atom_ == std::string::npos) return Malformed("repeats nothing");
    if (high.has_value() && *high < *low) return Malformed("has a repetition out of order");
    if (std::max(*low, high.value_or(0)) > kMaxTotalRepeat) {
      Unsupported("the pattern repeats something more than 10,000 times; use maxLength");
    }
    if (unsupported_.ok()) Repeat(*low, high);
    EndQuantifier();
    return absl::OkStatus();
  }

  // x{2500} is x{1000}x{1000}x{500} and x{0,2500} is x{0,1000}x{0,1000}x{0,500}: the same language.
  void Repeat(int low, std::optional<int> high) {
    const std::string atom = out_.substr(atom_);
    const auto copies = static_cast<size_t>(std::max(low, high.value_or(0)) / kMaxRepeat + 2);
    if (atom.size() * copies > kMaxTranslation) {
      return Unsupported("the pattern's repetitions within each other are too many; use maxLength");
    }
    out_.resize(atom_);
    const auto append = [&](int from, std::optional<int> to) {
      absl::StrAppend(&out_, atom, "{", from, to == from ? "" : ",",
                      to.has_value() && to != from ? absl::StrCat(*to) : "", "}");
    };
    if (std::max(low, high.value_or(0)) <= kMaxRepeat) return append(low, high);
    out_ += "(?:";
    for (int rest = low; rest > 0; rest -= kMaxRepeat) append(std::min(rest, kMaxRepeat), std::min(rest, kMaxRepeat));
    if (!high.has_value()) append(0, std::nullopt);
    for (int rest = high.value_or(low) - low; rest > 0; rest -= kMaxRepeat) append(0, std::min(rest, kMaxRepeat));
    out_ += ')';
  }

  // `at_` is after the backslash's letter. True if the letter means a set, which is appended as the content of a class.
  bool AppendSet(char letter) {
    switch (letter) {
      case 'd':
        out_ += "0-9";
        return true;
      case 'D':
        out_ += R"(\x{0}-/:-\x{10ffff})";
        return true;
      case 'w':
        out_ += "0-9A-Z_a-z";
        return true;
      case 'W':
        out_ += R"(\x{0}-/:-@\x{5b}-\x{5e}\x{60}\x{7b}-\x{10ffff})";
        return true;
      case 's':
        out_ += kSpace;
        return true;
      case 'S':
        out_ += kNotSpace;
        return true;
      default:
        return false;
    }
  }

  absl::Status Escape() {
    if (at_ + 1 >= in_.size()) return Malformed("ends in a backslash");
    const char c = in_[at_ + 1];
    if (c == 'b' || c == 'B') {
      at_ += 2;
      out_ += c == 'b' ? "\\b" : "\\B";
      NoAtom();
      return absl::OkStatus();
    }
    BeginAtom();
    if ((c >= '1' && c <= '9') || c == 'k') return Backreference();
    out_ += '[';
    ASSIGN_OR_RETURN(const bool is_set, SetEscape());
    if (is_set) {
      out_ += ']';
      return absl::OkStatus();
    }
    out_.pop_back();
    ASSIGN_OR_RETURN(const uint32_t point, CharacterEscape(/*in_class=*/false));
    AppendPoint(point);
    return absl::OkStatus();
  }

  absl::Status Backreference() {
    RulesOut("a backreference");
    ++at_;
    if (Next("k")) {
      if (!Next("<")) return Malformed("has \\k without a name");
      ASSIGN_OR_RETURN(const std::string_view name, GroupName());
      named_references_.push_back(name);
      return absl::OkStatus();
    }
    highest_reference_ = std::max(highest_reference_, *Number());
    return absl::OkStatus();
  }

  // Of groups before or after them.
  absl::Status CheckBackreferences() const {
    const bool known = std::all_of(named_references_.begin(), named_references_.end(),
                                   [&](std::string_view name) { return names_.contains(name); });
    if (known && highest_reference_ <= captures_) return absl::OkStatus();
    return absl::InvalidArgumentError("the pattern refers back to a group that it does not have");
  }

  // \d, \p{…} and the like, appended as the content of a class. False, with nothing consumed, for other escapes.
  absl::StatusOr<bool> SetEscape() {
    const char c = in_[at_ + 1];
    if (AppendSet(c)) {
      at_ += 2;
      return true;
    }
    if (c != 'p' && c != 'P') return false;
    at_ += 2;
    if (!Next("{")) return Malformed("has \\p without a name in braces");
    const size_t end = in_.find('}', at_);
    if (end == std::string_view::npos) return Malformed("has \\p without a name in braces");
    RETURN_IF_ERROR(AppendProperty(in_.substr(at_, end - at_), c == 'P'));
    at_ = end + 1;
    return true;
  }

  absl::Status AppendProperty(std::string_view name, bool negated) {
    const auto [entry, is_new] = properties_.try_emplace({std::string(name), negated});
    if (is_new) {
      ASSIGN_OR_RETURN(entry->second, PropertyRanges(name, negated));
    }
    BoundTranslation();
    out_ += entry->second;
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> PropertyRanges(std::string_view name, bool negated) const {
    const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return absl::ascii_isalpha(c) || absl::ascii_isdigit(c) || c == '_' || c == '=' || c == '-' || c == ' ';
    });
    if (!plain) return Malformed("has a malformed Unicode property");
    UErrorCode error = U_ZERO_ERROR;
    icu::UnicodeSet set(icu::UnicodeString::fromUTF8(absl::StrCat("[\\p{", ToAbsl(name), "}]")), error);
    if (U_FAILURE(error)) return Malformed("has an unknown Unicode property");
    if (negated) set.complement();
    if (set.isEmpty()) return Malformed("has an empty Unicode property");
    std::string ranges;
    for (int32_t i = 0; i < set.getRangeCount(); ++i) AppendRange(set.getRangeStart(i), set.getRangeEnd(i), ranges);
    return ranges;
  }

  static void AppendRange(UChar32 low, UChar32 high, std::string& out) {
    absl::StrAppendFormat(&out, "\\x{%x}-\\x{%x}", low, high);
  }
  void AppendRange(UChar32 low, UChar32 high) { AppendRange(low, high, out_); }

  // A backslash and its escape for one character.
  absl::StatusOr<uint32_t> CharacterEscape(bool in_class) {
    const char c = in_[at_ + 1];
    at_ += 2;
    switch (c) {
      case 't':
        return '\t';
      case 'n':
        return '\n';
      case 'v':
        return '\v';
      case 'f':
        return '\f';
      case 'r':
        return '\r';
      case '0':
        if (at_ < in_.size() && absl::ascii_isdigit(in_[at_])) return Malformed("has an octal escape");
        return 0;
      case 'c':
        if (at_ >= in_.size() || !absl::ascii_isalpha(in_[at_])) return Malformed("has \\c without a letter");
        return static_cast<uint32_t>(in_[at_++] & 0x1F);
      case 'x':
        return Hex(2);
      case 'u':
        return UnicodeEscape();
      case 'b':
        if (in_class) return '\b';
        break;
      default:
        break;
    }
    // Unicode mode forbids escaping an ordinary letter; other characters are literal, as in browsers.
    const bool harmless = !absl::ascii_isalpha(c) && !absl::ascii_isdigit(c) && static_cast<unsigned char>(c) < 0x80;
    if (harmless || kSyntaxCharacters.find(c) != std::string_view::npos) return static_cast<uint32_t>(c);
    return Malformed("has an escape that ECMA-262 does not know");
  }

  absl::StatusOr<uint32_t> Hex(int digits) {
    uint32_t value = 0;
    for (int i = 0; i < digits; ++i, ++at_) {
      const std::optional<uint32_t> digit = at_ < in_.size() ? HexDigit(in_[at_]) : std::nullopt;
      if (!digit.has_value()) return Malformed("has a malformed hexadecimal escape");
      value = value * 16 + *digit;
    }
    return value;
  }

  static std::optional<uint32_t> HexDigit(char c) {
    if (absl::ascii_isdigit(c)) return c - '0';
    const char lower = static_cast<char>(c | 0x20);
    if (lower >= 'a' && lower <= 'f') return lower - 'a' + 10;
    return std::nullopt;
  }

  absl::StatusOr<uint32_t> UnicodeEscape() {
    if (Next("{")) return BracedUnicodeEscape();
    ASSIGN_OR_RETURN(const uint32_t unit, Hex(4));
    if (unit < 0xD800 || unit > 0xDFFF) return unit;
    if (unit > 0xDBFF || !Next("\\u")) return Malformed("has a lone surrogate");
    ASSIGN_OR_RETURN(const uint32_t low, Hex(4));
    if (low < 0xDC00 || low > 0xDFFF) return Malformed("has a lone surrogate");
    return 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
  }

  absl::StatusOr<uint32_t> BracedUnicodeEscape() {
    uint32_t value = 0;
    bool any = false;
    for (; at_ < in_.size() && in_[at_] != '}'; ++at_) {
      const std::optional<uint32_t> digit = HexDigit(in_[at_]);
      if (!digit.has_value() || value > kMaxCodePoint) return Malformed("has a malformed Unicode escape");
      value = value * 16 + *digit;
      any = true;
    }
    if (!Next("}") || !any || value > kMaxCodePoint) return Malformed("has a malformed Unicode escape");
    return value;
  }

  absl::Status Class() {
    ++at_;
    const bool negated = Next("^");
    if (Next("]")) {
      out_ += negated ? kAnything : kNothing;
      return absl::OkStatus();
    }
    out_ += negated ? "[^" : "[";
    while (!Next("]")) {
      if (at_ >= in_.size()) return Malformed("has an unclosed class");
      RETURN_IF_ERROR(ClassRange());
    }
    out_ += ']';
    return absl::OkStatus();
  }

  // One atom of a class, or two with a hyphen between.
  absl::Status ClassRange() {
    ASSIGN_OR_RETURN(const std::optional<uint32_t> low, ClassAtom());
    if (!low.has_value()) return absl::OkStatus();
    const bool range = at_ + 1 < in_.size() && in_[at_] == '-' && in_[at_ + 1] != ']';
    if (!range) {
      AppendRange(static_cast<UChar32>(*low), static_cast<UChar32>(*low));
      return absl::OkStatus();
    }
    ++at_;
    ASSIGN_OR_RETURN(const std::optional<uint32_t> high, ClassAtom());
    if (!high.has_value()) {
      // A set cannot be the end of a range: both ends are literal, as in browsers.
      AppendRange(static_cast<UChar32>(*low), static_cast<UChar32>(*low));
      AppendRange('-', '-');
      return absl::OkStatus();
    }
    if (*high < *low) return Malformed("has a range out of order");
    AppendRange(static_cast<UChar32>(*low), static_cast<UChar32>(*high));
    return absl::OkStatus();
  }

  // A character, or nothing for a set, which is then already appended.
  absl::StatusOr<std::optional<uint32_t>> ClassAtom() {
    if (at_ >= in_.size()) return Malformed("has an unclosed class");
    if (in_[at_] != '\\') {
      ASSIGN_OR_RETURN(const uint32_t point, CodePoint());
      return std::optional<uint32_t>(point);
    }
    if (at_ + 1 >= in_.size()) return Malformed("ends in a backslash");
    ASSIGN_OR_RETURN(const bool is_set, SetEscape());
    if (is_set) return std::optional<uint32_t>();
    ASSIGN_OR_RETURN(const uint32_t point, CharacterEscape(/*in_class=*/true));
    return std::optional<uint32_t>(point);
  }

  struct Group {
    size_t start;  // In `out_`.
    bool repeatable = true;
  };

  std::map<std::pair<std::string, bool>, std::string> properties_;  // The ranges of the properties met so far.
  const std::string_view in_;
  size_t at_ = 0;
  std::string out_;
  std::vector<Group> groups_;  // Those that are open.
  absl::Status unsupported_;   // The first part that cannot be matched.
  int captures_ = 0;
  int highest_reference_ = 0;
  std::set<std::string_view> names_;
  std::vector<std::string_view> named_references_;
  size_t atom_ = std::string::npos;  // Start, in `out_`, of the atom that a quantifier would repeat.
};

}  // namespace

absl::StatusOr<std::string> TranslateEcmaRegex(std::string_view pattern) { return Translator(pattern).Translate(); }

absl::StatusOr<std::unique_ptr<re2::RE2>> CompileEcmaRegex(std::string_view pattern) {
  ASSIGN_OR_RETURN(const std::string translated, TranslateEcmaRegex(pattern));
  RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);
  options.set_max_mem(kMaxProgramBytes);
  auto compiled = std::make_unique<RE2>(translated, options);
  if (compiled->ok()) return compiled;
  if (compiled->error_code() == RE2::ErrorRepeatSize) {
    return absl::UnimplementedError(
        "the pattern's repetitions within each other multiply to more than 1,000, the most that is matched here; use "
        "maxLength");
  }
  if (compiled->error_code() == RE2::ErrorPatternTooLarge) {
    return absl::UnimplementedError("the pattern needs more memory than is given to one here; use maxLength");
  }
  return absl::InvalidArgumentError(absl::StrCat("the pattern cannot be compiled: ", compiled->error()));
}

bool IsEcmaRegex(std::string_view pattern) {
  const absl::Status status = CompileEcmaRegex(pattern).status();
  return status.ok() || absl::IsUnimplemented(status);
}

}  // namespace toolgate::security::param_validation
