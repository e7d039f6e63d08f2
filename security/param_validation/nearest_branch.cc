#include "security/param_validation/nearest_branch.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"

namespace toolgate::security::param_validation {
namespace {

using Rows = std::vector<Violation>;
using Lists = absl::FunctionRef<bool(size_t branch, std::string_view member)>;

bool IsListed(const Violation& row) { return row.rule == "const" || row.rule == "enum"; }

// A member that is missing, or unknown to the branch, is a failure of the surrounding object.
bool IsOfTheParent(const Violation& row) {
  return row.rule == "required" || row.rule == "dependentRequired" || row.rule == "additionalProperties" ||
         row.rule == "unevaluatedProperties" || row.rule == "propertyNames";
}

size_t DepthOf(const Violation& row) {
  const auto segments = static_cast<size_t>(std::count(row.path.begin(), row.path.end(), '/'));
  return IsOfTheParent(row) && segments > 0 ? segments - 1 : segments;
}

// The escaped name of a direct member of `here` whose value is not one of the listed ones; empty for any other failure.
std::string_view ListedMember(std::string_view here, const Violation& row) {
  if (!IsListed(row) || row.path.size() <= here.size() + 1) return {};
  const std::string_view name = std::string_view(row.path).substr(here.size() + 1);
  return name.find('/') == std::string_view::npos ? name : std::string_view();
}

// Smaller is nearer; compared member by member.
struct Rank {
  bool other_kind = false;    // It is not a value of the branch's type, or of its const.
  size_t discriminators = 0;  // That show that another branch is meant.
  size_t constants = 0;       // Members without the only value that this branch accepts.
  size_t shallow = 0;         // Smaller for a deeper deepest failure.
  size_t failures = 0;
  size_t listed = 0;

  auto Key() const { return std::tie(other_kind, discriminators, constants, shallow, failures, listed); }
};

class Ranking {
 public:
  Ranking(std::string_view here, const std::vector<Rows>& failures, Lists lists)
      : here_(here), failures_(failures), lists_(lists) {}

  Rank Of(size_t branch) const {
    Rank rank;
    size_t depth = 0;
    for (const Violation& row : failures_[branch]) {
      if (row.path == here_ && (row.rule == "type" || row.rule == "const")) rank.other_kind = true;
      rank.discriminators += IsDiscriminator(row) ? 1 : 0;
      rank.constants += row.rule == "const" && !ListedMember(here_, row).empty() ? 1 : 0;
      rank.listed += IsListed(row) ? 1 : 0;
      depth = std::max(depth, DepthOf(row));
    }
    rank.shallow = static_cast<size_t>(-1) - depth;
    rank.failures = failures_[branch].size();
    return rank;
  }

  // A member with listed values in several branches is a discriminator; with values in only one it is a property like
  // others.
  bool IsDiscriminator(const Violation& row) const {
    const std::string_view member = ListedMember(here_, row);
    if (member.empty()) return false;
    size_t listing = 0;
    for (size_t branch = 0; branch < failures_.size() && listing < 2; ++branch) {
      if (lists_(branch, member)) ++listing;
    }
    return listing == 2;
  }

 private:
  const std::string_view here_;
  const std::vector<Rows>& failures_;
  const Lists lists_;
};

// Rows about the member at `path`, from the branches with as few failed discriminators as the nearest.
std::vector<const Violation*> Contenders(const std::string& path, const std::vector<Rows>& failures,
                                         const std::vector<Rank>& ranks, const Rank& nearest) {
  std::vector<const Violation*> found;
  for (size_t i = 0; i < failures.size(); ++i) {
    if (ranks[i].other_kind || ranks[i].discriminators != nearest.discriminators) continue;
    for (const Violation& row : failures[i]) {
      if (row.path == path && IsListed(row)) found.push_back(&row);
    }
  }
  return found;
}

// One row for all: the union of the values that they list.
Violation Merged(const std::vector<const Violation*>& rows) {
  Violation merged = *rows.front();
  std::vector<std::string_view> expected;
  for (const Violation* row : rows) {
    if (std::find(expected.begin(), expected.end(), row->expected) == expected.end()) expected.push_back(row->expected);
  }
  if (expected.size() == 1) return merged;
  merged.rule = "enum";
  merged.expected = expected.front();
  for (size_t i = 1; i < expected.size(); ++i) merged.expected.append(" or ").append(expected[i]);
  return merged;
}

}  // namespace

std::vector<Violation> NearestBranch(std::string_view here, std::vector<Rows> failures, Lists lists) {
  const Ranking ranking(here, failures, lists);
  std::vector<Rank> ranks;
  for (size_t i = 0; i < failures.size(); ++i) ranks.push_back(ranking.Of(i));
  const auto nearest =
      std::min_element(ranks.begin(), ranks.end(), [](const Rank& a, const Rank& b) { return a.Key() < b.Key(); });
  if (nearest == ranks.end() || nearest->other_kind) return {};
  Rows& rows = failures[static_cast<size_t>(nearest - ranks.begin())];
  for (const Violation& row : rows) {
    if (!ranking.IsDiscriminator(row)) continue;
    // If several branches could be meant, further rows of one of them would be misleading.
    const std::vector<const Violation*> contenders = Contenders(row.path, failures, ranks, *nearest);
    if (contenders.size() > 1) return {Merged(contenders)};
  }
  return std::move(rows);
}

}  // namespace toolgate::security::param_validation
