#include "storage/postgres/link_rows.h"

#include <algorithm>

#include "common/status_macros.h"

namespace toolgate::storage::postgres {
namespace {

#define LINK_COLUMNS "l.source, l.target, l.relation, l.change_id, l.created_by, l.created_at"
constexpr char kFindLinks[] =
    "SELECT " LINK_COLUMNS
    " FROM unnest($2::bytea[], $3::bytea[], $4::bytea[]) AS k(source, target, relation) JOIN toolgate.links l ON "
    "l.workspace = $1 AND l.source = k.source AND l.target = k.target AND l.relation = k.relation";
// A link from a block to itself is returned once.
constexpr char kListLinks[] =
    "SELECT * FROM (SELECT " LINK_COLUMNS
    ", l.target AS other FROM toolgate.links l WHERE l.workspace = $1 AND l.source = $2 UNION ALL SELECT " LINK_COLUMNS
    ", l.source AS other FROM toolgate.links l WHERE l.workspace = $1 AND l.target = $2 AND l.source <> $2) AS found "
    "ORDER BY other, relation, source LIMIT $3";
constexpr char kFindLinksOfBlocks[] =
    "SELECT " LINK_COLUMNS
    " FROM toolgate.links l WHERE l.workspace = $1 AND l.source = ANY($2::bytea[]) UNION SELECT " LINK_COLUMNS
    " FROM toolgate.links l WHERE l.workspace = $1 AND l.target = ANY($2::bytea[])";
#undef LINK_COLUMNS
constexpr char kInsertLinks[] =
    "INSERT INTO toolgate.links (workspace, source, target, relation, change_id, created_by, created_at) SELECT $1, * "
    "FROM unnest($2::bytea[], $3::bytea[], $4::bytea[], $5::bytea[], $6::bytea[], $7::bigint[])";
constexpr char kEraseLinks[] =
    "DELETE FROM toolgate.links l USING unnest($2::bytea[], $3::bytea[], $4::bytea[]) AS k(source, target, relation) "
    "WHERE l.workspace = $1 AND l.source = k.source AND l.target = k.target AND l.relation = k.relation";

}  // namespace

absl::StatusOr<std::vector<Link>> PostgresLinkRows::Read(const char* sql, const Params& params) {
  std::vector<Link> links;
  RETURN_IF_ERROR(session_.Stream(sql, params, [&](const Row& row) {
    Link& link = links.emplace_back();
    link.from_id = row.String(0);
    link.to_id = row.String(1);
    link.relation = row.String(2);
    link.change_id = row.String(3);
    link.created_by = row.String(4);
    link.created_at = absl::FromUnixMicros(row.Int(5));
    return absl::OkStatus();
  }));
  return links;
}

absl::StatusOr<std::vector<Link>> PostgresLinkRows::Find(absl::Span<const LinkKey> keys) {
  std::vector<std::string_view> sources;
  std::vector<std::string_view> targets;
  std::vector<std::string_view> relations;
  for (const LinkKey& key : keys) {
    sources.push_back(key.from_id);
    targets.push_back(key.to_id);
    relations.push_back(key.relation);
  }
  return Read(kFindLinks, Params::Of(session_.workspace(), sources, targets, relations));
}

absl::StatusOr<std::vector<Link>> PostgresLinkRows::List(std::string_view block_id, int64_t limit) {
  return Read(kListLinks, Params::Of(session_.workspace(), block_id, std::max<int64_t>(limit, 0)));
}

absl::StatusOr<std::vector<Link>> PostgresLinkRows::FindOfBlocks(Ids block_ids) {
  return Read(kFindLinksOfBlocks, Params::Of(session_.workspace(), block_ids));
}

absl::Status PostgresLinkRows::Erase(absl::Span<const Link> links) {
  std::vector<std::string_view> sources;
  std::vector<std::string_view> targets;
  std::vector<std::string_view> relations;
  for (const Link& link : links) {
    sources.push_back(link.from_id);
    targets.push_back(link.to_id);
    relations.push_back(link.relation);
  }
  return session_.Write(kEraseLinks, Params::Of(session_.workspace(), sources, targets, relations));
}

absl::Status PostgresLinkRows::Insert(absl::Span<const Link> links) {
  std::vector<std::string_view> sources;
  std::vector<std::string_view> targets;
  std::vector<std::string_view> relations;
  std::vector<std::string_view> changes;
  std::vector<std::string_view> authors;
  std::vector<int64_t> times;
  for (const Link& link : links) {
    sources.push_back(link.from_id);
    targets.push_back(link.to_id);
    relations.push_back(link.relation);
    changes.push_back(link.change_id);
    authors.push_back(link.created_by);
    times.push_back(absl::ToUnixMicros(link.created_at));
  }
  return session_.Write(kInsertLinks,
                        Params::Of(session_.workspace(), sources, targets, relations, changes, authors, times));
}

}  // namespace toolgate::storage::postgres
