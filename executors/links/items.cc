#include "executors/links/items.h"

#include <array>
#include <optional>
#include <utility>

#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/blocks/block_data.h"
#include "executors/blocks/block_types.h"

namespace toolgate::executors::links {

using storage::Block;

bool IsItemOfType(const Block& block, const Json& data, std::string_view item_type) {
  const std::string_view type = block.type;
  if (item_type == "event") return type == blocks::kEvent;
  if (item_type == "task") {
    return type == blocks::kTodo || type == blocks::kCard ||
           (type == blocks::kEvent && StringArgument(data, "type") == "task");
  }
  if (item_type == "note") return type == blocks::kNote || type == blocks::kPage;
  return item_type == "log" && type == blocks::kJournalEntry;
}

std::string ItemTypeOf(const Block& block, const Json& data) {
  for (const std::string_view item_type : {"event", "task", "note", "log"}) {
    if (IsItemOfType(block, data, item_type)) return std::string(item_type);
  }
  return block.type;
}

absl::StatusOr<Block> FindItem(storage::ReadView& view, std::string_view id) {
  ASSIGN_OR_RETURN(std::optional<Block> block, view.FindBlock(id));
  if (block.has_value()) return *std::move(block);
  if (const size_t at = id.find('@'); at != std::string_view::npos) {
    ASSIGN_OR_RETURN(block, view.FindBlock(id.substr(0, at)));
    if (block.has_value() && block->type == blocks::kEvent) return *std::move(block);
  }
  return view.GetBlock(id);
}

absl::StatusOr<Json> RenderItem(const Block& block) {
  ASSIGN_OR_RETURN(const Json data, blocks::ParseData(block));
  return Json{{"id", block.id}, {"type", ItemTypeOf(block, data)}, {"title", blocks::TitleOf(block.type, data)}};
}

}  // namespace toolgate::executors::links
