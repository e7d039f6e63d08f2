// Telling a store's own failure from that of whoever uses it.
#ifndef TOOLGATE_STORAGE_FAULT_H_
#define TOOLGATE_STORAGE_FAULT_H_

#include "absl/status/status.h"

namespace toolgate::storage {

// `status` with the mark of a store's failure, which it keeps on its way through whoever hands it on. OK and a
// ToolError, which is a caller's mistake, are not marked.
absl::Status MarkFault(absl::Status status);

// Whether `status` carries the mark. Then nothing is known of the tool that met it.
bool IsFault(const absl::Status& status);

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_FAULT_H_
