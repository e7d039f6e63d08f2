#include "storage/sqlite/sqlite_transaction.h"

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "storage/journal.h"
#include "storage/sqlite/blob_writer.h"
#include "storage/sqlite/field_rows.h"
#include "storage/undo_bound.h"
#include "storage/undo_data.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::storage::sqlite {
namespace {

// Entries that left the stack are invisible; they are deleted in groups, which costs less than one by one.
constexpr int64_t kUndoDropStep = 16;

// Longer changes are written piece by piece, since SQLite makes a copy of what is bound to a statement.
constexpr int64_t kMaxBoundUndo = int64_t{1} << 20;

constexpr char kInsertBlock[] =
    "INSERT INTO blocks (row, workspace, id, type, parent, rank, version, change_id, created_by, updated_by, "
    "created_at, updated_at, data) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)";
constexpr char kUpdateContent[] =
    "UPDATE blocks SET version = ?, change_id = ?, created_by = ?, updated_by = ?, created_at = ?, updated_at = ?, "
    "data "
    "= ? WHERE row = ?";
// Separate, because setting an indexed column rewrites its indexes even if the value stays.
constexpr char kUpdatePlace[] = "UPDATE blocks SET parent = ?, rank = ?, type = ? WHERE row = ?";
constexpr char kIsPlacedAt[] = "SELECT 1 FROM blocks WHERE row = ? AND parent = ? AND rank = ? AND type = ?";
constexpr char kDeleteBlock[] = "DELETE FROM blocks WHERE row = ?";
constexpr char kBlockRow[] = "SELECT row FROM blocks WHERE workspace = ? AND id = ?";
constexpr char kNotePending[] = "INSERT OR IGNORE INTO search_pending (row) VALUES (?)";
constexpr char kLastSibling[] =
    "SELECT rank FROM blocks WHERE workspace = ? AND parent = ? AND id <> ? ORDER BY rank DESC, id DESC LIMIT 1";
constexpr char kSiblingsFrom[] =
    "SELECT rank FROM blocks WHERE workspace = ? AND parent = ? AND id <> ? ORDER BY rank, id LIMIT ? OFFSET ?";

constexpr char kListChildIds[] = "SELECT id FROM blocks WHERE workspace = ? AND parent = ?";
constexpr char kCountSiblingsBefore[] =
    "SELECT count(*) FROM blocks WHERE workspace = ? AND parent = ? AND (rank, id) < (?, ?)";

constexpr char kInsertLink[] =
    "INSERT INTO links (workspace, source, target, relation, change_id, created_by, created_at) VALUES (?,?,?,?,?,?,?)";
constexpr char kEraseLink[] = "DELETE FROM links WHERE workspace = ? AND source = ? AND target = ? AND relation = ?";

constexpr char kPutFileHead[] =
    "INSERT INTO files (workspace, name, pages, change_id) VALUES (?,?,?,?) ON CONFLICT (workspace, name) DO UPDATE "
    "SET "
    "pages = excluded.pages, change_id = excluded.change_id RETURNING key";
constexpr char kDropFile[] = "DELETE FROM files WHERE key = ?";
constexpr char kPutFilePage[] =
    "INSERT INTO file_pages (file, number, bytes) VALUES (?,?,?) ON CONFLICT (file, number) DO UPDATE SET bytes = "
    "excluded.bytes";
constexpr char kDropFilePages[] = "DELETE FROM file_pages WHERE file = ? AND number >= ?";

constexpr char kPushUndo[] =
    "INSERT INTO undo_entries (workspace, user, place, id, tool, created_at, description, affected, reversible, "
    "undone, undoes, audit_entry, request, conversation, changes) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
// Undos of the change ?3.
constexpr char kDropRedone[] =
    "DELETE FROM undo_entries WHERE workspace = ?1 AND user = ?2 AND CASE WHEN undoes = '' THEN 0 ELSE EXISTS (SELECT "
    "1 "
    "FROM json_each(undoes) WHERE value = ?3) END";
// The place of the newest change beyond ?3.
#define LAST_PLACE                                                                                                \
  "(SELECT place FROM undo_entries WHERE workspace = ?1 AND user = ?2 AND undoes = '' ORDER BY place DESC LIMIT " \
  "1 OFFSET ?3)"
// Of changes that have left the stack it stays known who made them.
constexpr char kEmptyUndo[] =
    "UPDATE undo_entries SET description = '', affected = '[]', changes = x'' WHERE workspace = ?1 AND user = ?2 AND "
    "place <= " LAST_PLACE " AND length(changes) > 0";
constexpr char kDropUndo[] = "DELETE FROM undo_entries WHERE workspace = ?1 AND user = ?2 AND (place <= " LAST_PLACE
                             " - ?4 OR (undoes <> '' AND place <= " LAST_PLACE "))";
#undef LAST_PLACE
constexpr char kSetUndone[] = "UPDATE undo_entries SET undone = ? WHERE workspace = ? AND user = ? AND id = ?";

constexpr char kPutConfirmation[] =
    "INSERT INTO confirmations (workspace, id, user, tool, digest, summary, arguments, conversation, state, "
    "decided_by, created_at, expires_at) VALUES (?,?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (workspace, id) DO UPDATE SET "
    "user = excluded.user, tool = excluded.tool, digest = excluded.digest, summary = excluded.summary, arguments = "
    "excluded.arguments, conversation = excluded.conversation, state = excluded.state, decided_by = "
    "excluded.decided_by, created_at = excluded.created_at, expires_at = excluded.expires_at";
constexpr char kTransition[] =
    "UPDATE confirmations SET state = ?, decided_by = ? WHERE workspace = ? AND id = ? AND state = ?";
constexpr char kPutOutcome[] =
    "INSERT INTO outcomes (workspace, user, key, tool, digest, response, created_at) VALUES (?,?,?,?,?,?,?) ON "
    "CONFLICT (workspace, user, key) DO UPDATE SET tool = excluded.tool, digest = excluded.digest, response = "
    "excluded.response, created_at = excluded.created_at";
constexpr char kKeepResult[] =
    "INSERT INTO kept_results (workspace, user, id, tool, untrusted, created_at, size, bytes) VALUES (?,?,?,?,?,?,?,?)";
// All results of the user except the newest ones that have ?3 bytes together.
constexpr char kDropKept[] =
    "DELETE FROM kept_results WHERE row IN (SELECT row FROM (SELECT row, sum(size) OVER (ORDER BY row DESC) AS held "
    "FROM "
    "kept_results WHERE workspace = ?1 AND user = ?2) WHERE held > ?3)";
constexpr char kPutDocument[] =
    "INSERT INTO documents (workspace, kind, name, json) VALUES (?,?,?,?) ON CONFLICT (workspace, kind, name) DO "
    "UPDATE SET json = excluded.json";
constexpr char kDeleteDocument[] = "DELETE FROM documents WHERE workspace = ? AND kind = ? AND name = ?";

}  // namespace

