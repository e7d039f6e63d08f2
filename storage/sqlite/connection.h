// One SQLite connection with its prepared statements.
#ifndef TOOLGATE_STORAGE_SQLITE_CONNECTION_H_
#define TOOLGATE_STORAGE_SQLITE_CONNECTION_H_

#include <sqlite3.h>

#include <atomic>
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
#include "common/fibers/cancellation.h"
#include "storage/sqlite/vfs_layer.h"

namespace toolgate::storage::sqlite {

// Meaning of a SQLite result for the operator: never a ToolError, and marked as a fault (storage/fault.h). `doing`
// describes the attempted action.
absl::Status SqliteStatus(sqlite3* db, int result, std::string_view doing);

class Connection;

// A use of a connection, from its beginning to the end of its scope. May be nested. Everything that touches a
// connection's database is within one, so that its snapshot can be revoked between two.
class ConnectionUse {
 public:
  explicit ConnectionUse(Connection& connection);
  ConnectionUse(ConnectionUse&& other) noexcept : connection_(std::exchange(other.connection_, nullptr)) {}
  ConnectionUse& operator=(ConnectionUse&&) = delete;
  ~ConnectionUse();

  // False if the snapshot was revoked: the database must not be touched then.
  bool granted() const { return connection_ != nullptr; }

 private:
  Connection* connection_;
};

// Behaviour of a statement once the call that its connection serves is over.
enum class StatementKind {
  kQuery,    // Stopped at any point.
  kChange,   // Not begun, but never stopped midway: SQLite would roll back the whole transaction, and with it the
             // changes of other calls.
  kControl,  // Run to its end: BEGIN, COMMIT, savepoints.
};

// A run of a prepared statement. Ends when it goes out of scope; bound and read texts are borrowed until then.
class Cursor {
 public:
  Cursor(Connection& connection, ConnectionUse use, sqlite3_stmt* statement, absl::Status prepared);
  Cursor(Cursor&& other) noexcept;
  Cursor& operator=(Cursor&&) = delete;
  ~Cursor();

  // Binds in order from the first parameter; BindAt from another one.
  template <typename... Values>
  Cursor& Bind(const Values&... values) {
    (BindOne(++bound_, values), ...);
    return *this;
  }
  // A pointer that only our functions that know `type` can read.
  Cursor& BindPointer(const void* pointer, const char* type);
  Cursor& BindBlob(std::string_view bytes);
  // A blob of so many zeros, which is not in memory as a whole.
  Cursor& BindZeros(int64_t bytes);

  // True: a row is available. False: done. CANCELLED or TIMEOUT (ToolError) if the call that the connection serves is
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
  void BindOne(int index, double value);
  void BindOne(int index, bool value) { BindOne(index, int64_t{value}); }
  void BindOne(int index, std::string_view value);
  void BindOne(int index, const std::string& value) { BindOne(index, std::string_view(value)); }
  void BindOne(int index, const char* value) = delete;
  void Check(int result);

  Connection* connection_;
  ConnectionUse use_;
  sqlite3_stmt* statement_;
  StatementKind kind_;
  absl::Status status_;
  int bound_ = 0;
  bool begun_ = false;
};

// Sizes of a table's values, read from the headers of their rows: the values themselves, however long, are not read.
// Borrows the connection and all texts.
class ValueSizes {
 public:
  ValueSizes(sqlite3* db, const char* table, const char* column) : db_(db), table_(table), column_(column) {}
  ValueSizes(const ValueSizes&) = delete;
  ValueSizes& operator=(const ValueSizes&) = delete;
  ~ValueSizes() { sqlite3_blob_close(blob_); }

  // Size in bytes of the text or blob in the row with that number.
  absl::StatusOr<int64_t> Of(int64_t row);

