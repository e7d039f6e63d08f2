#include "cli/nearest_name.h"

#include <algorithm>

namespace toolgate::cli {
namespace {

// Longer than any name of ours; keeps the cost of nonsense down.
constexpr size_t kLongestName = 64;

// Optimal string alignment distance.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) above[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

}  // namespace

std::string NearestName(std::string_view name, const std::vector<std::string>& known) {
  if (name.empty() || name.size() > kLongestName) return "";
  std::string nearest;
  size_t least = std::max<size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const size_t distance = Distance(name, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  if (!nearest.empty()) return nearest;
  // A beginning is as good as a misspelling: "conf" for "confirmations".
  for (const std::string& candidate : known) {
    if (name.size() >= 3 && candidate.compare(0, name.size(), name) == 0) return candidate;
  }
  return "";
}

}  // namespace toolgate::cli
