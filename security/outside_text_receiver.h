// The way for a layer to hand on text from outside the workspace.
#ifndef TOOLGATE_SECURITY_OUTSIDE_TEXT_RECEIVER_H_
#define TOOLGATE_SECURITY_OUTSIDE_TEXT_RECEIVER_H_

#include <string_view>

#include "absl/status/status.h"
#include "security/tool_call.h"

namespace toolgate::security {

// Thread-safe.
class OutsideTextReceiver {
 public:
  // Scans the message of an error that quotes text from outside (executors::kQuotesOutside), notes in `call` what layer
  // 1 finds, and marks the conversation, durably, when it is not marked yet.
  virtual absl::Status ReceiveError(ToolCall& call, std::string_view message) const = 0;

 protected:
  ~OutsideTextReceiver() = default;
};

}  // namespace toolgate::security

#endif  // TOOLGATE_SECURITY_OUTSIDE_TEXT_RECEIVER_H_