absl::Status SqliteTransaction::BeforeChange() {
  RETURN_IF_ERROR(writer_.BeforeChange());
  if (rows().workspace() != 0) return absl::OkStatus();
  ASSIGN_OR_RETURN(const int64_t key, writer_.WorkspaceKey(context().workspace_id, true));
  rows().set_workspace(key);
  return absl::OkStatus();
}

// ---- Blocks ---------------------------------------------------------------------------------------------------------

absl::Status SqliteTransaction::InsertRow(const Block& block, const IndexChange& change) {
  RETURN_IF_ERROR(BeforeChange());
  const int64_t row = writer_.NextBlockRow();
  {
    Cursor cursor = writer_.connection().Use(kInsertBlock);
    cursor.Bind(row, rows().workspace(), block.id, block.type, block.parent_id, block.rank, block.version,
                block.change_id, block.created_by, block.updated_by, absl::ToUnixMicros(block.created_at),
                absl::ToUnixMicros(block.updated_at), block.data);
    RETURN_IF_ERROR(cursor.Run());
  }
  return ChangeFields(row, change);
}

absl::Status SqliteTransaction::ChangeFields(int64_t row, const IndexChange& change) {
  return change.empty() ? absl::OkStatus() : FieldRows(writer_.connection(), rows().workspace()).Change(row, change);
}

absl::StatusOr<int64_t> SqliteTransaction::NotedRow(std::string_view id) {
  int64_t row = 0;
  {
    Cursor cursor = writer_.connection().Use(kBlockRow);
    ASSIGN_OR_RETURN(const bool found, cursor.Bind(rows().workspace(), id).Step());
    if (!found) return absl::InternalError(absl::StrCat("no row of block ", ToAbsl(id)));
    row = cursor.Int(0);
  }
  if (row <= writer_.indexed_row()) RETURN_IF_ERROR(writer_.connection().Use(kNotePending).Bind(row).Run());
  return row;
}

