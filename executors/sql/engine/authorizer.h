#ifndef TOOLGATE_EXECUTORS_SQL_ENGINE_AUTHORIZER_H_
#define TOOLGATE_EXECUTORS_SQL_ENGINE_AUTHORIZER_H_

#include <sqlite3.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "executors/sql/engine/statement_guard.h"

namespace toolgate::executors::sql::engine {

// One change to the schema that a statement makes.
struct SchemaStep {
  enum class Kind { kCreate, kDrop, kAlter };
  Kind kind = Kind::kCreate;
  std::string_view type;  // "table", "index", "view" or "trigger".
  std::string name;
  std::string table;  // Of an index or a trigger.
};

// SQLite asks it about everything that a caller's statement would do, also through views, triggers and foreign keys:
// once while the statement is compiled, and again for what SQLite compiles while it runs. It allows only
//
// - tables of the private database named ai_…, and indexes, views and triggers so named;
// - reading sqlite_schema and sqlite_sequence, json_each, json_tree, and PRAGMAs that only describe such objects;
// - functions that neither reach outside of the database nor reveal anything about the machine.
//
// It knows the statement only from these questions, never from the text. Used by one thread.
class Authorizer {
 public:
  // Both outlive it.
  Authorizer(sqlite3* db, StatementGuard& guard);
  Authorizer(const Authorizer&) = delete;
  Authorizer& operator=(const Authorizer&) = delete;
  ~Authorizer();

  // Stops checking, for our own SQL on the same connection.
  void Detach();
  // OK, or the first refusal as a ToolError (FORBIDDEN).
  const absl::Status& refusal() const { return refusal_; }
  // Schema changes of the statement, in order; empty for one that reads or changes rows.
  const std::vector<SchemaStep>& schema_steps() const { return steps_; }
  // True if SQLite had nothing to ask: the statement drops, if it exists, an object that does not exist. (VACUUM asks
  // when it runs.)
  bool asked_nothing() const { return asked_ == 0; }

 private:
  static int Ask(void* self, int action, const char* first, const char* second, const char* database, const char* via);
  // OK: allowed.
  absl::Status Decide(int action, std::string_view first, std::string_view second, const char* database);
  absl::Status DecideRead(std::string_view table, std::string_view column, const char* database) const;
  absl::Status DecideWrite(std::string_view table, std::string_view database);
  absl::Status DecideStep(SchemaStep::Kind kind, std::string_view type, std::string_view name, std::string_view table,
                          std::string_view database);
  absl::Status DecideFunction(std::string_view name);
  absl::Status DecidePragma(std::string_view name, std::string_view argument, std::string_view database) const;
  bool Has(SchemaStep::Kind kind, std::string_view type, std::string_view name) const;
  bool alters() const { return !steps_.empty() && steps_[0].kind == SchemaStep::Kind::kAlter; }

  sqlite3* const db_;
  StatementGuard& guard_;
  const int our_columns_;
  absl::Status refusal_;
  std::vector<SchemaStep> steps_;
  int asked_ = 0;
  int functions_ = 0;
};

}  // namespace toolgate::executors::sql::engine

#endif  // TOOLGATE_EXECUTORS_SQL_ENGINE_AUTHORIZER_H_
