#include "security/safe_errors/personal_numbers.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "common/absl_bridge.h"
#include "security/safe_errors/checksums.h"

namespace toolgate::security::safe_errors {
namespace {

constexpr size_t kMaxNumberBytes = 40;
constexpr size_t kMaxGap = 2;
constexpr size_t kLongestExtension = 5;
constexpr size_t kLongestHostName = 64;

// A blank or hyphen between digits, in any of the forms that people and word processors use.
struct Mark {
  size_t length = 0;  // In bytes; 0 if there is none.
  char means = '\0';
};

Mark MarkAt(std::string_view text, size_t at) {
  const char c = text[at];
  if (c == ' ' || c == '-') return {1, c};
  if (c == '\xC2' && text.substr(at + 1, 1) == "\xA0") return {2, ' '};  // U+00A0, a no-break space.
  if (c != '\xE2' || at + 2 >= text.size() || text[at + 1] != '\x80') return {};
  const auto last = static_cast<uint8_t>(text[at + 2]);
  if (last == 0x87 || last == 0x89 || last == 0xAF) return {3, ' '};  // U+2007, U+2009, U+202F.
  if (last >= 0x90 && last <= 0x95) return {3, '-'};                  // U+2010 to U+2015.
  return {};
}

// The last `count` bytes before text[start], in lower case.
std::string Before(std::string_view text, size_t start, size_t count) {
  const size_t from = start > count ? start - count : 0;
  return absl::AsciiStrToLower(ToAbsl(text.substr(from, start - from)));
}

// Words next to a number without a blank: the currency of an amount, on either side; and, before it, the kind of
// number. Other letters in that place make it an id.
constexpr absl::string_view kCurrencies[] = {"aud", "brl", "cad", "chf", "cny", "czk", "dkk", "eur", "gbp", "huf",
                                             "inr", "jpy", "nok", "pln", "rub", "sek", "try", "usd", "zar"};
constexpr absl::string_view kNamesOfNumbers[] = {
    "aadhaar",   "ahv",   "amex", "bsn",   "card",    "cc",   "ccn",         "cpf",       "creditcard",
    "debitcard", "dni",   "iban", "konto", "maestro", "nie",  "nif",         "nino",      "nir",
    "pan",       "pesel", "sin",  "ssn",   "tel",     "visa", "kreditkarte", "mastercard"};
constexpr size_t kLongestNameOfNumber = 11;

template <size_t N>
bool IsOneOf(const absl::string_view (&words)[N], std::string_view word) {
  return std::find(std::begin(words), std::end(words), ToAbsl(word)) != std::end(words);
}

// A number may end at text[end]: no word continues there, except the currency of "4111111111111111EUR".
bool MayEndAt(std::string_view text, size_t end) {
  constexpr size_t kLength = 3;
  if (end >= text.size() || !IsAlnum(text[end])) return true;
  if (RunEnd(text, end, IsAlnum, kLength + 1) != end + kLength) return false;
  return IsOneOf(kCurrencies, absl::AsciiStrToLower(ToAbsl(text.substr(end, kLength))));
}

// Groups of digits with marks between them.
class DigitGroups {
 public:
  DigitGroups(std::string_view text, size_t start) : text_(text) {
    size_t gap = 0;
    const size_t limit = std::min(text.size(), start + kMaxNumberBytes);
    for (size_t i = start; i < limit; ++i) {
      const char c = text[i];
      if (IsDigit(c)) {
        if (count_ == 0 || gap > 0) groups_[count_++] = {i, i, digits_.size()};
        digits_.push_back(c);
        groups_[count_ - 1].end = i + 1;
        groups_[count_ - 1].digits_end = digits_.size();
        gap = 0;
      } else {
        const size_t length = IsMark(c, i == start) ? 1 : MarkAt(text, i).length;
        if (length == 0 || ++gap > kMaxGap) break;
        i += length - 1;
      }
    }
  }

  size_t count() const { return count_; }
  size_t length(size_t group) const { return groups_[group].end - groups_[group].start; }
  // End of the first `count` groups in the text.
  size_t End(size_t count) const { return groups_[count - 1].end; }
  // Their digits.
  std::string_view Digits(size_t count) const {
    return std::string_view(digits_).substr(0, groups_[count - 1].digits_end);
  }
  std::string_view digits() const { return digits_; }

  bool HaveLengths(std::initializer_list<size_t> lengths) const {
    return lengths.size() <= count_ &&
           std::equal(lengths.begin(), lengths.end(), groups_.begin(),
                      [](size_t n, const Group& group) { return n == group.end - group.start; });
  }

