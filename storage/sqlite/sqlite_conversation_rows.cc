#include "storage/sqlite/sqlite_conversation_rows.h"

#include <algorithm>
#include <limits>
#include <string>

#include "common/status_macros.h"

namespace toolgate::storage::sqlite {
namespace {

#define TOOLGATE_CONVERSATION_COLUMNS "id, user, title, created_at, updated_at, messages, pause"

constexpr char kFindConversation[] =
    "SELECT " TOOLGATE_CONVERSATION_COLUMNS " FROM conversations WHERE workspace = ? AND user = ? AND id = ?";
constexpr char kListConversations[] =
    "SELECT " TOOLGATE_CONVERSATION_COLUMNS
    " FROM conversations WHERE workspace = ? AND user = ? AND (updated_at, id) < (?, ?) ORDER BY updated_at DESC, id "
    "DESC LIMIT ?";
constexpr char kFindKey[] = "SELECT key FROM conversations WHERE workspace = ? AND user = ? AND id = ?";
constexpr char kPutConversation[] =
    "INSERT INTO conversations (workspace, user, id, title, created_at, updated_at, messages, pause) VALUES "
    "(?,?,?,?,?,?,?,?) ON CONFLICT (workspace, user, id) DO UPDATE SET title = excluded.title, updated_at = "
    "excluded.updated_at, messages = excluded.messages, pause = excluded.pause";
constexpr char kEraseConversation[] = "DELETE FROM conversations WHERE key = ?";

constexpr char kListMessages[] =
    "SELECT number, id, created_at, bytes FROM messages WHERE conversation = ? AND number >= ? AND number < ? ORDER BY "
    "number LIMIT ?";
constexpr char kListMessagesNewestFirst[] =
    "SELECT number, id, created_at, bytes FROM messages WHERE conversation = ? AND number >= ? AND number < ? ORDER BY "
    "number DESC LIMIT ?";
constexpr char kHasMessage[] = "SELECT 1 FROM messages WHERE conversation = ? AND id = ?";
constexpr char kInsertMessage[] =
    "INSERT INTO messages (conversation, number, id, created_at, bytes) VALUES (?,?,?,?,?)";
constexpr char kEraseMessages[] = "DELETE FROM messages WHERE conversation = ?";

constexpr char kListArtifacts[] =
    "SELECT message, number, bytes FROM artifacts WHERE conversation = ? AND message BETWEEN ? AND ? ORDER BY message, "
    "number";
constexpr char kHasArtifact[] = "SELECT 1 FROM artifacts WHERE conversation = ? AND message = ? AND number = ?";
constexpr char kInsertArtifact[] = "INSERT INTO artifacts (conversation, message, number, bytes) VALUES (?,?,?,?)";
constexpr char kEraseArtifacts[] = "DELETE FROM artifacts WHERE conversation = ?";

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

absl::StatusOr<std::optional<Conversation>> SqliteConversationRows::Find(std::string_view user_id,
                                                                         std::string_view id) {
  Cursor cursor = access_.connection().Use(kFindConversation);
  ASSIGN_OR_RETURN(const bool found, cursor.Bind(access_.workspace(), user_id, id).Step());
  if (!found) return std::nullopt;
  return ReadConversation(cursor);
}

absl::StatusOr<std::vector<Conversation>> SqliteConversationRows::List(std::string_view user_id, int64_t limit,
                                                                       const ConversationPlace& after) {
  std::vector<Conversation> conversations;
  Cursor cursor = access_.connection().Use(kListConversations);
  cursor.Bind(access_.workspace(), user_id, MicrosOf(after.updated_at), after.id, limit);
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return conversations;
    conversations.push_back(ReadConversation(cursor));
  }
}

absl::StatusOr<std::vector<StoredMessage>> SqliteConversationRows::ListMessages(std::string_view user_id,
                                                                                std::string_view conversation_id,
                                                                                const MessageQuery& query) {
  std::vector<StoredMessage> messages;
  ASSIGN_OR_RETURN(const int64_t key, FindKey(user_id, conversation_id));
  if (key == 0) return messages;
  Cursor cursor = access_.connection().Use(query.newest_first ? kListMessagesNewestFirst : kListMessages);
  cursor.Bind(key, query.from, query.before, query.limit);
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

absl::StatusOr<std::vector<StoredArtifact>> SqliteConversationRows::ListArtifacts(std::string_view user_id,
                                                                                  std::string_view conversation_id,
                                                                                  int64_t first, int64_t last) {
  std::vector<StoredArtifact> artifacts;
  ASSIGN_OR_RETURN(const int64_t key, FindKey(user_id, conversation_id));
  if (key == 0) return artifacts;
  Cursor cursor = access_.connection().Use(kListArtifacts);
  cursor.Bind(key, first, last);
  while (true) {
    ASSIGN_OR_RETURN(const bool found, cursor.Step());
    if (!found) return artifacts;
    artifacts.push_back({cursor.Int(0), cursor.Int(1), std::string(cursor.Blob(2))});
  }
}

absl::StatusOr<int64_t> SqliteConversationRows::FindKey(std::string_view user_id, std::string_view id) {
  Cursor cursor = access_.connection().Use(kFindKey);
  ASSIGN_OR_RETURN(const bool found, cursor.Bind(access_.workspace(), user_id, id).Step());
  return found ? cursor.Int(0) : 0;
}

absl::StatusOr<bool> SqliteConversationRows::HasMessage(std::string_view user_id, std::string_view conversation_id,
                                                        std::string_view message_id) {
  ASSIGN_OR_RETURN(const int64_t key, FindKey(user_id, conversation_id));
  Cursor cursor = access_.connection().Use(kHasMessage);
  return cursor.Bind(key, message_id).Step();
}

absl::StatusOr<bool> SqliteConversationRows::HasArtifact(std::string_view user_id, std::string_view conversation_id,
                                                         int64_t message, int64_t number) {
  ASSIGN_OR_RETURN(const int64_t key, FindKey(user_id, conversation_id));
  Cursor cursor = access_.connection().Use(kHasArtifact);
  return cursor.Bind(key, message, number).Step();
}

absl::Status SqliteConversationRows::Put(const Conversation& conversation) {
  RETURN_IF_ERROR(access_.BeforeChange());
  Cursor cursor = access_.connection().Use(kPutConversation);
  cursor.Bind(access_.workspace(), conversation.user_id, conversation.id, conversation.title,
              absl::ToUnixMicros(conversation.created_at), absl::ToUnixMicros(conversation.updated_at),
              conversation.message_count);
  return cursor.BindBlob(conversation.pause).Run();
}

absl::Status SqliteConversationRows::InsertMessage(std::string_view user_id, std::string_view conversation_id,
                                                   const StoredMessage& message) {
  RETURN_IF_ERROR(access_.BeforeChange());
  ASSIGN_OR_RETURN(const int64_t key, FindKey(user_id, conversation_id));
  Cursor cursor = access_.connection().Use(kInsertMessage);
  cursor.Bind(key, message.number, message.id, absl::ToUnixMicros(message.created_at));
  return cursor.BindBlob(message.bytes).Run();
}

absl::Status SqliteConversationRows::InsertArtifact(std::string_view user_id, std::string_view conversation_id,
                                                    const StoredArtifact& artifact) {
  RETURN_IF_ERROR(access_.BeforeChange());
  ASSIGN_OR_RETURN(const int64_t key, FindKey(user_id, conversation_id));
  Cursor cursor = access_.connection().Use(kInsertArtifact);
  return cursor.Bind(key, artifact.message_number, artifact.number).BindBlob(artifact.bytes).Run();
}

absl::Status SqliteConversationRows::Erase(std::string_view user_id, std::string_view id) {
  RETURN_IF_ERROR(access_.BeforeChange());
  ASSIGN_OR_RETURN(const int64_t key, FindKey(user_id, id));
  for (const char* sql : {kEraseArtifacts, kEraseMessages, kEraseConversation}) {
    RETURN_IF_ERROR(access_.connection().Use(sql).Bind(key).Run());
  }
  return absl::OkStatus();
}

}  // namespace toolgate::storage::sqlite
