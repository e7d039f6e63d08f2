#include "storage/postgres/block_query.h"

#include <algorithm>
#include <compare>
#include <iterator>
#include <limits>
#include <utility>

#include "common/status_macros.h"
#include "storage/postgres/block_columns.h"
#include "storage/postgres/field_index.h"

namespace toolgate::storage::postgres {
namespace {

constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max() - 1;
// Blocks that are looked at in an index's order until the page is full. Then a sort of all matches is worth its cost.
constexpr int64_t kMaxOrderWork = 20'000;
// Blocks that a count looks at, where an index narrows them down and cannot count them.
constexpr int64_t kMaxCountWork = 20'000;
// Blocks that are asked for at once, in the order of an index: more each time.
constexpr int64_t kFirstPart = 256;
constexpr int64_t kLargestPart = 8192;

bool IsColumn(const Sort& sort) {
  return sort.field.kind == Field::Kind::kCreatedAt || sort.field.kind == Field::Kind::kUpdatedAt;
}

// Whether the second sort is what the rows of an index have as their tie.
bool IsTieSecond(const BlockQuery& query) {
  return !query.parent_id.has_value() && query.sort.size() == 2 && query.sort[1].field.kind == Field::Kind::kCreatedAt;
}

// Whether an index over blocks has the query's order.
bool IsInIndexOrder(const BlockQuery& query) {
  return query.sort.empty() && !query.ancestor_id && (query.parent_id.has_value() || query.types.size() == 1);
}

void AppendOrder(SqlText& sql, const BlockQuery& query) {
  sql << " ORDER BY ";
  for (const Sort& sort : query.sort) {
    sql << (sort.field.kind == Field::Kind::kCreatedAt ? "b.created_at" : "b.updated_at")
        << (sort.descending ? " DESC, " : ", ");
  }
  if (query.parent_id) {
    sql << "b.rank, b.id";
  } else {
    sql << (query.sort.empty() ? "b.id" : "b.created_at, b.id");
  }
}

double NumberOf(const SortKey& key) {
  const auto* integer = std::get_if<int64_t>(&key);
  return integer != nullptr ? static_cast<double>(*integer) : std::get<double>(key);
}

bool IsNumber(const SortKey& key) {
  return std::holds_alternative<int64_t>(key) || std::holds_alternative<double>(key);
}

// Of two values: numbers before strings.
std::weak_ordering CompareValues(const SortKey& a, const SortKey& b) {
  if (IsNumber(a) != IsNumber(b)) return IsNumber(a) ? std::weak_ordering::less : std::weak_ordering::greater;
  if (!IsNumber(a)) return std::get<std::string>(a) <=> std::get<std::string>(b);
  const auto* left = std::get_if<int64_t>(&a);
  const auto* right = std::get_if<int64_t>(&b);
  if (left != nullptr && right != nullptr) return *left <=> *right;
  const double l = NumberOf(a);
  const double r = NumberOf(b);
  return l < r ? std::weak_ordering::less : r < l ? std::weak_ordering::greater : std::weak_ordering::equivalent;
}

}  // namespace

// ---- Conditions and order -------------------------------------------------------------------------------------------

void AppendConditions(SqlText& sql, int64_t workspace, const BlockQuery& query) {
  const std::string key = sql.Value(workspace);
  sql << "b.workspace = " << key;
  if (query.parent_id) sql << " AND b.parent = " << sql.Value(*query.parent_id);
  if (query.types.size() == 1) sql << " AND b.type = " << sql.Value(query.types[0]);
  if (query.types.size() > 1) sql << " AND b.type = ANY(" << sql.Value(query.types) << ")";
  if (query.ancestor_id) {
    sql << " AND b.id IN (WITH RECURSIVE below(id) AS (SELECT c.id FROM toolgate.blocks c WHERE c.workspace = " << key
        << " AND c.parent = " << sql.Value(*query.ancestor_id)
        << " UNION SELECT c.id FROM below JOIN toolgate.blocks c ON c.workspace = " << key
        << " AND c.parent = below.id) SELECT id FROM below)";
  }
}

SortedMatch MatchOf(const std::vector<Sort>& sort, const Row& row) {
  SortedMatch match;
  const BlockFields fields = FieldsOf(row);
  for (const Sort& by : sort) match.keys.push_back(SortKeyOf(by.field, fields));
  match.created_at = fields.created_at_us;
  match.rank = fields.rank;
  match.id = row.Bytes(0);
  return match;
}

bool ComesBefore(const std::vector<Sort>& sort, bool by_rank, const SortedMatch& a, const SortedMatch& b) {
  for (size_t i = 0; i < sort.size(); ++i) {
    const bool has_a = !std::holds_alternative<std::monostate>(a.keys[i]);
    const bool has_b = !std::holds_alternative<std::monostate>(b.keys[i]);
    if (has_a != has_b) return has_a;
    if (!has_a) continue;
    const std::weak_ordering order = CompareValues(a.keys[i], b.keys[i]);
    if (order != 0) return sort[i].descending ? order > 0 : order < 0;
  }
  if (by_rank) return std::tie(a.rank, a.id) < std::tie(b.rank, b.id);
  return sort.empty() ? a.id < b.id : std::tie(a.created_at, a.id) < std::tie(b.created_at, b.id);
}

// ---- Finding --------------------------------------------------------------------------------------------------------

int64_t BlockFinder::offset() const { return std::max<int64_t>(query_.offset, 0); }
int64_t BlockFinder::limit() const { return std::max<int64_t>(query_.limit, 0); }
int64_t BlockFinder::page_end() const { return limit() > kUnbounded - offset() ? kUnbounded : limit() + offset(); }
int64_t BlockFinder::max_bytes() const {
  return query_.bounded ? static_cast<int64_t>(kMaxListingBytes) : std::numeric_limits<int64_t>::max();
}

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
  if (!page.has_value()) {
    ASSIGN_OR_RETURN(page, FindAmong(plan.source == QueryPlan::Source::kCondition ? &plan.slice : nullptr));
  }
  if (query_.count_total) RETURN_IF_ERROR(AddTotal(plan, *page));
  return *std::move(page);
}

