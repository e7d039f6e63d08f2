// Pages of a workspace's blocks.
//
// The server narrows down, and orders what an index or a column can order; filters and sorts by data are evaluated
// here, on the rows as they arrive (storage/block_fields.h is their only definition). What an index serves is in
// storage/query_plan.h.
#ifndef TOOLGATE_STORAGE_POSTGRES_BLOCK_QUERY_H_
#define TOOLGATE_STORAGE_POSTGRES_BLOCK_QUERY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/block_fields.h"
#include "storage/postgres/session.h"
#include "storage/postgres/sql_text.h"
#include "storage/query.h"
#include "storage/query_plan.h"

namespace toolgate::storage::postgres {

// Appends the conditions of a query, but its filter, on rows `b` of blocks.
void AppendConditions(SqlText& sql, int64_t workspace, const BlockQuery& query);

// A match of a query and what it is sorted by.
struct SortedMatch {
  std::vector<SortKey> keys;
  int64_t created_at = 0;
  std::string rank;
  std::string id;
};
SortedMatch MatchOf(const std::vector<Sort>& sort, const Row& row);
// Orders as BlockQuery::sort says.
bool ComesBefore(const std::vector<Sort>& sort, bool by_rank, const SortedMatch& a, const SortedMatch& b);

// Borrows both. Used by one thread, once.
class BlockFinder {
 public:
  BlockFinder(Session& session, const BlockQuery& query) : session_(session), query_(query) {}

  absl::StatusOr<BlockPage> Find();

 private:
  absl::StatusOr<QueryPlan> Plan();
  // These return nothing if the order takes too much work.
  absl::StatusOr<std::optional<BlockPage>> FindInOrder(const IndexSlice& order);
  absl::StatusOr<BlockPage> FindWithoutValue(int64_t before);
  // Among all blocks, or those of the slice.
  absl::StatusOr<BlockPage> FindAmong(const IndexSlice* slice);
  // The same without a filter and in an order of columns.
  absl::StatusOr<BlockPage> FindByServer(const IndexSlice* slice);
  // The same in the order of an index over blocks, with a filter.
  absl::StatusOr<BlockPage> FindByFilter();
  absl::Status AddTotal(const QueryPlan& plan, BlockPage& page);
  absl::Status CountAmong(const QueryPlan& plan, int64_t max_counted, BlockPage& page);
  // Appends the source of candidates and their conditions. `limit`: looks at no more.
  void AppendFrom(SqlText& sql, const IndexSlice* slice, std::optional<int64_t> limit);

  bool Passes(const BlockFields& block) const { return !query_.filter.has_value() || Matches(*query_.filter, block); }
  bool is_bounded() const { return query_.bounded && query_.filter.has_value(); }
  int64_t offset() const;
  int64_t limit() const;
  int64_t page_end() const;
  int64_t max_bytes() const;

  Session& session_;
  const BlockQuery& query_;
  bool is_cut_ = false;             // The page has reached its bytes.
  std::optional<int64_t> matches_;  // Number of all, if they were looked at.
};

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_STORAGE_POSTGRES_BLOCK_QUERY_H_