  // The first `count` groups all have the same separator.
  bool AreAlike(size_t count) const {
    for (size_t i = 1; i + 1 < count; ++i) {
      if (Gap(i) != Gap(0)) return false;
    }
    return true;
  }

  // The gap after the first `count` groups differs from the gaps within them.
  bool AreApart(size_t count) const {
    if (count == count_) return true;
    for (size_t i = 0; i + 1 < count; ++i) {
      if (Gap(i) == Gap(count - 1)) return false;
    }
    return true;
  }

  // The single separator, other than blanks and parentheses, of the first `count` groups; '\0' if there is none, '?' if
  // there are several.
  char Separator(size_t count) const {
    char separator = '\0';
    for (size_t i = 0; i + 1 < count; ++i) {
      const std::string_view gap = Gap(i);
      for (size_t at = 0; at < gap.size();) {
        const Mark mark = MarkAt(gap, at);
        const char c = mark.length > 0 ? mark.means : gap[at];
        at += std::max<size_t>(1, mark.length);
        if (c == ' ' || c == '(' || c == ')') continue;
        if (separator != '\0' && separator != c) return '?';
        separator = c;
      }
    }
    return separator;
  }

  // A letter follows the digits: an id, a hash, a measure; except the "x" before a phone's extension.
  bool AreGlued() const {
    const size_t end = End(count_);
    if (MayEndAt(text_, end)) return false;
    if (text_[end] != 'x') return true;
    const size_t extension = RunEnd(text_, end + 1, IsDigit, kLongestExtension + 1);
    return extension == end + 1 || extension - end - 1 > kLongestExtension ||
           (extension < text_.size() && IsAlnum(text_[extension]));
  }

  // A "_" follows the last group, as in names of files and of variables.
  bool AreInName() const { return End(count_) < text_.size() && text_[End(count_)] == '_'; }

 private:
  struct Group {
    size_t start = 0;
    size_t end = 0;
    size_t digits_end = 0;
  };

  static bool IsMark(char c, bool first) {
    return c == ' ' || c == '-' || c == '.' || c == '(' || c == ')' || c == '/' || (c == '+' && first);
  }
  std::string_view Gap(size_t group) const {
    return text_.substr(groups_[group].end, groups_[group + 1].start - groups_[group].end);
  }

