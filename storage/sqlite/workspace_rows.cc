#include "storage/sqlite/workspace_rows.h"

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "common/message_bounds.h"
#include "common/status_macros.h"
#include "storage/change_bound.h"
#include "storage/sqlite/blob_reader.h"
#include "storage/sqlite/block_columns.h"
#include "storage/sqlite/block_query.h"
#include "storage/undo_data.h"

namespace toolgate::storage::sqlite {
namespace {

// Of an undo entry's changes that are read at once.
constexpr int kPieceOfUndo = 64 << 10;

constexpr char kFindWorkspace[] = "SELECT key FROM workspaces WHERE id = ?";
constexpr char kFindBlock[] = "SELECT " BLOCK_COLUMNS " FROM blocks b WHERE b.workspace = ? AND b.id = ?";
constexpr char kListChildren[] =
    "SELECT " BLOCK_COLUMNS " FROM blocks b WHERE b.workspace = ? AND b.parent = ? ORDER BY b.rank, b.id LIMIT ?";

constexpr char kChildRows[] =
    "SELECT c.row, c.id FROM blocks c WHERE c.workspace = ?1 AND c.parent = ?2 ORDER BY c.rank, c.id";
constexpr char kRowsBelow[] =
    "WITH RECURSIVE below(row, id) AS (SELECT c.row, c.id FROM blocks c WHERE c.workspace = ?1 AND c.parent = ?2 UNION "
    "SELECT c.row, c.id FROM below JOIN blocks c ON c.workspace = ?1 AND c.parent = below.id) SELECT row, id FROM "
    "below";

#define LINK_COLUMNS "source, target, relation, change_id, created_by, created_at"
constexpr char kFindLink[] =
    "SELECT " LINK_COLUMNS " FROM links WHERE workspace = ? AND source = ? AND target = ? AND relation = ?";
// A link from a block to itself is returned once.
constexpr char kListLinks[] =
    "SELECT " LINK_COLUMNS
    ", target AS other FROM links WHERE workspace = ?1 AND source = ?2 UNION ALL SELECT " LINK_COLUMNS
    ", source AS other FROM links WHERE workspace = ?1 AND target = ?2 AND source <> ?2 ORDER BY other, relation, "
    "source "
    "LIMIT ?3";

Link ReadLink(const Cursor& cursor) {
  Link link;
  link.from_id = cursor.Text(0);
  link.to_id = cursor.Text(1);
  link.relation = cursor.Text(2);
  link.change_id = cursor.Text(3);
  link.created_by = cursor.Text(4);
  link.created_at = absl::FromUnixMicros(cursor.Int(5));
  return link;
}

constexpr char kFindFile[] = "SELECT pages, change_id FROM files WHERE workspace = ? AND name = ?";
constexpr char kReadFilePage[] =
    "SELECT p.bytes FROM files f JOIN file_pages p ON p.file = f.key WHERE f.workspace = ? AND f.name = ? AND p.number "
    "= ?";

#define UNDO_COLUMNS \
  "id, user, tool, created_at, description, affected, reversible, undone, undoes, audit_entry, request, conversation"
// Of workspace ?1 and user ?2: the newest ?3 changes, and the undos of these alone.
#define SELECT_FROM_STACK(columns)                                                                                     \
  "WITH latest AS (SELECT id FROM undo_entries WHERE workspace = ?1 AND user = ?2 AND undoes = '' ORDER BY place "     \
  "DESC LIMIT ?3) SELECT " columns                                                                                     \
  " FROM undo_entries WHERE workspace = ?1 AND user = ?2 AND CASE WHEN undoes = '' THEN id IN latest ELSE NOT EXISTS " \
  "(SELECT 1 FROM json_each(undoes) WHERE value NOT IN latest) END"
constexpr char kFindUndo[] = SELECT_FROM_STACK(UNDO_COLUMNS ", row") " AND id = ?4";
constexpr char kTopUndo[] =
    SELECT_FROM_STACK(UNDO_COLUMNS ", row") " AND undone = 0 AND undoes = '' ORDER BY place DESC LIMIT 1";
constexpr char kListUndo[] = SELECT_FROM_STACK(UNDO_COLUMNS) " ORDER BY place DESC";
// Beyond the newest ?3 changes.
#define HAS_LEFT_STACK(column)                                                                                       \
  "SELECT 1 FROM undo_entries WHERE workspace = ?1 AND user = ?2 AND " column                                        \
  " = ?4 AND undoes = '' AND undone = 0 AND place <= (SELECT place FROM undo_entries WHERE workspace = ?1 AND user " \
  "= ?2 AND undoes = '' ORDER BY place DESC LIMIT 1 OFFSET ?3) LIMIT 1"
constexpr char kHasRequestLeft[] = HAS_LEFT_STACK("request");
constexpr char kHasConversationLeft[] = HAS_LEFT_STACK("conversation");

#define CONFIRMATION_COLUMNS \
  "id, user, tool, digest, summary, arguments, conversation, state, decided_by, created_at, expires_at"
constexpr char kFindConfirmation[] =
    "SELECT " CONFIRMATION_COLUMNS " FROM confirmations WHERE workspace = ? AND id = ?";
constexpr char kListPending[] =
    "SELECT " CONFIRMATION_COLUMNS
    " FROM confirmations WHERE workspace = ?1 AND state = 0 AND expires_at > ?2 AND "
    "(created_at, id) > (coalesce((SELECT created_at FROM confirmations WHERE workspace = ?1 AND id = ?3), "
    "-9223372036854775808), ?3) ORDER BY created_at, id LIMIT ?4";
constexpr char kCountPending[] =
    "SELECT count(*), count(*) FILTER (WHERE user = ?3), min(expires_at), min(expires_at) FILTER (WHERE user = ?3) "
    "FROM "
    "confirmations WHERE workspace = ?1 AND state = 0 AND expires_at > ?2";

constexpr char kFindOutcome[] =
    "SELECT tool, digest, response, created_at FROM outcomes WHERE workspace = ? AND user = ? AND key = ? AND "
    "created_at > ?";
// A blob's `substr` counts bytes, from 1, and uses only 32 bits of its arguments.
constexpr char kReadKept[] =
    "SELECT tool, untrusted, size, CASE WHEN ?5 < size THEN substr(bytes, ?5 + 1, min(?6, size)) ELSE x'' END FROM "
    "kept_results WHERE workspace = ?1 AND user = ?2 AND id = ?3 AND created_at > ?4";
constexpr char kFindDocument[] = "SELECT json FROM documents WHERE workspace = ? AND kind = ? AND name = ?";

// The filters of a search, as a query.
BlockQuery NarrowingOf(const SearchQuery& query) {
  BlockQuery narrowing;
  narrowing.types = query.types;
  narrowing.parent_id = query.parent_id;
  narrowing.ancestor_id = query.ancestor_id;
  narrowing.filter = query.filter;
  narrowing.sort = query.sort;
  return narrowing;
}

// Of its filter; of any, if it has none.
FilterRun RunOf(const BlockQuery& query) {
  static const auto* const no_filter = new Filter();
  return {query.filter.has_value() ? *query.filter : *no_filter};
}

absl::Status ReadIds(std::string_view json, std::vector<std::string>& ids) {
  const Json list = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!list.is_array()) return absl::DataLossError("an undo entry's list of ids cannot be read");
  for (const Json& id : list) {
    if (id.is_string()) ids.push_back(id.get<std::string>());
  }
  return absl::OkStatus();
}

// Ids, and behind them perhaps the number of those left out. Earlier releases left none out.
absl::Status ReadAffected(std::string_view json, UndoEntry& entry) {
  const Json list = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!list.is_array()) return absl::DataLossError("an undo entry's list of blocks cannot be read");
  for (const Json& id : list) {
    if (id.is_number_integer()) {
      entry.affected_blocks_omitted += id.get<int64_t>();
    } else if (entry.affected_block_ids.size() == kMaxShownBlocks) {
      ++entry.affected_blocks_omitted;
    } else if (id.is_string()) {
      entry.affected_block_ids.push_back(id.get<std::string>());
    }
  }
  return absl::OkStatus();
}

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
  if (const std::string_view undoes = cursor.Text(8); !undoes.empty()) RETURN_IF_ERROR(ReadIds(undoes, entry.undoes));
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

