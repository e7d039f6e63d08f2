// The tables of conversations, messages and artifacts.
#ifndef TOOLGATE_STORAGE_SQLITE_CONVERSATION_ROWS_H_
#define TOOLGATE_STORAGE_SQLITE_CONVERSATION_ROWS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "storage/conversation.h"
#include "storage/sqlite/connection.h"

namespace toolgate::storage::sqlite {

// Statements for the conversations of ReadView and Transaction, for one workspace, whose key is 0 if it does not exist;
// storage/store.h describes their guarantees. Borrows the connection; used by one thread at a time.
class ConversationRows {
 public:
  ConversationRows(Connection& connection, int64_t workspace) : connection_(connection), workspace_(workspace) {}

  absl::StatusOr<std::optional<Conversation>> Find(std::string_view user_id, std::string_view id);
  absl::StatusOr<std::vector<Conversation>> List(std::string_view user_id, int64_t limit,
                                                 const ConversationPlace& after);
  absl::StatusOr<std::vector<StoredMessage>> ListMessages(std::string_view user_id, std::string_view conversation_id,
                                                          const MessageQuery& query);
  absl::StatusOr<std::vector<StoredArtifact>> ListArtifacts(std::string_view user_id, std::string_view conversation_id,
                                                            int64_t first, int64_t last);

  absl::Status Put(const Conversation& conversation, absl::Time now);
  absl::Status Append(std::string_view user_id, std::string_view conversation_id, const StoredMessage& message,
                      absl::Time now);
  absl::Status PutArtifact(std::string_view user_id, std::string_view conversation_id, const StoredArtifact& artifact);
  absl::StatusOr<bool> Delete(std::string_view user_id, std::string_view id);

 private:
  // Key and number of messages of a conversation.
  struct Head {
    int64_t key = 0;
    int64_t messages = 0;
  };
  absl::StatusOr<std::optional<Head>> FindHead(std::string_view user_id, std::string_view id);
  // NOT_FOUND.
  absl::StatusOr<Head> GetHead(std::string_view user_id, std::string_view id);
  // Whether the statement, bound to these numbers, finds a row.
  template <typename... Values>
  absl::StatusOr<bool> Finds(const char* sql, const Values&... values);

  Connection& connection_;
  const int64_t workspace_;
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_CONVERSATION_ROWS_H_
