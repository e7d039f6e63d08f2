#include "services/chat/conversation_log.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/proto_bytes.h"
#include "common/status_macros.h"
#include "common/text/utf8.h"
#include "executors/models/wire_ids.h"

namespace toolgate::services::chat {
namespace {

using internal::v1::ChatModelRecord;
using internal::v1::ChatPause;
using internal::v1::ChatToolRecord;
using internal::v1::ChatToolUse;
using internal::v1::ChatUserRecord;
using storage::ReadView;
using storage::StoredMessage;
using storage::Transaction;

constexpr size_t kMaxTitleBytes = 80;
constexpr size_t kMaxCallId = 40;
constexpr int64_t kMaxShownMessages = 500;
constexpr int64_t kPage = 50;

// Whether all that show or store the id can.
bool IsPlainId(std::string_view id) {
  return !id.empty() && id.size() <= kMaxCallId && std::all_of(id.begin(), id.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '_' || c == '-';
  });
}

absl::StatusOr<LoggedMessage> Logged(const StoredMessage& stored) {
  LoggedMessage message;
  message.number = stored.number;
  message.id = stored.id;
  RETURN_IF_ERROR(ParseProto(stored.bytes, message.record));
  return message;
}

}  // namespace

std::string TitleOf(std::string_view text) {
  std::string title(text::PrefixOfBytes(FromAbsl(absl::StripAsciiWhitespace(ToAbsl(text))), kMaxTitleBytes));
  title = title.substr(0, title.find('\n'));
  absl::StripTrailingAsciiWhitespace(&title);
  return title.empty() ? "Untitled" : title;
}

absl::StatusOr<std::unique_ptr<ConversationLog>> ConversationLog::Open(Context context, std::string conversation_id,
                                                                       int64_t max_bytes,
                                                                       const fibers::Cancellation& cancellation) {
  std::unique_ptr<ConversationLog> log(new ConversationLog(std::move(context), std::move(conversation_id)));
  RETURN_IF_ERROR(log->Load(max_bytes, cancellation));
  return log;
}

absl::Status ConversationLog::Load(int64_t max_bytes, const fibers::Cancellation& cancellation) {
  const storage::ReadPatience patience{
      &cancellation, /*may_wait=*/true, context_.call_span, {context_.workspace_id, context_.user_id}};
  return context_.store.Read(context_.workspace_id, patience, [&](ReadView& view) -> absl::Status {
    ASSIGN_OR_RETURN(std::optional<storage::Conversation> found,
                     view.FindConversation(context_.user_id, conversation_.id));
    if (!found.has_value()) return absl::OkStatus();
    exists_ = true;
    conversation_ = *std::move(found);
    if (!conversation_.pause.empty()) RETURN_IF_ERROR(ParseProto(conversation_.pause, pause_.emplace()));
    return LoadMessages(view, max_bytes);
  });
}

// Newest first, so that the bounds cut the oldest: all within the bounds, then on to the beginning of the latest turn.
absl::Status ConversationLog::LoadMessages(ReadView& view, int64_t max_bytes) {
  storage::MessageQuery query{
      .before = conversation_.message_count, .newest_first = true, .limit = kMaxShownMessages, .max_bytes = max_bytes};
  bool has_user = false;
  while (query.before > 0 && !has_user) {
    ASSIGN_OR_RETURN(const std::vector<StoredMessage> page,
                     view.ListMessages(context_.user_id, conversation_.id, query));
    if (page.empty()) break;
    for (const StoredMessage& stored : page) {
      ASSIGN_OR_RETURN(LoggedMessage message, Logged(stored));
      has_user = has_user || message.record.has_user();
      messages_.push_back(std::move(message));
    }
    query.before = page.back().number;
    query.limit = kPage;
  }
  while (!messages_.empty() && !messages_.back().record.has_user()) messages_.pop_back();
  std::reverse(messages_.begin(), messages_.end());
  return absl::OkStatus();
}

LoggedMessage ConversationLog::NewMessage(std::string_view id, size_t offset) const {
  LoggedMessage message;
  message.number = conversation_.message_count + static_cast<int64_t>(offset);
  message.id = id.empty() ? context_.ids.NewId(context_.clock.Now()) : std::string(id);
  return message;
}

absl::Status ConversationLog::Commit(std::vector<LoggedMessage> messages,
                                     absl::FunctionRef<absl::Status(Transaction&)> body) {
  const absl::Time now = context_.clock.Now();
  const storage::WriteContext write{context_.workspace_id, context_.user_id, context_.ids.NewId(now), now,
                                    context_.call_span};
  const fibers::Cancellation never;
  const absl::Status committed =
      context_.store.Commit(write, storage::CommitMode::kDurable, never, [&](Transaction& transaction) -> absl::Status {
        RETURN_IF_ERROR(body(transaction));
        for (const LoggedMessage& message : messages) {
          ASSIGN_OR_RETURN(std::string bytes, SerializeProto(message.record));
          RETURN_IF_ERROR(transaction.AppendMessage(context_.user_id, conversation_.id,
                                                    {message.number, message.id, now, std::move(bytes)}));
        }
        return absl::OkStatus();
      });
  RETURN_IF_ERROR(committed);
  conversation_.message_count += static_cast<int64_t>(messages.size());
  for (LoggedMessage& message : messages) messages_.push_back(std::move(message));
  return absl::OkStatus();
}