absl::StatusOr<int64_t> FindWorkspaceKey(Connection& connection, std::string_view id) {
  Cursor cursor = connection.Use(kFindWorkspace);
  ASSIGN_OR_RETURN(const bool found, cursor.Bind(id).Step());
  return found ? cursor.Int(0) : 0;
}

absl::StatusOr<std::optional<Block>> WorkspaceRows::FindBlock(std::string_view id) {
  Cursor cursor = connection_->Use(kFindBlock);
  const absl::StatusOr<bool> found = cursor.Bind(workspace_, id).Step();
  // One return, so that the block is built in place.
  absl::StatusOr<std::optional<Block>> block(std::nullopt);
  if (!found.ok()) {
    block = found.status();
  } else if (*found) {
    ReadBlock(cursor, block->emplace());
  }
  return block;
}

absl::StatusOr<std::vector<Block>> WorkspaceRows::ListChildren(std::string_view parent_id, int64_t limit) {
  std::vector<Block> blocks;
  Cursor cursor = connection_->Use(kListChildren);
  cursor.Bind(workspace_, parent_id, std::max<int64_t>(limit, 0));
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return blocks;
    ReadBlock(cursor, blocks.emplace_back());
  }
}

absl::StatusOr<BlockPage> WorkspaceRows::FindBlocks(const BlockQuery& query) {
  return BlockFinder(*connection_, workspace_, *fields_, query).Find();
}

