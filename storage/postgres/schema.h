// The tables, and the migration of a database from an earlier version.
//
// Everything is in the schema "toolgate". Every string is a bytea: ids, keys, ranks and words must compare byte by
// byte, JSON must stay as it was given, and no encoding or locale of a database may refuse or reorder what a caller
// wrote. To read them: convert_from(id, 'UTF8'). Times are microseconds since the Unix epoch. A workspace is a small
// number in every table but workspace_shards, and the first column of every key; tables are partitioned by it.
#ifndef TOOLGATE_STORAGE_POSTGRES_SCHEMA_H_
#define TOOLGATE_STORAGE_POSTGRES_SCHEMA_H_

#include "absl/status/status.h"
#include "storage/postgres/connection.h"

namespace toolgate::storage::postgres {

// The version that this program reads and writes.
int SchemaVersion();
inline constexpr int kOldestServer = 150000;
inline constexpr int kPartitions = 32;

// Migrates the database to SchemaVersion(), each step in its own transaction, one process at a time. A step must leave
// the tables usable for the program of the version before, which may still run; one that cannot says so in
// `oldest_program`. FAILED_PRECONDITION, with what would be right, if the server is too old, the database is another
// program's, or a newer program has changed it so that this one cannot use it.
absl::Status Migrate(Connection& connection);

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_STORAGE_POSTGRES_SCHEMA_H_
