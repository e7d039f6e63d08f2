#include "storage/sqlite/block_query.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "storage/sqlite/block_columns.h"
#include "storage/sqlite/field_rows.h"

namespace toolgate::storage::sqlite {
namespace {

constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max() - 1;
// Blocks that are looked at in an index's order until the page is full. Then a sort of all matches is worth its cost.
constexpr int64_t kMaxOrderWork = 20'000;
// Blocks that a count looks at, where an index narrows them down and cannot count them.
constexpr int64_t kMaxCountWork = 20'000;

constexpr char kSortKey[] =
    "toolgate_sort_key(?, b.type, b.parent, b.rank, b.data, b.created_by, b.updated_by, b.created_at, b.updated_at)";

std::string Direction(const Sort& sort) { return sort.descending ? " DESC" : " ASC"; }

// The sort keys from `first` on, each with a comma behind it.
std::string SortKeys(const BlockQuery& query, size_t first) {
  std::string sql;
  for (size_t i = first; i < query.sort.size(); ++i) {
    absl::StrAppend(&sql, kSortKey, Direction(query.sort[i]), " NULLS LAST, ");
  }
  return sql;
}

void BindSortKeys(Cursor& cursor, const BlockQuery& query, size_t first) {
  for (size_t i = first; i < query.sort.size(); ++i) cursor.BindPointer(&query.sort[i].field, "toolgate.Field");
}

// Whether the second sort is what the rows of an index have as their tie.
bool IsTieSecond(const BlockQuery& query) {
  return !query.parent_id.has_value() && query.sort.size() == 2 && query.sort[1].field.kind == Field::Kind::kCreatedAt;
}

BlockQuery WithoutFilter(const BlockQuery& query) {
  BlockQuery unfiltered;
  unfiltered.types = query.types;
  unfiltered.parent_id = query.parent_id;
  unfiltered.ancestor_id = query.ancestor_id;
  return unfiltered;
}

int64_t PageEnd(const BlockQuery& query) {
  const int64_t limit = std::max<int64_t>(query.limit, 0);
  const int64_t offset = std::max<int64_t>(query.offset, 0);
  return limit > kUnbounded - offset ? kUnbounded : limit + offset;
}

}  // namespace

// ---- SQL ------------------------------------------------------------------------------------------------------------

std::string Conditions::Sql(bool types_by_index) const {
  std::string sql = "b.workspace = ?";
  if (query_.parent_id) sql += " AND b.parent = ?";
  if (!query_.types.empty()) {
    sql += types_by_index && !query_.parent_id ? " AND b.type IN (?" : " AND +b.type IN (?";
    for (size_t i = 1; i < query_.types.size(); ++i) sql += ",?";
    sql += ")";
  }
  if (query_.ancestor_id) {
    sql +=
        " AND b.id IN (WITH RECURSIVE below(id) AS (SELECT c.id FROM blocks c WHERE c.workspace = ? AND c.parent = ? "
        "UNION SELECT c.id FROM below JOIN blocks c ON c.workspace = ? AND c.parent = below.id) SELECT id FROM "
        "below)";
  }
  if (query_.filter) {
    sql +=
        " AND toolgate_matches(?, b.type, b.parent, b.rank, b.data, b.created_by, b.updated_by, b.created_at, "
        "b.updated_at)";
  }
  return sql;
}

void Conditions::Bind(Cursor& cursor, FilterRun& filter) const {
  cursor.Bind(workspace_);
  if (query_.parent_id) cursor.Bind(*query_.parent_id);
  for (const std::string& type : query_.types) cursor.Bind(type);
  if (query_.ancestor_id) cursor.Bind(workspace_, *query_.ancestor_id, workspace_);
  if (query_.filter) cursor.BindPointer(&filter, FilterRun::kPointerType);
}

std::string OrderBy(const BlockQuery& query) {
  std::string sql = absl::StrCat(" ORDER BY ", SortKeys(query, 0));
  if (query.parent_id) return sql + "b.rank, b.id";
  return sql + (query.sort.empty() ? "b.id" : "b.created_at, b.id");
}

void BindOrder(Cursor& cursor, const BlockQuery& query) { BindSortKeys(cursor, query, 0); }

// ---- Finding --------------------------------------------------------------------------------------------------------

BlockFinder::BlockFinder(Connection& connection, int64_t workspace, const DeclaredFields& fields,
                         const BlockQuery& query)
    : connection_(connection),
      workspace_(workspace),
      fields_(fields),
      query_(query),
      unfiltered_(WithoutFilter(query)),
      conditions_(workspace, query),
      unfiltered_conditions_(workspace, unfiltered_) {}

size_t BlockFinder::max_bytes() const { return query_.bounded ? kMaxListingBytes : std::numeric_limits<size_t>::max(); }

FilterRun BlockFinder::NewRun() const { return {query_.filter.has_value() ? *query_.filter : no_filter_}; }

absl::StatusOr<BlockPage> BlockFinder::Find() {
  ASSIGN_OR_RETURN(QueryPlan plan, Plan());
  std::optional<BlockPage> page;
  if (plan.source == QueryPlan::Source::kOrder) {
    ASSIGN_OR_RETURN(page, FindInOrder(plan.slice));
    if (!page.has_value()) {
      const bool is_narrowed = plan.condition.has_value() && !plan.condition->ranges.empty();
      plan.source = is_narrowed ? QueryPlan::Source::kCondition : QueryPlan::Source::kBlocks;
      if (is_narrowed) plan.slice = *plan.condition;
    }
  }
  if (!page.has_value() && plan.source == QueryPlan::Source::kCondition) {
    ASSIGN_OR_RETURN(page, FindInSlice(plan.slice));
  }
  if (!page.has_value()) {
    ASSIGN_OR_RETURN(page, FindAmongBlocks());
  }
  if (query_.count_total) RETURN_IF_ERROR(AddTotal(plan, *page));
  return *std::move(page);
}

absl::StatusOr<QueryPlan> BlockFinder::Plan() {
  if (fields_.empty() || query_.types.empty() || query_.ancestor_id.has_value()) return QueryPlan();
  const QueryIndexes indexes = FindIndexes(fields_, query_);
  if (indexes.conditions.empty() && !indexes.order.has_value()) return QueryPlan();
  ASSIGN_OR_RETURN(const bool is_complete, HasAllFieldRows(connection_, fields_));
  if (!is_complete) return QueryPlan();
  FieldRows rows(connection_, workspace_);
  return PlanQuery(indexes, [&](const IndexSlice& slice, int64_t limit) { return rows.Count(slice, limit); });
}

absl::StatusOr<std::vector<int64_t>> BlockFinder::ReadRows(Cursor& cursor) const {
  std::vector<int64_t> rows;
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return rows;
    rows.push_back(cursor.Int(0));
  }
}

