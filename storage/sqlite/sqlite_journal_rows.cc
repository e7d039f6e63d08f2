#include "storage/sqlite/sqlite_journal_rows.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "storage/undo_data.h"

namespace toolgate::storage::sqlite {
namespace {

#define TOOLGATE_CLAIM_COLUMNS                                                                             \
  "j.id, j.user, j.tool, j.key, j.owner, j.claimed_at, j.good_until, j.recoveries, j.call, j.checkpoint, " \
  "j.part_of"

constexpr char kFindClaim[] = "SELECT " TOOLGATE_CLAIM_COLUMNS " FROM journal j WHERE j.workspace = ? AND j.id = ?";
constexpr char kFindClaimByKey[] = "SELECT " TOOLGATE_CLAIM_COLUMNS
                                   " FROM journal j WHERE j.workspace = ? AND j.user = ? AND j.key = ? AND j.key <> ''";
constexpr char kListParts[] =
    "SELECT " TOOLGATE_CLAIM_COLUMNS " FROM journal j WHERE j.workspace = ? AND j.part_of = ? AND j.part_of <> ''";
// The journal is short: the claims of calls that run, and what crashes left.
constexpr char kListClaims[] =
    "SELECT " TOOLGATE_CLAIM_COLUMNS
    ", w.id FROM journal j JOIN workspaces w ON w.key = j.workspace WHERE (w.id, j.id) > (?, ?) ORDER BY w.id, j.id "
    "LIMIT ?";
constexpr char kInsertClaim[] =
    "INSERT INTO journal (workspace, id, user, tool, key, owner, claimed_at, good_until, recoveries, call, checkpoint, "
    "part_of) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)";
constexpr char kUpdateClaim[] =
    "UPDATE journal SET owner = ?, good_until = ?, recoveries = ?, checkpoint = ? WHERE workspace = ? AND id = ?";
constexpr char kEraseClaim[] = "DELETE FROM journal WHERE workspace = ? AND id = ?";

constexpr char kListSteps[] =
    "SELECT claim, number, audit_entry, tool, known, reversible, changes FROM settled_steps WHERE workspace = ? AND "
    "claim = ? ORDER BY number";
constexpr char kInsertStep[] =
    "INSERT INTO settled_steps (workspace, claim, number, audit_entry, tool, known, reversible, changes) VALUES "
    "(?,?,?,?,?,?,?,?)";
constexpr char kEraseStep[] = "DELETE FROM settled_steps WHERE workspace = ? AND claim = ? AND number = ?";
constexpr char kEraseSteps[] = "DELETE FROM settled_steps WHERE workspace = ? AND claim = ?";

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

absl::StatusOr<std::optional<Claim>> SqliteJournalRows::Find(std::string_view id) {
  Cursor cursor = access_.connection().Use(kFindClaim);
  cursor.Bind(access_.workspace(), id);
  return ReadOne(cursor);
}

absl::StatusOr<std::optional<Claim>> SqliteJournalRows::FindByKey(std::string_view user_id, std::string_view key) {
  Cursor cursor = access_.connection().Use(kFindClaimByKey);
  cursor.Bind(access_.workspace(), user_id, key);
  return ReadOne(cursor);
}

absl::StatusOr<std::vector<Claim>> SqliteJournalRows::ListParts(std::string_view id) {
  std::vector<Claim> parts;
  Cursor cursor = access_.connection().Use(kListParts);
  cursor.Bind(access_.workspace(), id);
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return parts;
    parts.push_back(ReadClaim(cursor));
  }
}

absl::StatusOr<std::vector<SettledStep>> SqliteJournalRows::ListSteps(std::string_view claim_id) {
  std::vector<SettledStep> steps;
  Cursor cursor = access_.connection().Use(kListSteps);
  cursor.Bind(access_.workspace(), claim_id);
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

absl::Status SqliteJournalRows::Insert(const Claim& claim) {
  RETURN_IF_ERROR(access_.BeforeChange());
  Cursor cursor = access_.connection().Use(kInsertClaim);
  cursor.Bind(access_.workspace(), claim.id, claim.user_id, claim.tool_id, claim.idempotency_key, claim.owner,
              absl::ToUnixMicros(claim.claimed_at), absl::ToUnixMicros(claim.good_until), claim.recoveries);
  return cursor.BindBlob(claim.call).BindBlob(claim.checkpoint).Bind(claim.part_of).Run();
}

absl::Status SqliteJournalRows::Update(const Claim& claim) {
  RETURN_IF_ERROR(access_.BeforeChange());
  Cursor cursor = access_.connection().Use(kUpdateClaim);
  cursor.Bind(claim.owner, absl::ToUnixMicros(claim.good_until), claim.recoveries).BindBlob(claim.checkpoint);
  return cursor.Bind(access_.workspace(), claim.id).Run();
}

absl::Status SqliteJournalRows::Erase(std::string_view claim_id) {
  RETURN_IF_ERROR(access_.BeforeChange());
  RETURN_IF_ERROR(access_.connection().Use(kEraseClaim).Bind(access_.workspace(), claim_id).Run());
  return access_.connection().Use(kEraseSteps).Bind(access_.workspace(), claim_id).Run();
}

absl::Status SqliteJournalRows::InsertStep(const SettledStep& step) {
  RETURN_IF_ERROR(access_.BeforeChange());
  ASSIGN_OR_RETURN(const std::string changes, SerializeChanges(step.changes));
  Cursor cursor = access_.connection().Use(kInsertStep);
  cursor.Bind(access_.workspace(), step.claim_id, step.number, step.audit_entry_id, step.tool_id, step.is_known,
              step.reversible);
  return cursor.BindBlob(changes).Run();
}

absl::Status SqliteJournalRows::EraseStep(std::string_view claim_id, int64_t number) {
  RETURN_IF_ERROR(access_.BeforeChange());
  return access_.connection().Use(kEraseStep).Bind(access_.workspace(), claim_id, number).Run();
}

absl::StatusOr<std::vector<OpenClaim>> SqliteJournalRows::List(Connection& connection, const ClaimPlace& after,
                                                               int64_t limit) {
  std::vector<OpenClaim> claims;
  Cursor cursor = connection.Use(kListClaims);
  cursor.Bind(after.workspace_id, after.claim_id, limit);
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return claims;
    claims.push_back({std::string(cursor.Text(11)), ReadClaim(cursor)});
  }
}

}  // namespace toolgate::storage::sqlite
