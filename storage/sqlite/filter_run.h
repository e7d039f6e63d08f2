// A filter in the course of a statement, and its work.
#ifndef TOOLGATE_STORAGE_SQLITE_FILTER_RUN_H_
#define TOOLGATE_STORAGE_SQLITE_FILTER_RUN_H_

#include <cstdint>
#include <limits>

#include "storage/query.h"

namespace toolgate::storage::sqlite {

// Bound to toolgate_matches. Borrows the filter.
struct FilterRun {
  static constexpr char kPointerType[] = "toolgate.FilterRun";

  const Filter& filter;
  int64_t max_work = std::numeric_limits<int64_t>::max();
  int64_t looked_at = 0;  // Blocks.
  bool gave_up = false;   // The statement failed, since it would have looked at more than max_work.
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_FILTER_RUN_H_
