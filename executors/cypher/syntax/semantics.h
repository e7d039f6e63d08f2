// Checks of a parsed query that need no graph: scopes of variables, types as far as the text shows them, aggregates,
// the order of clauses.
#ifndef TOOLGATE_EXECUTORS_CYPHER_SYNTAX_SEMANTICS_H_
#define TOOLGATE_EXECUTORS_CYPHER_SYNTAX_SEMANTICS_H_

#include <cstddef>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/cypher/syntax/ast.h"
#include "executors/cypher/syntax/parser.h"

namespace toolgate::executors::cypher::syntax {

struct CheckOptions {
  // Accepts CREATE clauses, to build a graph from. Otherwise they are refused as every other write clause.
  bool allow_create = false;

  // Columns that all `*` of a query together may stand for; beyond, the query is refused with QueryTooComplex.
  size_t max_expanded_columns = 20'000;
};

// Checks `query`, parsed from `text`, and completes it as ast.h says. Errors carry a CypherError. `query` is unusable
// after an error.
absl::Status CheckSemantics(Query& query, std::string_view text, const CheckOptions& options = {});

// Parse and CheckSemantics in one.
absl::StatusOr<Query> ParseAndCheck(std::string_view text, const Limits& limits = {}, const CheckOptions& options = {});

}  // namespace toolgate::executors::cypher::syntax

#endif  // TOOLGATE_EXECUTORS_CYPHER_SYNTAX_SEMANTICS_H_
