// What the checks of a block's data need to know beside the data.
#ifndef TOOLGATE_EXECUTORS_BLOCKS_DATA_CONTEXT_H_
#define TOOLGATE_EXECUTORS_BLOCKS_DATA_CONTEXT_H_

#include "absl/time/time.h"
#include "storage/store.h"

namespace toolgate::executors::blocks {

// Borrowed for the length of a check.
struct DataContext {
  storage::ReadView& view;  // Finds what relations point at.
  absl::Time now;           // What "tomorrow" counts from.
  absl::TimeZone zone;      // The caller's.
};

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_DATA_CONTEXT_H_
