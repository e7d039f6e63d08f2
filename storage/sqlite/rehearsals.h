// Transactions that are tried and not kept, beside the one that commits.
#ifndef TOOLGATE_STORAGE_SQLITE_REHEARSALS_H_
#define TOOLGATE_STORAGE_SQLITE_REHEARSALS_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "storage/sqlite/connection.h"
#include "storage/sqlite/writer.h"

namespace toolgate::storage::sqlite {

// Opens a connection for each transaction that runs at the same time, and keeps some for the next ones. Thread-safe.
class Rehearsals {
 public:
  Rehearsals(std::string path, int cache_kib) : path_(std::move(path)), cache_kib_(cache_kib) {}
  Rehearsals(const Rehearsals&) = delete;
  Rehearsals& operator=(const Rehearsals&) = delete;

  // Runs `body` in a transaction that begins with all that is committed by now, takes it back, and returns its status.
  // `pin` is in use by the caller, with a snapshot that lasts until this returns; its revocation ends the statements of
  // `body`.
  absl::Status Run(const Connection& pin, absl::FunctionRef<absl::Status(Writer&)> body);

 private:
  absl::StatusOr<std::unique_ptr<Writer>> Take() ABSL_LOCKS_EXCLUDED(mutex_);
  void Return(std::unique_ptr<Writer> writer) ABSL_LOCKS_EXCLUDED(mutex_);

  const std::string path_;
  const int cache_kib_;
  absl::Mutex mutex_;
  std::vector<std::unique_ptr<Writer>> idle_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_REHEARSALS_H_
