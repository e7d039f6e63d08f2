// The spans of tool calls and of the layers they pass.
#ifndef TOOLGATE_OBSERVABILITY_TRACING_CALL_SPANS_H_
#define TOOLGATE_OBSERVABILITY_TRACING_CALL_SPANS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "observability/call_observer.h"
#include "observability/logger.h"

namespace toolgate::observability::tracing {

// Adds "execute_tool TOOL" and a span for each layer to the recording of a call's RPC when the call ends. Every failure
// and refusal is an error of the call's span, also where the RPC's status is OK. Texts that a caller chose do not
// become names or attributes: a tool that does not exist is "unknown". Must outlive the export. Thread-safe.
class CallSpans final : public CallObserver {
 public:
  // `tools`: the ids of all tools. `mask_secrets` is for ids that a caller chose.
  CallSpans(const std::vector<std::string>& tools, LogMask mask_secrets);

  void OnCallStarted(const CallStarted& /*call*/) override {}
  void OnCallEnded(const CallStarted& call, const CallEnded& end) override {
    if (call.recording != nullptr) Record(call, end);
  }

 private:
  struct Names {
    std::string tool;
    std::string span;
  };

  void Record(const CallStarted& call, const CallEnded& end) const;
  const Names& NamesOf(std::string_view tool_id) const;

  absl::flat_hash_map<std::string, Names> tools_;
  const Names unknown_;
  const LogMask mask_secrets_;
};

}  // namespace toolgate::observability::tracing

#endif  // TOOLGATE_OBSERVABILITY_TRACING_CALL_SPANS_H_