absl::StatusOr<std::optional<BlockPage>> BlockFinder::FindInOrder(const IndexSlice& order) {
  ASSIGN_OR_RETURN(const int64_t field, FieldRows(connection_, workspace_).FindField(order));
  std::vector<int64_t> rows;
  if (field != 0) {
    const bool tie_second = IsTieSecond(query_);
    std::string order_by = absl::StrCat(" ORDER BY f.value", Direction(query_.sort[0]), ", ");
    if (tie_second) absl::StrAppend(&order_by, "f.tie", Direction(query_.sort[1]), ", b.id");
    if (!tie_second) absl::StrAppend(&order_by, SortKeys(query_, 1), "f.tie, b.id");
    FilterRun run = NewRun();
    run.max_work = kMaxOrderWork;
    Cursor cursor =
        connection_.UseText(absl::StrCat("SELECT b.row FROM field_values f CROSS JOIN blocks b ON b.row = f.row WHERE ",
                                         ConditionSql(order), " AND +", conditions_.Sql(false), order_by, " LIMIT ?"));
    BindSlice(cursor, field, order);
    conditions_.Bind(cursor, run);
    if (!tie_second) BindSortKeys(cursor, query_, 1);
    cursor.Bind(PageEnd(query_));
    absl::StatusOr<std::vector<int64_t>> found = ReadRows(cursor);
    if (run.gave_up) return std::nullopt;
    RETURN_IF_ERROR(found.status());
    rows = *std::move(found);
  }
  BlockPage page;
  const auto before = static_cast<int64_t>(rows.size());
  rows.erase(rows.begin(), rows.begin() + std::min(before, std::max<int64_t>(query_.offset, 0)));
  RETURN_IF_ERROR(Load(rows, page));
  const bool has_all = !order.ranges.empty() || order.field == kCreatedAtField;
  if (has_all || is_cut_ || before == PageEnd(query_)) return page;
  ASSIGN_OR_RETURN(BlockPage others, FindWithoutValue(before));
  std::move(others.blocks.begin(), others.blocks.end(), std::back_inserter(page.blocks));
  page.gave_up_after = others.gave_up_after;
  return page;
}

