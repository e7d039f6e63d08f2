#include "storage/sqlite/blob_writer.h"

namespace toolgate::storage::sqlite {

BlobWriter::BlobWriter(Connection& connection, const char* table, const char* column, int64_t row)
    : connection_(connection) {
  const int result = sqlite3_blob_open(connection.db(), "main", table, column, row, /*flags=*/1, &blob_);
  if (result != SQLITE_OK) status_ = SqliteStatus(connection.db(), result, "opening a long value to write");
}

absl::Status BlobWriter::Write(std::string_view piece) {
  if (!status_.ok()) return status_;
  const int result = sqlite3_blob_write(blob_, piece.data(), static_cast<int>(piece.size()), written_);
  if (result != SQLITE_OK) return status_ = SqliteStatus(connection_.db(), result, "writing a long value");
  written_ += static_cast<int>(piece.size());
  return absl::OkStatus();
}

}  // namespace toolgate::storage::sqlite
