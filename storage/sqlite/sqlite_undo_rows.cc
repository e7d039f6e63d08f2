#include "storage/sqlite/sqlite_undo_rows.h"

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <string>
#include <utility>

#include "common/status_macros.h"
#include "storage/sqlite/blob_reader.h"
#include "storage/sqlite/blob_writer.h"
#include "storage/sqlite/writer.h"
#include "storage/undo_bound.h"
#include "storage/undo_data.h"

namespace toolgate::storage::sqlite {
namespace {

// Of an undo entry's changes that are read at once.
constexpr int kPieceOfUndo = 64 << 10;
// Longer changes are written piece by piece, since SQLite makes a copy of what is bound to a statement.
constexpr int64_t kMaxBoundUndo = int64_t{1} << 20;

// Down to the newest ?3 that are not undos; all, if there are fewer.
constexpr char kListUndoHeads[] =
    "SELECT place, id, undone, undoes FROM undo_entries WHERE workspace = ?1 AND user = ?2 AND place >= coalesce("
    "(SELECT place FROM undo_entries WHERE workspace = ?1 AND user = ?2 AND undoes = '' ORDER BY place DESC LIMIT 1 "
    "OFFSET ?3 - 1), 0) ORDER BY place DESC";
#define UNDO_COLUMNS \
  "id, user, tool, created_at, description, affected, reversible, undone, undoes, audit_entry, request, conversation"
constexpr char kLoadUndo[] =
    "SELECT " UNDO_COLUMNS ", row FROM undo_entries WHERE workspace = ? AND user = ? AND place = ?";
#undef UNDO_COLUMNS
#define HAS_BELOW(column)                                                   \
  "SELECT 1 FROM undo_entries WHERE workspace = ? AND user = ? AND " column \
  " = ? AND undoes = '' AND undone = 0 AND place < ? LIMIT 1"
constexpr char kHasRequestBelow[] = HAS_BELOW("request");
constexpr char kHasConversationBelow[] = HAS_BELOW("conversation");
#undef HAS_BELOW

constexpr char kPushUndo[] =
    "INSERT INTO undo_entries (workspace, user, place, id, tool, created_at, description, affected, reversible, "
    "undone, undoes, audit_entry, request, conversation, changes) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
constexpr char kDropUndo[] = "DELETE FROM undo_entries WHERE workspace = ? AND user = ? AND place = ?";
constexpr char kSetUndone[] = "UPDATE undo_entries SET undone = ? WHERE workspace = ? AND user = ? AND place = ?";
// Of changes that have left the stack it stays known who made them.
constexpr char kEmptyUndo[] =
    "UPDATE undo_entries SET description = '', affected = '[]', changes = x'' WHERE workspace = ? AND user = ? AND "
    "place <= ? AND length(changes) > 0";
constexpr char kDropUndoUpTo[] = "DELETE FROM undo_entries WHERE workspace = ? AND user = ? AND place <= ?";
constexpr char kDropReversalsUpTo[] =
    "DELETE FROM undo_entries WHERE workspace = ? AND user = ? AND place <= ? AND undoes <> ''";

absl::StatusOr<UndoEntry> ReadUndoEntry(const Cursor& cursor) {
  UndoEntry entry;
  entry.id = cursor.Text(0);
  entry.user_id = cursor.Text(1);
  entry.tool_id = cursor.Text(2);
  entry.created_at = absl::FromUnixMicros(cursor.Int(3));
  entry.description = cursor.Text(4);
  RETURN_IF_ERROR(ReadAffected(cursor.Text(5), entry));
  entry.reversible = cursor.Int(6) != 0;
  entry.undone = cursor.Int(7) != 0;
  RETURN_IF_ERROR(ReadUndoes(cursor.Text(8), entry.undoes));
  entry.audit_entry_id = cursor.Text(9);
  entry.request_id = cursor.Text(10);
  entry.conversation_id = cursor.Text(11);
  return entry;
}

// Returns what `read` makes of the changes of the undo entry in that row.
template <typename Read>
auto ReadUndoData(Connection& connection, int64_t row, Read read)
    -> decltype(read(std::declval<google::protobuf::io::ZeroCopyInputStream&>())) {
  BlobReader blob(connection, "undo_entries", "changes", row);
  google::protobuf::io::CopyingInputStreamAdaptor bytes(&blob, kPieceOfUndo);
  auto result = read(bytes);
  if (!blob.status().ok()) return blob.status();
  return result;
}

}  // namespace

absl::StatusOr<std::vector<UndoHead>> SqliteUndoRows::ListHeads(std::string_view user_id, int64_t changes) {
  std::vector<UndoHead> heads;
  Cursor cursor = access_.connection().Use(kListUndoHeads);
  cursor.Bind(access_.workspace(), user_id, changes);
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return heads;
    UndoHead& head = heads.emplace_back();
    head.number = cursor.Int(0);
    head.id = cursor.Text(1);
    head.undone = cursor.Int(2) != 0;
    RETURN_IF_ERROR(ReadUndoes(cursor.Text(3), head.undoes));
  }
}

