#include "storage/postgres/conversation_rows.h"

#include <algorithm>
#include <limits>
#include <string>

#include "common/status_macros.h"

namespace toolgate::storage::postgres {
namespace {

#define CONVERSATION_COLUMNS "id, user_id, title, created_at, updated_at, messages, pause"
constexpr char kFindConversation[] =
    "SELECT " CONVERSATION_COLUMNS " FROM toolgate.conversations WHERE workspace = $1 AND user_id = $2 AND id = $3";
constexpr char kListConversations[] =
    "SELECT " CONVERSATION_COLUMNS
    " FROM toolgate.conversations WHERE workspace = $1 AND user_id = $2 AND (updated_at, id) < ($3, $4) ORDER BY "
    "updated_at DESC, id DESC LIMIT $5";
#undef CONVERSATION_COLUMNS
constexpr char kPutConversation[] =
    "INSERT INTO toolgate.conversations (workspace, user_id, id, title, created_at, updated_at, messages, pause) "
    "VALUES ($1,$2,$3,$4,$5,$6,$7,$8) ON CONFLICT (workspace, user_id, id) DO UPDATE SET title = excluded.title, "
    "updated_at = excluded.updated_at, messages = excluded.messages, pause = excluded.pause";
constexpr char kEraseConversation[] =
    "DELETE FROM toolgate.conversations WHERE workspace = $1 AND user_id = $2 AND id = $3";

// Up to the row with which all together exceed $7 bytes, but the first in any case.
#define LIST_MESSAGES(direction)                                                                                     \
  "SELECT number, id, created_at, bytes FROM (SELECT *, sum(octet_length(bytes)) OVER (ORDER BY number " direction   \
  " ROWS UNBOUNDED PRECEDING) AS up_to, row_number() OVER (ORDER BY number " direction                               \
  ") AS place FROM (SELECT number, id, created_at, bytes FROM toolgate.messages WHERE workspace = $1 AND user_id = " \
  "$2 AND conversation = $3 AND number >= $4 AND number < $5 ORDER BY number " direction                             \
  " LIMIT $6) AS few) AS measured WHERE place = 1 OR up_to <= $7 ORDER BY number " direction
constexpr char kListMessages[] = LIST_MESSAGES("ASC");
constexpr char kListMessagesNewestFirst[] = LIST_MESSAGES("DESC");
#undef LIST_MESSAGES
constexpr char kHasMessage[] =
    "SELECT 1 FROM toolgate.messages WHERE workspace = $1 AND user_id = $2 AND conversation = $3 AND id = $4";
constexpr char kInsertMessage[] =
    "INSERT INTO toolgate.messages (workspace, user_id, conversation, number, id, created_at, bytes) VALUES "
    "($1,$2,$3,$4,$5,$6,$7)";
constexpr char kEraseMessages[] =
    "DELETE FROM toolgate.messages WHERE workspace = $1 AND user_id = $2 AND conversation = $3";

constexpr char kListArtifacts[] =
    "SELECT message, number, bytes FROM toolgate.artifacts WHERE workspace = $1 AND user_id = $2 AND conversation = $3 "
    "AND message BETWEEN $4 AND $5 ORDER BY message, number";
constexpr char kHasArtifact[] =
    "SELECT 1 FROM toolgate.artifacts WHERE workspace = $1 AND user_id = $2 AND conversation = $3 AND message = $4 AND "
    "number = $5";
constexpr char kInsertArtifact[] =
    "INSERT INTO toolgate.artifacts (workspace, user_id, conversation, message, number, bytes) VALUES "
    "($1,$2,$3,$4,$5,$6)";
constexpr char kEraseArtifacts[] =
    "DELETE FROM toolgate.artifacts WHERE workspace = $1 AND user_id = $2 AND conversation = $3";

Conversation ReadConversation(const Row& row) {
  Conversation conversation;
  conversation.id = row.String(0);
  conversation.user_id = row.String(1);
  conversation.title = row.String(2);
  conversation.created_at = absl::FromUnixMicros(row.Int(3));
  conversation.updated_at = absl::FromUnixMicros(row.Int(4));
  conversation.message_count = row.Int(5);
  conversation.pause = row.String(6);
  return conversation;
}

// The infinite future is no number of microseconds.
int64_t MicrosOf(absl::Time time) {
  return time == absl::InfiniteFuture() ? std::numeric_limits<int64_t>::max() : absl::ToUnixMicros(time);
}

}  // namespace

absl::StatusOr<std::optional<Conversation>> PostgresConversationRows::Find(std::string_view user_id,
                                                                           std::string_view id) {
  ASSIGN_OR_RETURN(const Result found,
                   session_.Query(kFindConversation, Params::Of(session_.workspace(), user_id, id)));
  if (found.empty()) return std::nullopt;
  return ReadConversation(found[0]);
}

absl::StatusOr<std::vector<Conversation>> PostgresConversationRows::List(std::string_view user_id, int64_t limit,
                                                                         const ConversationPlace& after) {
  std::vector<Conversation> conversations;
  const Params params =
      Params::Of(session_.workspace(), user_id, MicrosOf(after.updated_at), after.id, std::max<int64_t>(limit, 0));
  RETURN_IF_ERROR(session_.Stream(kListConversations, params, [&](const Row& row) {
    conversations.push_back(ReadConversation(row));
    return absl::OkStatus();
  }));
  return conversations;
}

absl::StatusOr<std::vector<StoredMessage>> PostgresConversationRows::ListMessages(std::string_view user_id,
                                                                                  std::string_view conversation_id,
                                                                                  const MessageQuery& query) {
  std::vector<StoredMessage> messages;
  const Params params = Params::Of(session_.workspace(), user_id, conversation_id, query.from, query.before,
                                   std::max<int64_t>(query.limit, 0), query.max_bytes);
  RETURN_IF_ERROR(
      session_.Stream(query.newest_first ? kListMessagesNewestFirst : kListMessages, params, [&](const Row& row) {
        messages.push_back({row.Int(0), row.String(1), absl::FromUnixMicros(row.Int(2)), row.String(3)});
        return absl::OkStatus();
      }));
  return messages;
}

absl::StatusOr<std::vector<StoredArtifact>> PostgresConversationRows::ListArtifacts(std::string_view user_id,
                                                                                    std::string_view conversation_id,
                                                                                    int64_t first, int64_t last) {
  std::vector<StoredArtifact> artifacts;
  const Params params = Params::Of(session_.workspace(), user_id, conversation_id, first, last);
  RETURN_IF_ERROR(session_.Stream(kListArtifacts, params, [&](const Row& row) {
    artifacts.push_back({row.Int(0), row.Int(1), row.String(2)});
    return absl::OkStatus();
  }));
  return artifacts;
}

absl::StatusOr<bool> PostgresConversationRows::HasMessage(std::string_view user_id, std::string_view conversation_id,
                                                          std::string_view message_id) {
  ASSIGN_OR_RETURN(const Result found,
                   session_.Query(kHasMessage, Params::Of(session_.workspace(), user_id, conversation_id, message_id)));
  return !found.empty();
}

absl::StatusOr<bool> PostgresConversationRows::HasArtifact(std::string_view user_id, std::string_view conversation_id,
                                                           int64_t message, int64_t number) {
  ASSIGN_OR_RETURN(const Result found, session_.Query(kHasArtifact, Params::Of(session_.workspace(), user_id,
                                                                               conversation_id, message, number)));
  return !found.empty();
}

absl::Status PostgresConversationRows::Put(const Conversation& conversation) {
  return session_.Write(kPutConversation, Params::Of(session_.workspace(), conversation.user_id, conversation.id,
                                                     conversation.title, absl::ToUnixMicros(conversation.created_at),
                                                     absl::ToUnixMicros(conversation.updated_at),
                                                     conversation.message_count, conversation.pause));
}

absl::Status PostgresConversationRows::InsertMessage(std::string_view user_id, std::string_view conversation_id,
                                                     const StoredMessage& message) {
  return session_.Write(kInsertMessage, Params::Of(session_.workspace(), user_id, conversation_id, message.number,
                                                   message.id, absl::ToUnixMicros(message.created_at), message.bytes));
}

absl::Status PostgresConversationRows::InsertArtifact(std::string_view user_id, std::string_view conversation_id,
                                                      const StoredArtifact& artifact) {
  return session_.Write(kInsertArtifact, Params::Of(session_.workspace(), user_id, conversation_id,
                                                    artifact.message_number, artifact.number, artifact.bytes));
}

absl::Status PostgresConversationRows::Erase(std::string_view user_id, std::string_view id) {
  for (const char* sql : {kEraseArtifacts, kEraseMessages, kEraseConversation}) {
    RETURN_IF_ERROR(session_.Write(sql, Params::Of(session_.workspace(), user_id, id)));
  }
  return absl::OkStatus();
}

}  // namespace toolgate::storage::postgres