absl::StatusOr<QueryPlan> BlockFinder::Plan() {
  const DeclaredFields& fields = session_.fields();
  if (fields.empty() || query_.types.empty() || query_.ancestor_id.has_value()) return QueryPlan();
  const QueryIndexes indexes = FindIndexes(fields, query_);
  if (indexes.conditions.empty() && !indexes.order.has_value()) return QueryPlan();
  ASSIGN_OR_RETURN(const std::vector<int64_t> counts, CountSlices(session_, indexes.conditions, kFewRows + 1));
  if (counts.size() != indexes.conditions.size() || (counts.empty() && !indexes.order.has_value())) return QueryPlan();
  size_t next = 0;
  return PlanQuery(indexes, [&](const IndexSlice&, int64_t) -> absl::StatusOr<int64_t> { return counts[next++]; });
}

void BlockFinder::AppendFrom(SqlText& sql, const IndexSlice* slice, std::optional<int64_t> limit) {
  sql << " FROM ";
  if (limit.has_value()) sql << "(SELECT * FROM ";
  sql << "toolgate.blocks b WHERE ";
  AppendConditions(sql, session_.workspace(), query_);
  if (slice != nullptr) {
    sql << " AND b.id IN (SELECT f.block FROM toolgate.field_values f WHERE ";
    AppendSlice(sql, session_.workspace(), *slice);
    sql << ")";
  }
  if (limit.has_value()) sql << " LIMIT " << sql.Value(*limit) << ") AS b";
}

absl::StatusOr<BlockPage> BlockFinder::FindAmong(const IndexSlice* slice) {
  const bool by_server = std::all_of(query_.sort.begin(), query_.sort.end(), IsColumn);
  if (by_server && !query_.filter.has_value()) return FindByServer(slice);
  if (slice == nullptr && IsInIndexOrder(query_)) return FindByFilter();
  std::vector<SortedMatch> matches;
  int64_t looked_at = 0;
  SqlText sql;
  sql << "SELECT " << TOOLGATE_BLOCK_COLUMNS;
  const bool gives_up = slice == nullptr && is_bounded();
  AppendFrom(sql, slice, gives_up ? std::optional<int64_t>(kMaxListingWork + 1) : std::nullopt);
  RETURN_IF_ERROR(session_.Stream(sql.sql(), sql.params(), [&](const Row& row) {
    if (++looked_at > kMaxListingWork && gives_up) return absl::OkStatus();
    if (Passes(FieldsOf(row))) matches.push_back(MatchOf(query_.sort, row));
    return absl::OkStatus();
  }));
  BlockPage page;
  if (gives_up && looked_at > kMaxListingWork) page.gave_up_after = looked_at;
  const auto found = static_cast<int64_t>(matches.size());
  if (!page.gave_up_after.has_value()) matches_ = found;
  const auto begin = matches.begin() + std::min(found, offset());
  const auto end = matches.begin() + std::min(found, page_end());
  std::partial_sort(matches.begin(), end, matches.end(), [&](const SortedMatch& a, const SortedMatch& b) {
    return ComesBefore(query_.sort, query_.parent_id.has_value(), a, b);
  });
  std::vector<std::string> ids;
  for (auto match = begin; match < end; ++match) ids.push_back(std::move(match->id));
  ASSIGN_OR_RETURN(page.blocks, LoadBlocks(session_, ids, max_bytes()));
  is_cut_ = page.blocks.size() < ids.size();
  return page;
}

