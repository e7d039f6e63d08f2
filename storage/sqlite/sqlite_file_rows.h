// The tables of files of pages.
#ifndef TOOLGATE_STORAGE_SQLITE_SQLITE_FILE_ROWS_H_
#define TOOLGATE_STORAGE_SQLITE_SQLITE_FILE_ROWS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/rows.h"
#include "storage/sqlite/row_access.h"

namespace toolgate::storage::sqlite {

class SqliteFileRows final : public FileRows {
 public:
  explicit SqliteFileRows(RowAccess& access) : access_(access) {}

  absl::StatusOr<std::optional<FileHead>> Find(std::string_view name) override;
  absl::StatusOr<std::map<int64_t, std::string>> ReadPages(std::string_view name,
                                                           absl::Span<const int64_t> numbers) override;
  absl::Status Write(std::string_view name, const FileHead& head, const std::map<int64_t, std::string>& pages) override;

 private:
  // The file's key after its head was written.
  absl::StatusOr<int64_t> PutHead(std::string_view name, const FileHead& head);

  RowAccess& access_;
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_SQLITE_FILE_ROWS_H_
