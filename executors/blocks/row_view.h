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

// Hides the values that a row holds of properties that its database has dropped (database_properties.h). Everything
// else in a block is shown as stored, even ids of deleted related rows: undo may restore those. Borrows the view;
// created for one call, because it caches the database of the last row.
class RowView {
 public:
  explicit RowView(storage::ReadView& view) : view_(view) {}

  // Leaves blocks of other types unchanged. Cheap for rows of a database that has dropped nothing.
  absl::Status Hide(storage::Block& block);

 private:
  // Reads the ids of the properties that the database has dropped.
  absl::Status Look(const std::string& database_id);

  storage::ReadView& view_;
  std::string database_id_;
  std::vector<std::string> hidden_;
};

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_ROW_VIEW_H_