  const std::string_view text_;
  std::string digits_;
  std::array<Group, kMaxNumberBytes> groups_;
  size_t count_ = 0;
};

// End of the address that begins at `start`; 0 if none begins there.
size_t IpV4End(std::string_view text, size_t start) {
  size_t at = start;
  for (int part = 0; part < 4; ++part) {
    if (part > 0 && (at >= text.size() || text[at++] != '.')) return 0;
    int value = 0;
    const size_t first = at;
    for (; at < text.size() && at - first < 3 && IsDigit(text[at]); ++at) value = value * 10 + (text[at] - '0');
    if (at == first || value > 255 || (at - first > 1 && text[first] == '0')) return 0;
  }
  if (at < text.size() && IsAlnum(text[at])) return 0;
  if (at + 1 < text.size() && text[at] == '.' && IsDigit(text[at + 1])) return 0;
  return at;
}

// Words before a version, and characters allowed between the two.
constexpr absl::string_view kVersionWords[] = {"version", "versions", "ver", "vers", "versie", "versión", "versione"};
constexpr absl::string_view kVersionFillers[] = {"is", "to",    "of",   "number", "no",  "before", "prior",   "until",
                                                 "up", "since", "from", "than",   "and", "or",     "updated", "lautet"};
// The same for numbers of sections in documents, separated only by a blank.
constexpr absl::string_view kSectionWords[] = {"section",   "sections", "sec",    "chapter",      "clause",
                                               "subclause", "appendix", "figure", "table",        "paragraph",
                                               "release",   "build",    "spec",   "specification"};
// Programs that give their version after a slash, "Chrome/120.0.6.9".
constexpr absl::string_view kAgents[] = {
    "chrome", "chromium",  "headlesschrome", "crios",      "edg",     "edga",     "edge",
    "opr",    "opera",     "firefox",        "safari",     "version", "electron", "vivaldi",
    "brave",  "yabrowser", "samsungbrowser", "qtwebengine"};
// The same with a blank, "SQLite 3.40.1.0".
constexpr absl::string_view kPrograms[] = {"android", "curl",   "docker",  "dotnet", "git",   "ios",        "java",
                                           "jdk",     "jre",    "kernel",  "linux",  "macos", "mariadb",    "mysql",
                                           "nginx",   "node",   "openssl", "oracle", "php",   "postgresql", "python",
                                           "redis",   "sqlite", "windows", "zlib"};
// Endings of programs' files.
constexpr absl::string_view kArchives[] = {".tar", ".tgz", ".zip", ".deb", ".rpm", ".jar", ".exe",  ".dll",
                                           ".msi", ".whl", ".gem", ".apk", ".dmg", ".dsc", ".orig", ".nupkg"};

// The run of letters at the end of `text`, and `text` without it.
std::string_view LastLetters(std::string_view text) {
  size_t first = text.size();
  while (first > 0 && IsLetter(text[first - 1])) --first;
  return text.substr(first);
}

// `text` without the marks at its end.
std::string_view Without(std::string_view text, std::string_view marks) {
  return text.substr(0, text.find_last_not_of(marks) + 1);
}

// True if `before`, in lower case, ends by announcing a version or a section: "version 1", "Version: \"1",
// "FileVersion>1", "versions prior to 1", "clause 1".
bool EndsInVersionWord(std::string_view before) {
  constexpr size_t kMostFillers = 3;
  std::string_view rest = Without(before, " \t\u00a0");
  if (rest.size() < before.size() && IsOneOf(kSectionWords, LastLetters(Without(rest, ".")))) return true;
  rest = Without(before, " \t\"'`:=>([<.");
  for (size_t n = 0; n <= kMostFillers; ++n) {
    const std::string_view word = LastLetters(rest);
    if (IsOneOf(kVersionWords, word) || absl::EndsWith(ToAbsl(word), "version")) return true;
    if (word.empty() || !IsOneOf(kVersionFillers, word)) return false;
    rest = Without(rest.substr(0, rest.size() - word.size()), " \t\"'`:=>([<)");
  }
  return false;
}

// The name joined to a version by a sign, "libfoo" of "libfoo-1.2.3.4". `start` is after the sign.
std::string_view NameBefore(std::string_view text, size_t start) {
  size_t first = start > 0 ? start - 1 : 0;
  while (first > 0 && start - first < kLongestHostName && (IsBase64Url(text[first - 1]) || text[first - 1] == '.')) {
    --first;
  }
  return text.substr(first, start > first ? start - first - 1 : 0);
}

// True if a version continues: "1.2.3.4-rc1", "1.2.3.4+b2", "1.2.3.4~beta", "1.2.3.4.tar.gz", "1.2.3.4_linux".
bool GoesOnAsVersion(std::string_view text, size_t end, bool small) {
  const std::string_view after = text.substr(end);
  for (const absl::string_view archive : kArchives) {
    if (absl::StartsWith(ToAbsl(after), archive)) return true;
  }
  if (after.size() < 2 || !IsAlnum(after[1])) return after.size() == 1 ? after[0] == '_' && small : false;
  if (after[0] == '+' || after[0] == '~') return true;
  // Debian's revision in its parentheses, "(1.2.3.4-5)"; a range of addresses has more digits or dots.
  if (after[0] == '-' && IsDigit(after[1])) return after.size() > 2 && after[2] == ')' && small;
  return (after[0] == '-' && IsLetter(after[1]) && small) || (after[0] == '_' && small);
}

// "package/1.2.3.4", "package_1.2.3.4", "package-1.2.3.4"; but not "db.internal/10.1.2.3" and "host/10.1.2.3:80", which
// are Java's forms of an address.
bool FollowsPackage(std::string_view text, size_t start, size_t end, bool small, bool tiny) {
  const char sign = start > 0 ? text[start - 1] : '\0';
  if (sign != '/' && sign != '_' && sign != '-' && sign != '=') return false;
  const std::string_view name = NameBefore(text, start);
  if (sign == '=') {  // "package==1.2.3.4"
    return absl::EndsWith(ToAbsl(name), "=") == false && start > 2 && text[start - 2] == '=' &&
           IsAlnum(text[start - 3]) && tiny;
  }
  if (sign == '/' && IsOneOf(kAgents, absl::AsciiStrToLower(ToAbsl(name)))) return true;
  if (sign == '_') return small;
  if (name.empty() || !IsAlnum(name.back())) return false;
  if (sign == '-') return tiny && std::any_of(name.begin(), name.end(), IsLetter);
  if (end + 1 < text.size() && text[end] == ':' && IsDigit(text[end + 1])) return false;
  return small && name.find('.') == std::string_view::npos;
}

// Start of the version before this one in a list: "versions 1.2.3.4, 1.2.3.5 and 1.2.3.6"; 0 if there is none.
size_t PreviousInList(std::string_view text, size_t start) {
  constexpr std::string_view kJoints[] = {", ", " and ", " or ", " to ", " - ", " through ", "-"};
  for (const std::string_view joint : kJoints) {
    if (start < joint.size() || text.substr(start - joint.size(), joint.size()) != joint) continue;
    size_t first = start - joint.size();
    const size_t last = first;
    while (first > 0 && last - first < 15 && (IsDigit(text[first - 1]) || text[first - 1] == '.')) --first;
    if (first < last && IpV4End(text, first) == last) return first;
  }
  return 0;
}

// True if [start, end), four numbers that look like an address, is a version.
bool IsVersion(std::string_view text, size_t start, size_t end) {
  constexpr size_t kLookBack = 48;
  constexpr int kMostOfAList = 4;
  const std::string_view numbers = text.substr(start, end - start);
  // Addresses do not begin with 0, except the unspecified address and its network.
  if (numbers[0] == '0') return numbers != "0.0.0.0" && (end == text.size() || text[end] != '/');
  const std::string before = Before(text, start, kLookBack);
  if (EndsInVersionWord(before)) return true;
  if (absl::EndsWith(before, "v") || absl::EndsWith(before, ".")) return true;
  if (absl::EndsWith(before, "\u00a7") || absl::EndsWith(before, "\u00a7 ")) return true;
  // The first number of a version is small, or the others are 0.
  const bool small = numbers.find('.') < 3 || absl::EndsWith(ToAbsl(numbers), ".0.0");
  const bool tiny = numbers.find('.') == 1;
  if (small && absl::StartsWith(ToAbsl(text.substr(end)), " build")) return true;
  if (tiny && absl::EndsWith(before, " ") && IsOneOf(kPrograms, LastLetters(Without(before, " ")))) return true;
  if (FollowsPackage(text, start, end, small, tiny) || GoesOnAsVersion(text, end, small)) return true;
  // Relations between packages; addresses are compared as well, mostly private ones.
  for (const absl::string_view sign : {"<< ", ">> ", "<= ", ">= ", "<=", ">=", "~> ", "~>"}) {
    if (absl::EndsWith(before, sign)) return numbers.find('.') < 3 && numbers.substr(0, 3) != "10.";
  }
  size_t at = start;
  for (int n = 0; n < kMostOfAList; ++n) {
    at = PreviousInList(text, at);
    if (at == 0) return false;
    if (EndsInVersionWord(Before(text, at, kLookBack))) return true;
  }
  return false;
}

int PairAt(std::string_view digits, size_t at) { return (digits[at] - '0') * 10 + (digits[at + 1] - '0'); }
bool IsYear(std::string_view digits, size_t at) { return PairAt(digits, at) >= 19 && PairAt(digits, at) <= 21; }

// 2026-03-02, 02.03.2026, 3/2/2026, 20260302 or a sequence of years; none of our numbers begins here, whatever follows.
bool BeginsWithDate(const DigitGroups& groups) {
  const std::string_view digits = groups.digits();
  if (digits.size() < 8) return false;
  const auto year_first = [&] {
    return IsYear(digits, 0) && PairAt(digits, 4) >= 1 && PairAt(digits, 4) <= 12 && PairAt(digits, 6) <= 31;
  };
  if (groups.HaveLengths({4, 2, 2})) return year_first();
  if (groups.HaveLengths({8}) || groups.HaveLengths({12}) || groups.HaveLengths({14})) return year_first();
  if (groups.HaveLengths({4, 4}) && groups.count() == 2) return IsYear(digits, 0) && IsYear(digits, 4);
  if (groups.count() < 3 || groups.length(0) > 2 || groups.length(1) > 2 || groups.length(2) != 4) return false;
  const auto value = [&](size_t group, size_t at) {
    return groups.length(group) == 1 ? digits[at] - '0' : PairAt(digits, at);
  };
  const int first = value(0, 0);
  const int second = value(1, groups.length(0));
  return groups.AreAlike(3) && std::max(first, second) <= 31 && std::min(first, second) <= 12 &&
         IsYear(digits, groups.length(0) + groups.length(1));
}

// The number that begins at text[start]; DigitGroups may have read too much.
class NumberFinder {
 public:
  NumberFinder(std::string_view text, size_t start) : text_(text), start_(start), groups_(text, start) {}

