// Chooses the index that serves a query best, independent of any backend.
//
// An index only narrows down which blocks are looked at and in which order: each of them is checked against the whole
// query. So a plan may be too wide, never too narrow.
#ifndef TOOLGATE_STORAGE_QUERY_PLAN_H_
#define TOOLGATE_STORAGE_QUERY_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "storage/declared_fields.h"
#include "storage/index_entries.h"
#include "storage/query.h"

namespace toolgate::storage {

// Values from `low` to `high`.
struct IndexRange {
  std::optional<IndexValue> low;   // Not set: from the lowest value of high's kind on.
  std::optional<IndexValue> high;  // Not set: to the highest value of low's kind. One of the two is set.
  bool without_low = false;        // Those equal to `low` do not belong to the range.
  bool without_high = false;
};

// Rows of an index that contain all matches of a condition.
struct IndexSlice {
  std::string scope;
  std::string field;
  std::vector<IndexRange> ranges;  // None: the whole field.
  // The rows are exactly the matches of the whole query, each once, so that they can be counted.
  bool exact = false;
};

struct QueryIndexes {
  std::vector<IndexSlice> conditions;  // Each of them has all matches.
  // Of the field that the query sorts by. Blocks without a value are not among its rows.
  std::optional<IndexSlice> order;
};

// Finds slices that can serve the query: none if its blocks are in no scope, or in several.
QueryIndexes FindIndexes(const DeclaredFields& fields, const BlockQuery& query);

// The way of reading the candidates of a page.
struct QueryPlan {
  enum class Source {
    kBlocks,     // All blocks of the parent or type.
    kCondition,  // The rows of `slice`, sorted afterwards.
    kOrder,      // The rows of `slice` in the index's order, and behind them blocks without a value.
  };
  Source source = Source::kBlocks;
  IndexSlice slice;
  std::optional<int64_t> rows;  // Of the slice, if they were counted to their end.
  // The best condition, for counting the matches; source kOrder may have one too.
  std::optional<IndexSlice> condition;
};

// Up to this number of rows, a condition's blocks are read and sorted even if an index has the query's order.
inline constexpr int64_t kFewRows = 1'000;

// `count` returns the number of a slice's rows, or its second argument if there are more.
absl::StatusOr<QueryPlan> PlanQuery(const QueryIndexes& indexes,
                                    absl::FunctionRef<absl::StatusOr<int64_t>(const IndexSlice&, int64_t limit)> count);

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_QUERY_PLAN_H_