absl::Status SqliteTransaction::UpdateRow(const Block& block, const IndexChange& change) {
  RETURN_IF_ERROR(BeforeChange());
  ASSIGN_OR_RETURN(const int64_t row, NotedRow(block.id));
  RETURN_IF_ERROR(ChangeFields(row, change));
  Connection& connection = writer_.connection();
  bool placed = false;
  {
    Cursor cursor = connection.Use(kIsPlacedAt);
    ASSIGN_OR_RETURN(placed, cursor.Bind(row, block.parent_id, block.rank, block.type).Step());
  }
  if (!placed) {
    RETURN_IF_ERROR(connection.Use(kUpdatePlace).Bind(block.parent_id, block.rank, block.type, row).Run());
  }
  return connection.Use(kUpdateContent)
      .Bind(block.version, block.change_id, block.created_by, block.updated_by, absl::ToUnixMicros(block.created_at),
            absl::ToUnixMicros(block.updated_at), block.data, row)
      .Run();
}

absl::Status SqliteTransaction::DeleteRow(std::string_view id, const IndexChange& change) {
  RETURN_IF_ERROR(BeforeChange());
  ASSIGN_OR_RETURN(const int64_t row, NotedRow(id));
  RETURN_IF_ERROR(ChangeFields(row, change));
  return writer_.connection().Use(kDeleteBlock).Bind(row).Run();
}

absl::Status SqliteTransaction::InsertLink(const Link& link) {
  RETURN_IF_ERROR(BeforeChange());
  return writer_.connection()
      .Use(kInsertLink)
      .Bind(rows().workspace(), link.from_id, link.to_id, link.relation, link.change_id, link.created_by,
            absl::ToUnixMicros(link.created_at))
      .Run();
}

absl::Status SqliteTransaction::EraseLink(const Link& link) {
  RETURN_IF_ERROR(BeforeChange());
  return writer_.connection().Use(kEraseLink).Bind(rows().workspace(), link.from_id, link.to_id, link.relation).Run();
}

absl::StatusOr<std::vector<std::string>> SqliteTransaction::ListChildIds(std::string_view parent_id) {
  std::vector<std::string> ids;
  Cursor cursor = writer_.connection().Use(kListChildIds);
  cursor.Bind(rows().workspace(), parent_id);
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return ids;
    ids.emplace_back(cursor.Text(0));
  }
}

absl::StatusOr<int64_t> SqliteTransaction::PlaceOf(const Block& block) {
  Cursor cursor = writer_.connection().Use(kCountSiblingsBefore);
  RETURN_IF_ERROR(cursor.Bind(rows().workspace(), block.parent_id, block.rank, block.id).Step().status());
  return cursor.Int(0);
}

absl::StatusOr<Transaction::Neighbours> SqliteTransaction::FindNeighbours(std::string_view parent_id,
                                                                          std::optional<int64_t> position,
                                                                          std::string_view excluding) {
  const int64_t workspace = rows().workspace();
  Neighbours neighbours;
  if (position.has_value()) {
    const bool first = *position == 0;
    Cursor cursor = writer_.connection().Use(kSiblingsFrom);
    cursor.Bind(workspace, parent_id, excluding, first ? 1 : 2, first ? int64_t{0} : *position - 1);
    ASSIGN_OR_RETURN(bool found, cursor.Step());
    if (found && !first) {
      neighbours.before = cursor.Text(0);
      ASSIGN_OR_RETURN(found, cursor.Step());
      if (!found) return neighbours;
    }
    if (found) neighbours.after = cursor.Text(0);
    if (found || first) return neighbours;
  }
  Cursor cursor = writer_.connection().Use(kLastSibling);
  ASSIGN_OR_RETURN(const bool found, cursor.Bind(workspace, parent_id, excluding).Step());
  if (found) neighbours.before = cursor.Text(0);
  return neighbours;
}

absl::Status SqliteTransaction::BeginNested() {
  nested_.push_back({audit_.size(), writer_.job_changes()});
  if (writer_.hopeful()) return absl::OkStatus();
  RETURN_IF_ERROR(BeforeChange());
  return writer_.BeginNested();
}

absl::Status SqliteTransaction::EndNested(bool keep) {
  const NestedStart start = nested_.back();
  nested_.pop_back();
  if (!keep) audit_.resize(start.audit);
  if (writer_.hopeful()) {
    if (!keep && writer_.job_changes() != start.changes) writer_.RequireSavepoints();
    return absl::OkStatus();
  }
  return writer_.EndNested(keep);
}

