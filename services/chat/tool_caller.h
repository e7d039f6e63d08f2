// The tools of a chat.
#ifndef TOOLGATE_SERVICES_CHAT_TOOL_CALLER_H_
#define TOOLGATE_SERVICES_CHAT_TOOL_CALLER_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "toolgate/internal/v1/chat.pb.h"
#include "toolgate/v1/chat_service.pb.h"
#include "toolgate/v1/tool_events.pb.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::services::chat {

// How a tool call ended.
struct ToolOutcome {
  // Set: the tool did not run, since a person must approve first. Nothing else counts then.
  std::optional<v1::ConfirmationRequest> question;
  // A result, a failure or a refusal, for the model.
  internal::v1::ChatToolRecord record;
  // Events that show the result to people.
  std::vector<v1::ChatResponse> shown;
};

// Calls tools for the user of one chat, on the fiber of the chat, which steps aside while a call waits. Not
// thread-safe.
class ToolCaller {
 public:
  virtual ~ToolCaller() = default;

  // The event that tells of a call, with the arguments masked.
  virtual v1::ToolCallStart Describe(const internal::v1::ChatToolUse& use) = 0;

  // Runs the call as Execute does. A repeat with the same key answers the same outcome and runs nothing. `token`: of a
  // question that a person has answered; empty: none. An error ends the chat: its client left, or its time is over.
  virtual absl::StatusOr<ToolOutcome> Call(const internal::v1::ChatToolUse& use, std::string_view idempotency_key,
                                           std::string_view token) = 0;

  // Waits until the question is decided or has expired: true. False when `timeout` is over, when too many wait, or
  // when the service stops. CANCELLED, TIMEOUT.
  virtual absl::StatusOr<bool> AwaitDecision(const std::string& confirmation_id, absl::Duration timeout) = 0;
};

}  // namespace toolgate::services::chat

#endif  // TOOLGATE_SERVICES_CHAT_TOOL_CALLER_H_