  MaskHit Find() const {
    if (groups_.count() == 0 || IpV4End(text_, start_) != 0) return {};
    const bool marked = text_[start_] == '+' || text_[start_] == '(';
    if (!marked && BeginsWithDate(groups_)) return {};
    size_t count = groups_.count();
    if (groups_.AreGlued()) {
      if (const MaskHit hit = ChineseId(); hit.end > 0) return hit;
      --count;
    }
    for (; count > 0 && groups_.Digits(count).size() >= kFewestDigits; --count) {
      MaskKind kind = MaskKind::kCard;
      if (Classify(count, kind)) return {start_, groups_.End(count), kind};
    }
    return {};
  }

 private:
  static constexpr size_t kFewestDigits = 7;
  static constexpr size_t kPhoneWordBytes = 20;

  bool Classify(size_t count, MaskKind& kind) const {
    const std::string_view digits = groups_.Digits(count);
    const bool apart = groups_.AreApart(count);
    const bool free = !GoesOnFromAName();
    if (IsCardNumber(digits) && !FollowsDigitAnd('.') && (IsWrittenLikeACard(count) || (apart && free && count <= 5))) {
      kind = MaskKind::kCard;
      return true;
    }
    if (FollowsDigitAnd('.') || FollowsDecimalComma() || (!free && !IsFormedBehindAMark(count))) return false;
    if (apart && IsIdentityNumber(count, digits)) {
      kind = MaskKind::kNationalId;
      return true;
    }
    if (!free) return false;
    kind = MaskKind::kPhone;
    if (text_[start_] != '+' && count == groups_.count() && groups_.AreInName()) return false;
    return (apart || text_[start_] == '+') && IsPhone(count, digits);
  }

