#include "storage/postgres/block_rows.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "storage/postgres/block_columns.h"
#include "storage/postgres/block_query.h"
#include "storage/postgres/block_search.h"
#include "storage/postgres/field_index.h"
#include "storage/postgres/word_index.h"

namespace toolgate::storage::postgres {
namespace {

constexpr char kFindBlocks[] =
    "SELECT " TOOLGATE_BLOCK_COLUMNS " FROM toolgate.blocks b WHERE b.workspace = $1 AND b.id = ANY($2::bytea[])";
constexpr char kFindBlockPlaces[] =
    "WITH RECURSIVE up(id, parent, change_id) AS (SELECT b.id, b.parent, b.change_id FROM toolgate.blocks b WHERE "
    "b.workspace = $1 AND b.id = ANY($2::bytea[]) UNION SELECT b.id, b.parent, b.change_id FROM up JOIN "
    "toolgate.blocks "
    "b ON b.workspace = $1 AND b.id = up.parent) SELECT id, parent, change_id FROM up";
constexpr char kListChildren[] =
    "SELECT " TOOLGATE_BLOCK_COLUMNS
    " FROM toolgate.blocks b WHERE b.workspace = $1 AND b.parent = $2 AND (b.rank, b.id) > ($3, $4) ORDER BY b.rank, "
    "b.id LIMIT $5";
// A union ends at blocks that form a circle.
#define WITH_BELOW                                                                                                    \
  "WITH RECURSIVE below(id, level) AS (SELECT c.id, 1 FROM toolgate.blocks c WHERE c.workspace = $1 AND c.parent = "  \
  "$2 "                                                                                                               \
  "UNION SELECT c.id, below.level + 1 FROM below JOIN toolgate.blocks c ON c.workspace = $1 AND c.parent = below.id " \
  "WHERE below.level < 1000) "
constexpr char kListBelow[] =
    WITH_BELOW "SELECT " TOOLGATE_BLOCK_COLUMNS
               " FROM below JOIN toolgate.blocks b ON b.workspace = $1 AND b.id = below.id ORDER BY below.level, b.id";
constexpr char kSizesBelow[] = WITH_BELOW
    "SELECT b.id, octet_length(b.data)::bigint FROM below JOIN toolgate.blocks b ON b.workspace = $1 AND b.id = "
    "below.id ORDER BY below.level, b.parent, b.rank, b.id";
#undef WITH_BELOW
constexpr char kSizesOfChildren[] =
    "SELECT c.id, octet_length(c.data)::bigint FROM toolgate.blocks c WHERE c.workspace = $1 AND c.parent = $2 ORDER "
    "BY "
    "c.rank, c.id";
constexpr char kOneChildOfEach[] =
    "SELECT " TOOLGATE_BLOCK_COLUMNS
    " FROM unnest($2::bytea[]) AS p(id) CROSS JOIN LATERAL (SELECT * FROM toolgate.blocks c WHERE c.workspace = $1 AND "
    "c.parent = p.id ORDER BY c.rank, c.id LIMIT 1) AS b";
constexpr char kMeasureHeight[] =
    "WITH RECURSIVE below(id, level) AS (SELECT $2::bytea, 1::bigint UNION SELECT c.id, below.level + 1 FROM below "
    "JOIN "
    "toolgate.blocks c ON c.workspace = $1 AND c.parent = below.id WHERE below.level < $3) SELECT max(level) FROM "
    "below";
constexpr char kLastSibling[] =
    "SELECT rank FROM toolgate.blocks WHERE workspace = $1 AND parent = $2 AND id <> $3 ORDER BY rank DESC, id DESC "
    "LIMIT 1";
// Two around a place, and the last sibling, for a place beyond the end.
constexpr char kSiblingsFrom[] =
    "(SELECT rank, false FROM toolgate.blocks WHERE workspace = $1 AND parent = $2 AND id <> $3 ORDER BY rank, id "
    "LIMIT "
    "$4 OFFSET $5) UNION ALL (SELECT rank, true FROM toolgate.blocks WHERE workspace = $1 AND parent = $2 AND id <> $3 "
    "ORDER BY rank DESC, id DESC LIMIT 1)";
constexpr char kSharedRanks[] =
    "SELECT b.id FROM toolgate.blocks b WHERE b.workspace = $1 AND b.id = ANY($2::bytea[]) AND EXISTS (SELECT 1 FROM "
    "toolgate.blocks o WHERE o.workspace = $1 AND o.parent = b.parent AND o.rank = b.rank AND o.id <> b.id)";
constexpr char kCountBefore[] =
    "SELECT count(*) FROM toolgate.blocks WHERE workspace = $1 AND parent = $2 AND (rank, id) < ($3, $4)";

// A program with other declared fields leaves the index without what this block needs there.
#define NOTE_FIELDS(digest) \
  "WITH note AS (UPDATE toolgate.field_state SET restart = true WHERE NOT restart AND digest <> " digest ") "
constexpr char kInsertBlocks[] = NOTE_FIELDS("$14")
    "INSERT INTO toolgate.blocks (workspace, id, type, parent, rank, version, change_id, created_by, updated_by, "
    "created_at, updated_at, words, data) SELECT $1, * FROM unnest($2::bytea[], $3::bytea[], $4::bytea[], $5::bytea[], "
    "$6::bigint[], $7::bytea[], $8::bytea[], $9::bytea[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bytea[])";
// Data that stays is not sent, and not written again.
constexpr char kUpdateBlocks[] = NOTE_FIELDS("$15")
    "UPDATE toolgate.blocks b SET type = g.type, parent = g.parent, rank = g.rank, version = g.version, change_id = "
    "g.change_id, created_by = g.created_by, updated_by = g.updated_by, created_at = g.created_at, updated_at = "
    "g.updated_at, words = CASE WHEN g.same = 1 THEN b.words ELSE g.words END, data = CASE WHEN g.same = 1 THEN b.data "
    "ELSE g.data END FROM unnest($2::bytea[], $3::bytea[], $4::bytea[], $5::bytea[], $6::bigint[], $7::bytea[], "
    "$8::bytea[], $9::bytea[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bytea[], $14::bigint[]) AS g(id, "
    "type, "
    "parent, rank, version, change_id, created_by, updated_by, created_at, updated_at, words, data, same) WHERE "
    "b.workspace = $1 AND b.id = g.id";
constexpr char kEraseBlocks[] =
    NOTE_FIELDS("$3") "DELETE FROM toolgate.blocks WHERE workspace = $1 AND id = ANY($2::bytea[])";
#undef NOTE_FIELDS

// Of blocks, one array each.
struct Columns {
  std::vector<std::string_view> ids, types, parents, ranks, changes, authors, editors, data;
  std::vector<int64_t> versions, created, updated, words, same;

