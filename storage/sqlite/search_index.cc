#include "storage/sqlite/search_index.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "common/status_macros.h"
#include "storage/sqlite/search_words.h"

namespace toolgate::storage::sqlite {
namespace {

constexpr char kBacklog[] =
    "SELECT (SELECT coalesce(max(row), 0) FROM blocks), indexed_row, (SELECT coalesce(max(row), 0) FROM "
    "search_pending), (SELECT count(*) FROM (SELECT 1 FROM search_pending LIMIT ?)) FROM search_state";
constexpr char kIndexedRow[] = "SELECT indexed_row FROM search_state";
constexpr char kSetIndexedRow[] = "UPDATE search_state SET indexed_row = ?";
constexpr char kNewRows[] = "SELECT row, workspace, data FROM blocks WHERE row > ? AND row <= ? ORDER BY row LIMIT ?";
constexpr char kPendingRows[] =
    "SELECT p.row, b.workspace, b.data FROM search_pending p LEFT JOIN blocks b ON b.row = p.row WHERE p.row > ? AND "
    "p.row <= ? ORDER BY p.row LIMIT ?";
constexpr char kForgetPending[] = "DELETE FROM search_pending WHERE row > ? AND row <= ?";
constexpr char kInsertText[] = "INSERT INTO search_text (rowid, title, body) VALUES (?, ?, ?)";
constexpr char kDeleteText[] = "DELETE FROM search_text WHERE rowid = ?";

struct Change {
  int64_t row;
  int64_t workspace;  // 0: the block is gone.
  BlockText text;
};

// Text that is read at once: a step is one transaction, which goes to the write-ahead log whole.
constexpr size_t kIndexStepBytes = size_t{1} << 20;

struct Changes {
  std::vector<Change> list;
  bool all = false;  // Of those that were asked for; otherwise there may be more.
};

// `cursor` returns at most `limit` rows.
absl::StatusOr<Changes> ReadTextChanges(Cursor cursor, int64_t limit) {
  Changes changes;
  size_t bytes = 0;
  while (bytes < kIndexStepBytes) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) {
      changes.all = static_cast<int64_t>(changes.list.size()) < limit;
      break;
    }
    Change& change = changes.list.emplace_back(Change{cursor.Int(0), cursor.Int(1), TextOf(cursor.Text(2))});
    bytes += change.text.title.size() + change.text.body.size();
  }
  return changes;
}

absl::Status Insert(Connection& connection, const Change& change) {
  Cursor cursor = connection.Use(kInsertText);
  const std::string title = TermsOf(change.workspace, change.text.title);
  const std::string body = TermsOf(change.workspace, change.text.body);
  return cursor.Bind(change.row, title, body).Run();
}

absl::StatusOr<int64_t> IndexedRow(Connection& connection) {
  Cursor cursor = connection.Use(kIndexedRow);
  RETURN_IF_ERROR(cursor.Step().status());
  return cursor.Int(0);
}

// In the order of their rows and not of their changes, so that rows which change again and again do not delay the
// others. A row that the index has not reached yet is read with the new ones.
absl::StatusOr<int64_t> CatchUpChanged(Connection& connection, int64_t limit, SearchBacklog& backlog) {
  ASSIGN_OR_RETURN(const int64_t indexed, IndexedRow(connection));
  Cursor pending = connection.Use(kPendingRows);
  pending.Bind(backlog.changed_read, backlog.last_changed, limit);
  ASSIGN_OR_RETURN(const Changes changes, ReadTextChanges(std::move(pending), limit));
  for (const Change& change : changes.list) {
    RETURN_IF_ERROR(connection.Use(kDeleteText).Bind(change.row).Run());
    if (change.workspace != 0 && change.row <= indexed) RETURN_IF_ERROR(Insert(connection, change));
  }
  if (!changes.list.empty()) {
    RETURN_IF_ERROR(connection.Use(kForgetPending).Bind(backlog.changed_read, changes.list.back().row).Run());
    backlog.changed_read = changes.list.back().row;
  }
  if (changes.all) backlog.last_changed = 0;
  return static_cast<int64_t>(changes.list.size());
}

absl::Status CatchUpNew(Connection& connection, int64_t limit, SearchBacklog& backlog) {
  ASSIGN_OR_RETURN(const int64_t indexed, IndexedRow(connection));
  Cursor rows = connection.Use(kNewRows);
  rows.Bind(indexed, backlog.last_new, limit);
  ASSIGN_OR_RETURN(const Changes changes, ReadTextChanges(std::move(rows), limit));
  for (const Change& change : changes.list) RETURN_IF_ERROR(Insert(connection, change));
  if (!changes.list.empty()) RETURN_IF_ERROR(connection.Use(kSetIndexedRow).Bind(changes.list.back().row).Run());
  if (changes.all) backlog.last_new = 0;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<SearchBacklog> MeasureSearchBacklog(Connection& connection) {
  Cursor cursor = connection.Use(kBacklog);
  RETURN_IF_ERROR(cursor.Bind(kIndexStep + 1).Step().status());
  SearchBacklog backlog;
  const int64_t last_row = cursor.Int(0);
  const int64_t indexed_row = cursor.Int(1);
  if (last_row > indexed_row) backlog.last_new = last_row;
  backlog.last_changed = cursor.Int(2);
  backlog.is_long = std::max<int64_t>(last_row - indexed_row, 0) + cursor.Int(3) > kIndexStep;
  return backlog;
}

absl::Status CatchUpSearch(Connection& connection, int64_t limit, SearchBacklog& backlog) {
  if (backlog.last_changed > 0) {
    ASSIGN_OR_RETURN(const int64_t changed, CatchUpChanged(connection, limit, backlog));
    limit -= changed;
  }
  if (backlog.last_changed == 0 && backlog.last_new > 0 && limit > 0)
    RETURN_IF_ERROR(CatchUpNew(connection, limit, backlog));
  return absl::OkStatus();
}

}  // namespace toolgate::storage::sqlite
