// Reads a long value piece by piece.
#ifndef TOOLGATE_STORAGE_SQLITE_BLOB_READER_H_
#define TOOLGATE_STORAGE_SQLITE_BLOB_READER_H_

#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <sqlite3.h>

#include <cstdint>

#include "absl/status/status.h"
#include "storage/sqlite/connection.h"

namespace toolgate::storage::sqlite {

// A blob in a row of a table of the main database, as a stream for protobuf; SQLite itself would return it whole.
// Within the use of the connection by a cursor, and as long as the row stays. Borrows all. Not thread-safe.
class BlobReader final : public google::protobuf::io::CopyingInputStream {
 public:
  BlobReader(Connection& connection, const char* table, const char* column, int64_t row);
  BlobReader(const BlobReader&) = delete;
  BlobReader& operator=(const BlobReader&) = delete;
  ~BlobReader() override { sqlite3_blob_close(blob_); }

  // For protobuf: the number of bytes, 0 at the end, -1 on failure.
  int Read(void* buffer, int size) override;
  int Skip(int count) override;

  // Why something failed, if it did.
  const absl::Status& status() const { return status_; }

 private:
  Connection& connection_;
  sqlite3_blob* blob_ = nullptr;
  int size_ = 0;
  int read_ = 0;
  absl::Status status_;
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_BLOB_READER_H_
