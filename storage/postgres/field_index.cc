#include "storage/postgres/field_index.h"

#include "common/status_macros.h"
#include "storage/postgres/index_values.h"

namespace toolgate::storage::postgres {
namespace {

// Strings of a tie that an index row holds.
constexpr size_t kMaxTieBytes = 512;

constexpr char kEraseFields[] =
    "DELETE FROM toolgate.field_values f USING unnest($2::bigint[], $3::bytea[], $4::bytea[], $5::bytea[]) AS "
    "g(field, value, tie, block) WHERE f.workspace = $1 AND f.field = g.field AND f.value = g.value AND f.tie = g.tie "
    "AND f.block = g.block";
constexpr char kAddFields[] =
    "INSERT INTO toolgate.field_values (workspace, field, value, tie, block) SELECT $1, * FROM unnest($2::bigint[], "
    "$3::bytea[], $4::bytea[], $5::bytea[]) ON CONFLICT DO NOTHING";

void AppendRange(SqlText& sql, const ByteRange& range) {
  // Params borrows strings, and a range does not last.
  const auto value = [&](const std::string& bytes) { return sql.OwnedValue(bytes); };
  sql << "f.value " << (range.without_low ? "> " : ">= ") << value(range.low) << " AND f.value "
      << (range.without_high ? "< " : "<= ") << value(range.high);
}

}  // namespace

void FieldChanges::Rows::Add(std::string_view block_id, const IndexEntry& entry) {
  fields.push_back(FieldNumber(entry.scope, entry.field));
  values.push_back(IndexBytes(entry.value));
  ties.push_back(IndexBytes(entry.tie).substr(0, kMaxTieBytes));
  blocks.emplace_back(block_id);
}

void FieldChanges::Add(std::string_view block_id, const IndexChange& change) {
  for (const IndexEntry& entry : change.erased) erased_.Add(block_id, entry);
  for (const IndexEntry& entry : change.added) added_.Add(block_id, entry);
}

absl::Status FieldChanges::Write(Session& session) const {
  if (!erased_.fields.empty()) RETURN_IF_ERROR(session.Write(kEraseFields, erased_.ParamsFor(session.workspace())));
  if (!added_.fields.empty()) RETURN_IF_ERROR(session.Write(kAddFields, added_.ParamsFor(session.workspace())));
  return absl::OkStatus();
}

void AppendSlice(SqlText& sql, int64_t workspace, const IndexSlice& slice) {
  sql << "f.workspace = " << sql.Value(workspace)
      << " AND f.field = " << sql.Value(FieldNumber(slice.scope, slice.field));
  if (slice.ranges.empty()) return;
  sql << " AND (";
  for (size_t i = 0; i < slice.ranges.size(); ++i) {
    if (i > 0) sql << " OR ";
    sql << "(";
    AppendRange(sql, BytesOf(slice.ranges[i]));
    sql << ")";
  }
  sql << ")";
}

absl::StatusOr<std::vector<int64_t>> CountSlices(Session& session, absl::Span<const IndexSlice> slices, int64_t limit) {
  SqlText sql;
  sql << "SELECT EXISTS (SELECT 1 FROM toolgate.field_state WHERE complete AND NOT restart AND digest = "
      << sql.Value(session.fields().digest()) << ")";
  for (const IndexSlice& slice : slices) {
    sql << ", (SELECT count(*) FROM (SELECT " << (slice.ranges.size() > 1 ? "DISTINCT f.block" : "1")
        << " FROM toolgate.field_values f WHERE ";
    AppendSlice(sql, session.workspace(), slice);
    sql << " LIMIT " << sql.Value(limit) << ") AS few)";
  }
  ASSIGN_OR_RETURN(const Result counted, session.Query(sql.sql(), sql.params()));
  std::vector<int64_t> counts;
  if (!counted[0].Bool(0)) return counts;
  for (size_t i = 0; i < slices.size(); ++i) counts.push_back(counted[0].Int(static_cast<int>(i) + 1));
  return counts;
}

}  // namespace toolgate::storage::postgres
