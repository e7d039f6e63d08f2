#include "executors/journal/journal_tools.h"

#include "executors/journal/journal_create.h"
#include "executors/journal/journal_delete.h"
#include "executors/journal/journal_get.h"
#include "executors/journal/journal_list.h"
#include "executors/journal/journal_update.h"

namespace toolgate::executors::journal {

std::vector<ToolHandlers> JournalHandlers() {
  return {
      {"journal_create", WriteHandler(JournalCreate)},
      {"journal_delete", WriteHandler(JournalDelete), PreviewJournalDelete},
      {"journal_get", ReadHandler(JournalGet)},
      {"journal_list", ReadHandler(JournalList)},
      {"journal_update", WriteHandler(JournalUpdate)},
  };
}

}  // namespace toolgate::executors::journal