  // In the middle of a UUID, of an id with a prefix or of another hyphenated name.
  bool GoesOnFromAName() const {
    if (start_ == 0) return false;
    const char last = text_[start_ - 1];
    return last == '_' || last == '#' || (last == '-' && start_ > 1 && IsAlnum(text_[start_ - 2]));
  }

  // "#536-90-4399", "ref_529.982.247-25": groups with separators of their own, which programs' ids have only after a
  // hyphen.
  bool IsFormedBehindAMark(size_t count) const {
    const char separator = groups_.Separator(count);
    return count >= 3 && text_[start_ - 1] != '-' && separator != '\0' && separator != '/';
  }

  // The integral part of a decimal number precedes us.
  bool FollowsDigitAnd(char mark) const {
    return start_ > 1 && text_[start_ - 1] == mark && IsDigit(text_[start_ - 2]);
  }

  // The same with a comma, which also separates the columns of a table: "0,52998224725", but not "1,52998224725".
  bool FollowsDecimalComma() const {
    if (!FollowsDigitAnd(',')) return false;
    const bool zero = text_[start_ - 2] == '0' && (start_ == 2 || !IsDigit(text_[start_ - 3]));
    const char separator = groups_.Separator(groups_.count());
    return zero || (groups_.length(0) <= 3 && separator != '-' && separator != '.');
  }

  // Without separators, or in the groups that are printed on the card.
  bool IsWrittenLikeACard(size_t count) const {
    if (count == 1) return true;
    if (!groups_.AreAlike(count)) return false;
    if (groups_.HaveLengths({4, 4, 4, 4})) return count == 4 || (count == 5 && groups_.length(4) <= 3);
    return count == 3 && (groups_.HaveLengths({4, 6, 5}) || groups_.HaveLengths({4, 6, 4}));
  }

  bool IsIdentityNumber(size_t count, std::string_view digits) const {
    const char separator = groups_.Separator(count);
    if (count == 3 && groups_.HaveLengths({3, 2, 4}) && separator == '-' && IsSsn(digits)) return true;
    // Numbers that begin with 0 have not been issued to people yet: one is masked only if it is named.
    if (count == 3 && groups_.HaveLengths({3, 3, 3}) && separator == '-' && digits[0] != '0' && IsSin(digits)) {
      return true;
    }
    if (count == 3 && groups_.HaveLengths({4, 2, 3}) && separator == '.' && IsBsn(digits)) return true;
    if (count == 2 && groups_.HaveLengths({6, 4}) && separator == '-' && IsSwedishId(digits) && !IsTime(digits, 6)) {
      return true;
    }
    if (IsNamedIdentity(digits)) return true;
    return IsWrittenLikeAnId(count) && IsNationalId(digits);
  }

