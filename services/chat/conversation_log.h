// A conversation as one chat reads and writes it.
#ifndef TOOLGATE_SERVICES_CHAT_CONVERSATION_LOG_H_
#define TOOLGATE_SERVICES_CHAT_CONVERSATION_LOG_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/clock.h"
#include "common/fibers/cancellation.h"
#include "common/ids.h"
#include "observability/tracing/call_span.h"
#include "services/chat/turn.h"
#include "storage/read_patience.h"
#include "storage/store.h"
#include "toolgate/internal/v1/chat.pb.h"
#include "toolgate/v1/chat_service.pb.h"

namespace toolgate::services::chat {

// Every append is one durable commit, and is refused as a CONFLICT when somebody else went on with the conversation.
// Events are recorded even if the client has left meanwhile. Used by one fiber. Errors are the store's, with a
// ToolError where it is the caller's.
class ConversationLog {
 public:
  // All borrowed but the texts.
  struct Context {
    storage::Store& store;
    const Clock& clock;
    IdSource& ids;
    std::string workspace_id;
    std::string user_id;
    observability::tracing::CallSpan call_span = {};
  };

  // Reads the newest whole turns that have `max_bytes` together, and always the latest. Nothing is written: a
  // conversation that does not exist is empty.
  static absl::StatusOr<std::unique_ptr<ConversationLog>> Open(Context context, std::string conversation_id,
                                                               int64_t max_bytes,
                                                               const fibers::Cancellation& cancellation);

  const std::string& id() const { return conversation_.id; }
  const std::string& title() const { return conversation_.title; }
  bool exists() const { return exists_; }
  // Oldest first; begins with a user's message.
  const std::vector<LoggedMessage>& messages() const { return messages_; }
  const std::optional<internal::v1::ChatPause>& pause() const { return pause_; }

  // Appends a user's message, with the id or a new one, after the results `ended` of calls that get none any more.
  // Starts the conversation if need be. Ends a pause.
  absl::Status BeginTurn(std::string_view message_id, internal::v1::ChatUserRecord user,
                         std::vector<internal::v1::ChatToolRecord> ended);
  // Gives each call an id that no other call of the conversation has, and keeps the provider's beside it.
  absl::Status AppendModel(internal::v1::ChatModelRecord record);
  // With the artifacts of the call. Ends a pause.
  absl::Status AppendTool(internal::v1::ChatToolRecord record, const std::vector<v1::ChatResponse>& artifacts);
  absl::Status SetPause(internal::v1::ChatPause pause);

  // Artifacts of the present turn, by the number of their message.
  absl::StatusOr<std::vector<std::pair<int64_t, v1::ChatResponse>>> ReadArtifacts(
      const fibers::Cancellation& cancellation) const;

 private:
  ConversationLog(Context context, std::string conversation_id) : context_(std::move(context)) {
    conversation_.id = std::move(conversation_id);
    conversation_.user_id = context_.user_id;
  }

  absl::Status Load(int64_t max_bytes, const fibers::Cancellation& cancellation);
  absl::Status LoadMessages(storage::ReadView& view, int64_t max_bytes);
  // Puts the messages at the end of those that are known, once `body` and they are committed.
  absl::Status Commit(std::vector<LoggedMessage> messages, absl::FunctionRef<absl::Status(storage::Transaction&)> body);
  LoggedMessage NewMessage(std::string_view id, size_t offset) const;
  void NameCalls(std::string_view message_id, internal::v1::ChatModelRecord& record) const;

  const Context context_;
  storage::Conversation conversation_;
  bool exists_ = false;
  std::vector<LoggedMessage> messages_;
  std::optional<internal::v1::ChatPause> pause_;
};

// The beginning of a message as the title of its conversation.
std::string TitleOf(std::string_view text);

}  // namespace toolgate::services::chat

#endif  // TOOLGATE_SERVICES_CHAT_CONVERSATION_LOG_H_
