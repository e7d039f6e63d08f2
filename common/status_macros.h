// Early return on failure. Debian's Abseil has no status_macros.h.
#ifndef TOOLGATE_COMMON_STATUS_MACROS_H_
#define TOOLGATE_COMMON_STATUS_MACROS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define TOOLGATE_CONCAT_INNER(a, b) a##b
#define TOOLGATE_CONCAT(a, b) TOOLGATE_CONCAT_INNER(a, b)

// Returns the status of `expression` from this function unless it is OK.
#define RETURN_IF_ERROR(expression)                                                              \
  do {                                                                                           \
    if (absl::Status status_of_call = (expression); !status_of_call.ok()) return status_of_call; \
  } while (false)

// Assigns the value of a StatusOr, or returns its status from this function.
#define ASSIGN_OR_RETURN(target, expression) \
  ASSIGN_OR_RETURN_INNER(TOOLGATE_CONCAT(status_or_, __LINE__), target, expression)
#define ASSIGN_OR_RETURN_INNER(holder, target, expression) \
  auto holder = (expression);                              \
  if (!holder.ok()) return std::move(holder).status();     \
  target = *std::move(holder)

#endif  // TOOLGATE_COMMON_STATUS_MACROS_H_
