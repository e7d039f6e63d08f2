#include "executors/sql/db_query.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/caller.h"
#include "common/status_macros.h"
#include "executors/arguments.h"
#include "executors/sql/engine/change.h"
#include "executors/sql/engine/change_text.h"
#include "executors/sql/file_pages.h"
#include "executors/sql/sql_effect.h"
#include "executors/sql/statement_memory.h"

namespace toolgate::executors::sql {
namespace {

// Data that commit() needs; shared because the store may run it more than once.
struct Write {
  std::string file;
  std::string planned_on;  // The last change that had written the file.
  engine::ChangedPages pages;
  std::optional<storage::Effect> effect;
};

absl::Status Commit(const Write& write, storage::Transaction& transaction) {
  RETURN_IF_ERROR(CheckUnchanged(transaction, write.file, write.planned_on));
  RETURN_IF_ERROR(transaction.WriteFile(write.file, write.pages.page_count, write.pages.pages));
  return write.effect.has_value() ? transaction.RecordEffect(*write.effect) : absl::OkStatus();
}

}  // namespace

absl::StatusOr<Plan> DbQuery(const engine::Engine& engine, ToolContext& context, storage::ReadView& view) {
  ASSIGN_OR_RETURN(FilePages pages, FilePages::Open(view, DatabaseFile(context.caller)));
  StatementMemory memory(engine.budget(), context.caller);
  ASSIGN_OR_RETURN(engine::Outcome outcome, engine.Run(pages, StringArgument(context.arguments, "sql"), context.now,
                                                       context.cancellation, context.progress, memory.get()));
  Plan plan;
  // A dry run of a schema change reports how many rows it would delete.
  if (context.dry_run && outcome.changes_schema()) outcome.answer["affectedRows"] = engine::CountChangedRows(outcome);
  plan.output.data_json = DumpJson(outcome.answer);
  if (!outcome.pages.has_value()) return plan;
  plan.output.description = engine::DescribeChange(outcome, engine::Tense::kDone);
  plan.output.reversible = outcome.change.has_value();
  ASSIGN_OR_RETURN(std::optional<storage::Effect> effect, ToSqlEffect(outcome.change));
  auto write = std::make_shared<const Write>(
      Write{DatabaseFile(context.caller), pages.change_id(), *std::move(outcome.pages), std::move(effect)});
  plan.commit = [write](storage::Transaction& transaction) { return Commit(*write, transaction); };
  return plan;
}

absl::StatusOr<Preview> PreviewDbQuery(const engine::Engine& engine, ToolContext& context, storage::ReadView& view) {
  ASSIGN_OR_RETURN(FilePages pages, FilePages::Open(view, DatabaseFile(context.caller)));
  const std::string_view sql = StringArgument(context.arguments, "sql");
  StatementMemory memory(engine.budget(), context.caller);
  Preview preview;
  preview.needs_confirmation = false;
  ASSIGN_OR_RETURN(const std::vector<engine::SchemaStep> steps,
                   engine.Inspect(pages, sql, context.now, context.cancellation, memory.get()));
  if (steps.empty()) {
    preview.summary = "Run a statement that reads or changes rows of the private database";
    preview.undo_summary = "Undo brings the rows back as they were.";
    return preview;
  }
  ASSIGN_OR_RETURN(const engine::Outcome outcome, engine.Run(pages, sql, context.now, context.cancellation,
                                                             /*progress=*/nullptr, memory.get()));
  preview.needs_confirmation = outcome.pages.has_value();
  preview.summary = absl::StrCat(engine::DescribeChange(outcome, engine::Tense::kWillDo), " (private database)");
  preview.reversible = outcome.change.has_value();
  preview.undo_summary = preview.reversible
                             ? "Undo brings everything back, unless what it touches is changed again meanwhile."
                             : "There is more than undo can keep: this cannot be taken back.";
  // The statement shows neither how much would be deleted nor whether that can be restored.
  preview.state_digest = StateDigest(preview);
  return preview;
}

}  // namespace toolgate::executors::sql
