#ifndef TOOLGATE_EXECUTORS_SQL_STATEMENT_MEMORY_H_
#define TOOLGATE_EXECUTORS_SQL_STATEMENT_MEMORY_H_

#include <optional>

#include "common/caller.h"
#include "common/fairness/memory_budget.h"
#include "executors/sql/engine/engine.h"

namespace toolgate::executors::sql {

// Memory of one statement of the caller, among that of all.
class StatementMemory {
 public:
  StatementMemory(fairness::MemoryBudget* budget, const Caller& caller) {
    if (budget != nullptr) reservation_.emplace(*budget, fairness::Party{caller.workspace_id, caller.user_id});
  }
  // Null where nothing bounds it.
  engine::Engine::Memory* get() { return reservation_.has_value() ? &*reservation_ : nullptr; }

 private:
  std::optional<engine::Engine::Memory> reservation_;
};

}  // namespace toolgate::executors::sql

#endif  // TOOLGATE_EXECUTORS_SQL_STATEMENT_MEMORY_H_
