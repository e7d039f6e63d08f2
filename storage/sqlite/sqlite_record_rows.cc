#include "storage/sqlite/sqlite_record_rows.h"

#include <algorithm>
#include <utility>

#include "common/status_macros.h"

namespace toolgate::storage::sqlite {
namespace {

#define CONFIRMATION_COLUMNS \
  "id, user, tool, digest, summary, arguments, conversation, state, decided_by, created_at, expires_at"
constexpr char kFindConfirmation[] =
    "SELECT " CONFIRMATION_COLUMNS " FROM confirmations WHERE workspace = ? AND id = ?";
constexpr char kListPending[] =
    "SELECT " CONFIRMATION_COLUMNS
    " FROM confirmations WHERE workspace = ?1 AND state = 0 AND expires_at > ?2 AND "
    "(created_at, id) > (coalesce((SELECT created_at FROM confirmations WHERE workspace = ?1 AND id = ?3), "
    "-9223372036854775808), ?3) ORDER BY created_at, id LIMIT ?4";
#undef CONFIRMATION_COLUMNS
constexpr char kCountPending[] =
    "SELECT count(*), count(*) FILTER (WHERE user = ?3), min(expires_at), min(expires_at) FILTER (WHERE user = ?3) "
    "FROM confirmations WHERE workspace = ?1 AND state = 0 AND expires_at > ?2";
constexpr char kPutConfirmation[] =
    "INSERT INTO confirmations (workspace, id, user, tool, digest, summary, arguments, conversation, state, "
    "decided_by, created_at, expires_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (workspace, id) DO UPDATE SET "
    "user = excluded.user, tool = excluded.tool, digest = excluded.digest, summary = excluded.summary, arguments = "
    "excluded.arguments, conversation = excluded.conversation, state = excluded.state, decided_by = "
    "excluded.decided_by, created_at = excluded.created_at, expires_at = excluded.expires_at";

constexpr char kFindOutcome[] =
    "SELECT tool, digest, response, created_at FROM outcomes WHERE workspace = ? AND user = ? AND key = ? AND "
    "created_at > ?";
constexpr char kPutOutcome[] =
    "INSERT INTO outcomes (workspace, user, key, tool, digest, response, created_at) VALUES (?,?,?,?,?,?,?) ON "
    "CONFLICT (workspace, user, key) DO UPDATE SET tool = excluded.tool, digest = excluded.digest, response = "
    "excluded.response, created_at = excluded.created_at";

// A blob's `substr` counts bytes, from 1, and uses only 32 bits of its arguments.
constexpr char kReadKept[] =
    "SELECT tool, untrusted, size, CASE WHEN ?5 < size THEN substr(bytes, ?5 + 1, min(?6, size)) ELSE x'' END FROM "
    "kept_results WHERE workspace = ?1 AND user = ?2 AND id = ?3 AND created_at > ?4";
constexpr char kListKept[] = "SELECT id, size FROM kept_results WHERE workspace = ? AND user = ? ORDER BY row DESC";
constexpr char kInsertKept[] =
    "INSERT INTO kept_results (workspace, user, id, tool, untrusted, created_at, size, bytes) VALUES (?,?,?,?,?,?,?,?)";
constexpr char kEraseKept[] = "DELETE FROM kept_results WHERE workspace = ? AND user = ? AND id = ?";

constexpr char kFindDocument[] = "SELECT json FROM documents WHERE workspace = ? AND kind = ? AND name = ?";
constexpr char kPutDocument[] =
    "INSERT INTO documents (workspace, kind, name, json) VALUES (?,?,?,?) ON CONFLICT (workspace, kind, name) DO "
    "UPDATE SET json = excluded.json";
constexpr char kEraseDocument[] = "DELETE FROM documents WHERE workspace = ? AND kind = ? AND name = ?";

Confirmation ReadConfirmation(const Cursor& cursor) {
  Confirmation confirmation;
  confirmation.id = cursor.Text(0);
  confirmation.user_id = cursor.Text(1);
  confirmation.tool_id = cursor.Text(2);
  confirmation.digest = cursor.Blob(3);
  confirmation.summary = cursor.Text(4);
  confirmation.arguments_json = cursor.Text(5);
  confirmation.conversation_id = cursor.Text(6);
  confirmation.state = static_cast<Confirmation::State>(cursor.Int(7));
  confirmation.decided_by = cursor.Text(8);
  confirmation.created_at = absl::FromUnixMicros(cursor.Int(9));
  confirmation.expires_at = absl::FromUnixMicros(cursor.Int(10));
  return confirmation;
}

}  // namespace

// ---- Confirmations --------------------------------------------------------------------------------------------------

absl::StatusOr<std::optional<Confirmation>> SqliteConfirmationRows::Find(std::string_view id) {
  Cursor cursor = access_.connection().Use(kFindConfirmation);
  ASSIGN_OR_RETURN(const bool found, cursor.Bind(access_.workspace(), id).Step());
  if (!found) return std::nullopt;
  return ReadConfirmation(cursor);
}

absl::StatusOr<std::vector<Confirmation>> SqliteConfirmationRows::ListPending(absl::Time now, int64_t limit,
                                                                              std::string_view after_id) {
  std::vector<Confirmation> confirmations;
  Cursor cursor = access_.connection().Use(kListPending);
  cursor.Bind(access_.workspace(), absl::ToUnixMicros(now), after_id, std::max<int64_t>(limit, 0));
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return confirmations;
    confirmations.push_back(ReadConfirmation(cursor));
  }
}

