// The table of blocks.
#ifndef TOOLGATE_STORAGE_POSTGRES_BLOCK_ROWS_H_
#define TOOLGATE_STORAGE_POSTGRES_BLOCK_ROWS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/postgres/session.h"
#include "storage/rows.h"

namespace toolgate::storage::postgres {

class PostgresBlockRows final : public BlockRows {
 public:
  explicit PostgresBlockRows(Session& session) : session_(session) {}

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
  absl::StatusOr<std::vector<Block>> Read(const char* sql, const Params& params);
  // Writes that are of one kind, each of another block.
  absl::Status WriteGroup(absl::Span<const BlockWrite> writes);

  Session& session_;
};

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_STORAGE_POSTGRES_BLOCK_ROWS_H_
