#include "storage/sqlite/conversation_rows.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"

namespace toolgate::storage::sqlite {
namespace {

#define TOOLGATE_CONVERSATION_COLUMNS "id, user, title, created_at, updated_at, messages, pause"

constexpr char kFindConversation[] =
    "SELECT " TOOLGATE_CONVERSATION_COLUMNS " FROM conversations WHERE workspace = ? AND user = ? AND id = ?";
constexpr char kListConversations[] =
    "SELECT " TOOLGATE_CONVERSATION_COLUMNS
    " FROM conversations WHERE workspace = ? AND user = ? AND (updated_at, id) < (?, ?) ORDER BY updated_at DESC, id "
    "DESC LIMIT ?";
constexpr char kFindHead[] = "SELECT key, messages FROM conversations WHERE workspace = ? AND user = ? AND id = ?";
constexpr char kPutConversation[] =
    "INSERT INTO conversations (workspace, user, id, title, created_at, updated_at, messages, pause) VALUES "
    "(?1,?2,?3,?4,?5,?5,0,?6) ON CONFLICT (workspace, user, id) DO UPDATE SET title = excluded.title, updated_at = "
    "excluded.updated_at, pause = excluded.pause";
constexpr char kDeleteConversation[] = "DELETE FROM conversations WHERE key = ?";

constexpr char kListMessages[] =
    "SELECT number, id, created_at, bytes FROM messages WHERE conversation = ? AND number >= ? AND number < ? ORDER BY "
    "number LIMIT ?";
constexpr char kListMessagesNewestFirst[] =
    "SELECT number, id, created_at, bytes FROM messages WHERE conversation = ? AND number >= ? AND number < ? ORDER BY "
    "number DESC LIMIT ?";
constexpr char kHasMessage[] = "SELECT 1 FROM messages WHERE conversation = ? AND id = ?";
constexpr char kAppendMessage[] =
    "INSERT INTO messages (conversation, number, id, created_at, bytes) VALUES (?,?,?,?,?)";
constexpr char kCountMessage[] = "UPDATE conversations SET messages = messages + 1, updated_at = ? WHERE key = ?";
constexpr char kDeleteMessages[] = "DELETE FROM messages WHERE conversation = ?";

constexpr char kListArtifacts[] =
    "SELECT message, number, bytes FROM artifacts WHERE conversation = ? AND message BETWEEN ? AND ? ORDER BY message, "
    "number";
constexpr char kHasArtifact[] = "SELECT 1 FROM artifacts WHERE conversation = ? AND message = ? AND number = ?";
constexpr char kPutArtifact[] = "INSERT INTO artifacts (conversation, message, number, bytes) VALUES (?,?,?,?)";
constexpr char kDeleteArtifacts[] = "DELETE FROM artifacts WHERE conversation = ?";

#undef TOOLGATE_CONVERSATION_COLUMNS

Conversation ReadConversation(const Cursor& cursor) {
  Conversation conversation;
  conversation.id = cursor.Text(0);
  conversation.user_id = cursor.Text(1);
  conversation.title = cursor.Text(2);
  conversation.created_at = absl::FromUnixMicros(cursor.Int(3));
  conversation.updated_at = absl::FromUnixMicros(cursor.Int(4));
  conversation.message_count = cursor.Int(5);
  conversation.pause = cursor.Blob(6);
  return conversation;
}

// The infinite future is no number of microseconds.
int64_t MicrosOf(absl::Time time) {
  return time == absl::InfiniteFuture() ? std::numeric_limits<int64_t>::max() : absl::ToUnixMicros(time);
}

}  // namespace

absl::StatusOr<std::optional<Conversation>> ConversationRows::Find(std::string_view user_id, std::string_view id) {
  Cursor cursor = connection_.Use(kFindConversation);
  ASSIGN_OR_RETURN(const bool found, cursor.Bind(workspace_, user_id, id).Step());
  if (!found) return std::nullopt;
  return ReadConversation(cursor);
}

absl::StatusOr<std::vector<Conversation>> ConversationRows::List(std::string_view user_id, int64_t limit,
                                                                 const ConversationPlace& after) {
  std::vector<Conversation> conversations;
  Cursor cursor = connection_.Use(kListConversations);
  cursor.Bind(workspace_, user_id, MicrosOf(after.updated_at), after.id, limit);
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return conversations;
    conversations.push_back(ReadConversation(cursor));
  }
}

