// The loop of model and tools.
#ifndef TOOLGATE_SERVICES_CHAT_CHAT_LOOP_H_
#define TOOLGATE_SERVICES_CHAT_CHAT_LOOP_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/fibers/cancellation.h"
#include "common/json.h"
#include "common/tool_error.h"
#include "executors/models/chat_model.h"
#include "executors/providers/provider.h"
#include "services/chat/chat_writer.h"
#include "services/chat/conversation_log.h"
#include "services/chat/tool_caller.h"
#include "services/chat/turn.h"

namespace toolgate::services::chat {

// Bounds of one chat; docs at ChatSettings.
struct ChatLimits {
  int max_tool_calls = 0;
  int max_turns = 0;
  int64_t max_output_tokens = 0;
  absl::Duration confirmation_wait;
};

// Everything that the model is told besides the messages.
struct ModelBrief {
  std::string name;  // Configured name of the model.
  std::string system;
  std::string tools_json;
  bool reasoning = false;
  Json extra = Json::object();
};

// Takes the present turn of a conversation to its end, from wherever it is: first the tool calls that have no result,
// then the model, and so on until the model answers. Each step is stored before the next one begins, so another process
// can go on after a crash. Used by one fiber; borrows everything.
class ChatLoop {
 public:
  struct Dependencies {
    executors::models::ChatModel& model;
    ToolCaller& tools;
    ConversationLog& log;
    ChatWriter& writer;
    const fibers::Cancellation& cancellation;
    executors::providers::Scope& scope;
  };

  // `token`: the client's proof that a person approved the call that the conversation waits for; may be empty.
  ChatLoop(const Dependencies& dependencies, const ModelBrief& brief, const ChatLimits& limits, std::string token)
      : dependencies_(dependencies), brief_(brief), limits_(limits), token_(std::move(token)) {}

  // Writes all events up to `done`. An error is to become the event `error`.
  absl::Status Run();

  // Writes what is stored of the present turn, for a client that may have lost it.
  absl::Status Replay();

 private:
  enum class Progress { kOn, kPaused };

  const std::vector<LoggedMessage>& messages() const { return dependencies_.log.messages(); }
  absl::Status Write(const v1::ChatResponse& event) {
    return dependencies_.writer.Write(event, dependencies_.cancellation);
  }
  // The tool calls that have no result.
  absl::StatusOr<Progress> FinishCalls();
  absl::StatusOr<Progress> RunCall(const PendingCall& call);
  // The token for a call that the conversation waits for already, once that is decided; nothing: it still waits.
  absl::StatusOr<std::optional<std::string>> TokenOfPause(const PendingCall& call);
  // Stores the question and puts it to the client. Whether it was decided in time.
  absl::StatusOr<bool> AskPerson(const PendingCall& call, const v1::ConfirmationRequest& question);
  absl::StatusOr<bool> AwaitDecision(const v1::ConfirmationRequest& question);
  absl::Status Settle(const ToolOutcome& outcome);
  absl::Status AskModel();
  absl::Status WriteReasoning();
  absl::Status WriteDone(std::string_view stop_reason);
  std::string_view Phase() const { return HasToolResult(messages()) ? "solution" : "analysis"; }

  const Dependencies dependencies_;
  const ModelBrief& brief_;
  const ChatLimits limits_;
  std::string token_;
};

// The result for the model of a call that was not run.
internal::v1::ChatToolRecord NotRun(const internal::v1::ChatToolUse& use, std::string tool_id, const ToolError& error);

// Results for calls of an unfinished turn that a new message of the user ends.
std::vector<internal::v1::ChatToolRecord> EndedCalls(const ConversationLog& log, ToolCaller& tools);

}  // namespace toolgate::services::chat

#endif  // TOOLGATE_SERVICES_CHAT_CHAT_LOOP_H_
