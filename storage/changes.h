// Changes made by a transaction, so that they can be shown and taken back.
#ifndef TOOLGATE_STORAGE_CHANGES_H_
#define TOOLGATE_STORAGE_CHANGES_H_

#include <string>
#include <vector>

#include "storage/block.h"
#include "storage/image.h"
#include "storage/link.h"

namespace toolgate::storage {

// A small JSON document, as returned by ReadView::FindDocument.
struct Document {
  std::string kind;
  std::string name;
  std::string json;
};

// A change of something that only one executor understands, such as rows of a private database. The Reverser registered
// for `kind` can take it back (executors/tool.h). The kind "series" changes nothing: it records assumptions about a
// recurring series, which are checked when the change is taken back (executors/blocks/series_premise.h).
struct Effect {
  std::string kind;
  std::string payload;
};

// Net change of one thing by a transaction. Unset `before`: created. Unset `after`: deleted. Copies share both states.
template <typename Thing>
struct Delta {
  Image<Thing> before;
  Image<Thing> after;
};

using BlockDelta = Delta<Block>;
using LinkDelta = Delta<Link>;
using DocumentDelta = Delta<Document>;

struct Changes {
  std::vector<BlockDelta> blocks;  // One row per block, in the order of first touch; like the next two without those
                                   // that ended as they began.
  std::vector<LinkDelta> links;    // A link never changes: it is created or deleted.
  std::vector<DocumentDelta> documents;  // Only documents written with Transaction::ChangeDocument.
  std::vector<Effect> effects;           // In the order in which they happened.

  bool empty() const { return blocks.empty() && links.empty() && documents.empty() && effects.empty(); }
};

// Joins the changes of `parts`, which happened one after the other. Where somebody else changed the same thing in
// between, the delta ends with the state before that change, so that Transaction::Revert finds the conflict.
Changes JoinChanges(std::vector<Changes> parts);

// The changes that would lead back; without the effects, which only their executors can invert.
Changes InverseOf(const Changes& changes);

// The ids of the blocks that were changed or whose links were, each once, in order.
std::vector<std::string> AffectedBlocks(const Changes& changes);

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_CHANGES_H_
