// Keys of workspaces.
#ifndef TOOLGATE_STORAGE_POSTGRES_WORKSPACE_KEYS_H_
#define TOOLGATE_STORAGE_POSTGRES_WORKSPACE_KEYS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "storage/postgres/connection.h"

namespace toolgate::storage::postgres {

// The small numbers that stand in every other table. They never change, so they are remembered, at most 100,000.
// Thread-safe.
class WorkspaceKeys {
 public:
  // 0 if there is no such workspace. `connection` is outside of a transaction.
  absl::StatusOr<int64_t> Find(Connection& connection, std::string_view id);
  // Makes those that do not exist, in a transaction of its own, which lasts whatever follows.
  absl::StatusOr<std::vector<int64_t>> Make(Connection& connection, const std::vector<std::string_view>& ids);

 private:
  int64_t Known(std::string_view id) const ABSL_LOCKS_EXCLUDED(mutex_);
  void Remember(std::string_view id, int64_t key) ABSL_LOCKS_EXCLUDED(mutex_);

  mutable absl::Mutex mutex_;
  absl::flat_hash_map<std::string, int64_t> keys_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_STORAGE_POSTGRES_WORKSPACE_KEYS_H_