absl::Status SqliteTransaction::CatchUpSearch() {
  ASSIGN_OR_RETURN(SearchBacklog backlog, MeasureSearchBacklog(writer_.connection()));
  bool is_long = backlog.is_long;
  while (!backlog.empty()) {
    if (is_long && long_backlog_ == LongBacklog::kGiveUp) {
      gave_up_ = true;
      return absl::UnavailableError("the search index has too much to read within a transaction");
    }
    RETURN_IF_ERROR(cancellation_.Check());
    RETURN_IF_ERROR(writer_.CatchUpSearch(backlog));
    is_long = true;  // One step was not enough: few rows may hold much.
  }
  return absl::OkStatus();
}

// ---- Records --------------------------------------------------------------------------------------------------------

absl::Status SqliteTransaction::PushUndoEntry(const UndoEntry& entry) {
  RETURN_IF_ERROR(BeforeChange());
  Connection& connection = writer_.connection();
  ASSIGN_OR_RETURN(const int64_t place, writer_.NextUndoPlace(rows().workspace(), entry.user_id));
  for (const std::string& change : entry.undoes) {
    RETURN_IF_ERROR(connection.Use(kDropRedone).Bind(rows().workspace(), entry.user_id, change).Run());
  }
  const std::string undoes = entry.is_undo() ? DumpJson(Json(entry.undoes)) : "";
  Json affected = entry.affected_block_ids;
  if (entry.affected_blocks_omitted > 0) affected.push_back(entry.affected_blocks_omitted);
  RETURN_IF_ERROR(PutUndoEntry(entry, place, undoes, DumpJson(affected)));
  if (place <= kUndoStackSize || place % kUndoDropStep != 0) return absl::OkStatus();
  RETURN_IF_ERROR(connection.Use(kEmptyUndo).Bind(rows().workspace(), entry.user_id, kUndoStackSize).Run());
  return connection.Use(kDropUndo).Bind(rows().workspace(), entry.user_id, kUndoStackSize, kRememberedChanges).Run();
}

absl::Status SqliteTransaction::PutUndoEntry(const UndoEntry& entry, int64_t place, std::string_view undoes,
                                             std::string_view affected) {
  Connection& connection = writer_.connection();
  Cursor cursor = connection.Use(kPushUndo);
  cursor.Bind(rows().workspace(), entry.user_id, place, entry.id, entry.tool_id, absl::ToUnixMicros(entry.created_at),
              entry.description, affected, entry.reversible, entry.undone, undoes, entry.audit_entry_id,
              entry.request_id, entry.conversation_id);
  if (UndoBytes(entry.changes) <= kMaxBoundUndo) {
    ASSIGN_OR_RETURN(const std::string changes, SerializeChanges(entry.changes));
    return cursor.BindBlob(changes).Run();
  }
  ASSIGN_OR_RETURN(const int64_t size, SizeOfChanges(entry.changes));
  RETURN_IF_ERROR(cursor.BindZeros(size).Run());
  BlobWriter blob(connection, "undo_entries", "changes", sqlite3_last_insert_rowid(connection.db()));
  return WriteChanges(entry.changes, [&](std::string_view piece) { return blob.Write(piece); });
}

absl::Status SqliteTransaction::SetUndone(std::string_view user_id, std::string_view entry_id, bool undone) {
  RETURN_IF_ERROR(BeforeChange());
  Connection& connection = writer_.connection();
  RETURN_IF_ERROR(connection.Use(kSetUndone).Bind(undone, rows().workspace(), user_id, entry_id).Run());
  if (sqlite3_changes64(connection.db()) > 0) return absl::OkStatus();
  return MakeError(ErrorCode::kNotFound, absl::StrCat("there is no undo entry ", ToAbsl(entry_id)));
}

absl::Status SqliteTransaction::PutConfirmation(const Confirmation& confirmation) {
  RETURN_IF_ERROR(BeforeChange());
  Cursor cursor = writer_.connection().Use(kPutConfirmation);
  cursor.Bind(rows().workspace(), confirmation.id, confirmation.user_id, confirmation.tool_id)
      .BindBlob(confirmation.digest)
      .Bind(confirmation.summary, confirmation.arguments_json, confirmation.conversation_id,
            static_cast<int64_t>(confirmation.state), confirmation.decided_by,
            absl::ToUnixMicros(confirmation.created_at), absl::ToUnixMicros(confirmation.expires_at));
  return cursor.Run();
}

