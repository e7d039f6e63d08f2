// Whether changed occurrences still stand for what they stood for, after blocks were put back.
#ifndef TOOLGATE_EXECUTORS_BLOCKS_OCCURRENCE_INTEGRITY_H_
#define TOOLGATE_EXECUTORS_BLOCKS_OCCURRENCE_INTEGRITY_H_

#include "absl/status/status.h"
#include "executors/blocks/series_premise.h"
#include "storage/changes.h"
#include "storage/store.h"

namespace toolgate::executors::blocks {

// `done` is what an undo did in this transaction, which took something with these premises back:
//   - a changed occurrence that comes back, or becomes that of another day, must stand on a day that its series has,
//   and
//     the series must count from the day from which it counted then: otherwise its days are named anew;
//   - when a series' date, rule or exceptions change, each of its changed occurrences must stand on a day that it has
//     then, and where the date changes it must have been there when the change was made.
// An occurrence that stood off the series' days even then may do so again: update_block and create_block allow it.
// Where series and occurrence were put back both, they fit as they did then. CONFLICT naming what stands in the way.
absl::Status CheckOccurrences(storage::ReadView& view, const storage::Changes& done, const SeriesPremises& premises);

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_OCCURRENCE_INTEGRITY_H_