absl::StatusOr<BlockPage> BlockFinder::FindByServer(const IndexSlice* slice) {
  SqlText sql;
  sql << "SELECT " << TOOLGATE_BLOCK_COLUMNS
      << ", b.page FROM (SELECT p.*, count(*) OVER () AS page, sum(octet_length(p.data)) OVER (ORDER BY p.place) - "
         "octet_length(p.data) AS before FROM (SELECT b.*, row_number() OVER (";
  AppendOrder(sql, query_);
  sql << ") AS place";
  AppendFrom(sql, slice, std::nullopt);
  AppendOrder(sql, query_);
  sql << " LIMIT " << sql.Value(limit()) << " OFFSET " << sql.Value(offset()) << ") AS p) AS b WHERE b.before < "
      << sql.Value(max_bytes()) << " ORDER BY b.place";
  BlockPage page;
  int64_t in_page = 0;
  RETURN_IF_ERROR(session_.Stream(sql.sql(), sql.params(), [&](const Row& row) {
    ReadBlock(row, page.blocks.emplace_back());
    in_page = row.Int(kBlockColumns);
    return absl::OkStatus();
  }));
  is_cut_ = static_cast<int64_t>(page.blocks.size()) < in_page;
  return page;
}

absl::StatusOr<BlockPage> BlockFinder::FindByFilter() {
  BlockPage page;
  int64_t looked_at = 0;
  int64_t found = 0;
  int64_t bytes = 0;
  std::string last_rank;
  std::string last_id;
  bool has_more = true;
  const auto is_full = [&] { return found >= page_end() || is_cut_; };
  for (int64_t part = kFirstPart; has_more && !is_full(); part = std::min(part * 4, kLargestPart)) {
    if (is_bounded() && looked_at >= kMaxListingWork) {
      page.gave_up_after = looked_at;
      break;
    }
    SqlText sql;
    sql << "SELECT " << TOOLGATE_BLOCK_COLUMNS;
    AppendFrom(sql, nullptr, std::nullopt);
    if (looked_at > 0 && query_.parent_id) {
      sql << " AND (b.rank, b.id) > (" << sql.OwnedValue(last_rank) << ", " << sql.OwnedValue(last_id) << ")";
    } else if (looked_at > 0) {
      sql << " AND b.id > " << sql.OwnedValue(last_id);
    }
    AppendOrder(sql, query_);
    sql << " LIMIT " << sql.Value(part);
    int64_t read = 0;
    RETURN_IF_ERROR(session_.Stream(sql.sql(), sql.params(), [&](const Row& row) {
      ++read;
      if (is_full()) return absl::OkStatus();
      ++looked_at;
      last_id = row.Bytes(0);
      last_rank = row.Bytes(3);
      if (!Passes(FieldsOf(row)) || ++found <= offset()) return absl::OkStatus();
      if (bytes >= max_bytes()) {
        is_cut_ = true;
        return absl::OkStatus();
      }
      ReadBlock(row, page.blocks.emplace_back());
      bytes += static_cast<int64_t>(page.blocks.back().data.size());
      return absl::OkStatus();
    }));
    has_more = read == part;
  }
  if (!has_more && !is_full()) matches_ = found;
  return page;
}

// ---- In the order of an index over fields ---------------------------------------------------------------------------

