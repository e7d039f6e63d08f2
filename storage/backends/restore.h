// Restores a saved copy of the embedded store, while no service runs.
#ifndef TOOLGATE_STORAGE_BACKENDS_RESTORE_H_
#define TOOLGATE_STORAGE_BACKENDS_RESTORE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace toolgate::storage::backends {

// OK if `file` is a sound database of toolgate; INVALID_ARGUMENT says what it is instead.
absl::Status CheckDatabaseFile(const std::string& file);

// Replaces the database of `data_dir` by a copy of `file`, and returns the name under which the old one is kept; "" if
// there was none. FAILED_PRECONDITION while a service uses the folder, INVALID_ARGUMENT if the file is not such a
// database. On failure, the database is unchanged.
absl::StatusOr<std::string> RestoreDatabase(const std::string& file, const std::string& data_dir, absl::Time now);

}  // namespace toolgate::storage::backends

#endif  // TOOLGATE_STORAGE_BACKENDS_RESTORE_H_
