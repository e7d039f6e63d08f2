// Writes a long value piece by piece.
#ifndef TOOLGATE_STORAGE_SQLITE_BLOB_WRITER_H_
#define TOOLGATE_STORAGE_SQLITE_BLOB_WRITER_H_

#include <sqlite3.h>

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "storage/sqlite/connection.h"

namespace toolgate::storage::sqlite {

// Fills a blob of zeros (Cursor::BindZeros) in a row of a table of the main database from its beginning; a blob that is
// bound to a statement would be in memory twice. Within a transaction. Borrows all. Not thread-safe.
class BlobWriter {
 public:
  BlobWriter(Connection& connection, const char* table, const char* column, int64_t row);
  BlobWriter(const BlobWriter&) = delete;
  BlobWriter& operator=(const BlobWriter&) = delete;
  ~BlobWriter() { sqlite3_blob_close(blob_); }

  // An error also when there is not so much room left.
  absl::Status Write(std::string_view piece);

 private:
  Connection& connection_;
  sqlite3_blob* blob_ = nullptr;
  int written_ = 0;
  absl::Status status_;
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_BLOB_WRITER_H_
