// Failures of a query, in the words of the openCypher Technology Compatibility Kit (TCK), and how they travel inside an
// absl::Status.
#ifndef TOOLGATE_EXECUTORS_CYPHER_SYNTAX_CYPHER_ERROR_H_
#define TOOLGATE_EXECUTORS_CYPHER_SYNTAX_CYPHER_ERROR_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace toolgate::executors::cypher::syntax {

// Bytes [begin, end) of a query's text.
struct SourceRange {
  size_t begin = 0;
  size_t end = 0;
};

// When a query failed: before it saw the graph, or while it ran.
enum class ErrorPhase { kCompile, kRuntime };

// One failure. `kind` and `detail` are the TCK's words ("SyntaxError" and "UndefinedVariable", "TypeError" and
// "InvalidArgumentType"); `message` is one sentence for people, without the position.
struct CypherError {
  ErrorPhase phase = ErrorPhase::kCompile;
  std::string kind;
  std::string detail;
  std::string message;
  size_t offset = 0;  // Byte of the query's text, from 0.
  size_t line = 0;    // From 1; 0: the position is unknown, which is common at run time.
  size_t column = 0;  // In characters, from 1.
};

// Refusal of a write clause: "SemanticError" with this detail.
inline constexpr std::string_view kWriteNotAllowed = "WriteNotAllowed";

// Refusal of CALL and LOAD CSV: "SemanticError" with this detail.
inline constexpr std::string_view kClauseNotAllowed = "ClauseNotAllowed";

// Refusal of a query that is longer, deeper or has more parts than Limits (parser.h) allow: "SyntaxError" with this
// detail.
inline constexpr std::string_view kQueryTooComplex = "QueryTooComplex";

// A "SyntaxError" found before the query ran. The line and column follow from `text`, the whole query.
CypherError MakeSyntaxError(std::string_view detail, std::string_view message, std::string_view text, size_t offset);

// Fills `line` and `column` from `offset`.
void SetPosition(CypherError& error, std::string_view text, size_t offset);

// "SyntaxError (UndefinedVariable) at line 1, column 8: Variable `n` is not defined."
std::string ToString(const CypherError& error);

// InvalidArgument for a query that failed to compile, FailedPrecondition for one that failed while it ran. The message
// is ToString's, and GetCypherError gives back every member.
absl::Status ToStatus(const CypherError& error);

// The error that ToStatus put into `status`; nothing for any other status.
std::optional<CypherError> GetCypherError(const absl::Status& status);

}  // namespace toolgate::executors::cypher::syntax

#endif  // TOOLGATE_EXECUTORS_CYPHER_SYNTAX_CYPHER_ERROR_H_