absl::StatusOr<BlockPage> BlockFinder::FindWithoutValue(int64_t before) {
  BlockQuery rest = query_;
  Filter no_value = Filter::Not(Filter::Compare(query_.sort[0].field, Filter::Op::kIsScalar));
  rest.filter = query_.filter.has_value() ? Filter::And({*query_.filter, std::move(no_value)}) : std::move(no_value);
  rest.sort.erase(rest.sort.begin());
  if (rest.sort.empty() && !rest.parent_id.has_value()) rest.sort = {{{Field::Kind::kCreatedAt}}};
  rest.limit = PageEnd(query_) - std::max(before, std::max<int64_t>(query_.offset, 0));
  rest.offset = std::max<int64_t>(query_.offset - before, 0);
  rest.count_total = false;
  return BlockFinder(connection_, workspace_, fields_, rest).Find();
}

absl::StatusOr<BlockPage> BlockFinder::FindInSlice(const IndexSlice& slice) {
  ASSIGN_OR_RETURN(const int64_t field, FieldRows(connection_, workspace_).FindField(slice));
  BlockPage page;
  if (field == 0) return page;
  FilterRun run = NewRun();
  std::vector<int64_t> rows;
  {
    Cursor cursor =
        connection_.UseText(absl::StrCat("SELECT b.row FROM blocks b WHERE b.row IN (", SelectRowsSql(slice), ") AND +",
                                         conditions_.Sql(false), OrderBy(query_), " LIMIT ? OFFSET ?"));
    BindSlice(cursor, field, slice);
    conditions_.Bind(cursor, run);
    BindOrder(cursor, query_);
    cursor.Bind(std::max<int64_t>(query_.limit, 0), std::max<int64_t>(query_.offset, 0));
    ASSIGN_OR_RETURN(rows, ReadRows(cursor));
  }
  RETURN_IF_ERROR(Load(rows, page));
  return page;
}

absl::Status BlockFinder::Load(const std::vector<int64_t>& rows, BlockPage& page) {
  ASSIGN_OR_RETURN(page.blocks, LoadRows(connection_, rows, max_bytes()));
  is_cut_ = page.blocks.size() < rows.size();
  return absl::OkStatus();
}

std::string BlockFinder::CandidatesSql() const {
  return absl::StrCat(" FROM (SELECT b.row FROM blocks b WHERE ", unfiltered_conditions_.Sql(!query_.ancestor_id),
                      " LIMIT ?) c CROSS JOIN blocks b ON b.row = c.row WHERE +", conditions_.Sql(false));
}