absl::StatusOr<DeletionSize> WorkspaceRows::MeasureDeletion(const Block& block, Children children,
                                                            const DeletionBounds& bounds) {
  const bool with_all_below = children == Children::kDelete;
  const int64_t states = with_all_below ? 1 : 2;  // Moving up needs the states before and after.
  DeletionSize size;
  size.max_undo_bytes = bounds.max_undo_bytes;
  size.undo_bytes = UndoBytes(block);
  Cursor cursor = connection_->Use(with_all_below ? kRowsBelow : kChildRows);
  cursor.Bind(workspace_, block.id);
  ValueSizes data_sizes(connection_->db(), "blocks", "data");  // Within the use of the connection by the cursor.
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return size;
    const bool too_much = !size.fits() || size.blocks >= kMaxChangedThings;
    if (bounds.measure == Measure::kUntilTooMuch && too_much) {
      size.counted_out = false;
      return size;
    }
    ++size.blocks;
    if (size.ids.size() < bounds.max_ids) size.ids.emplace_back(cursor.Text(1));
    ASSIGN_OR_RETURN(const int64_t bytes, data_sizes.Of(cursor.Int(0)));
    size.undo_bytes += states * (kUndoRowBytes + bytes);
  }
}

absl::StatusOr<SearchTail> WorkspaceRows::FindTail(const SearchQuery& query) {
  if (workspace_ == 0 || absl::StripAsciiWhitespace(query.text).empty()) return SearchTail();
  ASSIGN_OR_RETURN(const SearchWords words, WordsOf(query.text));
  if (words.empty()) return SearchTail();
  ASSIGN_OR_RETURN(SearchTail tail, FindSearchTail(*connection_, workspace_));
  // A tail cannot be sorted into what SQLite has sorted.
  tail.too_long |= !query.sort.empty() && !tail.empty();
  return tail;
}

absl::StatusOr<SearchPage> WorkspaceRows::Search(const SearchQuery& query, const SearchTail& tail) {
  if (absl::StripAsciiWhitespace(query.text).empty()) return SearchAll(query);
  ASSIGN_OR_RETURN(const SearchWords words, WordsOf(query.text));
  if (words.empty()) return SearchPage();
  return SearchText(query, words, tail);
}

