// The table of undo entries.
#ifndef TOOLGATE_STORAGE_POSTGRES_UNDO_ROWS_H_
#define TOOLGATE_STORAGE_POSTGRES_UNDO_ROWS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/postgres/session.h"
#include "storage/rows.h"

namespace toolgate::storage::postgres {

class PostgresUndoRows final : public UndoRows {
 public:
  explicit PostgresUndoRows(Session& session) : session_(session) {}

  absl::StatusOr<std::vector<UndoHead>> ListHeads(std::string_view user_id, int64_t changes) override;
  absl::StatusOr<std::vector<UndoEntry>> Load(std::string_view user_id, absl::Span<const int64_t> numbers,
                                              UndoContent content) override;
  absl::StatusOr<bool> HasBelow(std::string_view user_id, const UndoGroup& group, int64_t number) override;
  absl::StatusOr<int64_t> NextNumber(std::string_view user_id) override;
  absl::Status Push(int64_t number, const UndoEntry& entry) override;
  absl::Status Drop(std::string_view user_id, absl::Span<const int64_t> numbers) override;
  absl::Status SetUndone(std::string_view user_id, int64_t number, bool undone) override;
  absl::Status Trim(std::string_view user_id, const UndoTrim& trim) override;

 private:
  Session& session_;
  absl::flat_hash_map<std::string, int64_t> last_numbers_;  // Of users; a number that was rolled back may be left out.
};

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_STORAGE_POSTGRES_UNDO_ROWS_H_