absl::StatusOr<BlockPage> BlockFinder::FindAmongBlocks() {
  BlockPage page;
  FilterRun run = NewRun();
  const bool in_index_order =
      query_.sort.empty() && !query_.ancestor_id && (query_.parent_id.has_value() || query_.types.size() == 1);
  const bool is_bounded = query_.bounded && query_.filter.has_value();
  const bool has_candidates = is_bounded && !in_index_order;
  if (is_bounded && in_index_order) run.max_work = kMaxListingWork;
  // Rows first, blocks afterwards: a sort then carries numbers and not whole blocks. If an index provides the order,
  // there is no sort, and the blocks are read at once.
  std::vector<int64_t> rows;
  size_t bytes = 0;
  {
    const std::string from =
        has_candidates ? CandidatesSql() : absl::StrCat(" FROM blocks b WHERE ", conditions_.Sql(!query_.ancestor_id));
    Cursor cursor = connection_.UseText(
        absl::StrCat("SELECT ", in_index_order ? BLOCK_COLUMNS : "b.row", from, OrderBy(query_), " LIMIT ? OFFSET ?"));
    if (has_candidates) {
      unfiltered_conditions_.Bind(cursor, run);
      cursor.Bind(kMaxListingWork + 1);
    }
    conditions_.Bind(cursor, run);
    BindOrder(cursor, query_);
    cursor.Bind(std::max<int64_t>(query_.limit, 0), std::max<int64_t>(query_.offset, 0));
    while (true) {
      const absl::StatusOr<bool> found = cursor.Step();
      if (!found.ok() && run.gave_up) break;
      RETURN_IF_ERROR(found.status());
      if (!*found) break;
      if (in_index_order && bytes >= max_bytes()) {
        is_cut_ = true;
        break;
      }
      if (in_index_order) {
        ReadBlock(cursor, page.blocks.emplace_back());
        bytes += page.blocks.back().data.size();
      } else {
        rows.push_back(cursor.Int(0));
      }
    }
  }
  if (run.gave_up || (is_bounded && run.looked_at > kMaxListingWork)) page.gave_up_after = run.looked_at;
  if (!in_index_order) RETURN_IF_ERROR(Load(rows, page));
  return page;
}

// ---- Counting -------------------------------------------------------------------------------------------------------

absl::Status BlockFinder::AddTotal(const QueryPlan& plan, BlockPage& page) {
  const auto shown = static_cast<int64_t>(page.blocks.size());
  const int64_t offset = std::max<int64_t>(query_.offset, 0);
  if (!page.gave_up_after.has_value() && !is_cut_ && shown < query_.limit && (shown > 0 || offset == 0)) {
    page.total = offset + shown;  // The page shows the last match.
    return absl::OkStatus();
  }
  const int64_t max_counted = query_.bounded ? kMaxCounted : kUnbounded;
  if (plan.condition.has_value() && plan.condition->exact) {
    ASSIGN_OR_RETURN(page.total, FieldRows(connection_, workspace_).Count(*plan.condition, max_counted + 1));
  } else {
    RETURN_IF_ERROR(CountAmong(plan, max_counted, page));
  }
  page.total_is_lower_bound |= page.total > max_counted || page.gave_up_after.has_value();
  page.total = std::min(page.total, max_counted);
  return absl::OkStatus();
}

absl::Status BlockFinder::CountAmong(const QueryPlan& plan, int64_t max_counted, BlockPage& page) {
  const bool is_narrowed = query_.filter.has_value() && plan.condition.has_value() && !plan.condition->ranges.empty();
  int64_t work = kUnbounded;
  if (query_.bounded && query_.filter.has_value()) work = is_narrowed ? kMaxCountWork : kMaxListingWork;
  int64_t field = 0;
  std::string from;
  if (is_narrowed) {
    ASSIGN_OR_RETURN(field, FieldRows(connection_, workspace_).FindField(*plan.condition));
    if (field == 0) return absl::OkStatus();
    from = absl::StrCat(" FROM (SELECT row FROM (", SelectRowsSql(*plan.condition),
                        ") LIMIT ?) c CROSS JOIN blocks b ON b.row = c.row WHERE +", conditions_.Sql(false));
  } else if (query_.filter.has_value()) {
    from = CandidatesSql();
  } else {
    from = absl::StrCat(" FROM blocks b WHERE ", conditions_.Sql(!query_.ancestor_id));
  }
  FilterRun run = NewRun();
  Cursor cursor = connection_.UseText(absl::StrCat("SELECT count(*) FROM (SELECT 1", from, " LIMIT ?)"));
  if (is_narrowed) BindSlice(cursor, field, *plan.condition);
  if (!is_narrowed && query_.filter.has_value()) unfiltered_conditions_.Bind(cursor, run);
  if (query_.filter.has_value()) cursor.Bind(work + 1);
  conditions_.Bind(cursor, run);
  RETURN_IF_ERROR(cursor.Bind(max_counted + 1).Step().status());
  page.total = cursor.Int(0);
  page.total_is_lower_bound = run.looked_at > work;
  return absl::OkStatus();
}

}  // namespace toolgate::storage::sqlite
