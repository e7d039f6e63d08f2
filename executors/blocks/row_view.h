// Rows as callers see them.
#ifndef TOOLGATE_EXECUTORS_BLOCKS_ROW_VIEW_H_
#define TOOLGATE_EXECUTORS_BLOCKS_ROW_VIEW_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/block.h"
#include "storage/store.h"

namespace toolgate::executors::blocks {

// Hides what a row holds of properties that its database has dropped (database_properties.h). Everything else a block
// holds is shown as it is stored, also the ids of related rows that are gone: undo may bring them back. Borrows the
// view; for one call, since it remembers the database of the last row.
class RowView {
 public:
  explicit RowView(storage::ReadView& view) : view_(view) {}

  // Does nothing to blocks of other types, and little to rows of a database that dropped nothing.
  absl::Status Hide(storage::Block& block);

 private:
  // The ids of what the database has dropped.
  absl::Status Look(const std::string& database_id);

  storage::ReadView& view_;
  std::string database_id_;
  std::vector<std::string> hidden_;
};

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_ROW_VIEW_H_
