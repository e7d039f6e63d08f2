#include "executors/cypher/execution.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "executors/cypher/functions/failure.h"

namespace toolgate::executors::cypher {
namespace {

// Values below it are too many to follow, and live too briefly.
constexpr size_t kLargeValueBytes = size_t{256} << 10;

absl::Status Exceeded(std::string_view detail, const std::string& message) {
  return functions::Failure("ResourceError", detail, message);
}

absl::Status TooMuchMemory(size_t limit) {
  return Exceeded("MemoryLimitExceeded",
                  absl::StrCat("The query needs more than its memory limit of ", limit, " bytes."));
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
  if (bytes > setup_.bounds.max_memory_bytes - held_) return TooMuchMemory(setup_.bounds.max_memory_bytes);
  held_ += bytes;
  absl::Status checked = CheckMemory();
  if (!checked.ok()) held_ -= bytes;
  return checked;
}

absl::StatusOr<values::Value> Execution::Checked(values::Value value) {
  if (value.depth() > functions::kMaxValueDepth) return functions::TooDeep();
  if (value.MemoryBytes() > setup_.bounds.max_memory_bytes) return functions::TooLarge("A value");
  if (value.MemoryBytes() >= kLargeValueBytes) RETURN_IF_ERROR(Track(value));
  return value;
}

absl::Status Execution::Track(const values::Value& value) {
  large_bytes_ = 0;
  std::erase_if(large_values_, [](const LargeValue& large) { return large.contents.expired(); });
  const std::weak_ptr<const void> contents = value.contents();
  const auto is_same = [&contents](const LargeValue& large) {
    return !large.contents.owner_before(contents) && !contents.owner_before(large.contents);
  };
  if (std::none_of(large_values_.begin(), large_values_.end(), is_same)) {
    large_values_.push_back({contents, value.MemoryBytes()});
  }
  for (const LargeValue& large : large_values_) large_bytes_ += large.bytes;
  if (large_bytes_ > setup_.bounds.max_memory_bytes) return TooMuchMemory(setup_.bounds.max_memory_bytes);
  return CheckMemory();
}

absl::Status Execution::CheckMemory() {
  if (setup_.memory == nullptr) return absl::OkStatus();
  const size_t in_use = std::max(held_, large_bytes_);
  return setup_.memory->Resize(static_cast<int64_t>(in_use)) ? absl::OkStatus() : setup_.memory->status();
}

}  // namespace toolgate::executors::cypher
