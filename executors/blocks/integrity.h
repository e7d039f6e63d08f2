// Rules that hold between blocks, for changes that BlockWriter did not make.
//
// An undo restores blocks one by one to a state that was valid when it was left. Their surroundings may have changed
// since: a card's column has another status, a row's database lost the property, an event no longer recurs. An undo
// that ignored this would leave a state that no tool allows.
#ifndef TOOLGATE_EXECUTORS_BLOCKS_INTEGRITY_H_
#define TOOLGATE_EXECUTORS_BLOCKS_INTEGRITY_H_

#include "absl/status/status.h"
#include "storage/changes.h"
#include "storage/store.h"

namespace toolgate::executors::blocks {

// Checks that what `changes` did in this transaction fits the present state: the places of blocks, the status of cards,
// the values of rows, the occurrences of series. Looks at what changed and at what depends on it; older faults are
// ignored. A row's value that replaces another must be one that could be written today; one that comes back with its
// row may name deleted targets, as it would if the row had stayed. CONFLICT names the obstacle.
absl::Status CheckIntegrity(storage::Transaction& transaction, const storage::Changes& changes);

// Transaction::Revert, unless the result would be one that CheckIntegrity or CheckOccurrences (occurrence_integrity.h)
// refuses. All or nothing. Reads the effects of kind kSeriesEffect in `changes`, and records its own.
absl::Status Revert(storage::Transaction& transaction, storage::Changes changes);

// Transaction::Apply of what a dry run did, with its effects of kind kSeriesEffect. ABORTED without a ToolError also
// when the result would be one that CheckIntegrity or CheckOccurrences refuses: something that it did not change has
// changed.
absl::Status Apply(storage::Transaction& transaction, const storage::Changes& changes);

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_INTEGRITY_H_
