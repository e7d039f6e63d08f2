#include "storage/postgres/journal_rows.h"

#include <utility>

#include "common/status_macros.h"
#include "storage/undo_data.h"

namespace toolgate::storage::postgres {
namespace {

#define CLAIM_COLUMNS                                                                                         \
  "j.id, j.user_id, j.tool, j.key, j.owner, j.claimed_at, j.good_until, j.recoveries, j.call, j.checkpoint, " \
  "j.part_of"
constexpr char kFindClaim[] = "SELECT " CLAIM_COLUMNS " FROM toolgate.journal j WHERE j.workspace = $1 AND j.id = $2";
constexpr char kFindClaimByKey[] =
    "SELECT " CLAIM_COLUMNS
    " FROM toolgate.journal j WHERE j.workspace = $1 AND j.user_id = $2 AND j.key = $3 AND j.key <> ''";
constexpr char kListClaims[] =
    "SELECT " CLAIM_COLUMNS
    ", w.workspace FROM toolgate.journal j JOIN toolgate.workspace_shards w ON w.key = j.workspace WHERE "
    "(w.workspace, j.id) > ($1, $2) ORDER BY w.workspace, j.id LIMIT $3";
constexpr char kListParts[] =
    "SELECT " CLAIM_COLUMNS " FROM toolgate.journal j WHERE j.workspace = $1 AND j.part_of = $2 AND j.part_of <> ''";
#undef CLAIM_COLUMNS
constexpr char kInsertClaim[] =
    "INSERT INTO toolgate.journal (workspace, id, user_id, tool, key, owner, claimed_at, good_until, recoveries, call, "
    "checkpoint, part_of) VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12)";
constexpr char kUpdateClaim[] =
    "UPDATE toolgate.journal SET owner = $3, good_until = $4, recoveries = $5, checkpoint = $6 WHERE workspace = $1 "
    "AND id = $2";
constexpr char kEraseClaim[] = "DELETE FROM toolgate.journal WHERE workspace = $1 AND id = $2";

constexpr char kListSteps[] =
    "SELECT claim, number, audit_entry, tool, known, reversible, changes FROM toolgate.settled_steps WHERE workspace = "
    "$1 AND claim = $2 ORDER BY number";
constexpr char kInsertStep[] =
    "INSERT INTO toolgate.settled_steps (workspace, claim, number, audit_entry, tool, known, reversible, changes) "
    "VALUES ($1,$2,$3,$4,$5,$6,$7,$8)";
constexpr char kEraseStep[] = "DELETE FROM toolgate.settled_steps WHERE workspace = $1 AND claim = $2 AND number = $3";
constexpr char kEraseSteps[] = "DELETE FROM toolgate.settled_steps WHERE workspace = $1 AND claim = $2";

Claim ReadClaim(const Row& row) {
  Claim claim;
  claim.id = row.String(0);
  claim.user_id = row.String(1);
  claim.tool_id = row.String(2);
  claim.idempotency_key = row.String(3);
  claim.owner = row.String(4);
  claim.claimed_at = absl::FromUnixMicros(row.Int(5));
  claim.good_until = absl::FromUnixMicros(row.Int(6));
  claim.recoveries = row.Int(7);
  claim.call = row.String(8);
  claim.checkpoint = row.String(9);
  claim.part_of = row.String(10);
  return claim;
}

std::optional<Claim> OneOf(const Result& found) {
  if (found.empty()) return std::nullopt;
  return ReadClaim(found[0]);
}

}  // namespace

absl::StatusOr<std::optional<Claim>> PostgresJournalRows::Find(std::string_view id) {
  ASSIGN_OR_RETURN(const Result found, session_.Query(kFindClaim, Params::Of(session_.workspace(), id)));
  return OneOf(found);
}

absl::StatusOr<std::optional<Claim>> PostgresJournalRows::FindByKey(std::string_view user_id, std::string_view key) {
  ASSIGN_OR_RETURN(const Result found, session_.Query(kFindClaimByKey, Params::Of(session_.workspace(), user_id, key)));
  return OneOf(found);
}

absl::StatusOr<std::vector<Claim>> PostgresJournalRows::ListParts(std::string_view id) {
  std::vector<Claim> parts;
  RETURN_IF_ERROR(session_.Stream(kListParts, Params::Of(session_.workspace(), id), [&](const Row& row) {
    parts.push_back(ReadClaim(row));
    return absl::OkStatus();
  }));
  return parts;
}

absl::StatusOr<std::vector<SettledStep>> PostgresJournalRows::ListSteps(std::string_view claim_id) {
  std::vector<SettledStep> steps;
  const Params params = Params::Of(session_.workspace(), claim_id);
  const absl::Status read = session_.Stream(kListSteps, params, [&](const Row& row) -> absl::Status {
    SettledStep& step = steps.emplace_back();
    step.claim_id = row.String(0);
    step.number = row.Int(1);
    step.audit_entry_id = row.String(2);
    step.tool_id = row.String(3);
    step.is_known = row.Bool(4);
    step.reversible = row.Bool(5);
    ASSIGN_OR_RETURN(step.changes, ParseChanges(row.Bytes(6)));
    return absl::OkStatus();
  });
  RETURN_IF_ERROR(read);
  return steps;
}

absl::Status PostgresJournalRows::Insert(const Claim& claim) {
  return session_.Write(
      kInsertClaim, Params::Of(session_.workspace(), claim.id, claim.user_id, claim.tool_id, claim.idempotency_key,
                               claim.owner, absl::ToUnixMicros(claim.claimed_at), absl::ToUnixMicros(claim.good_until),
                               claim.recoveries, claim.call, claim.checkpoint, claim.part_of));
}

absl::Status PostgresJournalRows::Update(const Claim& claim) {
  return session_.Write(kUpdateClaim,
                        Params::Of(session_.workspace(), claim.id, claim.owner, absl::ToUnixMicros(claim.good_until),
                                   claim.recoveries, claim.checkpoint));
}

absl::Status PostgresJournalRows::Erase(std::string_view claim_id) {
  RETURN_IF_ERROR(session_.Write(kEraseClaim, Params::Of(session_.workspace(), claim_id)));
  return session_.Write(kEraseSteps, Params::Of(session_.workspace(), claim_id));
}

absl::Status PostgresJournalRows::InsertStep(const SettledStep& step) {
  ASSIGN_OR_RETURN(const std::string changes, SerializeChanges(step.changes));
  return session_.Write(kInsertStep, Params::Of(session_.workspace(), step.claim_id, step.number, step.audit_entry_id,
                                                step.tool_id, step.is_known, step.reversible, changes));
}

absl::Status PostgresJournalRows::EraseStep(std::string_view claim_id, int64_t number) {
  return session_.Write(kEraseStep, Params::Of(session_.workspace(), claim_id, number));
}

absl::StatusOr<std::vector<OpenClaim>> PostgresJournalRows::List(Session& session, const ClaimPlace& after,
                                                                 int64_t limit) {
  std::vector<OpenClaim> claims;
  RETURN_IF_ERROR(
      session.Stream(kListClaims, Params::Of(after.workspace_id, after.claim_id, limit), [&](const Row& row) {
        claims.push_back({row.String(11), ReadClaim(row)});
        return absl::OkStatus();
      }));
  return claims;
}

}  // namespace toolgate::storage::postgres
