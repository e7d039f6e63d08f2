// Puts a saved copy of the embedded store back, while no service runs.
#ifndef TOOLGATE_CLI_RESTORE_H_
#define TOOLGATE_CLI_RESTORE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace toolgate::cli {

// OK when `file` is a sound database that toolgate made; INVALID_ARGUMENT says what it is instead.
absl::Status CheckDatabaseFile(const std::string& file);

// Replaces the database of `data_dir` by a copy of `file`, and answers under which name the old one is kept; "" when
// there was none. FAILED_PRECONDITION while a service uses the folder, INVALID_ARGUMENT for a file that is no such
// database. When it fails, the database is as it was.
absl::StatusOr<std::string> RestoreDatabase(const std::string& file, const std::string& data_dir, absl::Time now);

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_RESTORE_H_
