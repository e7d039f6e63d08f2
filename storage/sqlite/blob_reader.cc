#include "storage/sqlite/blob_reader.h"

#include <algorithm>

namespace toolgate::storage::sqlite {

BlobReader::BlobReader(Connection& connection, const char* table, const char* column, int64_t row)
    : connection_(connection) {
  const int result = sqlite3_blob_open(connection.db(), "main", table, column, row, /*flags=*/0, &blob_);
  if (result == SQLITE_OK) {
    size_ = sqlite3_blob_bytes(blob_);
  } else {
    status_ = SqliteStatus(connection.db(), result, "opening a long value");
  }
}

int BlobReader::Read(void* buffer, int size) {
  // Between two pieces, since no statement of SQLite's would look whether the call is over.
  if (status_.ok()) status_ = connection_.CheckCall();
  if (!status_.ok()) return -1;
  const int count = std::min(size, size_ - read_);
  const int result = sqlite3_blob_read(blob_, buffer, count, read_);
  if (result != SQLITE_OK) {
    status_ = SqliteStatus(connection_.db(), result, "reading a long value");
    return -1;
  }
  read_ += count;
  return count;
}

int BlobReader::Skip(int count) {
  const int skipped = std::min(count, size_ - read_);
  read_ += skipped;
  return skipped;
}

}  // namespace toolgate::storage::sqlite
