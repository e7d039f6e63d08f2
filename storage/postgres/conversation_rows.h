// The tables of conversations, messages and artifacts.
#ifndef TOOLGATE_STORAGE_POSTGRES_CONVERSATION_ROWS_H_
#define TOOLGATE_STORAGE_POSTGRES_CONVERSATION_ROWS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/postgres/session.h"
#include "storage/rows.h"

namespace toolgate::storage::postgres {

class PostgresConversationRows final : public ConversationRows {
 public:
  explicit PostgresConversationRows(Session& session) : session_(session) {}

  absl::StatusOr<std::optional<Conversation>> Find(std::string_view user_id, std::string_view id) override;
  absl::StatusOr<std::vector<Conversation>> List(std::string_view user_id, int64_t limit,
                                                 const ConversationPlace& after) override;
  absl::StatusOr<std::vector<StoredMessage>> ListMessages(std::string_view user_id, std::string_view conversation_id,
                                                          const MessageQuery& query) override;
  absl::StatusOr<std::vector<StoredArtifact>> ListArtifacts(std::string_view user_id, std::string_view conversation_id,
                                                            int64_t first, int64_t last) override;
  absl::StatusOr<bool> HasMessage(std::string_view user_id, std::string_view conversation_id,
                                  std::string_view message_id) override;
  absl::StatusOr<bool> HasArtifact(std::string_view user_id, std::string_view conversation_id, int64_t message,
                                   int64_t number) override;
  absl::Status Put(const Conversation& conversation) override;
  absl::Status InsertMessage(std::string_view user_id, std::string_view conversation_id,
                             const StoredMessage& message) override;
  absl::Status InsertArtifact(std::string_view user_id, std::string_view conversation_id,
                              const StoredArtifact& artifact) override;
  absl::Status Erase(std::string_view user_id, std::string_view id) override;

 private:
  Session& session_;
};

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_STORAGE_POSTGRES_CONVERSATION_ROWS_H_
