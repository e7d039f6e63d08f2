// Results that are too long for one answer.
#ifndef TOOLGATE_SERVICES_EXECUTION_KEPT_RESULTS_H_
#define TOOLGATE_SERVICES_EXECUTION_KEPT_RESULTS_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "security/tool_call.h"
#include "services/execution/environment.h"
#include "storage/store.h"

namespace toolgate::services::execution {

// Cuts long results and keeps the whole of each for ReadResult. Borrows the environment; thread-safe.
class KeptResults {
 public:
  explicit KeptResults(const Environment& environment) : environment_(environment) {}

  // Cuts a result that exceeds layer 4's bound, and keeps the whole: in `tx` or, where that is null, in a transaction
  // of its own. When the latter fails, the answer is good all the same, and its rest cannot be had.
  absl::Status Cap(const security::ToolCall& call, storage::Transaction* tx, security::ToolResult& result) const;

  // Cuts `result`, which may have been cut before, to `max_bytes` of data, and keeps the whole unless it is kept.
  void Shorten(const security::ToolCall& call, size_t max_bytes, security::ToolResult& result) const;

 private:
  // The id under which the whole is kept; empty when it is too long to be.
  absl::StatusOr<std::string> Keep(const security::ToolCall& call, storage::Transaction* tx,
                                   security::ToolResult& result) const;

  const Environment& environment_;
};

}  // namespace toolgate::services::execution

#endif  // TOOLGATE_SERVICES_EXECUTION_KEPT_RESULTS_H_