absl::StatusOr<PendingConfirmations> SqliteConfirmationRows::CountPending(absl::Time now, std::string_view user_id) {
  Cursor cursor = access_.connection().Use(kCountPending);
  RETURN_IF_ERROR(cursor.Bind(access_.workspace(), absl::ToUnixMicros(now), user_id).Step().status());
  PendingConfirmations pending{.in_workspace = cursor.Int(0), .of_user = cursor.Int(1)};
  if (pending.in_workspace > 0) pending.next_expiry = absl::FromUnixMicros(cursor.Int(2));
  if (pending.of_user > 0) pending.next_expiry_of_user = absl::FromUnixMicros(cursor.Int(3));
  return pending;
}

absl::Status SqliteConfirmationRows::Put(const Confirmation& confirmation) {
  RETURN_IF_ERROR(access_.BeforeChange());
  Cursor cursor = access_.connection().Use(kPutConfirmation);
  cursor.Bind(access_.workspace(), confirmation.id, confirmation.user_id, confirmation.tool_id)
      .BindBlob(confirmation.digest)
      .Bind(confirmation.summary, confirmation.arguments_json, confirmation.conversation_id,
            static_cast<int64_t>(confirmation.state), confirmation.decided_by,
            absl::ToUnixMicros(confirmation.created_at), absl::ToUnixMicros(confirmation.expires_at));
  return cursor.Run();
}

// ---- Outcomes -------------------------------------------------------------------------------------------------------

absl::StatusOr<std::optional<IdempotentOutcome>> SqliteOutcomeRows::Find(std::string_view user_id, std::string_view key,
                                                                         absl::Time created_after) {
  Cursor cursor = access_.connection().Use(kFindOutcome);
  cursor.Bind(access_.workspace(), user_id, key, absl::ToUnixMicros(created_after));
  ASSIGN_OR_RETURN(const bool found, cursor.Step());
  if (!found) return std::nullopt;
  IdempotentOutcome outcome;
  outcome.tool_id = cursor.Text(0);
  outcome.arguments_digest = cursor.Blob(1);
  outcome.response = cursor.Blob(2);
  outcome.created_at = absl::FromUnixMicros(cursor.Int(3));
  return outcome;
}

