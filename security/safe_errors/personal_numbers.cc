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

// A blank or hyphen between digits, which people and word processors write in several ways.
struct Mark {
  size_t length = 0;  // In bytes; 0 when there is none.
  char means = '\0';
};

Mark MarkAt(std::string_view text, size_t at) {
  const char c = text[at];
  if (c == ' ' || c == '-') return {1, c};
  if (c == '\xC2' && text.substr(at + 1, 1) == "\xA0") return {2, ' '};  // U+00A0, a blank that does not break.
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
  // Where the first `count` groups end in the text.
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

  // The same stands between each two of the first `count` groups.
  bool AreAlike(size_t count) const {
    for (size_t i = 1; i + 1 < count; ++i) {
      if (Gap(i) != Gap(0)) return false;
    }
    return true;
  }

  // What follows on the first `count` groups is set off from them by a gap that is not one of theirs.
  bool AreApart(size_t count) const {
    if (count == count_) return true;
    for (size_t i = 0; i + 1 < count; ++i) {
      if (Gap(i) == Gap(count - 1)) return false;
    }
    return true;
  }

  // The one mark, other than blanks and parentheses, between the first `count` groups; '\0' when there is none, '?'
  // when there are several.
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

  // A letter goes on where the digits end: an id, a hash, a measure; other than the "x" before a phone's extension.
  bool AreGlued() const {
    const size_t end = End(count_);
    if (end >= text_.size() || !IsAlnum(text_[end])) return false;
    if (text_[end] != 'x') return true;
    const size_t extension = RunEnd(text_, end + 1, IsDigit, kLongestExtension + 1);
    return extension == end + 1 || extension - end - 1 > kLongestExtension ||
           (extension < text_.size() && IsAlnum(text_[extension]));
  }

  // What follows the last group is "_", as in names of files and of variables.
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

// Where the address ends, 0 when none begins here.
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

// "v1.2.3.4", "version 1.2.3.4", "package/1.2.3.4", "package_1.2.3.4"; but "db.internal/10.1.2.3" and
// "host/10.1.2.3:80" are what Java writes of an address. [start, end) are the four numbers.
bool IsVersion(std::string_view text, size_t start, size_t end) {
  const std::string before = Before(text, start, 12);
  for (const absl::string_view word :
       {"version ", "version: ", "version=", "release ", "ver. ", "build ", "section ", "chapter "}) {
    if (absl::EndsWith(before, word)) return true;
  }
  if (absl::EndsWith(before, "v") || absl::EndsWith(before, ".")) return true;
  const bool after_name =
      absl::EndsWith(before, "_") || (before.size() > 1 && before.back() == '/' && IsAlnum(before[before.size() - 2]));
  if (!after_name && (end == text.size() || text[end] != '_')) return false;
  // The first number of a version is small, or the others are 0.
  const std::string_view numbers = text.substr(start, end - start);
  if (numbers.find('.') == 3 && !absl::EndsWith(ToAbsl(numbers), ".0.0")) return false;
  if (after_name && end + 1 < text.size() && text[end] == ':' && IsDigit(text[end + 1])) return false;
  size_t host = start > 0 ? start - 1 : 0;
  while (host > 0 && start - host < kLongestHostName && (IsBase64Url(text[host - 1]) || text[host - 1] == '.')) --host;
  const std::string_view name = text.substr(host, start - host);
  return before.empty() || before.back() != '/' || name.find('.') == std::string_view::npos;
}

int TwoDigits(std::string_view digits, size_t at) { return (digits[at] - '0') * 10 + (digits[at + 1] - '0'); }
bool IsYear(std::string_view digits, size_t at) { return TwoDigits(digits, at) >= 19 && TwoDigits(digits, at) <= 21; }

// 2026-03-02, 02.03.2026, 3/2/2026, 20260302 or a row of years; whatever follows, this is where none of our numbers
// begins.
bool BeginsWithDate(const DigitGroups& groups) {
  const std::string_view digits = groups.digits();
  if (digits.size() < 8) return false;
  const auto year_first = [&] {
    return IsYear(digits, 0) && TwoDigits(digits, 4) >= 1 && TwoDigits(digits, 4) <= 12 && TwoDigits(digits, 6) <= 31;
  };
  if (groups.HaveLengths({4, 2, 2})) return year_first();
  if (groups.HaveLengths({8}) || groups.HaveLengths({12}) || groups.HaveLengths({14})) return year_first();
  if (groups.HaveLengths({4, 4}) && groups.count() == 2) return IsYear(digits, 0) && IsYear(digits, 4);
  if (groups.count() < 3 || groups.length(0) > 2 || groups.length(1) > 2 || groups.length(2) != 4) return false;
  const auto value = [&](size_t group, size_t at) {
    return groups.length(group) == 1 ? digits[at] - '0' : TwoDigits(digits, at);
  };
  const int first = value(0, 0);
  const int second = value(1, groups.length(0));
  return groups.AreAlike(3) && std::max(first, second) <= 31 && std::min(first, second) <= 12 &&
         IsYear(digits, groups.length(0) + groups.length(1));
}

// The number that begins at text[start], of which DigitGroups may have read too much.
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
    if (!free || FollowsDigitAnd('.') || FollowsDigitAnd(',')) return false;
    if (apart && IsIdentityNumber(count, digits)) {
      kind = MaskKind::kNationalId;
      return true;
    }
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

  // What is before us is the integral part of a decimal number.
  bool FollowsDigitAnd(char mark) const {
    return start_ > 1 && text_[start_ - 1] == mark && IsDigit(text_[start_ - 2]);
  }

  // In one row, or in the groups that are on the card.
  bool IsWrittenLikeACard(size_t count) const {
    if (count == 1) return true;
    if (!groups_.AreAlike(count)) return false;
    if (groups_.HaveLengths({4, 4, 4, 4})) return count == 4 || (count == 5 && groups_.length(4) <= 3);
    return count == 3 && (groups_.HaveLengths({4, 6, 5}) || groups_.HaveLengths({4, 6, 4}));
  }

  bool IsIdentityNumber(size_t count, std::string_view digits) const {
    if (count == 3 && groups_.HaveLengths({3, 2, 4}) && groups_.Separator(count) == '-' && IsSsn(digits)) return true;
    // Thirteen digits in one row are mostly a time in milliseconds.
    return IsNationalId(digits) && (count > 1 || digits.size() != 13);
  }

  // An international number, or one written the way of phone numbers.
  bool IsPhone(size_t count, std::string_view digits) const {
    if (digits.size() > 15) return false;
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
      // With blanks only they may be any three numbers, so they are held to the plan of North America, where neither
      // the area nor the office begins with 0 or 1.
      return separator == '\0' ? digits[0] > '1' && digits[3] > '1' : separator != '/';
    }
    if (count == 4 && groups_.HaveLengths({1, 3, 3, 4})) return digits[0] == '1' || separator != '\0';
    return digits[0] == '0' && digits.size() >= 10 && digits.size() <= 12 && count >= 2 && first >= 2 && first <= 5;
  }

  // "phone: 5552671", "Tel. 4001234", "homePhone 5552671", "Telefonnummer 4001234"; neither "hotel 4001234" nor
  // "cancelled 4001234".
  bool FollowsPhoneWord() const {
    constexpr struct {
      absl::string_view word;
      bool goes_on;  // Letters may follow: "phones", "Telefonnummer".
    } kWords[] = {{"phone", true},       {"telephone", true},  {"homephone", true}, {"workphone", true},
                  {"mobile", true},      {"cell", false},      {"cellphone", true}, {"tel", false},
                  {"telefon", true},     {"fax", false},       {"whatsapp", true},  {"handy", false},
                  {"handynummer", true}, {"call me at", false}};
    const std::string before = Before(text_, start_, kPhoneWordBytes);
    const size_t digit = before.find_last_of("0123456789");
    const size_t from = digit == std::string::npos ? 0 : digit + 1;
    return std::any_of(std::begin(kWords), std::end(kWords), [&](const auto& row) {
      for (size_t at = before.find(row.word.data(), from); at != std::string::npos;
           at = before.find(row.word.data(), at + 1)) {
        const size_t place = start_ - before.size() + at;
        const size_t end = place + row.word.size();
        if (BeginsAWord(place) && (row.goes_on || BeginsAWord(end) || !IsLetter(text_[end]))) return true;
      }
      return false;
    });
  }

  // No letter is before text[at], or a small one before a capital: "homePhone".
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

