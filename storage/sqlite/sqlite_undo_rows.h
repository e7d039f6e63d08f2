// The table of undo entries.
#ifndef TOOLGATE_STORAGE_SQLITE_SQLITE_UNDO_ROWS_H_
#define TOOLGATE_STORAGE_SQLITE_SQLITE_UNDO_ROWS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/rows.h"
#include "storage/sqlite/row_access.h"

namespace toolgate::storage::sqlite {

class SqliteUndoRows final : public UndoRows {
 public:
  explicit SqliteUndoRows(RowAccess& access) : access_(access) {}

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
  absl::Status LoadChanges(int64_t row, UndoContent content, UndoEntry& entry);

  RowAccess& access_;
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_SQLITE_UNDO_ROWS_H_
