#include "executors/cypher/execution.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "executors/cypher/functions/failure.h"

namespace toolgate::executors::cypher {
namespace {

absl::Status Exceeded(std::string_view detail, const std::string& message) {
  return functions::Failure("ResourceError", detail, message);
}

}  // namespace

Execution::Execution(const Setup& setup, size_t slots)
    : setup_(setup),
      frame_(slots),
      call_{.now = setup.clock.Now(),
            .max_bytes = setup.bounds.max_memory_bytes,
            .random = std::mt19937_64(setup.random_seed),
            .pattern = nullptr},
      deadline_(setup.clock.Monotonic() + setup.bounds.max_time),
      stack_(setup.bounds.max_stack_bytes) {}

absl::Status Execution::CheckStop() {
  if (setup_.should_stop()) return absl::CancelledError("the query was cancelled");
  if (setup_.clock.Monotonic() < deadline_) return absl::OkStatus();
  return Exceeded("TimeLimitExceeded", absl::StrCat("The query ran longer than its time limit of ",
                                                    absl::FormatDuration(setup_.bounds.max_time), "."));
}

absl::Status Execution::CheckStack() const {
  if (stack_.Holds()) return absl::OkStatus();
  return Exceeded("StackLimitExceeded", "The query has too many parts that depend on each other.");
}

absl::Status Execution::Hold(size_t bytes) {
  if (bytes <= setup_.bounds.max_memory_bytes - held_) {
    held_ += bytes;
    return absl::OkStatus();
  }
  return Exceeded("MemoryLimitExceeded", absl::StrCat("The query needs more than its memory limit of ",
                                                      setup_.bounds.max_memory_bytes, " bytes."));
}

absl::StatusOr<values::Value> Execution::Checked(values::Value value) const {
  if (value.depth() > functions::kMaxValueDepth) return functions::TooDeep();
  if (value.MemoryBytes() > setup_.bounds.max_memory_bytes) return functions::TooLarge("A value");
  return value;
}

}  // namespace toolgate::executors::cypher
