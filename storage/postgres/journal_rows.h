// The tables of the journal.
#ifndef TOOLGATE_STORAGE_POSTGRES_JOURNAL_ROWS_H_
#define TOOLGATE_STORAGE_POSTGRES_JOURNAL_ROWS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/postgres/session.h"
#include "storage/rows.h"

namespace toolgate::storage::postgres {

class PostgresJournalRows final : public JournalRows {
 public:
  explicit PostgresJournalRows(Session& session) : session_(session) {}

  absl::StatusOr<std::optional<Claim>> Find(std::string_view id) override;
  absl::StatusOr<std::optional<Claim>> FindByKey(std::string_view user_id, std::string_view key) override;
  absl::StatusOr<std::vector<Claim>> ListParts(std::string_view id) override;
  absl::StatusOr<std::vector<SettledStep>> ListSteps(std::string_view claim_id) override;
  absl::Status Insert(const Claim& claim) override;
  absl::Status Update(const Claim& claim) override;
  absl::Status Erase(std::string_view claim_id) override;
  absl::Status InsertStep(const SettledStep& step) override;
  absl::Status EraseStep(std::string_view claim_id, int64_t number) override;

  // Of all workspaces, those that run out first coming first.
  static absl::StatusOr<std::vector<OpenClaim>> List(Session& session, const ClaimPlace& after, int64_t limit);

 private:
  Session& session_;
};

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_STORAGE_POSTGRES_JOURNAL_ROWS_H_
