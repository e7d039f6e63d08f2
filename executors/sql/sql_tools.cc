#include "executors/sql/sql_tools.h"

#include <memory>
#include <string>
#include <vector>

#include "common/clock.h"
#include "common/proto_time.h"
#include "executors/sql/db_query.h"
#include "executors/sql/engine/engine.h"
#include "executors/sql/sql_defaults.h"
#include "executors/sql/sql_definitions.h"
#include "executors/sql/sql_effect.h"

namespace toolgate::executors::sql {
namespace {

std::vector<ToolHandlers> SqlHandlers(const std::shared_ptr<const engine::Engine>& engine) {
  const PlanHandler run = [engine](ToolContext& context, storage::ReadView& view) {
    return DbQuery(*engine, context, view);
  };
  const WorkspacePreview preview = [engine](ToolContext& context, storage::ReadView& view) {
    return PreviewDbQuery(*engine, context, view);
  };
  return {{"db_query", run, preview}};
}

absl::StatusOr<FamilyTools> SqlTools(const FamilyContext& context) {
  const engine::SqlLimits limits = LimitsOf(context.settings.GetExtension(SqlSettings::sql));
  const auto engine = std::make_shared<const engine::Engine>(limits, Clock::Real(), context.query_memory);
  return FamilyTools{SqlHandlers(engine), {}, {{std::string(kSqlEffect), SqlReverser(engine)}}};
}

}  // namespace

Family SqlFamily() {
  return {"sql", &DefinitionFiles(), SqlTools, SettingsOf<SqlSettings>(DefaultFiles().front()), {"sql:execute"}};
}

engine::SqlLimits LimitsOf(const SqlSettings& settings) {
  return {.max_rows = settings.max_rows(),
          .max_answer_bytes = settings.max_answer_bytes(),
          .max_time = FromProtoDuration(settings.max_time()),
          .max_database_bytes = settings.max_database_bytes(),
          .max_memory_bytes = settings.max_memory_bytes(),
          .max_undo_bytes = settings.max_undo_bytes()};
}

}  // namespace toolgate::executors::sql
