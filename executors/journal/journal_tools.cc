#include "executors/journal/journal_tools.h"

#include "executors/journal/journal_create.h"
#include "executors/journal/journal_definitions.h"
#include "executors/journal/journal_delete.h"
#include "executors/journal/journal_get.h"
#include "executors/journal/journal_list.h"
#include "executors/journal/journal_update.h"

namespace toolgate::executors::journal {
namespace {

absl::StatusOr<FamilyTools> JournalTools(const FamilyContext&) {
  return FamilyTools{{
      {"journal_create", WriteHandler(JournalCreate)},
      {.id = "journal_delete",
       .run = WriteHandler(JournalDelete),
       .preview = PreviewJournalDelete,
       .rehearse = RehearseJournalDelete},
      {"journal_get", ReadHandler(JournalGet)},
      {"journal_list", ReadHandler(JournalList)},
      {"journal_update", WriteHandler(JournalUpdate)},
  }};
}

}  // namespace

Family JournalFamily() {
  return {.name = "journal",
          .definitions = &DefinitionFiles(),
          .make = JournalTools,
          .permissions = {"journal:read", "journal:create", "journal:update", "journal:delete"}};
}

}  // namespace toolgate::executors::journal
