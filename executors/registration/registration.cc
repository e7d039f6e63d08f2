#include "executors/registration/registration.h"

#include "executors/artifacts/artifact_tools.h"
#include "executors/calendar/calendar_tools.h"
#include "executors/chat/chat_family.h"
#include "executors/code_graph/code_graph_tools.h"
#include "executors/files/files_tools.h"
#include "executors/images/images_tools.h"
#include "executors/journal/journal_tools.h"
#include "executors/kanban/kanban_tools.h"
#include "executors/links/link_tools.h"
#include "executors/memory/memory_tools.h"
#include "executors/notes/notes_tools.h"
#include "executors/overview/overview_tools.h"
#include "executors/results/read_result.h"
#include "executors/shell/shell_tools.h"
#include "executors/sql/sql_tools.h"
#include "executors/undo/undo_tool.h"
#include "executors/web_search/web_search_tools.h"
#include "executors/workspace/workspace_tools.h"

namespace toolgate::executors::registration {

std::vector<Family> BuiltInFamilies() {
  // A row for each.
  // clang-format off
  return {
      workspace::WorkspaceFamily(),
      calendar::CalendarFamily(),
      kanban::KanbanFamily(),
      notes::NotesFamily(),
      journal::JournalFamily(),
      links::LinksFamily(),
      overview::OverviewFamily(),
      memory::MemoryFamily(),
      sql::SqlFamily(),
      files::FilesFamily(),
      shell::ShellFamily(),
      code_graph::CodeGraphFamily(),
      artifacts::ArtifactFamily(),
      web_search::WebSearchFamily(),
      images::ImagesFamily(),
      chat::ChatFamily(),
      undo::UndoFamily(),
      results::ResultsFamily(),
  };
  // clang-format on
}

absl::StatusOr<std::shared_ptr<const Catalog>> BuiltInCatalog(const CatalogOptions& options) {
  return MakeCatalog(BuiltInFamilies(), options);
}

}  // namespace toolgate::executors::registration
