// Distinguishes a store's own failures from those of its callers.
#ifndef TOOLGATE_STORAGE_FAULT_H_
#define TOOLGATE_STORAGE_FAULT_H_

#include "absl/status/status.h"

namespace toolgate::storage {

// Marks `status` as a store's failure; the mark stays when the status is passed on. OK and a ToolError, which is a
// caller's mistake, are not marked.
absl::Status MarkFault(absl::Status status);

// Whether `status` carries the mark. Then it says nothing about the tool that encountered it.
bool IsFault(const absl::Status& status);

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_FAULT_H_
