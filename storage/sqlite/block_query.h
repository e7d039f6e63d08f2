// Answers queries for blocks, from the index over declared fields where that serves them.
#ifndef TOOLGATE_STORAGE_SQLITE_BLOCK_QUERY_H_
#define TOOLGATE_STORAGE_SQLITE_BLOCK_QUERY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "storage/declared_fields.h"
#include "storage/query.h"
#include "storage/query_plan.h"
#include "storage/sqlite/connection.h"
#include "storage/sqlite/filter_run.h"

namespace toolgate::storage::sqlite {

// The conditions of a query on `blocks b` and their bound values, in the order of their question marks. Borrows the
// query, which must not be a temporary.
class Conditions {
 public:
  Conditions(int64_t workspace, const BlockQuery& query) : workspace_(workspace), query_(query) {}
  Conditions(int64_t workspace, BlockQuery&& query) = delete;

  // `types_by_index`: whether the index over types may be used; a plus prevents it.
  std::string Sql(bool types_by_index) const;
  // `filter`: a run of the query's filter, if it has one.
  void Bind(Cursor& cursor, FilterRun& filter) const;

 private:
  const int64_t workspace_;
  const BlockQuery& query_;
};

// The order of the query's blocks; BindOrder binds its values.
std::string OrderBy(const BlockQuery& query);
void BindOrder(Cursor& cursor, const BlockQuery& query);

// One query. Borrows all; used by one thread.
class BlockFinder {
 public:
  BlockFinder(Connection& connection, int64_t workspace, const DeclaredFields& fields, const BlockQuery& query);

  absl::StatusOr<BlockPage> Find();

 private:
  FilterRun NewRun() const;
  absl::StatusOr<QueryPlan> Plan();
  // Nothing if too many blocks would be looked at.
  absl::StatusOr<std::optional<BlockPage>> FindInOrder(const IndexSlice& order);
  // The blocks that have no value to sort by, behind `before` others.
  absl::StatusOr<BlockPage> FindWithoutValue(int64_t before);
  absl::StatusOr<BlockPage> FindInSlice(const IndexSlice& slice);
  absl::StatusOr<BlockPage> FindAmongBlocks();
  absl::Status AddTotal(const QueryPlan& plan, BlockPage& page);
  absl::Status CountAmong(const QueryPlan& plan, int64_t max_counted, BlockPage& page);
  size_t max_bytes() const;
  absl::Status Load(const std::vector<int64_t>& rows, BlockPage& page);
  // Of the candidates that a listing looks at.
  std::string CandidatesSql() const;
  absl::StatusOr<std::vector<int64_t>> ReadRows(Cursor& cursor) const;

  Connection& connection_;
  const int64_t workspace_;
  const DeclaredFields& fields_;
  const BlockQuery& query_;
  const BlockQuery unfiltered_;
  const Conditions conditions_;
  const Conditions unfiltered_conditions_;
  const Filter no_filter_;
  bool is_cut_ = false;  // The page has reached its bytes.
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_BLOCK_QUERY_H_