absl::StatusOr<std::vector<UndoEntry>> SqliteUndoRows::Load(std::string_view user_id, absl::Span<const int64_t> numbers,
                                                            UndoContent content) {
  std::vector<UndoEntry> entries;
  for (const int64_t number : numbers) {
    int64_t row = 0;
    {
      Cursor cursor = access_.connection().Use(kLoadUndo);
      ASSIGN_OR_RETURN(const bool found, cursor.Bind(access_.workspace(), user_id, number).Step());
      if (!found) continue;
      ASSIGN_OR_RETURN(entries.emplace_back(), ReadUndoEntry(cursor));
      row = cursor.Int(12);
    }
    RETURN_IF_ERROR(LoadChanges(row, content, entries.back()));
  }
  return entries;
}

absl::Status SqliteUndoRows::LoadChanges(int64_t row, UndoContent content, UndoEntry& entry) {
  if (content == UndoContent::kNone) return absl::OkStatus();
  if (content == UndoContent::kWhole) {
    ASSIGN_OR_RETURN(entry.changes, ReadUndoData(access_.connection(), row, ReadChanges));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(ChangesOutline outline, ReadUndoData(access_.connection(), row, OutlineChanges));
  entry.changes.effects = std::move(outline.effects);
  entry.changed_things = outline.things;
  entry.undo_bytes = outline.bytes;
  return absl::OkStatus();
}

absl::StatusOr<bool> SqliteUndoRows::HasBelow(std::string_view user_id, const UndoGroup& group, int64_t number) {
  const bool is_request = group.kind == UndoGroup::Kind::kRequest;
  Cursor cursor = access_.connection().Use(is_request ? kHasRequestBelow : kHasConversationBelow);
  return cursor.Bind(access_.workspace(), user_id, group.id, number).Step();
}

absl::StatusOr<int64_t> SqliteUndoRows::NextNumber(std::string_view user_id) {
  RETURN_IF_ERROR(access_.BeforeChange());
  return access_.writer().NextUndoPlace(access_.workspace(), user_id);
}

absl::Status SqliteUndoRows::Push(int64_t number, const UndoEntry& entry) {
  RETURN_IF_ERROR(access_.BeforeChange());
  const std::string undoes = UndoesJson(entry);
  const std::string affected = AffectedJson(entry);
  Connection& connection = access_.connection();
  Cursor cursor = connection.Use(kPushUndo);
  cursor.Bind(access_.workspace(), entry.user_id, number, entry.id, entry.tool_id, absl::ToUnixMicros(entry.created_at),
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

absl::Status SqliteUndoRows::Drop(std::string_view user_id, absl::Span<const int64_t> numbers) {
  for (const int64_t number : numbers) {
    RETURN_IF_ERROR(access_.BeforeChange());
    RETURN_IF_ERROR(access_.connection().Use(kDropUndo).Bind(access_.workspace(), user_id, number).Run());
  }
  return absl::OkStatus();
}

absl::Status SqliteUndoRows::SetUndone(std::string_view user_id, int64_t number, bool undone) {
  RETURN_IF_ERROR(access_.BeforeChange());
  return access_.connection().Use(kSetUndone).Bind(undone, access_.workspace(), user_id, number).Run();
}

absl::Status SqliteUndoRows::Trim(std::string_view user_id, const UndoTrim& trim) {
  RETURN_IF_ERROR(access_.BeforeChange());
  Connection& connection = access_.connection();
  const int64_t workspace = access_.workspace();
  RETURN_IF_ERROR(connection.Use(kDropUndoUpTo).Bind(workspace, user_id, trim.dropped_up_to).Run());
  RETURN_IF_ERROR(connection.Use(kDropReversalsUpTo).Bind(workspace, user_id, trim.undos_dropped_up_to).Run());
  return connection.Use(kEmptyUndo).Bind(workspace, user_id, trim.emptied_up_to).Run();
}

}  // namespace toolgate::storage::sqlite
