#include "executors/kanban/kanban_tools.h"

#include "executors/kanban/kanban_create_card.h"
#include "executors/kanban/kanban_definitions.h"
#include "executors/kanban/kanban_delete_card.h"
#include "executors/kanban/kanban_list_boards.h"
#include "executors/kanban/kanban_list_cards.h"
#include "executors/kanban/kanban_move_card.h"
#include "executors/kanban/kanban_update_card.h"

namespace toolgate::executors::kanban {
namespace {

absl::StatusOr<FamilyTools> KanbanTools(const FamilyContext&) {
  return FamilyTools{{
      {"kanban_create_card", WriteHandler(KanbanCreateCard)},
      {.id = "kanban_delete_card",
       .run = WriteHandler(KanbanDeleteCard),
       .preview = PreviewKanbanDeleteCard,
       .rehearse = RehearseKanbanDeleteCard},
      {"kanban_list_boards", ReadHandler(KanbanListBoards)},
      {"kanban_list_cards", ReadHandler(KanbanListCards)},
      {"kanban_move_card", WriteHandler(KanbanMoveCard)},
      {"kanban_update_card", WriteHandler(KanbanUpdateCard)},
  }};
}

}  // namespace

Family KanbanFamily() {
  return {.name = "kanban",
          .definitions = &DefinitionFiles(),
          .make = KanbanTools,
          .permissions = {"kanban:read", "kanban:create", "kanban:update", "kanban:delete"}};
}

}  // namespace toolgate::executors::kanban
