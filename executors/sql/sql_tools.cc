#include "executors/sql/sql_tools.h"

#include "executors/sql/db_query.h"

namespace toolgate::executors::sql {

std::vector<ToolHandlers> SqlHandlers(const std::shared_ptr<const Engine>& engine) {
  const PlanHandler run = [engine](ToolContext& context, storage::ReadView& view) {
    return DbQuery(*engine, context, view);
  };
  const PreviewHandler preview = [engine](ToolContext& context, storage::ReadView& view) {
    return PreviewDbQuery(*engine, context, view);
  };
  return {{"db_query", run, preview}};
}

Reverser SqlReverser(const std::shared_ptr<const Engine>& engine) {
  return [engine](const storage::Effect& effect, ToolContext& context, storage::Transaction& transaction) {
    return ReverseSql(*engine, effect, context, transaction);
  };
}

}  // namespace toolgate::executors::sql
