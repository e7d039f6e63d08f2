// Calls of functions that need no graph.
#ifndef TOOLGATE_EXECUTORS_CYPHER_FUNCTIONS_FUNCTIONS_H_
#define TOOLGATE_EXECUTORS_CYPHER_FUNCTIONS_FUNCTIONS_H_

#include <cstddef>
#include <memory>
#include <random>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "executors/cypher/syntax/functions.h"
#include "executors/cypher/values/value.h"
#include "re2/re2.h"

namespace toolgate::executors::cypher::functions {

// Inputs of calls beside their arguments. One per run of a query, used by one thread.
struct CallContext {
  absl::Time now;                // Present time of the statement.
  size_t max_bytes = 0;          // Of one value.
  std::mt19937_64 random;        // For rand().
  std::unique_ptr<RE2> pattern;  // The last one that Matches compiled.
};

// The value of a function that is neither an aggregate nor one of the graph's (labels, keys, …), with the number of
// arguments that the table of functions allows. Errors carry a CypherError.
absl::StatusOr<values::Value> Call(syntax::FunctionId function, absl::Span<const values::Value> arguments,
                                   CallContext& context);

// text =~ pattern: whether the whole text matches, in the syntax of RE2. Null unless both are texts.
absl::StatusOr<values::Value> Matches(const values::Value& text, const values::Value& pattern, CallContext& context);

// Steps, at worst, of the match of `text` with the last pattern that Matches compiled.
size_t StepsOfMatch(const values::Value& text, const CallContext& context);

}  // namespace toolgate::executors::cypher::functions

#endif  // TOOLGATE_EXECUTORS_CYPHER_FUNCTIONS_FUNCTIONS_H_
