// Context that the checks of a block's data need besides the data.
#ifndef TOOLGATE_EXECUTORS_BLOCKS_DATA_CONTEXT_H_
#define TOOLGATE_EXECUTORS_BLOCKS_DATA_CONTEXT_H_

#include "absl/time/time.h"
#include "storage/store.h"

namespace toolgate::executors::blocks {

// Treatment of a dangling value: one of its field's type that refers to nothing, such as the id of an event, a database
// or a row that does not exist, a select's option that the database does not offer, or a number that its format does
// not allow. Events, databases, rows and options can be deleted while references to them remain; so blocks may hold
// such values, but callers must not add any.
enum class Dangling {
  kRefuse,  // Unless the block holds it already, so that data that was read can be written back.
  kKeep,    // An import: targets may come later, or were deleted before the export.
};

// Borrowed for the length of a check.
struct DataContext {
  storage::ReadView& view;  // Finds the targets of relations.
  absl::Time now;           // Base of "tomorrow".
  absl::TimeZone zone;      // The caller's.
  Dangling dangling = Dangling::kRefuse;
};

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_DATA_CONTEXT_H_
