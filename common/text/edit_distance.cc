#include "common/text/edit_distance.h"

#include <algorithm>
#include <string>

namespace toolgate::text {
namespace {

// Longer names are not worth the time.
constexpr size_t kMaxName = 64;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

std::string Folded(std::string_view name) {
  std::string folded;
  for (const char c : name) {
    if (c != '_' && c != '-') folded += Lower(c);
  }
  return folded;
}

}  // namespace

size_t EditDistance(std::string_view left, std::string_view right, size_t limit) {
  if (left.size() > right.size()) std::swap(left, right);
  if (right.size() - left.size() > limit) return limit + 1;
  // Three rows of the table: the one being filled and the two before it.
  std::vector<size_t> before(left.size() + 1);
  std::vector<size_t> above(left.size() + 1);
  std::vector<size_t> row(left.size() + 1);
  for (size_t i = 0; i <= left.size(); ++i) above[i] = i;
  for (size_t j = 1; j <= right.size(); ++j) {
    row[0] = j;
    size_t best = j;
    for (size_t i = 1; i <= left.size(); ++i) {
      const bool same = Lower(left[i - 1]) == Lower(right[j - 1]);
      row[i] = std::min({above[i] + 1, row[i - 1] + 1, above[i - 1] + (same ? 0 : 1)});
      const bool swapped =
          i > 1 && j > 1 && Lower(left[i - 1]) == Lower(right[j - 2]) && Lower(left[i - 2]) == Lower(right[j - 1]);
      if (swapped) row[i] = std::min(row[i], before[i - 2] + 1);
      best = std::min(best, row[i]);
    }
    if (best > limit) return limit + 1;
    before.swap(above);
    above.swap(row);
  }
  return std::min(above[left.size()], limit + 1);
}

std::string_view NearestName(std::string_view written, const std::vector<std::string_view>& known) {
  if (written.empty() || written.size() > kMaxName) return {};
  const std::string folded = Folded(written);
  size_t limit = std::max<size_t>(1, folded.size() / 3);
  std::string_view nearest;
  for (const std::string_view name : known) {
    if (name.size() > kMaxName) continue;
    const size_t distance = EditDistance(folded, Folded(name), limit);
    if (distance > limit) continue;
    nearest = name;
    if (distance == 0) break;
    limit = distance - 1;
  }
  return nearest;
}

}  // namespace toolgate::text