  // Without separators, or in the groups of some country. With any grouping, digits would pass one of the checks too
  // often: "1.2.0 (2011-02-03)".
  bool IsWrittenLikeAnId(size_t count) const {
    // Thirteen digits without separators are mostly a time in milliseconds, which begins with 1 until the year 2033.
    const std::string_view digits = groups_.Digits(count);
    if (count == 1) return digits.size() != 13 || digits[0] != '1';
    if (IsInARow()) return false;
    if (count == 3 && groups_.HaveLengths({4, 4, 4})) return groups_.Separator(count) != '.' && groups_.AreAlike(count);
    const std::initializer_list<size_t> forms[] = {
        {3, 3, 3, 2},
        {9, 2},  // Brazil
        {2, 2, 2, 3, 2},
        {6, 3, 2},     // Belgium
        {6, 5},        // Norway, Poland
        {2, 3, 3, 3},  // Germany
        {6, 4, 3},
        {6, 4, 2, 1},
        {6, 4, 1, 2},
        {3, 4, 4, 2},  // South Africa, Switzerland
        {13, 2},
        {1, 2, 2, 2, 3, 3, 2},
        {1, 2, 2, 2, 3, 5},  // France
        {6, 8, 4},           // China
    };
    return std::any_of(std::begin(forms), std::end(forms),
                       [&](const auto& form) { return form.size() == count && groups_.HaveLengths(form); });
  }

  // A similar group precedes them at the same distance: a table, a dump of bytes.
  bool IsInARow() const {
    const size_t length = groups_.length(0);
    if (groups_.count() < 2 || start_ < length + 1 || text_[start_ - 1] != text_[groups_.End(1)]) return false;
    const size_t first = start_ - 1 - length;
    return RunEnd(text_, first, IsHex, length) == start_ - 1 && (first == 0 || !IsAlnum(text_[first - 1]));
  }

  // As in the names of files, "240613-1200".
  static bool IsTime(std::string_view digits, size_t at) {
    return PairAt(digits, at) < 24 && PairAt(digits, at + 2) < 60;
  }

  static bool IsLongNationalId(std::string_view digits) { return digits.size() == 13 && IsNationalId(digits); }

  // "BSN 111222333", "SIN: 046 454 286", "ssn 536904399".
  bool IsNamedIdentity(std::string_view digits) const {
    constexpr struct {
      NumberWord word;
      bool (*is)(std::string_view);
    } kNamed[] = {{{"bsn", false}, IsBsn},
                  {{"burgerservicenummer", true}, IsBsn},
                  {{"sofinummer", true}, IsBsn},
                  {{"sin", false}, IsSin},
                  {{"social insurance", true}, IsSin},
                  {{"ssn", false}, IsSsn},
                  {{"social security", true}, IsSsn},
                  {{"personnummer", true}, IsSwedishId},
                  {{"samordningsnummer", true}, IsSwedishId},
                  {{"cpr", false}, IsDanishNumber},
                  {{"cpr-nummer", false}, IsDanishNumber},
                  {{"south african id", true}, IsLongNationalId},
                  {{"sa id", false}, IsLongNationalId},
                  {{"rsa id", false}, IsLongNationalId},
                  {{"id number", false}, IsLongNationalId},
                  {{"id no", false}, IsLongNationalId},
                  {{"identity number", false}, IsLongNationalId}};
    constexpr size_t kBytes = 32;
    if (digits.size() < 9 || digits.size() > 13) return false;
    std::string before = Before(text_, start_, kBytes);
    before.erase(0, before.find_last_of(",;({\n") + 1);  // Of the same clause.
    return std::any_of(std::begin(kNamed), std::end(kNamed),
                       [&](const auto& row) { return row.is(digits) && Follows(before, row.word); });
  }

  // An international number, or one in the form of phone numbers.
  bool IsPhone(size_t count, std::string_view digits) const {
    if (digits.size() > 15 || digits.find_first_not_of('0') == std::string_view::npos) return false;
    if (text_[start_] == '+') return digits.size() >= 8;
    const char separator = groups_.Separator(count);
    if (separator == '?') return false;
    const size_t first = groups_.length(0);
    if (digits.substr(0, 2) == "00" && digits[2] != '0' && digits.size() >= 11) return true;
    if (text_[start_] == '(') {
      return count >= 2 && first >= 2 && first <= 5 && digits.size() >= 9 && digits.size() <= 12;
    }
    if (FollowsPhoneWord()) return true;
    if (count == 3 && groups_.HaveLengths({3, 3, 4})) {
      // With blanks only they may be any three numbers, so they must follow the plan of North America, where neither
      // the area nor the office begins with 0 or 1.
      return separator == '\0' ? digits[0] > '1' && digits[3] > '1' : separator != '/';
    }
    if (count == 4 && groups_.HaveLengths({1, 3, 3, 4})) return digits[0] == '1' || separator != '\0';
    return digits[0] == '0' && digits.size() >= 10 && digits.size() <= 12 && count >= 2 && first >= 2 && first <= 5;
  }

