// The tables of confirmations, outcomes, kept results and documents.
#ifndef TOOLGATE_STORAGE_SQLITE_SQLITE_RECORD_ROWS_H_
#define TOOLGATE_STORAGE_SQLITE_SQLITE_RECORD_ROWS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/rows.h"
#include "storage/sqlite/row_access.h"

namespace toolgate::storage::sqlite {

class SqliteConfirmationRows final : public ConfirmationRows {
 public:
  explicit SqliteConfirmationRows(RowAccess& access) : access_(access) {}

  absl::StatusOr<std::optional<Confirmation>> Find(std::string_view id) override;
  absl::StatusOr<std::vector<Confirmation>> ListPending(absl::Time now, int64_t limit,
                                                        std::string_view after_id) override;
  absl::StatusOr<PendingConfirmations> CountPending(absl::Time now, std::string_view user_id) override;
  absl::Status Put(const Confirmation& confirmation) override;

 private:
  RowAccess& access_;
};

class SqliteOutcomeRows final : public OutcomeRows {
 public:
  SqliteOutcomeRows(RowAccess& access, JournalRows& journal) : access_(access), journal_(journal) {}

  absl::StatusOr<std::optional<IdempotentOutcome>> Find(std::string_view user_id, std::string_view key,
                                                        absl::Time created_after) override;
  // There is only one writer, so the first caller holds the key until its transaction ends.
  absl::StatusOr<KeyHolder> TakeKey(std::string_view user_id, std::string_view key, absl::Time created_after) override;
  absl::Status Put(std::string_view user_id, std::string_view key, const IdempotentOutcome& outcome) override;

 private:
  RowAccess& access_;
  JournalRows& journal_;
};

class SqliteKeptResultRows final : public KeptResultRows {
 public:
  explicit SqliteKeptResultRows(RowAccess& access) : access_(access) {}

  absl::StatusOr<std::optional<KeptPart>> ReadPart(std::string_view user_id, std::string_view id, int64_t offset,
                                                   int64_t length, absl::Time created_after) override;
  absl::StatusOr<std::vector<KeptSize>> ListSizes(std::string_view user_id) override;
  absl::Status Insert(const KeptResult& result) override;
  absl::Status Erase(std::string_view user_id, Ids ids) override;

 private:
  RowAccess& access_;
};

class SqliteDocumentRows final : public DocumentRows {
 public:
  explicit SqliteDocumentRows(RowAccess& access) : access_(access) {}

  absl::StatusOr<std::vector<Document>> Find(absl::Span<const DocumentKey> keys) override;
  absl::Status Put(const DocumentKey& key, std::string_view json) override;
  absl::Status Erase(const DocumentKey& key) override;

 private:
  RowAccess& access_;
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_SQLITE_RECORD_ROWS_H_
