#include "storage/sqlite/sqlite_link_rows.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "common/status_macros.h"
#include "storage/change_log.h"
#include "storage/sqlite/id_set.h"

namespace toolgate::storage::sqlite {
namespace {

#define LINK_COLUMNS "source, target, relation, change_id, created_by, created_at"
constexpr char kFindLink[] =
    "SELECT " LINK_COLUMNS " FROM links WHERE workspace = ? AND source = ? AND target = ? AND relation = ?";
// A link from a block to itself is returned once.
constexpr char kListLinks[] =
    "SELECT " LINK_COLUMNS
    ", target AS other FROM links WHERE workspace = ?1 AND source = ?2 UNION ALL SELECT " LINK_COLUMNS
    ", source AS other FROM links WHERE workspace = ?1 AND target = ?2 AND source <> ?2 ORDER BY other, relation, "
    "source LIMIT ?3";
// ?2: ids as JSON. A link may be found twice.
constexpr char kFindLinksOfBlocks[] =
    "SELECT " LINK_COLUMNS
    " FROM json_each(?2) j CROSS JOIN links ON workspace = ?1 AND source = j.value UNION ALL SELECT " LINK_COLUMNS
    " FROM json_each(?2) j CROSS JOIN links ON workspace = ?1 AND target = j.value";
#undef LINK_COLUMNS
constexpr char kInsertLink[] =
    "INSERT INTO links (workspace, source, target, relation, change_id, created_by, created_at) VALUES (?,?,?,?,?,?,?)";
constexpr char kEraseLink[] = "DELETE FROM links WHERE workspace = ? AND source = ? AND target = ? AND relation = ?";

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

}  // namespace

absl::StatusOr<std::vector<Link>> SqliteLinkRows::Find(absl::Span<const LinkKey> keys) {
  std::vector<Link> links;
  for (const LinkKey& key : keys) {
    Cursor cursor = access_.connection().Use(kFindLink);
    cursor.Bind(access_.workspace(), key.from_id, key.to_id, key.relation);
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (found) links.push_back(ReadLink(cursor));
  }
  return links;
}

absl::StatusOr<std::vector<Link>> SqliteLinkRows::List(std::string_view block_id, int64_t limit) {
  std::vector<Link> links;
  Cursor cursor = access_.connection().Use(kListLinks);
  cursor.Bind(access_.workspace(), block_id, std::max<int64_t>(limit, 0));
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return links;
    links.push_back(ReadLink(cursor));
  }
}

absl::StatusOr<std::vector<Link>> SqliteLinkRows::FindOfBlocks(Ids block_ids) {
  std::vector<Link> links;
  absl::flat_hash_set<std::string> seen;
  const std::string ids = IdsAsJson(block_ids);
  Cursor cursor = access_.connection().Use(kFindLinksOfBlocks);
  cursor.Bind(access_.workspace(), ids);
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return links;
    Link link = ReadLink(cursor);
    if (seen.insert(KeyOf(link)).second) links.push_back(std::move(link));
  }
}

absl::Status SqliteLinkRows::Erase(absl::Span<const Link> links) {
  for (const Link& link : links) {
    RETURN_IF_ERROR(access_.BeforeChange());
    Cursor cursor = access_.connection().Use(kEraseLink);
    RETURN_IF_ERROR(cursor.Bind(access_.workspace(), link.from_id, link.to_id, link.relation).Run());
  }
  return absl::OkStatus();
}

absl::Status SqliteLinkRows::Insert(absl::Span<const Link> links) {
  for (const Link& link : links) {
    RETURN_IF_ERROR(access_.BeforeChange());
    Cursor cursor = access_.connection().Use(kInsertLink);
    cursor.Bind(access_.workspace(), link.from_id, link.to_id, link.relation, link.change_id, link.created_by,
                absl::ToUnixMicros(link.created_at));
    RETURN_IF_ERROR(cursor.Run());
  }
  return absl::OkStatus();
}

}  // namespace toolgate::storage::sqlite