  // "phone: 5552671", "Tel. 4001234", "homePhone 5552671", "Telefonnummer 4001234"; neither "hotel 4001234" nor
  // "cancelled 4001234".
  bool FollowsPhoneWord() const {
    constexpr NumberWord kWords[] = {
        {"phone", true},    {"telephone", true}, {"homephone", true},   {"workphone", true},  {"mobile", true},
        {"cell", false},    {"cellphone", true}, {"tel", false},        {"telefon", true},    {"fax", false},
        {"whatsapp", true}, {"handy", false},    {"handynummer", true}, {"call me at", false}};
    const std::string before = Before(text_, start_, kPhoneWordBytes);
    return std::any_of(std::begin(kWords), std::end(kWords), [&](const auto& row) { return Follows(before, row); });
  }

  // Word that tells the kind of the number after it.
  struct NumberWord {
    absl::string_view word;
    bool goes_on;  // Letters may follow: "phones", "Telefonnummer".
  };

  // `row` occurs in `before`, which is the preceding text in lower case, with no other number after it.
  bool Follows(const std::string& before, const NumberWord& row) const {
    const size_t digit = before.find_last_of("0123456789");
    const size_t from = digit == std::string::npos ? 0 : digit + 1;
    for (size_t at = before.find(row.word.data(), from); at != std::string::npos;
         at = before.find(row.word.data(), at + 1)) {
      const size_t place = start_ - before.size() + at;
      const size_t end = place + row.word.size();
      if (BeginsAWord(place) && (row.goes_on || BeginsAWord(end) || !IsLetter(text_[end]))) return true;
    }
    return false;
  }

  // No letter precedes text[at], or a small one before a capital: "homePhone".
  bool BeginsAWord(size_t at) const {
    return at == 0 || !IsLetter(text_[at - 1]) || (IsCapital(text_[at]) && !IsCapital(text_[at - 1]));
  }

  // China's may end in X.
  MaskHit ChineseId() const {
    const std::string digits(groups_.digits());
    const size_t last = start_ + digits.size();
    if (groups_.count() != 1 || digits.size() != 17 || (text_[last] | 0x20) != 'x') return {};
    if (last + 1 < text_.size() && IsAlnum(text_[last + 1])) return {};
    if (!IsNationalId(digits + "X")) return {};
    return {start_, last + 1, MaskKind::kNationalId};
  }

