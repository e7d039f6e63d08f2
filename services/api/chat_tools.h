// The tools of a chat, through the pipeline.
#ifndef TOOLGATE_SERVICES_API_CHAT_TOOLS_H_
#define TOOLGATE_SERVICES_API_CHAT_TOOLS_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/caller.h"
#include "common/fibers/cancellation.h"
#include "executors/tool_definition.h"
#include "security/tool_call.h"
#include "services/api/known_call.h"
#include "services/chat/conversation_log.h"
#include "services/chat/tool_caller.h"
#include "toolgate/v1/caller.pb.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::services::api {

// Whether a chat with this mode hint, which is a valid one, offers the tool.
bool FitsMode(std::string_view mode_hint, const executors::ToolDefinition& definition);

// Each call is a call of its own in audit, limits and metrics, of the request that the turn is.
class ChatTools final : public chat::ToolCaller {
 public:
  // `claimed` is the caller of the chat with the conversation's id and the model; results are cut to
  // `max_result_bytes`. Borrows everything but the claim.
  ChatTools(const KnownCall& known, const Caller& caller, v1::Caller claimed, const chat::ConversationLog& log,
            size_t max_result_bytes, const fibers::Cancellation& cancellation)
      : known_(known),
        caller_(caller),
        claimed_(std::move(claimed)),
        log_(log),
        max_result_bytes_(max_result_bytes),
        cancellation_(cancellation) {}

  v1::ToolCallStart Describe(const internal::v1::ChatToolUse& use) override;
  absl::StatusOr<chat::ToolOutcome> Call(const internal::v1::ChatToolUse& use, std::string_view idempotency_key,
                                         std::string_view token) override;
  absl::StatusOr<bool> AwaitDecision(const std::string& confirmation_id, absl::Duration timeout) override;

 private:
  v1::ExecuteRequest RequestOf(const internal::v1::ChatToolUse& use, std::string_view idempotency_key,
                               std::string_view token) const;
  // Runs the tool read_result, which Execute does not offer.
  absl::StatusOr<security::ToolResult> ReadOn(v1::ExecuteRequest request, security::ToolCall& call) const;
  // A refusal is an outcome for the model, unless the chat itself is over.
  absl::StatusOr<chat::ToolOutcome> Refused(const internal::v1::ChatToolUse& use, const absl::Status& refusal) const;
  chat::ToolOutcome Ended(const internal::v1::ChatToolUse& use, const security::ToolCall& call,
                          security::ToolResult result) const;
  std::string ToolIdOf(const internal::v1::ChatToolUse& use) const;

  const KnownCall& known_;
  const Caller& caller_;
  const v1::Caller claimed_;
  const chat::ConversationLog& log_;
  const size_t max_result_bytes_;
  const fibers::Cancellation& cancellation_;
};

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_CHAT_TOOLS_H_
