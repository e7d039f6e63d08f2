// Cards in results of the kanban tools.
#ifndef TOOLGATE_EXECUTORS_KANBAN_CARD_JSON_H_
#define TOOLGATE_EXECUTORS_KANBAN_CARD_JSON_H_

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "executors/tool.h"
#include "storage/block.h"
#include "storage/store.h"

namespace toolgate::executors::kanban {

// Result of a tool that has written a card: {"cardId", "card"}. The card has the form of list_tasks
// (executors/workspace/tasks.h) with its position. The change is described as "<verb> card "<title>"<rest>".
absl::StatusOr<ToolOutput> WrittenCard(const ToolContext& context, storage::ReadView& view, const storage::Block& card,
                                       int64_t position, std::string_view verb, std::string_view rest = "");

}  // namespace toolgate::executors::kanban

#endif  // TOOLGATE_EXECUTORS_KANBAN_CARD_JSON_H_