absl::Status ConversationLog::BeginTurn(std::string_view message_id, ChatUserRecord user,
                                        std::vector<ChatToolRecord> ended) {
  if (!exists_) conversation_.title = TitleOf(user.text());
  conversation_.pause.clear();
  std::vector<LoggedMessage> messages;
  for (ChatToolRecord& record : ended) {
    LoggedMessage& message = messages.emplace_back(NewMessage("", messages.size()));
    *message.record.mutable_tool() = std::move(record);
  }
  LoggedMessage& message = messages.emplace_back(NewMessage(message_id, messages.size()));
  *message.record.mutable_user() = std::move(user);
  RETURN_IF_ERROR(Commit(std::move(messages),
                         [&](Transaction& transaction) { return transaction.PutConversation(conversation_); }));
  exists_ = true;
  pause_.reset();
  return absl::OkStatus();
}

// Models repeat the ids of their calls, and APIs differ in what ids they take.
void ConversationLog::NameCalls(std::string_view message_id, ChatModelRecord& record) const {
  // Messages that are not loaded may have the same ids.
  const bool knows_all = messages_.empty() || messages_.front().number == 0;
  absl::flat_hash_set<std::string> taken;
  for (const LoggedMessage& message : messages_) {
    for (const ChatToolUse& use : message.record.model().tool_uses()) taken.insert(use.id());
  }
  for (int i = 0; i < record.tool_uses_size(); ++i) {
    ChatToolUse& use = *record.mutable_tool_uses(i);
    if (knows_all && IsPlainId(use.id()) && taken.insert(use.id()).second) continue;
    use.set_provider_id(std::move(*use.mutable_id()));
    for (int attempt = 0; use.id().empty(); ++attempt) {
      const std::string name = absl::StrCat(ToAbsl(message_id), "/", i, attempt == 0 ? "" : absl::StrCat("/", attempt));
      std::string id = executors::models::PortableId(name);
      if (taken.insert(id).second) use.set_id(std::move(id));
    }
  }
}

absl::Status ConversationLog::AppendModel(ChatModelRecord record) {
  std::vector<LoggedMessage> messages = {NewMessage("", 0)};
  NameCalls(messages.front().id, record);
  *messages.front().record.mutable_model() = std::move(record);
  return Commit(std::move(messages), [](Transaction&) { return absl::OkStatus(); });
}

absl::Status ConversationLog::AppendTool(ChatToolRecord record, const std::vector<v1::ChatResponse>& artifacts) {
  std::vector<LoggedMessage> messages = {NewMessage("", 0)};
  const int64_t number = messages.front().number;
  *messages.front().record.mutable_tool() = std::move(record);
  conversation_.pause.clear();
  const absl::Status committed = Commit(std::move(messages), [&](Transaction& transaction) -> absl::Status {
    RETURN_IF_ERROR(transaction.PutConversation(conversation_));
    int64_t place = 0;
    for (const v1::ChatResponse& artifact : artifacts) {
      ASSIGN_OR_RETURN(std::string bytes, SerializeProto(artifact));
      RETURN_IF_ERROR(transaction.PutArtifact(context_.user_id, conversation_.id, {number, place++, std::move(bytes)}));
    }
    return absl::OkStatus();
  });
  RETURN_IF_ERROR(committed);
  pause_.reset();
  return absl::OkStatus();
}

absl::Status ConversationLog::SetPause(ChatPause pause) {
  ASSIGN_OR_RETURN(conversation_.pause, SerializeProto(pause));
  RETURN_IF_ERROR(Commit({}, [&](Transaction& transaction) { return transaction.PutConversation(conversation_); }));
  pause_ = std::move(pause);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::pair<int64_t, v1::ChatResponse>>> ConversationLog::ReadArtifacts(
    const fibers::Cancellation& cancellation) const {
  std::vector<std::pair<int64_t, v1::ChatResponse>> artifacts;
  if (messages_.empty()) return artifacts;
  const int64_t first = messages_[TurnBegin(messages_)].number;
  const storage::ReadPatience patience{
      &cancellation, /*may_wait=*/true, context_.call_span, {context_.workspace_id, context_.user_id}};
  const absl::Status read = context_.store.Read(context_.workspace_id, patience, [&](ReadView& view) -> absl::Status {
    ASSIGN_OR_RETURN(const auto rows,
                     view.ListArtifacts(context_.user_id, conversation_.id, first, conversation_.message_count));
    for (const storage::StoredArtifact& row : rows) {
      RETURN_IF_ERROR(ParseProto(row.bytes, artifacts.emplace_back(row.message_number, v1::ChatResponse()).second));
    }
    return absl::OkStatus();
  });
  RETURN_IF_ERROR(read);
  return artifacts;
}

}  // namespace toolgate::services::chat
