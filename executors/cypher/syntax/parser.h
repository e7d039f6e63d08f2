// Parser of openCypher 9: a hand-written recursive descent over tokens (lexer.h).
#ifndef TOOLGATE_EXECUTORS_CYPHER_SYNTAX_PARSER_H_
#define TOOLGATE_EXECUTORS_CYPHER_SYNTAX_PARSER_H_

#include <cstddef>
#include <string_view>

#include "absl/status/statusor.h"
#include "executors/cypher/syntax/ast.h"

namespace toolgate::executors::cypher::syntax {

// Bounds of one query. Beyond them it is refused with the detail QueryTooComplex.
struct Limits {
  size_t max_bytes = size_t{1} << 20;
  size_t max_nodes = 20'000;  // Expressions, node and relationship patterns and clauses together.
  int max_depth = 200;        // Of expressions in each other, subqueries included.
};

// The tree of `text`, which must be UTF-8; see ast.h for what CheckSemantics adds. CREATE is parsed; every other write
// clause, CALL and LOAD CSV are refused. Errors carry a CypherError.
absl::StatusOr<Query> Parse(std::string_view text, const Limits& limits = {});

}  // namespace toolgate::executors::cypher::syntax

#endif  // TOOLGATE_EXECUTORS_CYPHER_SYNTAX_PARSER_H_
