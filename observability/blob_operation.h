// Operations of the store of blobs.
#ifndef TOOLGATE_OBSERVABILITY_BLOB_OPERATION_H_
#define TOOLGATE_OBSERVABILITY_BLOB_OPERATION_H_

#include <functional>

#include "absl/time/time.h"

namespace toolgate::observability {

enum class BlobOperation { kRead, kWrite };

// Told of each operation when it has ended, well or not, with the time that it took: all attempts, and the waits
// between them. Thread-safe, and quick.
using OnBlobOperation = std::function<void(BlobOperation operation, absl::Duration duration)>;

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_BLOB_OPERATION_H_
