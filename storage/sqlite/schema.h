// The tables, and how a database of an earlier version becomes one of this version.
#ifndef TOOLGATE_STORAGE_SQLITE_SCHEMA_H_
#define TOOLGATE_STORAGE_SQLITE_SCHEMA_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/sqlite/connection.h"

namespace toolgate::storage::sqlite {

// The version that this program reads and writes, kept in the file's user_version.
int SchemaVersion();

// Brings the database up to SchemaVersion(), each step in a transaction of its own. FAILED_PRECONDITION when a newer
// program made it, or when it is no database of toolgate.
absl::Status Migrate(Connection& connection);

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_SCHEMA_H_
