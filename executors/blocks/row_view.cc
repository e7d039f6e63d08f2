#include "executors/blocks/row_view.h"

#include <optional>

#include "common/json.h"
#include "common/status_macros.h"
#include "executors/blocks/block_data.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/database_properties.h"

namespace toolgate::executors::blocks {

absl::Status RowView::Hide(storage::Block& block) {
  if (block.type != kRow) return absl::OkStatus();
  RETURN_IF_ERROR(Look(block.parent_id));
  if (hidden_.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(Json data, ParseData(block));
  const auto values = data.find("properties");
  if (values == data.end() || !values->is_object()) return absl::OkStatus();
  size_t erased = 0;
  for (const std::string& id : hidden_) erased += values->erase(id);
  if (erased > 0) block.data = DumpJson(data);
  return absl::OkStatus();
}

absl::Status RowView::Look(const std::string& database_id) {
  if (database_id_ == database_id) return absl::OkStatus();
  hidden_.clear();
  database_id_ = database_id;
  ASSIGN_OR_RETURN(const std::optional<storage::Block> database, view_.FindBlock(database_id));
  // Most databases have dropped no properties; for them nothing is parsed.
  if (!database.has_value() || database->data.find("formerProperties") == std::string::npos) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Json data, ParseData(*database));
  ASSIGN_OR_RETURN(const Columns columns, ReadColumns(data));
  for (const FormerProperty& property : columns.former) hidden_.push_back(property.id);
  return absl::OkStatus();
}

}  // namespace toolgate::executors::blocks
