// The journal's table.
#ifndef TOOLGATE_STORAGE_SQLITE_JOURNAL_ROWS_H_
#define TOOLGATE_STORAGE_SQLITE_JOURNAL_ROWS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/journal.h"
#include "storage/sqlite/connection.h"

namespace toolgate::storage::sqlite {

// Statements for the claims of ReadView and Transaction, for one workspace, whose key is 0 if it does not exist.
// Borrows the connection; used by one thread at a time.
class JournalRows {
 public:
  JournalRows(Connection& connection, int64_t workspace) : connection_(connection), workspace_(workspace) {}

  absl::StatusOr<std::optional<Claim>> Find(std::string_view id);
  // The claim that holds the user's key; nothing if none does.
  absl::StatusOr<std::optional<Claim>> FindByKey(std::string_view user_id, std::string_view key);
  absl::Status Put(const Claim& claim);
  // Each is false if `owner` does not hold the claim.
  absl::StatusOr<bool> Renew(std::string_view id, std::string_view owner, absl::Time good_until,
                             std::string_view checkpoint);
  absl::StatusOr<bool> TakeOver(std::string_view id, std::string_view owner, std::string_view new_owner,
                                absl::Time good_until);
  // With its settled steps.
  absl::StatusOr<bool> Drop(std::string_view id, std::string_view owner);

  // Whether there is a claim that is part of this one.
  absl::StatusOr<bool> IsWhole(std::string_view id);
  absl::StatusOr<std::vector<SettledStep>> ListSteps(std::string_view claim_id);
  absl::Status PutStep(const SettledStep& step);
  absl::Status DropStep(std::string_view claim_id, int64_t number);

  // Of all workspaces, those that run out first coming first.
  static absl::StatusOr<std::vector<OpenClaim>> List(Connection& connection, int64_t limit);

 private:
  absl::StatusOr<bool> Changed(absl::Status status);

  Connection& connection_;
  const int64_t workspace_;
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_JOURNAL_ROWS_H_
