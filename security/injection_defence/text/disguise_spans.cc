#include "security/injection_defence/text/disguise_spans.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "security/injection_defence/text/normaliser.h"

namespace toolgate::security::injection_defence::text {
namespace {

// A row of letters held apart: its minimum number of letters, the longest piece that was not split completely, and the
// widest gap to the next one.
constexpr size_t kFewestLetters = 3;
constexpr size_t kLongestPiece = 2;
constexpr size_t kWidestGap = 5;
// Programs and formulas also have these between single letters, with different characters each time.
constexpr std::string_view kBrackets = "()[]{}<>=";

// A row of pieces: its fewest pieces, of one length or of few letters, and the longest piece.
constexpr size_t kFewestEqual = 6;
constexpr size_t kFewestShort = 8;
constexpr size_t kLongestEqual = 5;

// Few words are this long.
constexpr size_t kLongRun = 13;

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsInWord(char c) { return IsLetter(c) || (c >= '0' && c <= '9') || static_cast<uint8_t>(c) >= 0x80; }
bool IsSeen(char c) { return c != ' ' && c != '\n'; }
bool HasBracket(std::string_view text) { return text.find_first_of(kBrackets) != std::string_view::npos; }
bool IsProseMark(char c) { return std::string_view(".,;:!?'\"").find(c) != std::string_view::npos; }

// The next run of characters of a kind that begins at or after `at`; an empty one at the end if there is none.
template <typename In>
std::pair<size_t, size_t> NextRun(std::string_view text, size_t at, const In& in) {
  while (at < text.size() && !in(text[at])) ++at;
  size_t end = at;
  while (end < text.size() && in(text[end])) ++end;
  return {at, end};
}

size_t CodePoints(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xC0) != 0x80; }));
}

// A sequence of pieces of words: all of one length, with or without their marks, or all of few letters.
class PieceRow {
 public:
  // Bytes [start, end) continue or begin the row. False, without an effect, if they do neither.
  bool Take(size_t start, size_t end, size_t letters) {
    const bool first = pieces_ == 0;
    const bool equal = equal_ && (first || end - start == size_) && end - start <= kLongestEqual;
    const bool lettered = lettered_ && (first || letters == letters_) && letters <= kLongestEqual;
    const bool brief = brief_ && letters <= kLongestPiece;
    if (letters == 0 || (!equal && !lettered && !brief)) return false;
    std::tie(equal_, lettered_, brief_) = std::tuple(equal, lettered, brief);
    if (first) std::tie(start_, size_, letters_) = std::tuple(start, end - start, letters);
    end_ = end;
    ++pieces_;
    return true;
  }

  bool enough() const { return pieces_ >= kFewestShort || (pieces_ >= kFewestEqual && (equal_ || lettered_)); }
  size_t start() const { return start_; }
  size_t end() const { return end_; }

 private:
  size_t start_ = 0;
  size_t end_ = 0;
  size_t pieces_ = 0;
  size_t size_ = 0;     // Of the first piece,
  size_t letters_ = 0;  // … and how many letters it has.
  bool equal_ = true;
  bool lettered_ = true;
  bool brief_ = true;
};

}  // namespace

void DisguiseSpans::Add(const TextView& folded, size_t start, size_t end) {
  spans_.push_back({folded.origin[start], folded.origin[end - 1] + 1});
}

DisguiseSpans DisguiseSpans::HeldApart(const TextView& folded, double share) {
  DisguiseSpans spans(share);
  const std::string_view text = folded.text;
  size_t first = 0;      // Of the row,
  size_t last = 0;       // … its end,
  size_t letters = 0;    // … the number of its single-letter pieces,
  std::string_view gap;  // … and the characters between the last two.
  const auto close = [&] {
    if (letters >= kFewestLetters) spans.Add(folded, first, last);
    letters = 0;
    last = 0;
    gap = {};
  };
  for (auto [start, end] = NextRun(text, 0, IsInWord); start < end;
       std::tie(start, end) = NextRun(text, end, IsInWord)) {
    const size_t size = CodePoints(text.substr(start, end - start));
    if (last > 0) {
      const std::string_view next_gap = text.substr(last, start - last);
      const bool is_program = !gap.empty() && gap != next_gap && (HasBracket(gap) || HasBracket(next_gap));
      if (size > kLongestPiece || next_gap.size() > kWidestGap || is_program) close();
      gap = last > 0 ? next_gap : "";
    }
    if (size > kLongestPiece) continue;
    if (last == 0) first = start;
    last = end;
    letters += size == 1 ? 1 : 0;
  }
  close();
  return spans;
}

