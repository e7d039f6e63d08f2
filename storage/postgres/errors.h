// Failures of PostgreSQL as statuses.
#ifndef TOOLGATE_STORAGE_POSTGRES_ERRORS_H_
#define TOOLGATE_STORAGE_POSTGRES_ERRORS_H_

#include <postgresql/libpq-fe.h>

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace toolgate::storage::postgres {

// All of these carry the mark of a fault (storage/fault.h). None holds a statement's values.

// The failure that a result reports. UNAVAILABLE if the server is overloaded, stopping or out of space, or a time-out
// of it passed; ABORTED if the transaction may succeed when it is repeated; DATA_LOSS; else INTERNAL.
absl::Status StatusOf(const PGresult* result);
// UNAVAILABLE: the connection is lost. `why`: libpq's message.
absl::Status LostConnection(std::string_view why);
// UNAVAILABLE, with the remedy, if there is a known one. `place`: host, port and database; never a password.
absl::Status CannotConnect(std::string_view place, std::string_view why);

// The server's code of a failure (SQLSTATE); empty for failures that it did not report.
std::string SqlStateOf(const absl::Status& status);
bool IsLost(const absl::Status& status);
// Whether a transaction that failed so before its COMMIT was sent may be repeated.
bool IsTransient(const absl::Status& status);

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_STORAGE_POSTGRES_ERRORS_H_
