// Deletes a block, or asks for its deletion, for all delete tools.
#ifndef TOOLGATE_EXECUTORS_BLOCKS_DELETION_H_
#define TOOLGATE_EXECUTORS_BLOCKS_DELETION_H_

#include <optional>

#include "absl/status/statusor.h"
#include "executors/tool.h"
#include "storage/block.h"
#include "storage/store.h"

namespace toolgate::executors::blocks {

// Answers {"success": true, "deletedCount": n} and describes the change: `Deleted page "Plans" and the 12 blocks below
// it`. CONFLICT if a child would move up to a place where it is not allowed, QUOTA_EXCEEDED if undo would have to keep
// too much.
absl::StatusOr<ToolOutput> Delete(ToolContext& context, storage::Transaction& transaction, const storage::Block& block,
                                  storage::Children children);

// Question to a person before a deletion: the block, and the number of blocks deleted with it. QUOTA_EXCEEDED when undo
// would have to keep too much, so that nobody is asked about a deletion that will be refused.
absl::StatusOr<Preview> PreviewDeletion(storage::ReadView& view, const storage::Block& block,
                                        storage::Children children);

// A dry run of Delete that would change too much to be tried. Links, and what follows from their going, are not
// counted.
absl::StatusOr<std::optional<Rehearsal>> RehearseDeletion(storage::ReadView& view, const storage::Block& block,
                                                          storage::Children children);

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_DELETION_H_
