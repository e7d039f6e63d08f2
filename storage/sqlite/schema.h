// The tables, and the migration of a database from an earlier version.
#ifndef TOOLGATE_STORAGE_SQLITE_SCHEMA_H_
#define TOOLGATE_STORAGE_SQLITE_SCHEMA_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/sqlite/connection.h"

namespace toolgate::storage::sqlite {

// The version that this program reads and writes, kept in the file's user_version.
int SchemaVersion();

// Migrates the database to SchemaVersion(), each step in its own transaction. FAILED_PRECONDITION if a newer program
// made it, or if it is not a database of toolgate.
absl::Status Migrate(Connection& connection);

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_SCHEMA_H_