absl::StatusOr<std::optional<BlockPage>> BlockFinder::FindInOrder(const IndexSlice& order) {
  // Further sorts are no part of the index's order.
  if (query_.sort.size() > 1 && !IsTieSecond(query_)) return std::nullopt;
  const bool down = query_.sort[0].descending;
  const bool tie_down = query_.sort.size() > 1 && query_.sort[1].descending;
  std::vector<std::string> ids;
  int64_t found = 0;
  int64_t looked_at = 0;
  bool has_more = true;
  std::string value, tie, id;
  for (int64_t part = kFirstPart; has_more && found < page_end(); part = std::min(part * 4, kLargestPart)) {
    if (query_.filter.has_value() && looked_at >= kMaxOrderWork) return std::nullopt;
    SqlText sql;
    sql << "SELECT " << TOOLGATE_BLOCK_COLUMNS
        << ", f.value, f.tie FROM toolgate.field_values f JOIN toolgate.blocks b ON b.workspace = f.workspace AND b.id "
           "= f.block WHERE ";
    AppendSlice(sql, session_.workspace(), order);
    sql << " AND ";
    AppendConditions(sql, session_.workspace(), query_);
    if (looked_at > 0) {
      const std::string after = sql.OwnedValue(value);
      const std::string after_tie = sql.OwnedValue(tie);
      sql << " AND f.value " << (down ? "<= " : ">= ") << after << " AND (f.value " << (down ? "< " : "> ") << after
          << " OR f.tie " << (tie_down ? "< " : "> ") << after_tie << " OR (f.tie = " << after_tie << " AND f.block > "
          << sql.OwnedValue(id) << "))";
    }
    sql << " ORDER BY f.value" << (down ? " DESC" : "") << ", f.tie" << (tie_down ? " DESC" : "") << ", f.block LIMIT "
        << sql.Value(part);
    int64_t read = 0;
    RETURN_IF_ERROR(session_.Stream(sql.sql(), sql.params(), [&](const Row& row) {
      ++read;
      ++looked_at;
      id = row.Bytes(0);
      value = row.Bytes(kBlockColumns);
      tie = row.Bytes(kBlockColumns + 1);
      if (found >= page_end() || !Passes(FieldsOf(row))) return absl::OkStatus();
      if (++found > offset()) ids.push_back(id);
      return absl::OkStatus();
    }));
    has_more = read == part;
  }
  BlockPage page;
  ASSIGN_OR_RETURN(page.blocks, LoadBlocks(session_, ids, max_bytes()));
  is_cut_ = page.blocks.size() < ids.size();
  const bool has_all = !order.ranges.empty() || order.field == kCreatedAtField;
  if (has_all || is_cut_ || found == page_end()) return page;
  ASSIGN_OR_RETURN(BlockPage others, FindWithoutValue(found));
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
  rest.limit = page_end() - std::max(before, offset());
  rest.offset = std::max<int64_t>(offset() - before, 0);
  rest.count_total = false;
  return BlockFinder(session_, rest).Find();
}

// ---- Counting -------------------------------------------------------------------------------------------------------

absl::Status BlockFinder::AddTotal(const QueryPlan& plan, BlockPage& page) {
  const auto shown = static_cast<int64_t>(page.blocks.size());
  if (!page.gave_up_after.has_value() && !is_cut_ && shown < query_.limit && (shown > 0 || offset() == 0)) {
    page.total = offset() + shown;  // The page shows the last match.
    return absl::OkStatus();
  }
  const int64_t max_counted = query_.bounded ? kMaxCounted : kUnbounded;
  if (plan.condition.has_value() && plan.condition->exact) {
    ASSIGN_OR_RETURN(const std::vector<int64_t> counts, CountSlices(session_, {*plan.condition}, max_counted + 1));
    if (counts.empty()) {
      RETURN_IF_ERROR(CountAmong(plan, max_counted, page));
    } else {
      page.total = counts[0];
    }
  } else if (matches_.has_value()) {
    page.total = *matches_;
  } else {
    RETURN_IF_ERROR(CountAmong(plan, max_counted, page));
  }
  page.total_is_lower_bound |= page.total > max_counted || page.gave_up_after.has_value();
  page.total = std::min(page.total, max_counted);
  return absl::OkStatus();
}

absl::Status BlockFinder::CountAmong(const QueryPlan& plan, int64_t max_counted, BlockPage& page) {
  const bool has_filter = query_.filter.has_value();
  const bool is_narrowed = has_filter && plan.condition.has_value() && !plan.condition->ranges.empty();
  SqlText sql;
  if (!has_filter) {
    sql << "SELECT count(*) FROM (SELECT 1";
    AppendFrom(sql, nullptr, std::nullopt);
    sql << " LIMIT " << sql.Value(max_counted + 1) << ") AS few";
    ASSIGN_OR_RETURN(const Result counted, session_.Query(sql.sql(), sql.params()));
    page.total = counted[0].Int(0);
    return absl::OkStatus();
  }
  int64_t work = kUnbounded;
  if (query_.bounded) work = is_narrowed ? kMaxCountWork : kMaxListingWork;
  sql << "SELECT " << TOOLGATE_BLOCK_COLUMNS;
  AppendFrom(sql, is_narrowed ? &*plan.condition : nullptr, work + 1);
  int64_t looked_at = 0;
  RETURN_IF_ERROR(session_.Stream(sql.sql(), sql.params(), [&](const Row& row) {
    ++looked_at;
    if (page.total <= max_counted && Passes(FieldsOf(row))) ++page.total;
    return absl::OkStatus();
  }));
  page.total_is_lower_bound = looked_at > work;
  return absl::OkStatus();
}

}  // namespace toolgate::storage::postgres
