// Checks that changed occurrences still belong to the same occurrences after blocks were restored.
#ifndef TOOLGATE_EXECUTORS_BLOCKS_OCCURRENCE_INTEGRITY_H_
#define TOOLGATE_EXECUTORS_BLOCKS_OCCURRENCE_INTEGRITY_H_

#include "absl/status/status.h"
#include "executors/blocks/series_premise.h"
#include "storage/changes.h"
#include "storage/store.h"

namespace toolgate::executors::blocks {

// `done` is the effect, in this transaction, of an undo of a change with these premises:
//   - A changed occurrence that comes back, or moves to another day, must be on a day of its series, and the series
//     must count from the same day as then: otherwise its days now identify other occurrences.
//   - If a series' date, rule or exceptions change, each of its changed occurrences must be on a day that the series
//     has afterwards; if the date changes, the occurrence must have existed when the change was made.
// An occurrence that was off the series' days even then may be so again: update_block and create_block allow it. A
// series and an occurrence that were both restored fit as they did then. CONFLICT names the obstacle.
absl::Status CheckOccurrences(storage::ReadView& view, const storage::Changes& done, const SeriesPremises& premises);

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_OCCURRENCE_INTEGRITY_H_
