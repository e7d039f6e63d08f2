// One SQLite connection with its prepared statements.
#ifndef TOOLGATE_STORAGE_SQLITE_CONNECTION_H_
#define TOOLGATE_STORAGE_SQLITE_CONNECTION_H_

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/cancellation.h"
#include "storage/sqlite/wal_vfs.h"

namespace toolgate::storage::sqlite {

// What SQLite's result means for the operator: never a ToolError. `doing` says what was attempted.
absl::Status SqliteStatus(sqlite3* db, int result, std::string_view doing);

class Connection;

// How a statement behaves once the call that its connection serves is over.
enum class StatementKind {
  kQuery,   // Stopped wherever it is.
  kChange,  // Not begun, but never stopped in the middle: SQLite would take back the whole transaction, and with it the
            // changes of other calls.
  kControl,  // Run to its end: BEGIN, COMMIT, savepoints.
};

// A run of a prepared statement. Ends when it goes out of scope; a text that was bound or read is borrowed until then.
class Cursor {
 public:
  Cursor(Connection& connection, sqlite3_stmt* statement, absl::Status prepared);
  Cursor(Cursor&& other) noexcept;
  Cursor& operator=(Cursor&&) = delete;
  ~Cursor();

  // Binds in order from the first parameter; BindAt from another one.
  template <typename... Values>
  Cursor& Bind(const Values&... values) {
    (BindOne(++bound_, values), ...);
    return *this;
  }
  // A pointer that only a function of ours that knows `type` can read.
  Cursor& BindPointer(const void* pointer, const char* type);
  Cursor& BindBlob(std::string_view bytes);

  // True: a row stands ready. False: done. CANCELLED or TIMEOUT (ToolError) when the call that the connection serves is
  // over.
  absl::StatusOr<bool> Step();
  // For a statement without rows.
  absl::Status Run();

  int64_t Int(int column) const { return sqlite3_column_int64(statement_, column); }
  double Real(int column) const { return sqlite3_column_double(statement_, column); }
  bool IsNull(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }
  std::string_view Text(int column) const;
  std::string_view Blob(int column) const;

 private:
  void BindOne(int index, int64_t value);
  void BindOne(int index, int value) { BindOne(index, int64_t{value}); }
  void BindOne(int index, bool value) { BindOne(index, int64_t{value}); }
  void BindOne(int index, std::string_view value);
  void BindOne(int index, const std::string& value) { BindOne(index, std::string_view(value)); }
  void BindOne(int index, const char* value) = delete;
  void Check(int result);

  Connection* connection_;
  sqlite3_stmt* statement_;
  StatementKind kind_;
  absl::Status status_;
  int bound_ = 0;
  bool begun_ = false;
};

// Sizes of a table's values, read from their rows' heads: however long a value is, none of it is read. Borrows the
// connection and all texts.
class ValueSizes {
 public:
  ValueSizes(sqlite3* db, const char* table, const char* column) : db_(db), table_(table), column_(column) {}
  ValueSizes(const ValueSizes&) = delete;
  ValueSizes& operator=(const ValueSizes&) = delete;
  ~ValueSizes() { sqlite3_blob_close(blob_); }

  // Bytes of the text or blob in the row of that number.
  absl::StatusOr<int64_t> Of(int64_t row);

 private:
  sqlite3* const db_;
  const char* const table_;
  const char* const column_;
  sqlite3_blob* blob_ = nullptr;
};

// Used by one thread at a time.
//
// While a CallScope is open, statements run for a call, and end with its error once it is over. SQLite asks from its
// progress handler, that is every thousand steps of its virtual machine.
class Connection {
 public:
  struct Options {
    bool read_only = false;
    bool create = false;
    int cache_kib = 2048;
    int64_t mmap_bytes = int64_t{1} << 30;
    bool gather_log = false;  // Writes to the write-ahead log go through a WalVfs: for one that commits.
    std::string vfs = {};     // By name, below that; empty: SQLite's default.
  };

  static absl::StatusOr<std::unique_ptr<Connection>> Open(const std::string& path, const Options& options);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  // Runs statements that need no parameters and give no rows.
  absl::Status Execute(const char* sql);
  // The run of a statement that is prepared once. `sql` must live as long as the program: it is known by its address.
  Cursor Use(const char* sql);
  // The same for text made at run time; the latest few are kept.
  Cursor UseText(const std::string& sql);

  // OK, or why the call that the connection serves is over. For loops that do much between two statements.
  absl::Status CheckCall() const { return call_ == nullptr ? absl::OkStatus() : call_->Check(); }

  // False when SQLite is inside a transaction.
  bool autocommit() const { return sqlite3_get_autocommit(db_) != 0; }
  sqlite3* db() const { return db_; }

 private:
  friend class CallScope;
  friend class Cursor;

  Connection(std::unique_ptr<WalVfs> vfs, sqlite3* db) : vfs_(std::move(vfs)), db_(db) {}
  // Of SQLite's progress handler: not 0 stops the statement.
  static int OnProgress(void* connection);
  // SQLite's result. Afterwards `stopped_` says why the statement was stopped, if it was.
  int Run(sqlite3_stmt* statement, StatementKind kind);
  absl::StatusOr<sqlite3_stmt*> Prepare(std::string_view sql, bool persistent);
  void DropTextStatements();

  const std::unique_ptr<WalVfs> vfs_;  // Or nullptr.
  sqlite3* const db_;
  absl::flat_hash_map<const char*, sqlite3_stmt*> statements_;
  // At most 64, of texts that the kinds of conditions make and no value does.
  absl::flat_hash_map<std::string, sqlite3_stmt*> text_statements_;
  const Cancellation* call_ = nullptr;  // Of the CallScope.
  bool runs_query_ = false;
  absl::Status stopped_;
};

// Lets the statements of a connection run for a call while it is in scope. May be nested; the inner one counts.
class CallScope {
 public:
  // Borrows both. `call` nullptr: no call, and nothing stops a statement.
  CallScope(Connection& connection, const Cancellation* call)
      : connection_(connection), outer_(std::exchange(connection.call_, call)) {}
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;
  ~CallScope() { connection_.call_ = outer_; }

 private:
  Connection& connection_;
  const Cancellation* const outer_;
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_CONNECTION_H_
