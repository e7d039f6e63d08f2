#include "storage/postgres/record_rows.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "common/status_macros.h"

namespace toolgate::storage::postgres {
namespace {

#define CONFIRMATION_COLUMNS \
  "id, user_id, tool, digest, summary, arguments, conversation, state, decided_by, created_at, expires_at"
constexpr char kFindConfirmation[] =
    "SELECT " CONFIRMATION_COLUMNS " FROM toolgate.confirmations WHERE workspace = $1 AND id = $2";
constexpr char kListPending[] =
    "SELECT " CONFIRMATION_COLUMNS
    " FROM toolgate.confirmations WHERE workspace = $1 AND state = 0 AND expires_at > $2 AND (created_at, id) > "
    "(coalesce((SELECT created_at FROM toolgate.confirmations WHERE workspace = $1 AND id = $3), "
    "-9223372036854775808), $3) ORDER BY created_at, id LIMIT $4";
constexpr char kCountPending[] =
    "SELECT count(*), count(*) FILTER (WHERE user_id = $3), min(expires_at), min(expires_at) FILTER (WHERE user_id = "
    "$3) FROM toolgate.confirmations WHERE workspace = $1 AND state = 0 AND expires_at > $2";
constexpr char kPutConfirmation[] =
    "INSERT INTO toolgate.confirmations (workspace, " CONFIRMATION_COLUMNS
    ") VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12) ON CONFLICT (workspace, id) DO UPDATE SET user_id = "
    "excluded.user_id, tool = excluded.tool, digest = excluded.digest, summary = excluded.summary, arguments = "
    "excluded.arguments, conversation = excluded.conversation, state = excluded.state, decided_by = "
    "excluded.decided_by, created_at = excluded.created_at, expires_at = excluded.expires_at";
#undef CONFIRMATION_COLUMNS

constexpr char kFindOutcome[] =
    "SELECT tool, digest, response, created_at FROM toolgate.outcomes WHERE workspace = $1 AND user_id = $2 AND key = "
    "$3 AND created_at > $4";
constexpr char kPutOutcome[] =
    "INSERT INTO toolgate.outcomes (workspace, user_id, key, tool, digest, response, created_at) VALUES "
    "($1,$2,$3,$4,$5,$6,$7) ON CONFLICT (workspace, user_id, key) DO UPDATE SET tool = excluded.tool, digest = "
    "excluded.digest, response = excluded.response, created_at = excluded.created_at";

constexpr char kReadKept[] =
    "SELECT tool, untrusted, octet_length(bytes)::bigint, substr(bytes, $5::bigint::integer + 1, "
    "$6::bigint::integer) FROM toolgate.kept_results WHERE workspace = $1 AND user_id = $2 AND id = $3 AND created_at "
    "> "
    "$4";
constexpr char kListKept[] =
    "SELECT id, octet_length(bytes)::bigint FROM toolgate.kept_results WHERE workspace = $1 AND user_id = $2 ORDER BY "
    "number DESC";
constexpr char kInsertKept[] =
    "INSERT INTO toolgate.kept_results (workspace, user_id, id, tool, untrusted, created_at, bytes) VALUES "
    "($1,$2,$3,$4,$5,$6,$7)";
constexpr char kEraseKept[] =
    "DELETE FROM toolgate.kept_results WHERE workspace = $1 AND user_id = $2 AND id = ANY($3::bytea[])";

constexpr char kFindDocuments[] =
    "SELECT d.kind, d.name, d.json FROM unnest($2::bytea[], $3::bytea[]) AS k(kind, name) JOIN toolgate.documents d ON "
    "d.workspace = $1 AND d.kind = k.kind AND d.name = k.name";
constexpr char kPutDocument[] =
    "INSERT INTO toolgate.documents (workspace, kind, name, json) VALUES ($1,$2,$3,$4) ON CONFLICT (workspace, kind, "
    "name) DO UPDATE SET json = excluded.json";
constexpr char kEraseDocument[] = "DELETE FROM toolgate.documents WHERE workspace = $1 AND kind = $2 AND name = $3";

Confirmation ReadConfirmation(const Row& row) {
  Confirmation confirmation;
  confirmation.id = row.String(0);
  confirmation.user_id = row.String(1);
  confirmation.tool_id = row.String(2);
  confirmation.digest = row.String(3);
  confirmation.summary = row.String(4);
  confirmation.arguments_json = row.String(5);
  confirmation.conversation_id = row.String(6);
  confirmation.state = static_cast<Confirmation::State>(row.Int(7));
  confirmation.decided_by = row.String(8);
  confirmation.created_at = absl::FromUnixMicros(row.Int(9));
  confirmation.expires_at = absl::FromUnixMicros(row.Int(10));
  return confirmation;
}

std::optional<IdempotentOutcome> OutcomeOf(const Result& found) {
  if (found.empty()) return std::nullopt;
  IdempotentOutcome outcome;
  outcome.tool_id = found[0].String(0);
  outcome.arguments_digest = found[0].String(1);
  outcome.response = found[0].String(2);
  outcome.created_at = absl::FromUnixMicros(found[0].Int(3));
  return outcome;
}

}  // namespace

// ---- Confirmations --------------------------------------------------------------------------------------------------

absl::StatusOr<std::optional<Confirmation>> PostgresConfirmationRows::Find(std::string_view id) {
  ASSIGN_OR_RETURN(const Result found, session_.Query(kFindConfirmation, Params::Of(session_.workspace(), id)));
  if (found.empty()) return std::nullopt;
  return ReadConfirmation(found[0]);
}

absl::StatusOr<std::vector<Confirmation>> PostgresConfirmationRows::ListPending(absl::Time now, int64_t limit,
                                                                                std::string_view after_id) {
  std::vector<Confirmation> confirmations;
  const Params params =
      Params::Of(session_.workspace(), absl::ToUnixMicros(now), after_id, std::max<int64_t>(limit, 0));
  RETURN_IF_ERROR(session_.Stream(kListPending, params, [&](const Row& row) {
    confirmations.push_back(ReadConfirmation(row));
    return absl::OkStatus();
  }));
  return confirmations;
}

absl::StatusOr<PendingConfirmations> PostgresConfirmationRows::CountPending(absl::Time now, std::string_view user_id) {
  ASSIGN_OR_RETURN(const Result found,
                   session_.Query(kCountPending, Params::Of(session_.workspace(), absl::ToUnixMicros(now), user_id)));
  PendingConfirmations pending;
  pending.in_workspace = found[0].Int(0);
  pending.of_user = found[0].Int(1);
  if (!found[0].IsNull(2)) pending.next_expiry = absl::FromUnixMicros(found[0].Int(2));
  if (!found[0].IsNull(3)) pending.next_expiry_of_user = absl::FromUnixMicros(found[0].Int(3));
  return pending;
}

absl::Status PostgresConfirmationRows::Put(const Confirmation& confirmation) {
  return session_.Write(
      kPutConfirmation,
      Params::Of(session_.workspace(), confirmation.id, confirmation.user_id, confirmation.tool_id, confirmation.digest,
                 confirmation.summary, confirmation.arguments_json, confirmation.conversation_id,
                 static_cast<int64_t>(confirmation.state), confirmation.decided_by,
                 absl::ToUnixMicros(confirmation.created_at), absl::ToUnixMicros(confirmation.expires_at)));
}

// ---- Outcomes -------------------------------------------------------------------------------------------------------

absl::StatusOr<std::optional<IdempotentOutcome>> PostgresOutcomeRows::Find(std::string_view user_id,
                                                                           std::string_view key,
                                                                           absl::Time created_after) {
  const Params params = Params::Of(session_.workspace(), user_id, key, absl::ToUnixMicros(created_after));
  ASSIGN_OR_RETURN(const Result found, session_.Query(kFindOutcome, params));
  return OutcomeOf(found);
}

// Both in one round trip.
absl::StatusOr<KeyHolder> PostgresOutcomeRows::TakeKey(std::string_view user_id, std::string_view key,
                                                       absl::Time created_after) {
  KeyHolder holder;
  const Params params = Params::Of(session_.workspace(), user_id, key, absl::ToUnixMicros(created_after));
  RETURN_IF_ERROR(
      session_.QueryAlso(kFindOutcome, params, [&holder](const Result& found) { holder.outcome = OutcomeOf(found); }));
  ASSIGN_OR_RETURN(std::optional<Claim> claim, journal_.FindByKey(user_id, key));
  if (!holder.outcome.has_value()) holder.claim = std::move(claim);
  return holder;
}

absl::Status PostgresOutcomeRows::Put(std::string_view user_id, std::string_view key,
                                      const IdempotentOutcome& outcome) {
  return session_.Write(kPutOutcome,
                        Params::Of(session_.workspace(), user_id, key, outcome.tool_id, outcome.arguments_digest,
                                   outcome.response, absl::ToUnixMicros(outcome.created_at)));
}

// ---- Kept results ---------------------------------------------------------------------------------------------------

absl::StatusOr<std::optional<KeptPart>> PostgresKeptResultRows::ReadPart(std::string_view user_id, std::string_view id,
                                                                         int64_t offset, int64_t length,
                                                                         absl::Time created_after) {
  // The server counts bytes of a value with 32 bits, and no result has as many.
  const int64_t first = std::clamp<int64_t>(offset, 0, kMaxKeptBytes);
  const int64_t count = std::clamp<int64_t>(length, 0, kMaxKeptBytes);
  ASSIGN_OR_RETURN(const Result found,
                   session_.Query(kReadKept, Params::Of(session_.workspace(), user_id, id,
                                                        absl::ToUnixMicros(created_after), first, count)));
  if (found.empty()) return std::nullopt;
  return KeptPart{found[0].String(0), found[0].Bool(1), found[0].Int(2), found[0].String(3)};
}

absl::StatusOr<std::vector<KeptSize>> PostgresKeptResultRows::ListSizes(std::string_view user_id) {
  ASSIGN_OR_RETURN(const Result found, session_.Query(kListKept, Params::Of(session_.workspace(), user_id)));
  std::vector<KeptSize> sizes;
  for (int i = 0; i < found.rows(); ++i) sizes.push_back({found[i].String(0), found[i].Int(1)});
  return sizes;
}

absl::Status PostgresKeptResultRows::Insert(const KeptResult& result) {
  return session_.Write(kInsertKept,
                        Params::Of(session_.workspace(), result.user_id, result.id, result.tool_id, result.untrusted,
                                   absl::ToUnixMicros(result.created_at), result.data_json));
}

absl::Status PostgresKeptResultRows::Erase(std::string_view user_id, Ids ids) {
  return session_.Write(kEraseKept, Params::Of(session_.workspace(), user_id, ids));
}

// ---- Documents ------------------------------------------------------------------------------------------------------

absl::StatusOr<std::vector<Document>> PostgresDocumentRows::Find(absl::Span<const DocumentKey> keys) {
  std::vector<std::string_view> kinds;
  std::vector<std::string_view> names;
  for (const DocumentKey& key : keys) {
    kinds.push_back(key.kind);
    names.push_back(key.name);
  }
  ASSIGN_OR_RETURN(const Result found, session_.Query(kFindDocuments, Params::Of(session_.workspace(), kinds, names)));
  std::vector<Document> documents;
  for (int i = 0; i < found.rows(); ++i) {
    documents.push_back({found[i].String(0), found[i].String(1), found[i].String(2)});
  }
  return documents;
}

absl::Status PostgresDocumentRows::Put(const DocumentKey& key, std::string_view json) {
  return session_.Write(kPutDocument, Params::Of(session_.workspace(), key.kind, key.name, json));
}

absl::Status PostgresDocumentRows::Erase(const DocumentKey& key) {
  return session_.Write(kEraseDocument, Params::Of(session_.workspace(), key.kind, key.name));
}

}  // namespace toolgate::storage::postgres
