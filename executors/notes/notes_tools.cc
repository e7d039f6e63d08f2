#include "executors/notes/notes_tools.h"

#include "executors/notes/notes_create.h"
#include "executors/notes/notes_definitions.h"
#include "executors/notes/notes_delete.h"
#include "executors/notes/notes_search.h"
#include "executors/notes/notes_update.h"

namespace toolgate::executors::notes {
namespace {

absl::StatusOr<FamilyTools> NotesTools(const FamilyContext&) {
  return FamilyTools{{
      {"notes_create", WriteHandler(NotesCreate)},
      {.id = "notes_delete",
       .run = WriteHandler(NotesDelete),
       .preview = PreviewNotesDelete,
       .rehearse = RehearseNotesDelete},
      {"notes_search", ReadHandler(NotesSearch)},
      {"notes_update", WriteHandler(NotesUpdate)},
  }};
}

}  // namespace

Family NotesFamily() {
  return {.name = "notes",
          .definitions = &DefinitionFiles(),
          .make = NotesTools,
          .permissions = {"note:read", "note:create", "note:update", "note:delete"}};
}

}  // namespace toolgate::executors::notes
