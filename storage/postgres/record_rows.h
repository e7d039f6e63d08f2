// The tables of confirmations, outcomes, kept results and documents.
#ifndef TOOLGATE_STORAGE_POSTGRES_RECORD_ROWS_H_
#define TOOLGATE_STORAGE_POSTGRES_RECORD_ROWS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/postgres/session.h"
#include "storage/rows.h"

namespace toolgate::storage::postgres {

class PostgresConfirmationRows final : public ConfirmationRows {
 public:
  explicit PostgresConfirmationRows(Session& session) : session_(session) {}

  absl::StatusOr<std::optional<Confirmation>> Find(std::string_view id) override;
  absl::StatusOr<std::vector<Confirmation>> ListPending(absl::Time now, int64_t limit,
                                                        std::string_view after_id) override;
  absl::StatusOr<PendingConfirmations> CountPending(absl::Time now, std::string_view user_id) override;
  absl::Status Put(const Confirmation& confirmation) override;

 private:
  Session& session_;
};

class PostgresOutcomeRows final : public OutcomeRows {
 public:
  PostgresOutcomeRows(Session& session, JournalRows& journal) : session_(session), journal_(journal) {}

  absl::StatusOr<std::optional<IdempotentOutcome>> Find(std::string_view user_id, std::string_view key,
                                                        absl::Time created_after) override;
  // Writes to a workspace follow each other, so the first caller holds the key until its transaction ends.
  absl::StatusOr<KeyHolder> TakeKey(std::string_view user_id, std::string_view key, absl::Time created_after) override;
  absl::Status Put(std::string_view user_id, std::string_view key, const IdempotentOutcome& outcome) override;

 private:
  Session& session_;
  JournalRows& journal_;
};

class PostgresKeptResultRows final : public KeptResultRows {
 public:
  explicit PostgresKeptResultRows(Session& session) : session_(session) {}

  absl::StatusOr<std::optional<KeptPart>> ReadPart(std::string_view user_id, std::string_view id, int64_t offset,
                                                   int64_t length, absl::Time created_after) override;
  absl::StatusOr<std::vector<KeptSize>> ListSizes(std::string_view user_id) override;
  absl::Status Insert(const KeptResult& result) override;
  absl::Status Erase(std::string_view user_id, Ids ids) override;

 private:
  Session& session_;
};

class PostgresDocumentRows final : public DocumentRows {
 public:
  explicit PostgresDocumentRows(Session& session) : session_(session) {}

  absl::StatusOr<std::vector<Document>> Find(absl::Span<const DocumentKey> keys) override;
  absl::Status Put(const DocumentKey& key, std::string_view json) override;
  absl::Status Erase(const DocumentKey& key) override;

 private:
  Session& session_;
};

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_STORAGE_POSTGRES_RECORD_ROWS_H_
