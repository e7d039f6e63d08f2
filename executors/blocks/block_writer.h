// Creates, changes, moves and deletes blocks under the rules of their types. Every tool that writes blocks goes through
// here, so that the rules are written once:
//   - data has the fields of its type (block_data.h);
//   - a column lies in a board, a card in a column, a row in a database;
//   - a card has the status of its column, also after a move and after the column's status changed;
//   - a row's values are of its database's properties, and of their types (database_properties.h);
//   - a card's or a note's eventLinks name events, and links of the store say the same (event_links.h);
//   - a changed occurrence lies in the event that recurs (event_data.h).
// integrity.h checks these rules for blocks that an undo restores. The facts about series that it needs for this,
// besides the blocks, are recorded here (series_premise.h).
#ifndef TOOLGATE_EXECUTORS_BLOCKS_BLOCK_WRITER_H_
#define TOOLGATE_EXECUTORS_BLOCKS_BLOCK_WRITER_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/json.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/data_context.h"
#include "executors/blocks/series_premise.h"
#include "storage/store.h"

namespace toolgate::executors::blocks {

// Borrows the transaction; made for one call. Errors are ToolErrors where the caller is at fault: INVALID_PARAMS and
// MISSING_REQUIRED with paths below "/data", NOT_FOUND and CONFLICT as the store says.
class BlockWriter {
 public:
  // Relative dates count from `now` in `zone`. With Dangling::kKeep, a card's status is also replaced by its column's
  // if they differ.
  BlockWriter(storage::Transaction& transaction, absl::Time now, absl::TimeZone zone,
              Dangling dangling = Dangling::kRefuse)
      : transaction_(transaction), context_{transaction, now, zone, dangling}, premises_(transaction) {}

  // `position` counts from 0 among the siblings; unset: last. An empty `id`: the store makes one.
  absl::StatusOr<storage::Block> Create(std::string_view type, std::string_view parent_id, const Json& data,
                                        std::optional<int64_t> position = std::nullopt, std::string_view id = {});
  // Merges `patch` into the data (RFC 7396: null removes a member, objects merge, everything else replaces).
  absl::StatusOr<storage::Block> Update(const storage::Block& block, const Json& patch);
  absl::StatusOr<storage::Block> Move(const storage::Block& block, std::string_view parent_id,
                                      std::optional<int64_t> position = std::nullopt);
  // CONFLICT if a child would move up to a place where it is not allowed, QUOTA_EXCEEDED if undo would have to keep too
  // much. Returns the number of deleted blocks.
  absl::StatusOr<int64_t> Delete(const storage::Block& block, storage::Children children);

  const DataContext& context() const { return context_; }

 private:
  absl::Status CheckParent(const BlockType& type, const std::optional<storage::Block>& parent) const;
  // `present`: the block's data until now, null for a new one.
  absl::StatusOr<Json> CheckGiven(const BlockType& type, const Json& data, const std::optional<storage::Block>& parent,
                                  const Json* present) const;
  absl::Status SettleCard(const Json& given, const storage::Block& column, Json& data) const;
  absl::StatusOr<int64_t> DeleteWithLinks(const storage::Block& block, storage::Children children);
  absl::Status CarryStatusToCards(const storage::Block& column, const Json& status);

  storage::Transaction& transaction_;
  DataContext context_;
  PremiseRecorder premises_;
};

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_BLOCK_WRITER_H_
