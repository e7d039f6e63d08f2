#include "storage/changes.h"

#include "absl/container/flat_hash_set.h"

namespace toolgate::storage {

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

}  // namespace toolgate::storage
