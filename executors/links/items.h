// Items that can be linked: blocks, by the names that planners use.
#ifndef TOOLGATE_EXECUTORS_LINKS_ITEMS_H_
#define TOOLGATE_EXECUTORS_LINKS_ITEMS_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/json.h"
#include "storage/store.h"

namespace toolgate::executors::links {

// "event" for a calendar_event; "task" for a todo, a kanban_card and a calendar_event of type task; "note" for a note
// and a page; "log" for a journal_entry. A block of any other type is not an item.
bool IsItemOfType(const storage::Block& block, const Json& data, std::string_view item_type);
// First of these names that applies, or the block's own type.
std::string ItemTypeOf(const storage::Block& block, const Json& data);

// Finds the block with that id; for an occurrence of a series ("<id>@2026-03-02"), the series. NOT_FOUND if there is
// none.
absl::StatusOr<storage::Block> FindItem(storage::ReadView& view, std::string_view id);

// {"id", "type", "title"}.
absl::StatusOr<Json> RenderItem(const storage::Block& block);

}  // namespace toolgate::executors::links

#endif  // TOOLGATE_EXECUTORS_LINKS_ITEMS_H_
