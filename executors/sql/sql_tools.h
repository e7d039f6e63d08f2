// The private SQL database as a tool.
#ifndef TOOLGATE_EXECUTORS_SQL_SQL_TOOLS_H_
#define TOOLGATE_EXECUTORS_SQL_SQL_TOOLS_H_

#include <memory>
#include <vector>

#include "executors/sql/engine.h"
#include "executors/tool.h"

namespace toolgate::executors::sql {

// `engine` is shared with the reverser.
std::vector<ToolHandlers> SqlHandlers(const std::shared_ptr<const Engine>& engine);

// For effects of kind kSqlEffect.
Reverser SqlReverser(const std::shared_ptr<const Engine>& engine);

}  // namespace toolgate::executors::sql

#endif  // TOOLGATE_EXECUTORS_SQL_SQL_TOOLS_H_
