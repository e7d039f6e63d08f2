// Deleting a block, as every delete tool does it and asks for it.
#ifndef TOOLGATE_EXECUTORS_BLOCKS_DELETION_H_
#define TOOLGATE_EXECUTORS_BLOCKS_DELETION_H_

#include "absl/status/statusor.h"
#include "executors/tool.h"
#include "storage/block.h"
#include "storage/store.h"

namespace toolgate::executors::blocks {

// Answers {"success": true, "deletedCount": n} and describes the change: `Deleted page "Plans" and the 12 blocks below
// it`. CONFLICT when a child that would move up may not lie there, QUOTA_EXCEEDED when undo would have to keep too
// much.
absl::StatusOr<ToolOutput> Delete(ToolContext& context, storage::Transaction& transaction, const storage::Block& block,
                                  storage::Children children);

// Question to a person before a deletion: the block, and the number of blocks deleted with it. QUOTA_EXCEEDED when undo
// would have to keep too much, so that nobody is asked about a deletion that will be refused.
absl::StatusOr<Preview> PreviewDeletion(storage::ReadView& view, const storage::Block& block,
                                        storage::Children children);

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_DELETION_H_