  void Add(const Block& block, int64_t length, bool is_same) {
    ids.emplace_back(block.id);
    types.emplace_back(block.type);
    parents.emplace_back(block.parent_id);
    ranks.emplace_back(block.rank);
    versions.push_back(block.version);
    changes.emplace_back(block.change_id);
    authors.emplace_back(block.created_by);
    editors.emplace_back(block.updated_by);
    created.push_back(absl::ToUnixMicros(block.created_at));
    updated.push_back(absl::ToUnixMicros(block.updated_at));
    words.push_back(length);
    data.emplace_back(is_same ? std::string_view() : std::string_view(block.data));
    same.push_back(is_same ? 1 : 0);
  }
  Params Of(int64_t workspace) const {
    return Params::Of(workspace, ids, types, parents, ranks, versions, changes, authors, editors, created, updated,
                      words, data);
  }
};

enum class Kind { kInsert, kUpdate, kErase };

Kind KindOf(const BlockWrite& write) {
  if (write.before == nullptr) return Kind::kInsert;
  return write.after == nullptr ? Kind::kErase : Kind::kUpdate;
}

std::string_view IdOf(const BlockWrite& write) { return write.before == nullptr ? write.after->id : write.before->id; }

}  // namespace

// ---- Reading --------------------------------------------------------------------------------------------------------

absl::StatusOr<std::vector<Block>> PostgresBlockRows::Read(const char* sql, const Params& params) {
  std::vector<Block> blocks;
  RETURN_IF_ERROR(session_.Stream(sql, params, [&](const Row& row) {
    ReadBlock(row, blocks.emplace_back());
    return absl::OkStatus();
  }));
  return blocks;
}

absl::StatusOr<std::vector<Block>> PostgresBlockRows::Find(Ids ids) {
  return Read(kFindBlocks, Params::Of(session_.workspace(), ids));
}

absl::StatusOr<std::vector<BlockPlace>> PostgresBlockRows::FindPlaces(Ids ids) {
  std::vector<BlockPlace> places;
  RETURN_IF_ERROR(session_.Stream(kFindBlockPlaces, Params::Of(session_.workspace(), ids), [&](const Row& row) {
    places.push_back({row.String(0), row.String(1), row.String(2)});
    return absl::OkStatus();
  }));
  return places;
}

absl::StatusOr<std::vector<Block>> PostgresBlockRows::ListChildren(std::string_view parent_id,
                                                                   const SiblingPlace& after, int64_t limit) {
  return Read(kListChildren,
              Params::Of(session_.workspace(), parent_id, after.rank, after.id, std::max<int64_t>(limit, 0)));
}

absl::StatusOr<std::vector<Block>> PostgresBlockRows::ListBelow(std::string_view id) {
  return Read(kListBelow, Params::Of(session_.workspace(), id));
}

absl::StatusOr<std::vector<Block>> PostgresBlockRows::FindOneChildOfEach(Ids parent_ids) {
  return Read(kOneChildOfEach, Params::Of(session_.workspace(), parent_ids));
}

absl::Status PostgresBlockRows::VisitSizes(std::string_view id, Below below,
                                           absl::FunctionRef<bool(std::string_view id, int64_t data_bytes)> visit) {
  bool more = true;
  return session_.Stream(below == Below::kAll ? kSizesBelow : kSizesOfChildren, Params::Of(session_.workspace(), id),
                         [&](const Row& row) {
                           more = more && visit(row.Bytes(0), row.Int(1));
                           return absl::OkStatus();
                         });
}

absl::StatusOr<int64_t> PostgresBlockRows::MeasureHeight(std::string_view id, int64_t limit) {
  ASSIGN_OR_RETURN(const Result found, session_.Query(kMeasureHeight, Params::Of(session_.workspace(), id, limit)));
  return found[0].Int(0);
}

absl::StatusOr<Neighbours> PostgresBlockRows::FindNeighbours(std::string_view parent_id,
                                                             std::optional<int64_t> position,
                                                             std::string_view excluding) {
  Neighbours neighbours;
  const int64_t workspace = session_.workspace();
  if (!position.has_value()) {
    ASSIGN_OR_RETURN(const Result found, session_.Query(kLastSibling, Params::Of(workspace, parent_id, excluding)));
    if (!found.empty()) neighbours.before = found[0].String(0);
    return neighbours;
  }
  const bool first = *position == 0;
  ASSIGN_OR_RETURN(const Result found,
                   session_.Query(kSiblingsFrom, Params::Of(workspace, parent_id, excluding, first ? 1 : 2,
                                                            first ? int64_t{0} : *position - 1)));
  std::vector<std::string> around;
  for (int i = 0; i < found.rows(); ++i) {
    if (!found[i].Bool(1)) around.push_back(found[i].String(0));
  }
  if (first) {
    if (!around.empty()) neighbours.after = std::move(around[0]);
  } else if (!around.empty()) {
    neighbours.before = std::move(around[0]);
    if (around.size() > 1) neighbours.after = std::move(around[1]);
  } else if (!found.empty()) {
    neighbours.before = found[found.rows() - 1].String(0);
  }
  return neighbours;
}

absl::StatusOr<std::vector<std::string>> PostgresBlockRows::FindSharedRanks(Ids ids) {
  ASSIGN_OR_RETURN(const Result found, session_.Query(kSharedRanks, Params::Of(session_.workspace(), ids)));
  std::vector<std::string> shared;
  for (int i = 0; i < found.rows(); ++i) shared.push_back(found[i].String(0));
  return shared;
}

absl::StatusOr<int64_t> PostgresBlockRows::CountBefore(const Block& block) {
  ASSIGN_OR_RETURN(const Result found, session_.Query(kCountBefore, Params::Of(session_.workspace(), block.parent_id,
                                                                               block.rank, block.id)));
  return found[0].Int(0);
}

absl::StatusOr<BlockPage> PostgresBlockRows::Query(const BlockQuery& query) {
  return BlockFinder(session_, query).Find();
}

absl::StatusOr<SearchPage> PostgresBlockRows::Search(const SearchQuery& query) {
  return BlockSearch(session_, query).Run();
}

// ---- Writing --------------------------------------------------------------------------------------------------------

absl::Status PostgresBlockRows::Write(absl::Span<const BlockWrite> writes) {
  absl::flat_hash_set<std::string_view> ids;
  size_t begin = 0;
  for (size_t i = 0; i <= writes.size(); ++i) {
    const bool is_end = i == writes.size();
    if (!is_end && KindOf(writes[i]) == KindOf(writes[begin]) && ids.insert(IdOf(writes[i])).second) continue;
    if (i > begin) RETURN_IF_ERROR(WriteGroup(writes.subspan(begin, i - begin)));
    begin = i;
    ids.clear();
    if (!is_end) ids.insert(IdOf(writes[i]));
  }
  return absl::OkStatus();
}

absl::Status PostgresBlockRows::WriteGroup(absl::Span<const BlockWrite> writes) {
  Columns columns;
  FieldChanges fields;
  WordChanges words;
  std::vector<std::string_view> erased;
  for (const BlockWrite& write : writes) {
    const int64_t length = words.Add(write);
    if (write.after != nullptr) columns.Add(*write.after, length, HasSameData(write));
    if (write.after == nullptr) erased.emplace_back(write.before->id);
    fields.Add(IdOf(write), write.index);
  }
  const int64_t workspace = session_.workspace();
  const std::string& digest = session_.fields().digest();
  Params params;
  switch (KindOf(writes.front())) {
    case Kind::kInsert:
      params = columns.Of(workspace);
      params.Add(digest);
      RETURN_IF_ERROR(session_.Write(kInsertBlocks, params));
      break;
    case Kind::kUpdate:
      params = columns.Of(workspace);
      params.Add(columns.same).Add(digest);
      RETURN_IF_ERROR(session_.Write(kUpdateBlocks, params));
      break;
    case Kind::kErase:
      RETURN_IF_ERROR(session_.Write(kEraseBlocks, Params::Of(workspace, erased, digest)));
  }
  RETURN_IF_ERROR(words.Write(session_));
  return fields.Write(session_);
}

}  // namespace toolgate::storage::postgres
