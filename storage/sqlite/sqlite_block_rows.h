// The table of blocks.
#ifndef TOOLGATE_STORAGE_SQLITE_SQLITE_BLOCK_ROWS_H_
#define TOOLGATE_STORAGE_SQLITE_SQLITE_BLOCK_ROWS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/rows.h"
#include "storage/sqlite/row_access.h"

namespace toolgate::storage::sqlite {

class SqliteBlockRows final : public BlockRows {
 public:
  explicit SqliteBlockRows(RowAccess& access) : access_(access) {}

  absl::StatusOr<std::vector<Block>> Find(Ids ids) override;
  absl::StatusOr<std::vector<BlockPlace>> FindPlaces(Ids ids) override;
  absl::StatusOr<std::vector<Block>> ListChildren(std::string_view parent_id, const SiblingPlace& after,
                                                  int64_t limit) override;
  absl::StatusOr<std::vector<Block>> ListBelow(std::string_view id) override;
  absl::StatusOr<std::vector<Block>> FindOneChildOfEach(Ids parent_ids) override;
  absl::Status VisitSizes(std::string_view id, Below below,
                          absl::FunctionRef<bool(std::string_view id, int64_t data_bytes)> visit) override;
  absl::StatusOr<int64_t> MeasureHeight(std::string_view id, int64_t limit) override;
  absl::StatusOr<Neighbours> FindNeighbours(std::string_view parent_id, std::optional<int64_t> position,
                                            std::string_view excluding) override;
  absl::StatusOr<std::vector<std::string>> FindSharedRanks(Ids ids) override;
  absl::StatusOr<int64_t> CountBefore(const Block& block) override;
  absl::StatusOr<BlockPage> Query(const BlockQuery& query) override;
  absl::StatusOr<SearchPage> Search(const SearchQuery& query) override;
  absl::Status Write(absl::Span<const BlockWrite> writes) override;

 private:
  // Appends the rows that the statement, bound to these values, finds.
  template <typename... Values>
  absl::Status Append(const char* sql, std::vector<Block>& blocks, const Values&... values);
  // These return the block's row.
  absl::StatusOr<int64_t> Insert(const Block& block);
  absl::StatusOr<int64_t> Update(const Block& before, const Block& after);
  absl::StatusOr<int64_t> Erase(const Block& block);
  // The row of a block, noted for the search index if that has read it already.
  absl::StatusOr<int64_t> NotedRow(std::string_view id);

  RowAccess& access_;
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_SQLITE_BLOCK_ROWS_H_
