// The tables of files of pages.
#ifndef TOOLGATE_STORAGE_POSTGRES_FILE_ROWS_H_
#define TOOLGATE_STORAGE_POSTGRES_FILE_ROWS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/postgres/session.h"
#include "storage/rows.h"

namespace toolgate::storage::postgres {

class PostgresFileRows final : public FileRows {
 public:
  explicit PostgresFileRows(Session& session) : session_(session) {}

  absl::StatusOr<std::optional<FileHead>> Find(std::string_view name) override;
  absl::StatusOr<std::map<int64_t, std::string>> ReadPages(std::string_view name,
                                                           absl::Span<const int64_t> numbers) override;
  absl::Status Write(std::string_view name, const FileHead& head, const std::map<int64_t, std::string>& pages) override;

 private:
  Session& session_;
};

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_STORAGE_POSTGRES_FILE_ROWS_H_