absl::StatusOr<bool> SqliteTransaction::TransitionConfirmation(std::string_view id, Confirmation::State from,
                                                               Confirmation::State to, std::string_view decided_by) {
  RETURN_IF_ERROR(BeforeChange());
  Connection& connection = writer_.connection();
  RETURN_IF_ERROR(connection.Use(kTransition)
                      .Bind(static_cast<int64_t>(to), decided_by, rows().workspace(), id, static_cast<int64_t>(from))
                      .Run());
  return sqlite3_changes64(connection.db()) > 0;
}

absl::StatusOr<std::optional<IdempotentOutcome>> SqliteTransaction::ClaimIdempotencyKey(std::string_view user_id,
                                                                                        std::string_view key) {
  // There is only one writer, so the first caller holds the key until its transaction ends.
  ASSIGN_OR_RETURN(std::optional<IdempotentOutcome> outcome, FindOutcome(user_id, key, context().now));
  if (outcome.has_value()) return outcome;
  ASSIGN_OR_RETURN(const std::optional<Claim> running, rows().journal().FindByKey(user_id, key));
  if (running.has_value()) return KeyIsHeld(*running, context().now);
  claimed_.emplace(user_id, key);
  return outcome;
}

absl::Status SqliteTransaction::PutOutcome(std::string_view user_id, std::string_view key,
                                           const IdempotentOutcome& outcome) {
  if (!claimed_.contains(std::pair<std::string, std::string>(user_id, key))) {
    return absl::FailedPreconditionError("an outcome is stored only under a key that this transaction has claimed");
  }
  RETURN_IF_ERROR(BeforeChange());
  Cursor cursor = writer_.connection().Use(kPutOutcome);
  return cursor.Bind(rows().workspace(), user_id, key, outcome.tool_id)
      .BindBlob(outcome.arguments_digest)
      .BindBlob(outcome.response)
      .Bind(absl::ToUnixMicros(outcome.created_at))
      .Run();
}

absl::Status SqliteTransaction::KeepResult(const KeptResult& result) {
  const auto size = static_cast<int64_t>(result.data_json.size());
  if (size > kMaxKeptBytes) {
    return absl::InvalidArgumentError(absl::StrCat("a result of ", size, " bytes is too long to be kept"));
  }
  RETURN_IF_ERROR(BeforeChange());
  Connection& connection = writer_.connection();
  RETURN_IF_ERROR(connection.Use(kKeepResult)
                      .Bind(rows().workspace(), result.user_id, result.id, result.tool_id,
                            static_cast<int64_t>(result.untrusted), absl::ToUnixMicros(result.created_at), size)
                      .BindBlob(result.data_json)
                      .Run());
  return connection.Use(kDropKept).Bind(rows().workspace(), result.user_id, kMaxKeptBytes).Run();
}

absl::Status SqliteTransaction::PutConversation(const Conversation& conversation) {
  RETURN_IF_ERROR(BeforeChange());
  return rows().conversations().Put(conversation, context().now);
}

absl::Status SqliteTransaction::AppendMessage(std::string_view user_id, std::string_view conversation_id,
                                              const StoredMessage& message) {
  RETURN_IF_ERROR(BeforeChange());
  return rows().conversations().Append(user_id, conversation_id, message, context().now);
}

absl::Status SqliteTransaction::PutArtifact(std::string_view user_id, std::string_view conversation_id,
                                            const StoredArtifact& artifact) {
  RETURN_IF_ERROR(BeforeChange());
  return rows().conversations().PutArtifact(user_id, conversation_id, artifact);
}

absl::StatusOr<bool> SqliteTransaction::DeleteConversation(std::string_view user_id, std::string_view id) {
  RETURN_IF_ERROR(BeforeChange());
  return rows().conversations().Delete(user_id, id);
}

absl::Status SqliteTransaction::PutDocument(std::string_view kind, std::string_view name, std::string_view json) {
  RETURN_IF_ERROR(BeforeChange());
  return writer_.connection().Use(kPutDocument).Bind(rows().workspace(), kind, name, json).Run();
}

absl::Status SqliteTransaction::DeleteDocument(std::string_view kind, std::string_view name) {
  RETURN_IF_ERROR(BeforeChange());
  return writer_.connection().Use(kDeleteDocument).Bind(rows().workspace(), kind, name).Run();
}