absl::StatusOr<std::vector<StoredMessage>> ConversationRows::ListMessages(std::string_view user_id,
                                                                          std::string_view conversation_id,
                                                                          const MessageQuery& query) {
  std::vector<StoredMessage> messages;
  ASSIGN_OR_RETURN(const std::optional<Head> head, FindHead(user_id, conversation_id));
  if (!head.has_value()) return messages;
  Cursor cursor = connection_.Use(query.newest_first ? kListMessagesNewestFirst : kListMessages);
  cursor.Bind(head->key, query.from, query.before, query.limit);
  int64_t bytes = 0;
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return messages;
    const std::string_view row = cursor.Blob(3);
    bytes += static_cast<int64_t>(row.size());
    if (!messages.empty() && bytes > query.max_bytes) return messages;
    messages.push_back(
        {cursor.Int(0), std::string(cursor.Text(1)), absl::FromUnixMicros(cursor.Int(2)), std::string(row)});
  }
}

absl::StatusOr<std::vector<StoredArtifact>> ConversationRows::ListArtifacts(std::string_view user_id,
                                                                            std::string_view conversation_id,
                                                                            int64_t first, int64_t last) {
  std::vector<StoredArtifact> artifacts;
  ASSIGN_OR_RETURN(const std::optional<Head> head, FindHead(user_id, conversation_id));
  if (!head.has_value()) return artifacts;
  Cursor cursor = connection_.Use(kListArtifacts);
  cursor.Bind(head->key, first, last);
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return artifacts;
    artifacts.push_back({cursor.Int(0), cursor.Int(1), std::string(cursor.Blob(2))});
  }
}

absl::Status ConversationRows::Put(const Conversation& conversation, absl::Time now) {
  Cursor cursor = connection_.Use(kPutConversation);
  cursor.Bind(workspace_, conversation.user_id, conversation.id, conversation.title, absl::ToUnixMicros(now));
  return cursor.BindBlob(conversation.pause).Run();
}

absl::Status ConversationRows::Append(std::string_view user_id, std::string_view conversation_id,
                                      const StoredMessage& message, absl::Time now) {
  ASSIGN_OR_RETURN(const Head head, GetHead(user_id, conversation_id));
  if (message.number != head.messages) {
    return MakeError(ErrorCode::kConflict, absl::StrCat("the conversation has ", head.messages, " messages, not ",
                                                        message.number, ": somebody else went on with it"));
  }
  ASSIGN_OR_RETURN(const bool taken, Finds(kHasMessage, head.key, message.id));
  if (taken) return MakeError(ErrorCode::kConflict, "the conversation has a message with this id already");
  Cursor cursor = connection_.Use(kAppendMessage);
  cursor.Bind(head.key, message.number, message.id, absl::ToUnixMicros(message.created_at));
  RETURN_IF_ERROR(cursor.BindBlob(message.bytes).Run());
  return connection_.Use(kCountMessage).Bind(absl::ToUnixMicros(now), head.key).Run();
}

absl::Status ConversationRows::PutArtifact(std::string_view user_id, std::string_view conversation_id,
                                           const StoredArtifact& artifact) {
  ASSIGN_OR_RETURN(const Head head, GetHead(user_id, conversation_id));
  ASSIGN_OR_RETURN(const bool taken, Finds(kHasArtifact, head.key, artifact.message_number, artifact.number));
  if (taken) return MakeError(ErrorCode::kConflict, "the message has an artifact of this number already");
  Cursor cursor = connection_.Use(kPutArtifact);
  return cursor.Bind(head.key, artifact.message_number, artifact.number).BindBlob(artifact.bytes).Run();
}

absl::StatusOr<bool> ConversationRows::Delete(std::string_view user_id, std::string_view id) {
  ASSIGN_OR_RETURN(const std::optional<Head> head, FindHead(user_id, id));
  if (!head.has_value()) return false;
  for (const char* sql : {kDeleteArtifacts, kDeleteMessages, kDeleteConversation}) {
    RETURN_IF_ERROR(connection_.Use(sql).Bind(head->key).Run());
  }
  return true;
}

absl::StatusOr<std::optional<ConversationRows::Head>> ConversationRows::FindHead(std::string_view user_id,
                                                                                 std::string_view id) {
  Cursor cursor = connection_.Use(kFindHead);
  ASSIGN_OR_RETURN(const bool found, cursor.Bind(workspace_, user_id, id).Step());
  if (!found) return std::nullopt;
  return Head{cursor.Int(0), cursor.Int(1)};
}

absl::StatusOr<ConversationRows::Head> ConversationRows::GetHead(std::string_view user_id, std::string_view id) {
  ASSIGN_OR_RETURN(const std::optional<Head> head, FindHead(user_id, id));
  if (head.has_value()) return *head;
  return MakeError(ErrorCode::kNotFound, "the user has no such conversation");
}

template <typename... Values>
absl::StatusOr<bool> ConversationRows::Finds(const char* sql, const Values&... values) {
  Cursor cursor = connection_.Use(sql);
  return cursor.Bind(values...).Step();
}

}  // namespace toolgate::storage::sqlite
