#include "storage/sqlite/search_index.h"

#include <algorithm>
#include <array>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/json_parser.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "storage/query.h"
#include "storage/snapshot_revoked.h"

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
constexpr char kInsertText[] = "INSERT INTO search_text (rowid, workspace, title, body) VALUES (?, ?, ?, ?)";
constexpr char kDeleteText[] = "DELETE FROM search_text WHERE rowid = ?";

// The keys that people see first of a block.
constexpr std::array<std::string_view, 4> kTitleKeys = {"title", "name", "content", "text"};

std::string WorkspaceTerm(int64_t workspace) { return absl::StrCat("w", workspace); }

struct BlockText {
  std::string title;
  std::string body;
};

void AppendStrings(const simdjson::dom::element& value, std::string& out) {
  if (value.is_string()) {
    const std::string_view text = value;
    out.append(text).push_back('\n');
  } else if (value.is_array()) {
    for (const simdjson::dom::element item : value.get_array()) AppendStrings(item, out);
  } else if (value.is_object()) {
    for (const auto [key, member] : value.get_object()) AppendStrings(member, out);
  }
}

BlockText TextOf(std::string_view data) {
  thread_local simdjson::dom::parser kept;
  std::optional<simdjson::dom::parser> passing;
  BlockText text;
  simdjson::dom::object root;
  if (ParserFor(data, kept, passing).parse(data.data(), data.size()).get(root) != simdjson::SUCCESS) return text;
  for (const auto [key, value] : root) {
    const bool title = std::find(kTitleKeys.begin(), kTitleKeys.end(), key) != kTitleKeys.end();
    AppendStrings(value, title ? text.title : text.body);
  }
  return text;
}

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
absl::StatusOr<Changes> ReadChanges(Cursor cursor, int64_t limit) {
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
  const std::string workspace = WorkspaceTerm(change.workspace);
  return cursor.Bind(change.row, workspace, change.text.title, change.text.body).Run();
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
  ASSIGN_OR_RETURN(const Changes changes, ReadChanges(std::move(pending), limit));
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
  ASSIGN_OR_RETURN(const Changes changes, ReadChanges(std::move(rows), limit));
  for (const Change& change : changes.list) RETURN_IF_ERROR(Insert(connection, change));
  if (!changes.list.empty()) RETURN_IF_ERROR(connection.Use(kSetIndexedRow).Bind(changes.list.back().row).Run());
  if (changes.all) backlog.last_new = 0;
  return absl::OkStatus();
}

fts5_api* FtsApi(sqlite3* db) {
  fts5_api* api = nullptr;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db, "SELECT fts5(?)", -1, &statement, nullptr) != SQLITE_OK) return nullptr;
  sqlite3_bind_pointer(statement, 1, &api, "fts5_api_ptr", nullptr);
  sqlite3_step(statement);
  sqlite3_finalize(statement);
  return api;
}

int TakeWord(void* words, int, const char* token, int length, int, int) {
  static_cast<std::vector<std::string>*>(words)->emplace_back(token, length);
  return SQLITE_OK;
}

absl::StatusOr<std::vector<std::string>> SplitIntoWords(Connection& connection, std::string_view text) {
  std::vector<std::string> words;
  const ConnectionUse use(connection);
  if (!use.granted()) return SnapshotRevoked();
  fts5_api* const api = FtsApi(connection.db());
  void* context = nullptr;
  fts5_tokenizer tokenizer;
  if (api == nullptr || api->xFindTokenizer(api, "unicode61", &context, &tokenizer) != SQLITE_OK) {
    return absl::InternalError("SQLite has no FTS5 tokenizer unicode61");
  }
  // As in the schema.
  std::array<const char*, 2> options = {"remove_diacritics", "2"};
  Fts5Tokenizer* instance = nullptr;
  int result = tokenizer.xCreate(context, options.data(), options.size(), &instance);
  if (result == SQLITE_OK) {
    result = tokenizer.xTokenize(instance, &words, FTS5_TOKENIZE_QUERY, text.data(), static_cast<int>(text.size()),
                                 TakeWord);
    tokenizer.xDelete(instance);
  }
  RETURN_IF_ERROR(SqliteStatus(nullptr, result, "splitting a query into words"));
  return words;
}

absl::Status TooManyWords(size_t count) {
  ToolError error;
  error.code = ErrorCode::kInvalidParams;
  error.message = absl::StrCat("the text to look for has ", count, " different words, and a search takes at most ",
                               kMaxSearchWords, ", all of which must occur; name those that matter");
  error.violations.push_back({"", "maxWords", absl::StrCat("at most ", kMaxSearchWords, " different words"),
                              absl::StrCat(count, " different words")});
  return ToStatus(error);
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

absl::StatusOr<SearchWords> WordsOf(Connection& connection, std::string_view text) {
  ASSIGN_OR_RETURN(std::vector<std::string> split, SplitIntoWords(connection, text));
  SearchWords words;
  absl::flat_hash_set<std::string_view> known;
  for (size_t i = 0; i < split.size(); ++i) {
    if (!known.insert(split[i]).second) continue;
    if (i + 1 < split.size()) {
      words.whole.push_back(split[i]);
    } else {
      words.beginning = split[i];
    }
  }
  if (known.size() > kMaxSearchWords) return TooManyWords(known.size());
  return words;
}

std::string MatchExpression(int64_t workspace, const SearchWords& words) {
  // Words contain only letters, digits and marks, so quotes need no escape.
  std::string match = absl::StrCat("workspace : ", WorkspaceTerm(workspace));
  for (const std::string& word : words.whole) absl::StrAppend(&match, " AND {title body} : \"", word, "\"");
  if (!words.beginning.empty()) absl::StrAppend(&match, " AND {title body} : \"", words.beginning, "\" *");
  return match;
}

}  // namespace toolgate::storage::sqlite