absl::StatusOr<int64_t> SqliteTransaction::PutFileHead(std::string_view name, int64_t page_count) {
  Cursor cursor = writer_.connection().Use(kPutFileHead);
  ASSIGN_OR_RETURN(const bool found, cursor.Bind(rows().workspace(), name, page_count, context().change_id).Step());
  if (!found) return absl::InternalError("a file's head was not written");
  const int64_t key = cursor.Int(0);
  // The row is written when the statement has run to its end.
  RETURN_IF_ERROR(cursor.Step().status());
  return key;
}

absl::Status SqliteTransaction::WriteFile(std::string_view name, int64_t page_count,
                                          const std::map<int64_t, std::string>& pages) {
  if (!pages.empty() && (pages.begin()->first < 0 || pages.rbegin()->first >= page_count)) {
    return absl::InvalidArgumentError("a page lies beyond the end of its file");
  }
  RETURN_IF_ERROR(BeforeChange());
  Connection& connection = writer_.connection();
  ASSIGN_OR_RETURN(const int64_t key, PutFileHead(name, page_count));
  RETURN_IF_ERROR(connection.Use(kDropFilePages).Bind(key, page_count).Run());
  for (const auto& [number, bytes] : pages) {
    RETURN_IF_ERROR(connection.Use(kPutFilePage).Bind(key, number).BindBlob(bytes).Run());
  }
  return page_count > 0 ? absl::OkStatus() : connection.Use(kDropFile).Bind(key).Run();
}

// ---- The journal ----------------------------------------------------------------------------------------------------

absl::Status SqliteTransaction::PutClaim(const Claim& claim) {
  if (!claim.idempotency_key.empty() &&
      !claimed_.contains(std::pair<std::string, std::string>(claim.user_id, claim.idempotency_key))) {
    return absl::FailedPreconditionError("a claim takes only an idempotency key that its transaction has claimed");
  }
  if (!claim.part_of.empty()) {
    ASSIGN_OR_RETURN(const std::optional<Claim> whole, rows().journal().Find(claim.part_of));
    if (!whole.has_value() || whole->owner != claim.owner) return NotHeld(claim.part_of);
  }
  RETURN_IF_ERROR(BeforeChange());
  return rows().journal().Put(claim);
}

absl::StatusOr<bool> SqliteTransaction::RenewClaim(std::string_view id, std::string_view owner, absl::Time good_until,
                                                   std::string_view checkpoint) {
  RETURN_IF_ERROR(BeforeChange());
  return rows().journal().Renew(id, owner, good_until, checkpoint);
}

absl::StatusOr<bool> SqliteTransaction::TakeOverClaim(std::string_view id, std::string_view owner,
                                                      std::string_view new_owner, absl::Time good_until) {
  RETURN_IF_ERROR(BeforeChange());
  return rows().journal().TakeOver(id, owner, new_owner, good_until);
}

absl::StatusOr<bool> SqliteTransaction::DropClaim(std::string_view id, std::string_view owner) {
  ASSIGN_OR_RETURN(const bool is_whole, rows().journal().IsWhole(id));
  if (is_whole) return absl::FailedPreconditionError("a step of the claim's call is not settled yet");
  RETURN_IF_ERROR(BeforeChange());
  return rows().journal().Drop(id, owner);
}

absl::StatusOr<bool> SqliteTransaction::PutSettledStep(const SettledStep& step, std::string_view owner) {
  ASSIGN_OR_RETURN(const std::optional<Claim> claim, rows().journal().Find(step.claim_id));
  if (!claim.has_value() || claim->owner != owner) return false;
  RETURN_IF_ERROR(BeforeChange());
  RETURN_IF_ERROR(rows().journal().PutStep(step));
  return true;
}

absl::Status SqliteTransaction::DropSettledStep(std::string_view claim_id, int64_t number) {
  RETURN_IF_ERROR(BeforeChange());
  return rows().journal().DropStep(claim_id, number);
}

absl::Status SqliteTransaction::AppendAudit(const v1::AuditEntry& entry) {
  if (entry.workspace_id() != context().workspace_id) {
    return absl::InvalidArgumentError("an audit entry belongs to its transaction's workspace");
  }
  ASSIGN_OR_RETURN(PackedAuditEntry packed, PackAuditEntry(entry));
  audit_.push_back(std::move(packed));
  return absl::OkStatus();
}

}  // namespace toolgate::storage::sqlite
