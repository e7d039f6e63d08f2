#include "executors/files/near_match.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

#include "absl/strings/str_cat.h"
#include "common/text/utf8.h"

namespace toolgate::executors::files {
namespace {

// Bounds of the work.
constexpr size_t kMaxLines = 200'000;
constexpr size_t kMaxWantedLines = 40;
constexpr size_t kMaxComparedBytes = 400;
// Of what is shown.
constexpr size_t kMaxShownLines = 12;
constexpr size_t kMaxShownLineBytes = 200;
// The least similarity of a line, in thousandths.
constexpr int kLeastSimilarity = 400;
// The least part of the wanted line's pairs that a longer line must have, to be like it.
constexpr int kLeastContained = 700;
constexpr int kEqual = 1000;
constexpr int kEqualButBlanks = 950;

std::vector<std::string_view> LinesOf(std::string_view text, size_t limit) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < limit) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string WithoutBlanks(std::string_view line) {
  std::string rest;
  std::copy_if(line.begin(), line.end(), std::back_inserter(rest), [](char c) { return !IsBlank(c); });
  return rest;
}

uint32_t PairAt(std::string_view text, size_t i) {
  return (static_cast<uint32_t>(static_cast<unsigned char>(text[i])) << 8) | static_cast<unsigned char>(text[i + 1]);
}

// A line of the wanted text, ready for many comparisons.
class WantedLine {
 public:
  explicit WantedLine(std::string_view line)
      : line_(line), squeezed_(WithoutBlanks(line)), compared_(squeezed_.substr(0, kMaxComparedBytes)) {
    for (size_t i = 0; i + 1 < compared_.size(); ++i) ++pairs_[PairAt(compared_, i)];
  }

  size_t length() const { return squeezed_.size(); }

  // In thousandths: shared pairs of characters, of all (Dice's coefficient), or of the wanted line's.
  int SimilarityTo(std::string_view line) const {
    if (line == line_) return kEqual;
    const std::string squeezed = WithoutBlanks(line);
    if (squeezed == squeezed_) return kEqualButBlanks;
    const std::string_view other = std::string_view(squeezed).substr(0, kMaxComparedBytes);
    if (other.size() < 2 || compared_.size() < 2) return 0;
    std::unordered_map<uint32_t, int> left = pairs_;
    int shared = 0;
    for (size_t i = 0; i + 1 < other.size(); ++i) {
      const auto pair = left.find(PairAt(other, i));
      if (pair == left.end() || pair->second == 0) continue;
      --pair->second;
      ++shared;
    }
    const int all = static_cast<int>(other.size() + compared_.size()) - 2;
    const int alike = 2 * shared * kEqual / all;
    // A part of a line may be wanted: then most of it is somewhere in the line.
    const int contained = shared * kEqual / (static_cast<int>(compared_.size()) - 1);
    const int as_part = contained >= kLeastContained ? contained * 6 / 10 : 0;
    return std::min(std::max(alike, as_part), kEqualButBlanks - 1);
  }

 private:
  std::string_view line_;
  std::string squeezed_;
  std::string compared_;
  std::unordered_map<uint32_t, int> pairs_;
};

std::string Cut(std::string_view line) {
  if (line.size() <= kMaxShownLineBytes) return std::string(line);
  return absl::StrCat(std::string(text::PrefixOfBytes(line, kMaxShownLineBytes)), "…");
}

std::string DifferenceOf(const std::vector<std::string_view>& lines, size_t first,
                         const std::vector<std::string_view>& wanted) {
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (first + i >= lines.size()) return absl::StrCat("the file ends before line ", i + 1, " of oldText");
    const std::string_view found = lines[first + i];
    if (found == wanted[i]) continue;
    const size_t number = first + i + 1;
    const auto without_return = [](std::string_view line) {
      return line.substr(0, line.size() - (!line.empty() && line.back() == '\r' ? 1 : 0));
    };
    if (without_return(found) == without_return(wanted[i])) {
      return absl::StrCat("line ", number, found.size() > wanted[i].size() ? " ends" : " does not end",
                          " with a carriage return (\\r\\n)");
    }
    if (WithoutBlanks(found) == WithoutBlanks(wanted[i])) return absl::StrCat("line ", number, " has other blanks");
    const auto [a, b] = std::mismatch(found.begin(), found.end(), wanted[i].begin(), wanted[i].end());
    const auto same = static_cast<size_t>(a - found.begin());
    return absl::StrCat("line ", number, " differs from character ", text::CountCharacters(found.substr(0, same)) + 1,
                        " on");
  }
  return "";
}

}  // namespace

std::optional<NearMatch> FindNearest(std::string_view text, std::string_view wanted) {
  const std::vector<std::string_view> lines = LinesOf(text, kMaxLines);
  const std::vector<std::string_view> wanted_lines = LinesOf(wanted, kMaxWantedLines);
  if (lines.empty() || wanted_lines.empty()) return std::nullopt;
  std::vector<WantedLine> compared;
  compared.reserve(wanted_lines.size());
  for (const std::string_view line : wanted_lines) compared.emplace_back(line);
  // The longest line says most about the place.
  const size_t anchor = static_cast<size_t>(
      std::max_element(compared.begin(), compared.end(),
                       [](const WantedLine& a, const WantedLine& b) { return a.length() < b.length(); }) -
      compared.begin());
  std::vector<std::pair<int, size_t>> places;  // Similarity of the anchor, and first line.
  for (size_t i = anchor; i < lines.size(); ++i) {
    const int similarity = compared[anchor].SimilarityTo(lines[i]);
    if (similarity >= kLeastSimilarity) places.emplace_back(similarity, i - anchor);
  }
  if (places.empty()) return std::nullopt;
  constexpr size_t kMaxPlaces = 50;
  std::stable_sort(places.begin(), places.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  places.resize(std::min(places.size(), kMaxPlaces));
  int best = -1;
  size_t first = 0;
  for (const auto& [unused, place] : places) {
    int total = 0;
    for (size_t i = 0; i < compared.size() && place + i < lines.size(); ++i) {
      total += compared[i].SimilarityTo(lines[place + i]);
    }
    if (total > best) {
      best = total;
      first = place;
    }
  }
  NearMatch match;
  match.line = first + 1;
  for (size_t i = 0; i < std::min(wanted_lines.size(), kMaxShownLines) && first + i < lines.size(); ++i) {
    absl::StrAppend(&match.text, i == 0 ? "" : "\n", Cut(lines[first + i]));
  }
  if (wanted_lines.size() > kMaxShownLines) match.text += "\n…";
  match.difference = DifferenceOf(lines, first, wanted_lines);
  return match;
}

std::vector<size_t> LinesOfMatches(std::string_view text, std::string_view wanted, size_t limit, size_t& count) {
  std::vector<size_t> numbers;
  count = 0;
  size_t line = 1;
  size_t counted = 0;
  for (size_t at = text.find(wanted); at != std::string_view::npos; at = text.find(wanted, at + wanted.size())) {
    line += static_cast<size_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                                           text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    counted = at;
    if (numbers.size() < limit) numbers.push_back(line);
    ++count;
  }
  return numbers;
}

}  // namespace toolgate::executors::files