absl::StatusOr<SearchPage> WorkspaceRows::SearchAll(const SearchQuery& query) {
  BlockQuery all = NarrowingOf(query);
  all.limit = query.limit;
  all.offset = query.offset;
  all.count_total = true;
  all.bounded = true;
  if (all.sort.empty()) all.sort.push_back({{Field::Kind::kCreatedAt}, true});
  ASSIGN_OR_RETURN(BlockPage found, FindBlocks(all));
  SearchPage page;
  page.total = found.total;
  page.total_is_lower_bound = found.total_is_lower_bound;
  page.gave_up_after = found.gave_up_after;
  for (Block& block : found.blocks) page.hits.push_back({std::move(block), 1.0});
  return page;
}

absl::Status WorkspaceRows::SearchIndex(const BlockQuery& narrowing, const SearchWords& words, SearchRank& rank,
                                        const SearchTail& tail, std::vector<Candidate>& candidates) {
  const Conditions conditions(workspace_, narrowing);
  const std::string match = MatchExpression(workspace_, words);
  Cursor cursor = connection_->UseText(absl::StrCat(
      "SELECT b.row, toolgate_rank(search_text, ?) FROM search_text CROSS JOIN blocks b ON b.row = "
      "search_text.rowid WHERE search_text MATCH ? AND +",
      conditions.Sql(false), narrowing.sort.empty() ? " ORDER BY search_text.rowid DESC LIMIT ?" : OrderBy(narrowing)));
  cursor.BindPointer(&rank, SearchRank::kPointerType).Bind(match);
  FilterRun run = RunOf(narrowing);
  conditions.Bind(cursor, run);
  if (narrowing.sort.empty()) {
    cursor.Bind(kMaxCounted + 1);
  } else {
    BindOrder(cursor, narrowing);
  }
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return absl::OkStatus();
    // Ranking a long block takes FTS5 far longer than the number of virtual machine steps suggests.
    RETURN_IF_ERROR(connection_->CheckCall());
    if (tail.Contains(cursor.Int(0))) continue;
    candidates.push_back({cursor.Real(1), cursor.Int(0)});
  }
}

absl::Status WorkspaceRows::SearchInTail(const BlockQuery& narrowing, const SearchTail& tail, const SearchRank& rank,
                                         std::vector<Candidate>& candidates) {
  if (tail.rows.empty()) return absl::OkStatus();
  const Conditions conditions(workspace_, narrowing);
  const std::string rows = absl::StrCat("[", absl::StrJoin(tail.rows, ","), "]");
  Cursor cursor = connection_->UseText(
      absl::StrCat("SELECT b.row, b.data FROM json_each(?) tail CROSS JOIN blocks b ON b.row = tail.value WHERE +",
                   conditions.Sql(false)));
  cursor.Bind(rows);
  FilterRun run = RunOf(narrowing);
  conditions.Bind(cursor, run);
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return absl::OkStatus();
    const SearchRank::Occurrences occurrences = rank.Count(TextOf(cursor.Text(1)));
    if (occurrences.all()) candidates.push_back({rank.Of(occurrences), cursor.Int(0)});
  }
}

absl::StatusOr<SearchPage> WorkspaceRows::SearchText(const SearchQuery& query, const SearchWords& words,
                                                     const SearchTail& tail) {
  const BlockQuery narrowing = NarrowingOf(query);
  SearchRank rank(words);
  std::vector<Candidate> candidates;
  RETURN_IF_ERROR(SearchIndex(narrowing, words, rank, tail, candidates));
  RETURN_IF_ERROR(SearchInTail(narrowing, tail, rank, candidates));
  SearchPage page;
  const auto found = static_cast<int64_t>(candidates.size());
  page.total_is_lower_bound = found > kMaxCounted;
  page.total = std::min(found, kMaxCounted);
  const size_t begin = std::min<size_t>(candidates.size(), std::max<int64_t>(query.offset, 0));
  const size_t end = std::min<size_t>(candidates.size(), begin + std::max<int64_t>(query.limit, 0));
  if (begin == end) return page;
  // Of two equally good hits, the newer one comes first.
  const auto better = [](const Candidate& a, const Candidate& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.row > b.row;
  };
  const double best = std::min_element(candidates.begin(), candidates.end(), better)->rank;
  if (query.sort.empty()) {
    std::partial_sort(candidates.begin(), candidates.begin() + static_cast<ptrdiff_t>(end), candidates.end(), better);
  }
  std::vector<int64_t> rows;
  for (size_t i = begin; i < end; ++i) rows.push_back(candidates[i].row);
  ASSIGN_OR_RETURN(std::vector<Block> blocks, LoadRows(*connection_, rows, kMaxListingBytes));
  for (size_t i = 0; i < blocks.size(); ++i) {
    const double score = best < 0 ? std::clamp(candidates[begin + i].rank / best, 0.0, 1.0) : 1.0;
    page.hits.push_back({std::move(blocks[i]), score});
  }
  return page;
}