absl::StatusOr<KeyHolder> SqliteOutcomeRows::TakeKey(std::string_view user_id, std::string_view key,
                                                     absl::Time created_after) {
  KeyHolder holder;
  ASSIGN_OR_RETURN(holder.outcome, Find(user_id, key, created_after));
  if (holder.outcome.has_value()) return holder;
  ASSIGN_OR_RETURN(holder.claim, journal_.FindByKey(user_id, key));
  return holder;
}

absl::Status SqliteOutcomeRows::Put(std::string_view user_id, std::string_view key, const IdempotentOutcome& outcome) {
  RETURN_IF_ERROR(access_.BeforeChange());
  Cursor cursor = access_.connection().Use(kPutOutcome);
  return cursor.Bind(access_.workspace(), user_id, key, outcome.tool_id)
      .BindBlob(outcome.arguments_digest)
      .BindBlob(outcome.response)
      .Bind(absl::ToUnixMicros(outcome.created_at))
      .Run();
}

// ---- Kept results ---------------------------------------------------------------------------------------------------

absl::StatusOr<std::optional<KeptPart>> SqliteKeptResultRows::ReadPart(std::string_view user_id, std::string_view id,
                                                                       int64_t offset, int64_t length,
                                                                       absl::Time created_after) {
  Cursor cursor = access_.connection().Use(kReadKept);
  cursor.Bind(access_.workspace(), user_id, id, absl::ToUnixMicros(created_after), offset, length);
  ASSIGN_OR_RETURN(const bool found, cursor.Step());
  if (!found) return std::nullopt;
  return KeptPart{std::string(cursor.Text(0)), cursor.Int(1) != 0, cursor.Int(2), std::string(cursor.Blob(3))};
}

absl::StatusOr<std::vector<KeptSize>> SqliteKeptResultRows::ListSizes(std::string_view user_id) {
  std::vector<KeptSize> sizes;
  Cursor cursor = access_.connection().Use(kListKept);
  cursor.Bind(access_.workspace(), user_id);
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return sizes;
    sizes.push_back({std::string(cursor.Text(0)), cursor.Int(1)});
  }
}

absl::Status SqliteKeptResultRows::Insert(const KeptResult& result) {
  RETURN_IF_ERROR(access_.BeforeChange());
  Cursor cursor = access_.connection().Use(kInsertKept);
  cursor.Bind(access_.workspace(), result.user_id, result.id, result.tool_id, static_cast<int64_t>(result.untrusted),
              absl::ToUnixMicros(result.created_at), static_cast<int64_t>(result.data_json.size()));
  return cursor.BindBlob(result.data_json).Run();
}

absl::Status SqliteKeptResultRows::Erase(std::string_view user_id, Ids ids) {
  for (const std::string_view id : ids) {
    RETURN_IF_ERROR(access_.BeforeChange());
    RETURN_IF_ERROR(access_.connection().Use(kEraseKept).Bind(access_.workspace(), user_id, id).Run());
  }
  return absl::OkStatus();
}

// ---- Documents ------------------------------------------------------------------------------------------------------

absl::StatusOr<std::vector<Document>> SqliteDocumentRows::Find(absl::Span<const DocumentKey> keys) {
  std::vector<Document> documents;
  for (const DocumentKey& key : keys) {
    Cursor cursor = access_.connection().Use(kFindDocument);
    ASSIGN_OR_RETURN(const bool found, cursor.Bind(access_.workspace(), key.kind, key.name).Step());
    if (found) documents.push_back({std::string(key.kind), std::string(key.name), std::string(cursor.Text(0))});
  }
  return documents;
}

absl::Status SqliteDocumentRows::Put(const DocumentKey& key, std::string_view json) {
  RETURN_IF_ERROR(access_.BeforeChange());
  return access_.connection().Use(kPutDocument).Bind(access_.workspace(), key.kind, key.name, json).Run();
}

absl::Status SqliteDocumentRows::Erase(const DocumentKey& key) {
  RETURN_IF_ERROR(access_.BeforeChange());
  return access_.connection().Use(kEraseDocument).Bind(access_.workspace(), key.kind, key.name).Run();
}

}  // namespace toolgate::storage::sqlite
