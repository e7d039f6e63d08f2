// Bounds of one run of a query.
#ifndef TOOLGATE_EXECUTORS_CYPHER_BOUNDS_H_
#define TOOLGATE_EXECUTORS_CYPHER_BOUNDS_H_

#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"

namespace toolgate::executors::cypher {

// A query that would exceed one of them ends with a "ResourceError" that names it: MemoryLimitExceeded,
// RowLimitExceeded, TimeLimitExceeded or StackLimitExceeded.
struct Bounds {
  // Bytes held at one time by sorting, grouping, DISTINCT, lists under construction and searches for paths; also the
  // size of any single value.
  size_t max_memory_bytes;
  int64_t max_rows;  // Of the result.
  absl::Duration max_time;
  // Stack that operators may nest in; expressions take some 200 KiB more.
  size_t max_stack_bytes = size_t{400} << 10;
};

}  // namespace toolgate::executors::cypher

#endif  // TOOLGATE_EXECUTORS_CYPHER_BOUNDS_H_
