// What the checks of a block's data need to know beside the data.
#ifndef TOOLGATE_EXECUTORS_BLOCKS_DATA_CONTEXT_H_
#define TOOLGATE_EXECUTORS_BLOCKS_DATA_CONTEXT_H_

#include "absl/time/time.h"
#include "storage/store.h"

namespace toolgate::executors::blocks {

// What to do with a value that is of its field's type, but that nothing stands behind: the id of an event, a database
// or a row that is not there, a select's option that the database does not offer, a number that its format does not
// allow. Events, databases, rows and options go, and what named them stays behind; so blocks may hold such values, but
// nobody may add one.
enum class Dangling {
  kRefuse,  // Unless the block holds it already: what was read can be written back.
  kKeep,    // An import: what is named may come later, or have been gone when the blocks were exported.
};

// Borrowed for the length of a check.
struct DataContext {
  storage::ReadView& view;  // Finds what relations point at.
  absl::Time now;           // What "tomorrow" counts from.
  absl::TimeZone zone;      // The caller's.
  Dangling dangling = Dangling::kRefuse;
};

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_DATA_CONTEXT_H_
