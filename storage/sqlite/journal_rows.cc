#include "storage/sqlite/journal_rows.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "storage/undo_data.h"

namespace toolgate::storage::sqlite {
namespace {

#define TOOLGATE_CLAIM_COLUMNS                                                                             \
  "j.id, j.user, j.tool, j.key, j.owner, j.claimed_at, j.good_until, j.recoveries, j.call, j.checkpoint, " \
  "j.part_of"

constexpr char kFind[] = "SELECT " TOOLGATE_CLAIM_COLUMNS " FROM journal j WHERE j.workspace = ? AND j.id = ?";
constexpr char kFindByKey[] = "SELECT " TOOLGATE_CLAIM_COLUMNS
                              " FROM journal j WHERE j.workspace = ? AND j.user = ? AND j.key = ? AND j.key <> ''";
constexpr char kList[] = "SELECT " TOOLGATE_CLAIM_COLUMNS
                         ", w.id FROM journal j JOIN workspaces w ON w.key = j.workspace ORDER BY j.good_until LIMIT ?";
constexpr char kPut[] =
    "INSERT INTO journal (workspace, id, user, tool, key, owner, claimed_at, good_until, recoveries, call, checkpoint, "
    "part_of) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)";
constexpr char kRenew[] =
    "UPDATE journal SET good_until = ?, checkpoint = ? WHERE workspace = ? AND id = ? AND owner = ?";
constexpr char kTakeOver[] =
    "UPDATE journal SET owner = ?, good_until = ?, recoveries = recoveries + 1 WHERE workspace = ? AND id = ? AND "
    "owner = "
    "?";
constexpr char kDrop[] = "DELETE FROM journal WHERE workspace = ? AND id = ? AND owner = ?";

constexpr char kIsWhole[] = "SELECT 1 FROM journal WHERE workspace = ? AND part_of = ? AND part_of <> '' LIMIT 1";
constexpr char kListSteps[] =
    "SELECT claim, number, audit_entry, tool, known, reversible, changes FROM settled_steps WHERE workspace = ? AND "
    "claim = ? ORDER BY number";
constexpr char kPutStep[] =
    "INSERT INTO settled_steps (workspace, claim, number, audit_entry, tool, known, reversible, changes) VALUES "
    "(?,?,?,?,?,?,?,?)";
constexpr char kDropStep[] = "DELETE FROM settled_steps WHERE workspace = ? AND claim = ? AND number = ?";
constexpr char kDropSteps[] = "DELETE FROM settled_steps WHERE workspace = ? AND claim = ?";

#undef TOOLGATE_CLAIM_COLUMNS

Claim ReadClaim(const Cursor& cursor) {
  Claim claim;
  claim.id = cursor.Text(0);
  claim.user_id = cursor.Text(1);
  claim.tool_id = cursor.Text(2);
  claim.idempotency_key = cursor.Text(3);
  claim.owner = cursor.Text(4);
  claim.claimed_at = absl::FromUnixMicros(cursor.Int(5));
  claim.good_until = absl::FromUnixMicros(cursor.Int(6));
  claim.recoveries = cursor.Int(7);
  claim.call = cursor.Blob(8);
  claim.checkpoint = cursor.Blob(9);
  claim.part_of = cursor.Text(10);
  return claim;
}

absl::StatusOr<std::optional<Claim>> ReadOne(Cursor& cursor) {
  ASSIGN_OR_RETURN(const bool found, cursor.Step());
  if (!found) return std::nullopt;
  return ReadClaim(cursor);
}

}  // namespace

absl::StatusOr<std::optional<Claim>> JournalRows::Find(std::string_view id) {
  Cursor cursor = connection_.Use(kFind);
  cursor.Bind(workspace_, id);
  return ReadOne(cursor);
}

absl::StatusOr<std::optional<Claim>> JournalRows::FindByKey(std::string_view user_id, std::string_view key) {
  Cursor cursor = connection_.Use(kFindByKey);
  cursor.Bind(workspace_, user_id, key);
  return ReadOne(cursor);
}

absl::Status JournalRows::Put(const Claim& claim) {
  Cursor cursor = connection_.Use(kPut);
  cursor.Bind(workspace_, claim.id, claim.user_id, claim.tool_id, claim.idempotency_key, claim.owner,
              absl::ToUnixMicros(claim.claimed_at), absl::ToUnixMicros(claim.good_until), claim.recoveries);
  return cursor.BindBlob(claim.call).BindBlob(claim.checkpoint).Bind(claim.part_of).Run();
}

absl::StatusOr<bool> JournalRows::Renew(std::string_view id, std::string_view owner, absl::Time good_until,
                                        std::string_view checkpoint) {
  Cursor cursor = connection_.Use(kRenew);
  return Changed(cursor.Bind(absl::ToUnixMicros(good_until)).BindBlob(checkpoint).Bind(workspace_, id, owner).Run());
}

absl::StatusOr<bool> JournalRows::TakeOver(std::string_view id, std::string_view owner, std::string_view new_owner,
                                           absl::Time good_until) {
  return Changed(
      connection_.Use(kTakeOver).Bind(new_owner, absl::ToUnixMicros(good_until), workspace_, id, owner).Run());
}

absl::StatusOr<bool> JournalRows::Drop(std::string_view id, std::string_view owner) {
  ASSIGN_OR_RETURN(const bool dropped, Changed(connection_.Use(kDrop).Bind(workspace_, id, owner).Run()));
  if (dropped) RETURN_IF_ERROR(connection_.Use(kDropSteps).Bind(workspace_, id).Run());
  return dropped;
}

absl::StatusOr<bool> JournalRows::IsWhole(std::string_view id) {
  Cursor cursor = connection_.Use(kIsWhole);
  return cursor.Bind(workspace_, id).Step();
}

absl::StatusOr<std::vector<SettledStep>> JournalRows::ListSteps(std::string_view claim_id) {
  std::vector<SettledStep> steps;
  Cursor cursor = connection_.Use(kListSteps);
  cursor.Bind(workspace_, claim_id);
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return steps;
    SettledStep& step = steps.emplace_back();
    step.claim_id = cursor.Text(0);
    step.number = cursor.Int(1);
    step.audit_entry_id = cursor.Text(2);
    step.tool_id = cursor.Text(3);
    step.is_known = cursor.Int(4) != 0;
    step.reversible = cursor.Int(5) != 0;
    ASSIGN_OR_RETURN(step.changes, ParseChanges(cursor.Blob(6)));
  }
}

absl::Status JournalRows::PutStep(const SettledStep& step) {
  ASSIGN_OR_RETURN(const std::string changes, SerializeChanges(step.changes));
  Cursor cursor = connection_.Use(kPutStep);
  cursor.Bind(workspace_, step.claim_id, step.number, step.audit_entry_id, step.tool_id, step.is_known,
              step.reversible);
  return cursor.BindBlob(changes).Run();
}

absl::Status JournalRows::DropStep(std::string_view claim_id, int64_t number) {
  return connection_.Use(kDropStep).Bind(workspace_, claim_id, number).Run();
}

absl::StatusOr<std::vector<OpenClaim>> JournalRows::List(Connection& connection, int64_t limit) {
  std::vector<OpenClaim> claims;
  Cursor cursor = connection.Use(kList);
  cursor.Bind(limit);
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return claims;
    claims.push_back({std::string(cursor.Text(11)), ReadClaim(cursor)});
  }
}

absl::StatusOr<bool> JournalRows::Changed(absl::Status status) {
  RETURN_IF_ERROR(std::move(status));
  return sqlite3_changes64(connection_.db()) > 0;
}

}  // namespace toolgate::storage::sqlite