absl::StatusOr<std::optional<Link>> WorkspaceRows::FindLink(std::string_view from_id, std::string_view to_id,
                                                            std::string_view relation) {
  Cursor cursor = connection_->Use(kFindLink);
  ASSIGN_OR_RETURN(const bool found, cursor.Bind(workspace_, from_id, to_id, relation).Step());
  if (!found) return std::nullopt;
  return ReadLink(cursor);
}

absl::StatusOr<std::vector<Link>> WorkspaceRows::ListLinks(std::string_view block_id, int64_t limit) {
  std::vector<Link> links;
  Cursor cursor = connection_->Use(kListLinks);
  cursor.Bind(workspace_, block_id, std::max<int64_t>(limit, 0));
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return links;
    links.push_back(ReadLink(cursor));
  }
}

absl::StatusOr<std::optional<UndoEntry>> WorkspaceRows::FindUndoEntry(std::string_view user_id, std::string_view id,
                                                                      UndoContent content) {
  Cursor cursor = connection_->Use(kFindUndo);
  cursor.Bind(workspace_, user_id, kUndoStackSize, id);
  return ReadOneUndoEntry(std::move(cursor), content);
}

absl::StatusOr<std::optional<UndoEntry>> WorkspaceRows::TopUndoEntry(std::string_view user_id, UndoContent content) {
  Cursor cursor = connection_->Use(kTopUndo);
  cursor.Bind(workspace_, user_id, kUndoStackSize);
  return ReadOneUndoEntry(std::move(cursor), content);
}

absl::StatusOr<std::optional<UndoEntry>> WorkspaceRows::ReadOneUndoEntry(Cursor cursor, UndoContent content) {
  ASSIGN_OR_RETURN(const bool found, cursor.Step());
  if (!found) return std::nullopt;
  ASSIGN_OR_RETURN(UndoEntry entry, ReadUndoEntry(cursor));
  const int64_t row = cursor.Int(12);
  if (content == UndoContent::kWhole) {
    ASSIGN_OR_RETURN(entry.changes, ReadUndoData(*connection_, row, ReadChanges));
  } else {
    ASSIGN_OR_RETURN(ChangesOutline outline, ReadUndoData(*connection_, row, OutlineChanges));
    entry.changes.effects = std::move(outline.effects);
    entry.changed_things = outline.things;
    entry.undo_bytes = outline.bytes;
  }
  return entry;
}

absl::StatusOr<std::vector<UndoEntry>> WorkspaceRows::ListUndoEntries(std::string_view user_id) {
  std::vector<UndoEntry> entries;
  Cursor cursor = connection_->Use(kListUndo);
  cursor.Bind(workspace_, user_id, kUndoStackSize);
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return entries;
    ASSIGN_OR_RETURN(entries.emplace_back(), ReadUndoEntry(cursor));
  }
}

absl::StatusOr<bool> WorkspaceRows::HasLeftUndoStack(std::string_view user_id, const UndoGroup& group) {
  const bool is_request = group.kind == UndoGroup::Kind::kRequest;
  Cursor cursor = connection_->Use(is_request ? kHasRequestLeft : kHasConversationLeft);
  cursor.Bind(workspace_, user_id, kUndoStackSize, group.id);
  return cursor.Step();
}

