#include "storage/rank.h"

#include <algorithm>
#include <cstddef>

namespace toolgate::storage {
namespace {

// In byte order. '0' occurs only as an escape below a rest that consists only of '1', so there is always a smaller
// rank.
constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr char kFirst = '1';
constexpr char kLast = 'z';
constexpr char kStart = 'K';

size_t ValueOf(char digit) { return kDigits.find(digit); }
char Next(char digit) { return kDigits[ValueOf(digit) + 1]; }
char Previous(char digit) { return kDigits[ValueOf(digit) - 1]; }

size_t RunLength(std::string_view text, char digit) {
  const size_t end = text.find_first_not_of(digit);
  return end == std::string_view::npos ? text.size() : end;
}

// The counter above: k times 'z', a digit below 'z', k digits. One more than its number is the next rank.
std::string Above(std::string_view rank) {
  if (rank.empty()) return std::string(1, kStart);
  const size_t run = RunLength(rank, kLast);
  const size_t width = 2 * run + 1;
  std::string number(rank.substr(0, width));
  if (number.size() < width) return number.append(width - number.size(), kFirst);  // Longer, and therefore greater.
  size_t i = width;
  while (i > run && number[i - 1] == kLast) number[--i] = kFirst;
  if (i > run) number[i - 1] = Next(number[i - 1]);
  if (i == run || number[run] == kLast) return std::string(run + 1, kLast) + std::string(run + 2, kFirst);
  return number;
}

// The counter below mirrors the one above: k times '1', a digit above '1', k digits.
std::string Below(std::string_view rank) {
  const size_t escapes = RunLength(rank, '0');
  std::string result(rank.substr(0, escapes));
  rank.remove_prefix(escapes);
  const size_t run = RunLength(rank, kFirst);
  if (run == rank.size()) return result + '0' + kStart;
  if (rank[run] == '0') return result + std::string(run, kFirst) + Below(rank.substr(run));
  const size_t width = 2 * run + 1;
  std::string number(rank.substr(0, width));
  number.append(width - number.size(), kFirst);
  size_t i = width;
  while (i > run + 1 && number[i - 1] <= kFirst) number[--i] = kLast;
  number[i - 1] = Previous(number[i - 1]);
  if (number[run] <= kFirst) number = std::string(run + 1, kFirst) + std::string(run + 2, kLast);
  return result + number;
}

// Fills [begin, end) with ranks between the bounds, the middle one first.
void Halve(std::string_view before, std::string_view after, size_t begin, size_t end, std::vector<std::string>& ranks) {
  if (begin == end) return;
  const size_t middle = begin + (end - begin) / 2;
  ranks[middle] = RankBetween(before, after);
  Halve(before, ranks[middle], begin, middle, ranks);
  Halve(ranks[middle], after, middle + 1, end, ranks);
}

}  // namespace

std::string RankBetween(std::string_view before, std::string_view after) {
  if (after.empty()) return Above(before);
  const size_t common = std::mismatch(before.begin(), before.end(), after.begin(), after.end()).first - before.begin();
  std::string rank(before.substr(0, common));
  before.remove_prefix(common);
  after.remove_prefix(common);
  if (before.empty()) return rank + Below(after);
  const size_t low = ValueOf(before[0]);
  const size_t high = ValueOf(after[0]);
  if (high - low > 1) return rank + kDigits[(low + high) / 2];
  return rank + before[0] + Above(before.substr(1));
}

std::vector<std::string> SpreadRanks(std::string_view before, std::string_view after, size_t count) {
  std::vector<std::string> ranks(count);
  if (!before.empty() && !after.empty()) {
    Halve(before, after, 0, count, ranks);
  } else if (after.empty()) {
    for (size_t i = 0; i < count; ++i) ranks[i] = RankBetween(i == 0 ? before : ranks[i - 1], "");
  } else {
    for (size_t i = count; i-- > 0;) ranks[i] = RankBetween("", i + 1 == count ? after : ranks[i + 1]);
  }
  return ranks;
}

}  // namespace toolgate::storage
