#include "security/safe_errors/personal_numbers.h"

#include <algorithm>
#include <array>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "common/absl_bridge.h"
#include "security/safe_errors/checksums.h"

namespace toolgate::security::safe_errors {
namespace {

constexpr size_t kMaxNumberBytes = 40;
constexpr size_t kMaxGap = 2;

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
    for (size_t i = start; i < std::min(text.size(), start + kMaxNumberBytes); ++i) {
      const char c = text[i];
      if (IsDigit(c)) {
        if (count_ == 0 || gap > 0) groups_[count_++] = {i, i, digits_.size()};
        digits_.push_back(c);
        groups_[count_ - 1].end = i + 1;
        groups_[count_ - 1].digits_end = digits_.size();
        gap = 0;
      } else if (!IsMark(c, i == start) || ++gap > kMaxGap) {
        break;
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
      for (const char c : Gap(i)) {
        if (c == ' ' || c == '(' || c == ')') continue;
        if (separator != '\0' && separator != c) return '?';
        separator = c;
      }
    }
    return separator;
  }

  // A letter goes on where the digits end: an id, a hash, a measure.
  bool AreGlued() const {
    const size_t end = End(count_);
    return end < text_.size() && (IsAlnum(text_[end]) || text_[end] == '_');
  }

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
  if (at < text.size() && (IsAlnum(text[at]) || text[at] == '_')) return 0;
  if (at + 1 < text.size() && text[at] == '.' && IsDigit(text[at + 1])) return 0;
  return at;
}

// "v1.2.3.4", "version 1.2.3.4", "package/1.2.3.4", but not "host/1.2.3.4:80".
bool IsVersion(std::string_view text, size_t start, size_t end) {
  if (start == 0) return false;
  const std::string before = Before(text, start, 12);
  for (const absl::string_view word :
       {"version ", "version: ", "version=", "release ", "ver. ", "build ", "section ", "chapter "}) {
    if (absl::EndsWith(before, word)) return true;
  }
  if (before.back() == 'v' || before.back() == '.') return true;
  const bool has_port = end + 1 < text.size() && text[end] == ':' && IsDigit(text[end + 1]);
  return !has_port && before.size() > 1 && before.back() == '/' && IsAlnum(before[before.size() - 2]);
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
    if (digits.substr(0, 2) == "00" && digits.size() >= 11 && digits[2] != '0') return true;
    if (text_[start_] == '(') {
      return count >= 2 && first >= 2 && first <= 5 && digits.size() >= 9 && digits.size() <= 12;
    }
    if (FollowsPhoneWord()) return true;
    if (count == 3 && groups_.HaveLengths({3, 3, 4})) return separator != '/';
    if (count == 4 && groups_.HaveLengths({1, 3, 3, 4})) return true;
    return digits[0] == '0' && digits.size() >= 10 && digits.size() <= 12 && count >= 2 && first >= 2 && first <= 5;
  }

  bool FollowsPhoneWord() const {
    const std::string before = Before(text_, start_, 18);
    for (const char* word :
         {"phone", "mobile", "tel.", "tel:", "tel ", "cell", "fax", "telefon", "whatsapp", "call me at", "handy"}) {
      const size_t at = before.rfind(word);
      if (at == std::string::npos || (at > 0 && IsLetter(before[at - 1]))) continue;
      if (before.find_first_of("0123456789", at) == std::string::npos) return true;
    }
    return false;
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

}  // namespace

MaskHit FindNumber(std::string_view text, size_t start) { return NumberFinder(text, start).Find(); }

MaskHit FindIpV4(std::string_view text, size_t start) {
  if (start > 0 && text[start - 1] == '_') return {};
  const size_t end = IpV4End(text, start);
  if (end == 0 || IsVersion(text, start, end)) return {};
  return {start, end, MaskKind::kIpAddress};
}

MaskHit FindIpV6(std::string_view text, size_t start) {
  if (start > 0 && IsAlnum(text[start - 1])) return {};
  // In the middle of one, unlike after "ip:".
  if (start > 1 && text[start - 1] == ':' && (IsHex(text[start - 2]) || text[start - 2] == ':')) return {};
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
  if (end < text.size() && (IsAlnum(text[end]) || text[end] == '_')) return {};
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
    } else if ((c == ' ' || c == '-') && !blank && compact.size() % 4 == 0) {
      blank = true;
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
  if (end < text.size() && (IsAlnum(text[end]) || text[end] == '_')) return {};
  const std::string_view word = text.substr(start, end - start);
  const bool upper = std::none_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  if (upper && (IsSpanishId(word) || IsItalianTaxCode(word))) return {start, end, MaskKind::kNationalId};
  return {};
}

}  // namespace toolgate::security::safe_errors
