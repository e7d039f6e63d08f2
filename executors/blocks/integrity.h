// The rules that hold between blocks, for what BlockWriter did not write.
//
// An undo puts blocks back to what was right when it was left, one by one. What stands around them may have changed
// since: a card's column has another status, a row's database lost the property, an event recurs no more. Taken back
// all the same, the change would leave what no tool would have allowed.
#ifndef TOOLGATE_EXECUTORS_BLOCKS_INTEGRITY_H_
#define TOOLGATE_EXECUTORS_BLOCKS_INTEGRITY_H_

#include "absl/status/status.h"
#include "storage/changes.h"
#include "storage/store.h"

namespace toolgate::executors::blocks {

// Whether what `changes` did, in this transaction, fits together with what is there: the places of blocks, the status
// of cards, the values of rows, the occurrences of series. Looks at what changed and at what depends on it; what was
// wrong before is nobody's fault here. A row's value that comes to stand in place of another must be one that could be
// written today; one that comes back with its row may name what is gone meanwhile, as it would if it had stayed.
// CONFLICT naming what stands in the way.
absl::Status CheckIntegrity(storage::Transaction& transaction, const storage::Changes& changes);

// Transaction::Revert, unless it would leave what CheckIntegrity or CheckOccurrences (occurrence_integrity.h) refuses.
// All or nothing. Reads the effects of kind kSeriesEffect in `changes`, and records those of its own.
absl::Status Revert(storage::Transaction& transaction, const storage::Changes& changes);

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_INTEGRITY_H_