 private:
  sqlite3* const db_;
  const char* const table_;
  const char* const column_;
  sqlite3_blob* blob_ = nullptr;
};

// Used by one thread at a time, except for Revoke.
//
// While a CallScope is open, statements run for a call, and end with its error once it is over. This is checked in
// SQLite's progress handler, every thousand steps of its virtual machine.
class Connection {
 public:
  struct Options {
    bool read_only = false;
    bool create = false;
    int cache_kib = 0;        // 0: SQLite's own.
    bool gather_log = false;  // Writes to the write-ahead log go through a WalVfs: for the connection that commits.
    bool shadow = false;      // For transactions that are not kept, beside the one that writes (ShadowVfs).
    std::string vfs = {};     // The VFS below, by name; empty: SQLite's default.
  };

  static absl::StatusOr<std::unique_ptr<Connection>> Open(const std::string& path, const Options& options);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  // Runs statements without parameters and rows.
  absl::Status Execute(const char* sql);
  // Run of a statement that is prepared once. `sql` must live as long as the program: its address identifies it.
  Cursor Use(const char* sql);
  // The same for text made at run time; the most recent ones are kept.
  Cursor UseText(const std::string& sql);

  // OK, or why the call that the connection serves is over, or that the snapshot is revoked. For loops with much work
  // between two statements.
  absl::Status CheckCall();

  // Takes the snapshot away from a reader that has it too long, on another thread than the reader's: its present query
  // and all further statements fail with SnapshotRevoked. Returns whether the snapshot has ended; otherwise a use of
  // the connection must end first, so call again. Restore makes the connection usable once more; both under one lock.
  bool Revoke();
  void Restore();
  // Whether Revoke was called and Restore was not. May be asked on any thread.
  bool is_revoked() const { return revoked_.load(std::memory_order_relaxed); }
  // From now on, this one's statements also end when `other` is revoked; nullptr: they do not. Borrowed.
  void EndWith(const Connection* other) { ends_with_ = other; }
  // Whether something failed because of Revoke, since the last Restore.
  bool refused() const { return refused_; }

  // False if SQLite is inside a transaction.
  bool autocommit() const { return sqlite3_get_autocommit(db_) != 0; }
  sqlite3* db() const { return db_; }

 private:
  friend class CallScope;
  friend class ConnectionUse;
  friend class Cursor;

  enum class State { kFree, kInUse, kRevoking, kRevoked };

  Connection(std::unique_ptr<VfsLayer> vfs, sqlite3* db) : vfs_(std::move(vfs)), db_(db) {}
  // Settings of a shadow.
  absl::Status NeverWrite();
  // SQLite's progress handler: a result other than 0 stops the statement.
  static int OnProgress(void* connection);
  // SQLite's result. Afterwards `stopped_` has the reason for which the statement was stopped, if it was.
  int Run(sqlite3_stmt* statement, StatementKind kind);
  absl::StatusOr<sqlite3_stmt*> Prepare(std::string_view sql, bool persistent);
  void DropTextStatements();

  const std::unique_ptr<VfsLayer> vfs_;  // Or nullptr.
  sqlite3* const db_;
  absl::flat_hash_map<const char*, sqlite3_stmt*> statements_;
  // At most 64; their texts depend on the kinds of conditions and not on values.
  absl::flat_hash_map<std::string, sqlite3_stmt*> text_statements_;
  const fibers::Cancellation* call_ = nullptr;  // Of the CallScope.
  bool runs_query_ = false;
  absl::Status stopped_;
  int uses_ = 0;
  bool refused_ = false;
  const Connection* ends_with_ = nullptr;
  std::atomic<bool> revoked_{false};
  std::atomic<State> state_{State::kFree};  // Owned by the thread that moved it away from kFree.
};

// While in scope, statements of a connection run for a call. May be nested; the inner scope counts.
class CallScope {
 public:
  // Borrows both. `call` nullptr: nothing stops a statement.
  CallScope(Connection& connection, const fibers::Cancellation* call)
      : connection_(connection), outer_(std::exchange(connection.call_, call)) {}
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;
  ~CallScope() { connection_.call_ = outer_; }

 private:
  Connection& connection_;
  const fibers::Cancellation* const outer_;
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_CONNECTION_H_
