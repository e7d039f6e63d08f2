#include "storage/postgres/undo_rows.h"

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <string>
#include <utility>

#include "common/status_macros.h"
#include "storage/undo_bound.h"
#include "storage/undo_data.h"

namespace toolgate::storage::postgres {
namespace {

// Down to the newest $3 that are not undos; all, if there are fewer.
constexpr char kListUndoHeads[] =
    "SELECT number, id, undone, undoes FROM toolgate.undo_entries WHERE workspace = $1 AND user_id = $2 AND number >= "
    "coalesce((SELECT number FROM toolgate.undo_entries WHERE workspace = $1 AND user_id = $2 AND undoes = '' ORDER BY "
    "number DESC LIMIT 1 OFFSET $3 - 1), 0) ORDER BY number DESC";
#define UNDO_COLUMNS                                                                                                 \
  "number, id, user_id, tool, created_at, description, affected, reversible, undone, undoes, audit_entry, request, " \
  "conversation"
constexpr char kLoadUndo[] =
    "SELECT " UNDO_COLUMNS
    ", ''::bytea FROM toolgate.undo_entries WHERE workspace = $1 AND user_id = $2 AND number = "
    "ANY($3::bigint[])";
constexpr char kLoadUndoWithChanges[] =
    "SELECT " UNDO_COLUMNS
    ", changes FROM toolgate.undo_entries WHERE workspace = $1 AND user_id = $2 AND "
    "number = ANY($3::bigint[])";
#undef UNDO_COLUMNS
#define HAS_BELOW(column)                                                                 \
  "SELECT 1 FROM toolgate.undo_entries WHERE workspace = $1 AND user_id = $2 AND " column \
  " = $3 AND undoes = '' AND NOT undone AND number < $4 LIMIT 1"
constexpr char kHasRequestBelow[] = HAS_BELOW("request");
constexpr char kHasConversationBelow[] = HAS_BELOW("conversation");
#undef HAS_BELOW
constexpr char kLastUndoNumber[] =
    "SELECT coalesce(max(number), 0) FROM toolgate.undo_entries WHERE workspace = $1 AND user_id = $2";
constexpr char kPushUndo[] =
    "INSERT INTO toolgate.undo_entries (workspace, user_id, number, id, tool, created_at, description, affected, "
    "reversible, undone, undoes, audit_entry, request, conversation, changes) VALUES "
    "($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15)";
constexpr char kDropUndo[] =
    "DELETE FROM toolgate.undo_entries WHERE workspace = $1 AND user_id = $2 AND number = ANY($3::bigint[])";
constexpr char kSetUndone[] =
    "UPDATE toolgate.undo_entries SET undone = $4 WHERE workspace = $1 AND user_id = $2 AND number = $3";
// Of changes that have left the stack it stays known who made them.
constexpr char kEmptyUndo[] =
    "UPDATE toolgate.undo_entries SET description = '', affected = '[]', changes = '' WHERE workspace = $1 AND user_id "
    "= $2 AND number <= $3 AND octet_length(changes) > 0";
constexpr char kDropUndoUpTo[] =
    "DELETE FROM toolgate.undo_entries WHERE workspace = $1 AND user_id = $2 AND (number <= $3 OR (number <= $4 AND "
    "undoes <> ''))";

absl::Status ReadEntry(const Row& row, UndoEntry& entry) {
  entry.id = row.String(1);
  entry.user_id = row.String(2);
  entry.tool_id = row.String(3);
  entry.created_at = absl::FromUnixMicros(row.Int(4));
  entry.description = row.String(5);
  RETURN_IF_ERROR(ReadAffected(row.Bytes(6), entry));
  entry.reversible = row.Bool(7);
  entry.undone = row.Bool(8);
  RETURN_IF_ERROR(ReadUndoes(row.Bytes(9), entry.undoes));
  entry.audit_entry_id = row.String(10);
  entry.request_id = row.String(11);
  entry.conversation_id = row.String(12);
  return absl::OkStatus();
}

absl::Status ReadChangesOf(std::string_view bytes, UndoContent content, UndoEntry& entry) {
  if (content == UndoContent::kNone) return absl::OkStatus();
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  if (content == UndoContent::kWhole) {
    ASSIGN_OR_RETURN(entry.changes, ReadChanges(stream));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(ChangesOutline outline, OutlineChanges(stream));
  entry.changes.effects = std::move(outline.effects);
  entry.changed_things = outline.things;
  entry.undo_bytes = outline.bytes;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<UndoHead>> PostgresUndoRows::ListHeads(std::string_view user_id, int64_t changes) {
  std::vector<UndoHead> heads;
  ASSIGN_OR_RETURN(const Result found,
                   session_.Query(kListUndoHeads, Params::Of(session_.workspace(), user_id, changes)));
  for (int i = 0; i < found.rows(); ++i) {
    UndoHead& head = heads.emplace_back();
    head.number = found[i].Int(0);
    head.id = found[i].String(1);
    head.undone = found[i].Bool(2);
    RETURN_IF_ERROR(ReadUndoes(found[i].Bytes(3), head.undoes));
  }
  return heads;
}

absl::StatusOr<std::vector<UndoEntry>> PostgresUndoRows::Load(std::string_view user_id,
                                                              absl::Span<const int64_t> numbers, UndoContent content) {
  absl::flat_hash_map<int64_t, UndoEntry> found;
  const absl::Status read =
      session_.Stream(content == UndoContent::kNone ? kLoadUndo : kLoadUndoWithChanges,
                      Params::Of(session_.workspace(), user_id, numbers), [&](const Row& row) -> absl::Status {
                        UndoEntry& entry = found[row.Int(0)];
                        RETURN_IF_ERROR(ReadEntry(row, entry));
                        return ReadChangesOf(row.Bytes(13), content, entry);
                      });
  RETURN_IF_ERROR(read);
  std::vector<UndoEntry> entries;
  for (const int64_t number : numbers) {
    if (const auto entry = found.find(number); entry != found.end()) entries.push_back(std::move(entry->second));
  }
  return entries;
}

absl::StatusOr<bool> PostgresUndoRows::HasBelow(std::string_view user_id, const UndoGroup& group, int64_t number) {
  const bool is_request = group.kind == UndoGroup::Kind::kRequest;
  ASSIGN_OR_RETURN(const Result found, session_.Query(is_request ? kHasRequestBelow : kHasConversationBelow,
                                                      Params::Of(session_.workspace(), user_id, group.id, number)));
  return !found.empty();
}

absl::StatusOr<int64_t> PostgresUndoRows::NextNumber(std::string_view user_id) {
  const auto [last, unknown] = last_numbers_.try_emplace(std::string(user_id), 0);
  if (unknown) {
    const absl::StatusOr<Result> found = session_.Query(kLastUndoNumber, Params::Of(session_.workspace(), user_id));
    if (!found.ok()) {
      last_numbers_.erase(last);
      return found.status();
    }
    last->second = (*found)[0].Int(0);
  }
  return ++last->second;
}

absl::Status PostgresUndoRows::Push(int64_t number, const UndoEntry& entry) {
  const std::string undoes = UndoesJson(entry);
  const std::string affected = AffectedJson(entry);
  ASSIGN_OR_RETURN(const std::string changes, SerializeChanges(entry.changes));
  return session_.Write(kPushUndo, Params::Of(session_.workspace(), entry.user_id, number, entry.id, entry.tool_id,
                                              absl::ToUnixMicros(entry.created_at), entry.description, affected,
                                              entry.reversible, entry.undone, undoes, entry.audit_entry_id,
                                              entry.request_id, entry.conversation_id, changes));
}

absl::Status PostgresUndoRows::Drop(std::string_view user_id, absl::Span<const int64_t> numbers) {
  if (numbers.empty()) return absl::OkStatus();
  return session_.Write(kDropUndo, Params::Of(session_.workspace(), user_id, numbers));
}

absl::Status PostgresUndoRows::SetUndone(std::string_view user_id, int64_t number, bool undone) {
  return session_.Write(kSetUndone, Params::Of(session_.workspace(), user_id, number, undone));
}

absl::Status PostgresUndoRows::Trim(std::string_view user_id, const UndoTrim& trim) {
  const int64_t workspace = session_.workspace();
  RETURN_IF_ERROR(
      session_.Write(kDropUndoUpTo, Params::Of(workspace, user_id, trim.dropped_up_to, trim.undos_dropped_up_to)));
  return session_.Write(kEmptyUndo, Params::Of(workspace, user_id, trim.emptied_up_to));
}

}  // namespace toolgate::storage::postgres
