// Operators of a plan.
#ifndef TOOLGATE_EXECUTORS_CYPHER_OPERATOR_H_
#define TOOLGATE_EXECUTORS_CYPHER_OPERATOR_H_

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "common/status_macros.h"
#include "executors/cypher/execution.h"

namespace toolgate::executors::cypher {

// Takes the row that is in the frame. False: no more rows are wanted.
using RowSink = absl::FunctionRef<absl::StatusOr<bool>()>;

// A step of a plan: runs the step before it and hands its own rows on. Immutable: whatever a run keeps is on the stack
// of Run, so that a plan can run within itself and as often as wanted. Borrows its input, which the plan owns.
class Operator {
 public:
  virtual ~Operator() = default;

  // Calls `sink` with each row in the frame until it answers false. Answers false if it did. Errors as Evaluation's,
  // and StackLimitExceeded where operators would nest too deeply, on the way in or out.
  absl::StatusOr<bool> Run(Execution& execution, RowSink sink) const {
    RETURN_IF_ERROR(execution.CheckStack());
    const auto take = [&]() -> absl::StatusOr<bool> {
      RETURN_IF_ERROR(execution.CheckStack());
      return sink();
    };
    return Produce(execution, take);
  }

 private:
  virtual absl::StatusOr<bool> Produce(Execution& execution, RowSink sink) const = 0;
};

}  // namespace toolgate::executors::cypher

#endif  // TOOLGATE_EXECUTORS_CYPHER_OPERATOR_H_
