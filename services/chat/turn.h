// The present turn of a conversation: the latest user message and what followed it.
#ifndef TOOLGATE_SERVICES_CHAT_TURN_H_
#define TOOLGATE_SERVICES_CHAT_TURN_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "executors/internal_tool.h"
#include "toolgate/internal/v1/chat.pb.h"
#include "toolgate/v1/chat_service.pb.h"

namespace toolgate::services::chat {

// A stored message.
struct LoggedMessage {
  int64_t number = 0;
  std::string id;
  internal::v1::ChatRecord record;
};

// A tool call of the model that has no result yet.
struct PendingCall {
  internal::v1::ChatToolUse use;
  // Number of tool calls of this turn before it; of a call that reads on, the number of those, and of others, of
  // others.
  int earlier_calls = 0;
  // Whether it reads on in a result that was cut.
  bool reads_on = false;
  // Whether the model's answer was stopped before the arguments were complete.
  bool cut_off = false;
  // Whether that answer reached its limit of tokens.
  bool at_limit = false;
  // Names the call for ever: the same after a crash.
  std::string idempotency_key;
};

// The tool by which a model reads on in a result that was cut (executors/results/read_result.h).
inline constexpr std::string_view kReadOnTool = executors::IdOf(executors::InternalTool::kReadResult);

// ChatModelRecord::stop_reason of an answer that reached its limit of tokens.
inline constexpr std::string_view kStopLength = "length";

// That of an answer which the model or a filter of its service declined to go on with.
inline constexpr std::string_view kStopRefusal = "refusal";

// The state of a turn follows from its messages alone, so that any process can go on with it.

// Index of the latest user message; the number of messages if there is none.
size_t TurnBegin(const std::vector<LoggedMessage>& messages);

// The first tool call without a result; nothing when the model is to be asked, or the turn has ended. Results follow
// their calls in order.
std::optional<PendingCall> FirstPendingCall(const std::vector<LoggedMessage>& messages);

// All of them, in order.
std::vector<PendingCall> PendingCalls(const std::vector<LoggedMessage>& messages);

// Whether the model has answered without asking for tools. False without any message.
bool HasAnswer(const std::vector<LoggedMessage>& messages);

// Whether the turn has had a tool result.
bool HasToolResult(const std::vector<LoggedMessage>& messages);

v1::ChatUsage UsageOf(const std::vector<LoggedMessage>& messages);

}  // namespace toolgate::services::chat

#endif  // TOOLGATE_SERVICES_CHAT_TURN_H_