absl::StatusOr<std::optional<Confirmation>> WorkspaceRows::FindConfirmation(std::string_view id) {
  Cursor cursor = connection_->Use(kFindConfirmation);
  ASSIGN_OR_RETURN(const bool found, cursor.Bind(workspace_, id).Step());
  if (!found) return std::nullopt;
  return ReadConfirmation(cursor);
}

absl::StatusOr<std::vector<Confirmation>> WorkspaceRows::ListPendingConfirmations(absl::Time now, int64_t limit,
                                                                                  std::string_view after_id) {
  std::vector<Confirmation> confirmations;
  Cursor cursor = connection_->Use(kListPending);
  cursor.Bind(workspace_, absl::ToUnixMicros(now), after_id, std::max<int64_t>(limit, 0));
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return confirmations;
    confirmations.push_back(ReadConfirmation(cursor));
  }
}

absl::StatusOr<PendingConfirmations> WorkspaceRows::CountPendingConfirmations(absl::Time now,
                                                                              std::string_view user_id) {
  Cursor cursor = connection_->Use(kCountPending);
  RETURN_IF_ERROR(cursor.Bind(workspace_, absl::ToUnixMicros(now), user_id).Step().status());
  PendingConfirmations pending{.in_workspace = cursor.Int(0), .of_user = cursor.Int(1)};
  if (pending.in_workspace > 0) pending.next_expiry = absl::FromUnixMicros(cursor.Int(2));
  if (pending.of_user > 0) pending.next_expiry_of_user = absl::FromUnixMicros(cursor.Int(3));
  return pending;
}

absl::StatusOr<std::optional<IdempotentOutcome>> WorkspaceRows::FindOutcome(std::string_view user_id,
                                                                            std::string_view key, absl::Time now) {
  Cursor cursor = connection_->Use(kFindOutcome);
  cursor.Bind(workspace_, user_id, key, absl::ToUnixMicros(now - kOutcomeLifetime));
  ASSIGN_OR_RETURN(const bool found, cursor.Step());
  if (!found) return std::nullopt;
  IdempotentOutcome outcome;
  outcome.tool_id = cursor.Text(0);
  outcome.arguments_digest = cursor.Blob(1);
  outcome.response = cursor.Blob(2);
  outcome.created_at = absl::FromUnixMicros(cursor.Int(3));
  return outcome;
}

absl::StatusOr<std::optional<KeptPart>> WorkspaceRows::ReadKeptResult(std::string_view user_id, std::string_view id,
                                                                      int64_t offset, int64_t length, absl::Time now) {
  Cursor cursor = connection_->Use(kReadKept);
  cursor.Bind(workspace_, user_id, id, absl::ToUnixMicros(now - kKeptResultLifetime), offset, length);
  ASSIGN_OR_RETURN(const bool found, cursor.Step());
  if (!found) return std::nullopt;
  return KeptPart{std::string(cursor.Text(0)), cursor.Int(1) != 0, cursor.Int(2), std::string(cursor.Blob(3))};
}

absl::StatusOr<std::optional<std::string>> WorkspaceRows::FindDocument(std::string_view kind, std::string_view name) {
  Cursor cursor = connection_->Use(kFindDocument);
  ASSIGN_OR_RETURN(const bool found, cursor.Bind(workspace_, kind, name).Step());
  if (!found) return std::nullopt;
  return std::string(cursor.Text(0));
}

absl::StatusOr<std::optional<FileHead>> WorkspaceRows::FindFile(std::string_view name) {
  Cursor cursor = connection_->Use(kFindFile);
  ASSIGN_OR_RETURN(const bool found, cursor.Bind(workspace_, name).Step());
  if (!found) return std::nullopt;
  return FileHead{cursor.Int(0), std::string(cursor.Text(1))};
}

absl::StatusOr<std::string> WorkspaceRows::ReadFilePage(std::string_view name, int64_t number) {
  Cursor cursor = connection_->Use(kReadFilePage);
  ASSIGN_OR_RETURN(const bool found, cursor.Bind(workspace_, name, number).Step());
  if (!found) return absl::DataLossError(absl::StrCat("a file has no page ", number));
  return std::string(cursor.Blob(0));
}

}  // namespace toolgate::storage::sqlite