// What is before the colon at text[start - 1] is a group of an address or fingerprint, and not a name:
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
      // An IPv4 address stands for two groups; what was read of it is the first.
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
  // "a::b" and "std::cout" are C++ and not addresses; "::1" is nobody's.
  if (gap && colons == 2 && std::none_of(text.begin() + start, text.begin() + end, IsDigit)) return {};
  return {start, end, MaskKind::kIpAddress};
}

MaskHit FindIban(std::string_view text, size_t start) {
  std::string compact;
  size_t end = start;
  size_t last = start;
  bool blank = false;
  for (; end < text.size() && compact.size() < 35; ++end) {
    const char c = text[end];
    if (IsAlnum(c)) {
      compact.push_back(c);
      last = end;
      blank = false;
    } else if (const size_t length = MarkAt(text, end).length; length > 0 && !blank && compact.size() % 4 == 0) {
      blank = true;
      end += length - 1;
    } else {
      break;
    }
  }
  // Words may follow after a blank, so shorter ones are tried down to the last group.
  while (compact.size() >= 15) {
    if (IsIban(compact)) return {start, last + 1, MaskKind::kIban};
    const size_t keep = (compact.size() - 1) / 4 * 4;
    size_t drop = compact.size() - keep;
    while (drop > 0) {
      if (IsAlnum(text[last])) --drop;
      --last;
    }
    if (IsAlnum(text[last + 1]) && IsAlnum(text[last])) return {};
    while (!IsAlnum(text[last])) --last;
    compact.resize(keep);
  }
  return {};
}

MaskHit FindIdWord(std::string_view text, size_t start) {
  size_t end = start;
  while (end < text.size() && end - start < 17 && IsAlnum(text[end])) ++end;
  if (end < text.size() && IsAlnum(text[end])) return {};
  const std::string_view word = text.substr(start, end - start);
  const bool upper = std::none_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  if (upper && (IsSpanishId(word) || IsItalianTaxCode(word))) return {start, end, MaskKind::kNationalId};
  return {};
}

}  // namespace toolgate::security::safe_errors