DisguiseSpans DisguiseSpans::Cut(const TextView& folded, double share) {
  DisguiseSpans spans(share);
  const std::string_view text = folded.text;
  PieceRow row;
  const auto close = [&] {
    if (row.enough()) spans.Add(folded, row.start(), row.end());
    row = {};
  };
  for (auto [start, end] = NextRun(text, 0, IsSeen); start < end; std::tie(start, end) = NextRun(text, end, IsSeen)) {
    const std::string_view piece = text.substr(start, end - start);
    const auto letters = static_cast<size_t>(std::count_if(piece.begin(), piece.end(), IsLetter));
    if (row.Take(start, end, letters)) continue;
    close();
    row.Take(start, end, letters);
  }
  close();
  return spans;
}

DisguiseSpans DisguiseSpans::Joined(const TextView& folded, double share) {
  DisguiseSpans spans(share);
  const std::string_view text = folded.text;
  for (size_t at = 0; at < text.size();) {
    const auto [start, word_end] = NextRun(text, at, IsInWord);
    size_t end = word_end;
    while (end + 1 < text.size() && Normaliser::IsJoint(text[end]) && IsInWord(text[end + 1])) {
      end = NextRun(text, end + 1, IsInWord).second;
    }
    if (end > word_end) spans.Add(folded, start, end);
    at = end;
  }
  return spans;
}

DisguiseSpans DisguiseSpans::Glued(const TextView& folded, double share) {
  DisguiseSpans spans(share);
  const std::string_view text = folded.text;
  for (size_t at = 0; at < text.size();) {
    auto [start, end] = NextRun(text, at, IsLetter);
    // Continues over marks of prose that have no blank after them.
    while (end + 1 < text.size() && IsProseMark(text[end]) && IsLetter(text[end + 1])) {
      end = NextRun(text, end + 1, IsLetter).second;
    }
    if (end - start >= kLongRun) spans.Add(folded, start, end);
    at = end;
  }
  return spans;
}

DisguiseSpans DisguiseSpans::Leet(const TextView& folded, const TextView& unleeted, double share) {
  DisguiseSpans spans(share);
  const auto in_word = [](char c) { return c != ' ' && c != '\n'; };
  for (auto [start, end] = NextRun(folded.text, 0, in_word); start < end;
       std::tie(start, end) = NextRun(folded.text, end, in_word)) {
    if (folded.text.compare(start, end - start, unleeted.text, start, end - start) != 0) spans.Add(folded, start, end);
  }
  return spans;
}

void DisguiseSpans::CloseUp(const TextView& folded, TextView& out) const {
  out.Clear();
  const std::string_view text = folded.text;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool between = !IsSeen(text[i]) && i > 0 && i + 1 < text.size();
    if (!between || !Cover(folded.origin[i - 1], folded.origin[i + 1])) out.Append(text[i], folded.origin[i]);
  }
}

bool DisguiseSpans::Cover(uint32_t start, uint32_t end) const {
  if (end < start) std::swap(start, end);
  double covered = 0;
  auto span = std::lower_bound(spans_.begin(), spans_.end(), start,
                               [](const Span& p, uint32_t wanted) { return p.end <= wanted; });
  for (; span != spans_.end() && span->start < end; ++span) {
    covered += std::min(span->end, end) - std::max(span->start, start);
  }
  return covered > 0 && covered >= share_ * (end - start);
}

}  // namespace toolgate::security::injection_defence::text
