// The failure of a read whose snapshot the store has taken away.
#ifndef TOOLGATE_STORAGE_SNAPSHOT_REVOKED_H_
#define TOOLGATE_STORAGE_SNAPSHOT_REVOKED_H_

#include "absl/status/status.h"

namespace toolgate::storage {

// A read that lasts keeps a store from discarding what its snapshot needs. When that becomes too much, the store takes
// the snapshot away: what the read has seen is void, and it may be run again from its beginning. CONFLICT, retryable
// and refused as ABORTED (ToolError).
absl::Status SnapshotRevoked();
bool IsSnapshotRevoked(const absl::Status& status);

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_SNAPSHOT_REVOKED_H_