  const std::string_view text_;
  const size_t start_;
  const DigitGroups groups_;
};

// The part before the colon at text[start - 1] is a group of an address or fingerprint, and not a name:
// "ip:2001:db8::1".
bool FollowsGroup(std::string_view text, size_t start) {
  size_t group = start - 1;
  while (group > 0 && start - group < 6 && IsHex(text[group - 1])) --group;
  const bool named = group > 0 && (IsAlnum(text[group - 1]) || (group == start - 1 && text[group - 1] != ':'));
  return !named;
}

}  // namespace

MaskHit FindNumber(std::string_view text, size_t start) { return NumberFinder(text, start).Find(); }

MaskHit FindIpV4(std::string_view text, size_t start) {
  const size_t end = IpV4End(text, start);
  if (end == 0 || IsVersion(text, start, end)) return {};
  return {start, end, MaskKind::kIpAddress};
}

MaskHit FindIpV6(std::string_view text, size_t start) {
  if (start > 0 && text[start - 1] == ':' && FollowsGroup(text, start)) return {};
  if (start > 0 && text[start] == ':' && IsAlnum(text[start - 1])) return {};
  size_t end = start;
  int groups = 0;
  int run = 0;
  int colons = 0;
  bool gap = false;
  for (; end < text.size() && end - start < 46; ++end) {
    const char c = text[end];
    if (IsHex(c)) {
      if (run++ == 0) ++groups;
      if (run > 4) return {};
    } else if (c == ':') {
      if (end > start && text[end - 1] == ':') {
        if (gap) return {};
        gap = true;
      }
      ++colons;
      run = 0;
    } else if (c == '.' && run > 0 && colons > 0) {
      // An IPv4 address takes the place of two groups; only its first number was read.
      const size_t tail = IpV4End(text, end - static_cast<size_t>(run));
      if (tail == 0) break;
      end = tail;
      ++groups;
      ++colons;
      break;
    } else {
      break;
    }
  }
  if (end < text.size() && IsAlnum(text[end])) return {};
  if (!gap && end > start && text[end - 1] == ':') --end, --colons;
  if (gap ? (groups < 2 || groups > 7 || colons < 2) : (groups != 8 || colons != 7)) return {};
  // "a::b" and "std::cout" are C++ and not addresses; "::1" identifies nobody.
  if (gap && colons == 2 && std::none_of(text.begin() + start, text.begin() + end, IsDigit)) return {};
  return {start, end, MaskKind::kIpAddress};
}

MaskHit FindIban(std::string_view text, size_t start) {
  // The country determines the length, so following characters cannot be mistaken for a part of it.
  const size_t length = IbanLength(text.substr(start, 2));
  if (length == 0) return {};
  std::string compact;
  bool gap = false;
  size_t end = start;
  while (end < text.size() && compact.size() < length) {
    if (IsAlnum(text[end])) {
      compact.push_back(text[end++]);
      gap = false;
      continue;
    }
    const size_t mark = MarkAt(text, end).length;
    if (mark == 0 || gap || compact.size() % 4 != 0) return {};
    gap = true;
    end += mark;
  }
  if (!MayEndAt(text, end) || !IsIban(compact)) return {};
  return {start, end, MaskKind::kIban};
}

MaskHit FindGluedNumber(std::string_view text, size_t start) {
  const auto in_name = [](char c) { return IsLetter(c); };
  const size_t letters = RunEnd(text, start, in_name, kLongestNameOfNumber + 1);
  const std::string name = absl::AsciiStrToLower(ToAbsl(text.substr(start, letters - start)));
  const bool amount = IsOneOf(kCurrencies, name);
  if (amount || IsOneOf(kNamesOfNumbers, name)) {
    const MaskHit hit = FindNumber(text, letters);
    // An amount with this many digits may pass the checks of other numbers.
    if (hit.end > 0 && (!amount || hit.kind == MaskKind::kCard)) return hit;
  }
  // The name of an IBAN is followed by the letters of its country.
  constexpr size_t kCountry = 2;
  if (name.size() <= kCountry) return {};
  const std::string_view before = std::string_view(name).substr(0, name.size() - kCountry);
  return IsOneOf(kCurrencies, before) || IsOneOf(kNamesOfNumbers, before) ? FindIban(text, letters - kCountry)
                                                                          : MaskHit{};
}

namespace {

// "AB 12 34 56 C": with or without blanks between the pairs.
MaskHit FindSpacedInsuranceNumber(std::string_view text, size_t start) {
  constexpr size_t kLength = 13;
  if (start + kLength > text.size()) return {};
  std::string compact;
  for (size_t i = 0; i < kLength; ++i) {
    const char c = text[start + i];
    const bool gap = i == 2 || i == 5 || i == 8 || i == 11;
    if (gap != (c == ' ')) return {};
    if (!gap) compact.push_back(c);
  }
  const size_t end = start + kLength;
  if (end < text.size() && IsAlnum(text[end])) return {};
  return IsNationalInsuranceNumber(compact) ? MaskHit{start, end, MaskKind::kNationalId} : MaskHit{};
}

}  // namespace

MaskHit FindIdWord(std::string_view text, size_t start) {
  constexpr size_t kFinnish = 11;
  if (start + kFinnish <= text.size() && (start + kFinnish == text.size() || !IsAlnum(text[start + kFinnish])) &&
      IsFinnishId(text.substr(start, kFinnish))) {
    return {start, start + kFinnish, MaskKind::kNationalId};
  }
  if (const MaskHit hit = FindSpacedInsuranceNumber(text, start); hit.end > 0) return hit;
  size_t end = start;
  while (end < text.size() && end - start < 17 && IsAlnum(text[end])) ++end;
  if (end < text.size() && IsAlnum(text[end])) return {};
  const std::string_view word = text.substr(start, end - start);
  const bool upper = std::none_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  for (const auto is : {IsSpanishId, IsItalianTaxCode, IsSingaporeanId, IsNationalInsuranceNumber, IsCorsicanNir}) {
    if (upper && is(word)) return {start, end, MaskKind::kNationalId};
  }
  return {};
}

}  // namespace toolgate::security::safe_errors
