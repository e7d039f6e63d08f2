// Aggregating functions.
#ifndef TOOLGATE_EXECUTORS_CYPHER_FUNCTIONS_AGGREGATES_H_
#define TOOLGATE_EXECUTORS_CYPHER_FUNCTIONS_AGGREGATES_H_

#include <cstddef>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/cypher/syntax/functions.h"
#include "executors/cypher/values/value.h"

namespace toolgate::executors::cypher::functions {

// One aggregate over the rows of one group. Used by one thread.
class Aggregate {
 public:
  virtual ~Aggregate() = default;

  // Takes in one row's value; all but count(*) ignore nulls. Errors carry a CypherError.
  virtual absl::Status Add(const values::Value& value) = 0;

  // Takes in the second argument of a percentile, once per row before Add.
  virtual absl::Status SetParameter(const values::Value& /*value*/) { return absl::OkStatus(); }

  // Called once, after the last row.
  virtual absl::StatusOr<values::Value> Result() = 0;

  // Bytes that Add of `value` keeps, in the worst case.
  virtual size_t KeptBytes(const values::Value& /*value*/) const { return 0; }
};

// `function` is an aggregate of the table. With `distinct`, equivalent values count once.
std::unique_ptr<Aggregate> MakeAggregate(syntax::FunctionId function, bool distinct);

// count(*)
std::unique_ptr<Aggregate> MakeCountStar();

}  // namespace toolgate::executors::cypher::functions

#endif  // TOOLGATE_EXECUTORS_CYPHER_FUNCTIONS_AGGREGATES_H_
