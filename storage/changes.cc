#include "storage/changes.h"

#include <cstddef>
#include <iterator>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "storage/change_log.h"

namespace toolgate::storage {
namespace {

template <typename Thing>
struct JoinedDelta {
  Delta<Thing> delta;
  bool interrupted = false;  // Somebody else has changed the thing in between.
};

// Joins the deltas of one kind, which are the member `deltas`, in the order of first touch.
template <typename Thing, typename Same>
void Join(std::vector<Changes>& parts, std::vector<Delta<Thing>> Changes::*deltas, Same same, Changes& joined) {
  absl::flat_hash_map<std::string, size_t> place_of;
  std::vector<JoinedDelta<Thing>> rows;
  for (Changes& part : parts) {
    for (Delta<Thing>& next : part.*deltas) {
      const auto [place, added] = place_of.try_emplace(KeyOf(next.before ? *next.before : *next.after), rows.size());
      if (added) {
        rows.push_back({std::move(next)});
        continue;
      }
      JoinedDelta<Thing>& row = rows[place->second];
      const Image<Thing>& left = row.delta.after;
      const bool as_left = left && next.before ? same(*left, *next.before) : !left && !next.before;
      row.interrupted |= !as_left;
      if (!row.interrupted) row.delta.after = std::move(next.after);
    }
  }
  for (JoinedDelta<Thing>& row : rows) {
    if (row.delta.before || row.delta.after) (joined.*deltas).push_back(std::move(row.delta));
  }
}

}  // namespace

Changes InverseOf(const Changes& changes) {
  Changes inverse;
  for (const BlockDelta& delta : changes.blocks) inverse.blocks.push_back({delta.after, delta.before});
  for (const LinkDelta& delta : changes.links) inverse.links.push_back({delta.after, delta.before});
  for (const DocumentDelta& delta : changes.documents) inverse.documents.push_back({delta.after, delta.before});
  return inverse;
}

std::vector<std::string> AffectedBlocks(const Changes& changes) {
  std::vector<std::string> ids;
  ids.reserve(changes.blocks.size());
  for (const BlockDelta& delta : changes.blocks) ids.push_back(delta.after ? delta.after->id : delta.before->id);
  if (changes.links.empty()) return ids;
  absl::flat_hash_set<std::string> known(ids.begin(), ids.end());
  for (const LinkDelta& delta : changes.links) {
    const Link& link = delta.after ? *delta.after : *delta.before;
    for (const std::string& id : {link.from_id, link.to_id}) {
      if (known.insert(id).second) ids.push_back(id);
    }
  }
  return ids;
}

Changes JoinChanges(std::vector<Changes> parts) {
  Changes joined;
  Join(
      parts, &Changes::blocks, [](const Block& a, const Block& b) { return a.change_id == b.change_id; }, joined);
  Join(
      parts, &Changes::links, [](const Link& a, const Link& b) { return a.change_id == b.change_id; }, joined);
  Join(
      parts, &Changes::documents, [](const Document& a, const Document& b) { return a.json == b.json; }, joined);
  for (Changes& part : parts) std::move(part.effects.begin(), part.effects.end(), std::back_inserter(joined.effects));
  return joined;
}

}  // namespace toolgate::storage
