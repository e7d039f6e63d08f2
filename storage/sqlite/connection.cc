#include "storage/sqlite/connection.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "storage/block_fields.h"
#include "storage/fault.h"
#include "storage/snapshot_revoked.h"
#include "storage/sqlite/filter_run.h"
#include "storage/sqlite/search_rank.h"
#include "storage/sqlite/shadow_vfs.h"
#include "storage/sqlite/wal_vfs.h"

namespace toolgate::storage::sqlite {
namespace {

constexpr size_t kMaxTextStatements = 64;
// Some 30 µs of a query, which the check (a flag and a clock) slows down by at most 0.2 %.
constexpr int kStepsBetweenChecks = 1000;

absl::StatusCode CodeFor(int result) {
  switch (result & 0xff) {
    case SQLITE_FULL:
      return absl::StatusCode::kResourceExhausted;
    case SQLITE_NOMEM:
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PROTOCOL:
      return absl::StatusCode::kUnavailable;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return absl::StatusCode::kDataLoss;
    default:
      return absl::StatusCode::kInternal;
  }
}

std::string_view Remedy(int result) {
  switch (result & 0xff) {
    case SQLITE_FULL:
      return "; the disk is full: free space, nothing else need be done";
    case SQLITE_READONLY:
      return "; the data directory and the files in it must be writable by this process";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return "; the database file is damaged: restore a backup";
    default:
      return "";
  }
}

// Fields for a filter or a sort, from the arguments of one of the two functions below.
BlockFields FieldsOf(sqlite3_value** arguments) {
  const auto text = [&](int i) {
    const char* bytes = reinterpret_cast<const char*>(sqlite3_value_text(arguments[i]));
    return std::string_view(bytes == nullptr ? "" : bytes, static_cast<size_t>(sqlite3_value_bytes(arguments[i])));
  };
  return {.type = text(1),
          .parent_id = text(2),
          .rank = text(3),
          .data = text(4),
          .created_by = text(5),
          .updated_by = text(6),
          .created_at_us = sqlite3_value_int64(arguments[7]),
          .updated_at_us = sqlite3_value_int64(arguments[8])};
}

// toolgate_matches(filter run, type, parent, rank, data, created_by, updated_by, created_at, updated_at)
void MatchesFunction(sqlite3_context* context, int, sqlite3_value** arguments) {
  auto* run = static_cast<FilterRun*>(sqlite3_value_pointer(arguments[0], FilterRun::kPointerType));
  if (run == nullptr) return sqlite3_result_int(context, 0);
  if (run->looked_at == run->max_work) {
    run->gave_up = true;
    return sqlite3_result_error(context, "a filter looked at too many blocks", -1);
  }
  ++run->looked_at;
  sqlite3_result_int(context, Matches(run->filter, FieldsOf(arguments)) ? 1 : 0);
}

// toolgate_sort_key(field, …): NULL if there is no value.
void SortKeyFunction(sqlite3_context* context, int, sqlite3_value** arguments) {
  const auto* field = static_cast<const Field*>(sqlite3_value_pointer(arguments[0], "toolgate.Field"));
  if (field == nullptr) return sqlite3_result_null(context);
  const SortKey key = SortKeyOf(*field, FieldsOf(arguments));
  if (const auto* text = std::get_if<std::string>(&key)) {
    sqlite3_result_text(context, text->data(), static_cast<int>(text->size()), SQLITE_TRANSIENT);
  } else if (const auto* integer = std::get_if<int64_t>(&key)) {
    sqlite3_result_int64(context, *integer);
  } else if (const auto* number = std::get_if<double>(&key)) {
    sqlite3_result_double(context, *number);
  } else {
    sqlite3_result_null(context);
  }
}

int AddFunctions(sqlite3* db) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
  sqlite3_create_function_v2(db, "toolgate_matches", 9, kFlags, nullptr, MatchesFunction, nullptr, nullptr, nullptr);
  sqlite3_create_function_v2(db, "toolgate_sort_key", 9, kFlags, nullptr, SortKeyFunction, nullptr, nullptr, nullptr);
  return SearchRank::AddFunction(db);
}

StatementKind KindOf(sqlite3_stmt* statement) {
  if (statement == nullptr || sqlite3_stmt_readonly(statement) == 0) return StatementKind::kChange;
  return sqlite3_column_count(statement) > 0 ? StatementKind::kQuery : StatementKind::kControl;
}

}  // namespace

absl::Status SqliteStatus(sqlite3* db, int result, std::string_view doing) {
  if (result == SQLITE_OK || result == SQLITE_DONE || result == SQLITE_ROW) return absl::OkStatus();
  const char* message = db == nullptr ? sqlite3_errstr(result) : sqlite3_errmsg(db);
  const int extended = db == nullptr ? result : sqlite3_extended_errcode(db);
  return MarkFault(absl::Status(CodeFor(result), absl::StrCat("SQLite: ", message, " (", extended, ") while ",
                                                              ToAbsl(doing), ToAbsl(Remedy(result)))));
}

// ---- ConnectionUse --------------------------------------------------------------------------------------------------

ConnectionUse::ConnectionUse(Connection& connection) : connection_(&connection) {
  if (connection.uses_ == 0) {
    Connection::State free = Connection::State::kFree;
    if (!connection.state_.compare_exchange_strong(free, Connection::State::kInUse, std::memory_order_acquire)) {
      connection.refused_ = true;
      connection_ = nullptr;
      return;
    }
  }
  ++connection.uses_;
}

ConnectionUse::~ConnectionUse() {
  if (connection_ == nullptr || --connection_->uses_ > 0) return;
  connection_->state_.store(Connection::State::kFree, std::memory_order_release);
}

// ---- Cursor ---------------------------------------------------------------------------------------------------------

Cursor::Cursor(Connection& connection, ConnectionUse use, sqlite3_stmt* statement, absl::Status prepared)
    : connection_(&connection),
      use_(std::move(use)),
      statement_(statement),
      kind_(KindOf(statement)),
      status_(std::move(prepared)) {}

Cursor::Cursor(Cursor&& other) noexcept
    : connection_(other.connection_),
      use_(std::move(other.use_)),
      statement_(std::exchange(other.statement_, nullptr)),
      kind_(other.kind_),
      status_(std::move(other.status_)),
      bound_(other.bound_),
      begun_(other.begun_) {}

Cursor::~Cursor() {
  if (statement_ == nullptr) return;
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

void Cursor::Check(int result) {
  if (result != SQLITE_OK && status_.ok()) status_ = SqliteStatus(connection_->db(), result, "binding a value");
}

void Cursor::BindOne(int index, int64_t value) {
  if (statement_ != nullptr) Check(sqlite3_bind_int64(statement_, index, value));
}

void Cursor::BindOne(int index, double value) {
  if (statement_ != nullptr) Check(sqlite3_bind_double(statement_, index, value));
}

void Cursor::BindOne(int index, std::string_view value) {
  if (statement_ == nullptr) return;
  // A null pointer would bind NULL.
  const char* data = value.data() == nullptr ? "" : value.data();
  Check(sqlite3_bind_text64(statement_, index, data, value.size(), SQLITE_STATIC, SQLITE_UTF8));
}

Cursor& Cursor::BindBlob(std::string_view bytes) {
  ++bound_;
  const char* data = bytes.data() == nullptr ? "" : bytes.data();
  if (statement_ != nullptr) Check(sqlite3_bind_blob64(statement_, bound_, data, bytes.size(), SQLITE_STATIC));
  return *this;
}

Cursor& Cursor::BindZeros(int64_t bytes) {
  ++bound_;
  if (statement_ != nullptr) Check(sqlite3_bind_zeroblob64(statement_, bound_, static_cast<uint64_t>(bytes)));
  return *this;
}

absl::StatusOr<int64_t> ValueSizes::Of(int64_t row) {
  const int result = blob_ == nullptr ? sqlite3_blob_open(db_, "main", table_, column_, row, /*flags=*/0, &blob_)
                                      : sqlite3_blob_reopen(blob_, row);
  if (result != SQLITE_OK) return SqliteStatus(db_, result, "looking at the size of a value");
  return sqlite3_blob_bytes(blob_);
}

Cursor& Cursor::BindPointer(const void* pointer, const char* type) {
  ++bound_;
  if (statement_ != nullptr) Check(sqlite3_bind_pointer(statement_, bound_, const_cast<void*>(pointer), type, nullptr));
  return *this;
}

absl::StatusOr<bool> Cursor::Step() {
  if (!status_.ok()) return status_;
  if (!std::exchange(begun_, true) && kind_ != StatementKind::kControl) RETURN_IF_ERROR(connection_->CheckCall());
  const int result = connection_->Run(statement_, kind_);
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) return false;
  if (!connection_->stopped_.ok()) return connection_->stopped_;
  return SqliteStatus(connection_->db(), result, sqlite3_sql(statement_));
}

absl::Status Cursor::Run() {
  ASSIGN_OR_RETURN(bool row, Step());
  while (row) {
    ASSIGN_OR_RETURN(row, Step());
  }
  return absl::OkStatus();
}

std::string_view Cursor::Text(int column) const {
  const char* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  if (bytes == nullptr) return "";
  return {bytes, static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
}

std::string_view Cursor::Blob(int column) const {
  const char* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  if (bytes == nullptr) return "";
  return {bytes, static_cast<size_t>(sqlite3_column_bytes(statement_, column))};
}

// ---- Connection -----------------------------------------------------------------------------------------------------

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(const std::string& path, const Options& options) {
  std::unique_ptr<VfsLayer> layer;
  const char* vfs = options.vfs.empty() ? nullptr : options.vfs.c_str();
  if (options.gather_log) {
    ASSIGN_OR_RETURN(layer, WalVfs::Create(vfs));
  } else if (options.shadow) {
    ASSIGN_OR_RETURN(layer, ShadowVfs::Create(vfs));
  }
  if (layer != nullptr) vfs = layer->name();
  sqlite3* db = nullptr;
  // No mutex: a connection belongs to one thread at a time.
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  flags |= options.read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  if (options.create) flags |= SQLITE_OPEN_CREATE;
  const int result = sqlite3_open_v2(path.c_str(), &db, flags, vfs);
  std::unique_ptr<Connection> connection(new Connection(std::move(layer), db));
  if (result != SQLITE_OK) return SqliteStatus(db, result, absl::StrCat("opening ", path));
  sqlite3_busy_timeout(db, 10'000);
  RETURN_IF_ERROR(SqliteStatus(db, AddFunctions(db), absl::StrCat("opening ", path)));
  sqlite3_progress_handler(db, kStepsBetweenChecks, OnProgress, connection.get());
  const std::string cache =
      options.cache_kib == 0 ? "" : absl::StrCat("PRAGMA cache_size = -", options.cache_kib, "; ");
  // The file is not mapped into memory: SQLite would unmap it in each reader after each commit, which costs more than
  // the pages that are copied instead.
  const std::string settings =
      absl::StrCat(cache, "PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY; PRAGMA trusted_schema = OFF");
  RETURN_IF_ERROR(connection->Execute(settings.c_str()));
  if (options.shadow) RETURN_IF_ERROR(connection->NeverWrite());
  return connection;
}

absl::Status Connection::NeverWrite() {
  sqlite3_db_config(db_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  // Changes stay in the page cache, however large it grows.
  return Execute("PRAGMA cache_spill = OFF; PRAGMA wal_autocheckpoint = 0");
}

Connection::~Connection() {
  for (const auto& [sql, statement] : statements_) sqlite3_finalize(statement);
  DropTextStatements();
  sqlite3_close(db_);
}

void Connection::DropTextStatements() {
  for (const auto& [sql, statement] : text_statements_) sqlite3_finalize(statement);
  text_statements_.clear();
}

absl::Status Connection::CheckCall() {
  if (is_revoked()) {
    refused_ = true;
    return SnapshotRevoked();
  }
  if (ends_with_ != nullptr && ends_with_->is_revoked()) return SnapshotRevoked();
  return call_ == nullptr ? absl::OkStatus() : call_->Check();
}

bool Connection::Revoke() {
  revoked_.store(true, std::memory_order_relaxed);
  State state = State::kFree;
  if (!state_.compare_exchange_strong(state, State::kRevoking, std::memory_order_acquire)) {
    return state == State::kRevoked;
  }
  // Not through a Cursor, whose state is the reader's.
  const bool ended = autocommit() || sqlite3_exec(db_, "COMMIT", nullptr, nullptr, nullptr) == SQLITE_OK;
  state_.store(ended ? State::kRevoked : State::kFree, std::memory_order_release);
  return ended;
}

void Connection::Restore() {
  refused_ = false;
  revoked_.store(false, std::memory_order_relaxed);
  State state = State::kRevoked;
  state_.compare_exchange_strong(state, State::kFree, std::memory_order_acquire);
}

int Connection::OnProgress(void* connection) {
  auto* const self = static_cast<Connection*>(connection);
  if (!self->runs_query_) return 0;
  self->stopped_ = self->CheckCall();
  return self->stopped_.ok() ? 0 : 1;
}

int Connection::Run(sqlite3_stmt* statement, StatementKind kind) {
  stopped_ = absl::OkStatus();
  runs_query_ = kind == StatementKind::kQuery;
  const int result = sqlite3_step(statement);
  runs_query_ = false;
  return result;
}

absl::Status Connection::Execute(const char* sql) {
  return SqliteStatus(db_, sqlite3_exec(db_, sql, nullptr, nullptr, nullptr), sql);
}

absl::StatusOr<sqlite3_stmt*> Connection::Prepare(std::string_view sql, bool persistent) {
  sqlite3_stmt* statement = nullptr;
  const unsigned flags = persistent ? SQLITE_PREPARE_PERSISTENT : 0;
  const int result = sqlite3_prepare_v3(db_, sql.data(), static_cast<int>(sql.size()), flags, &statement, nullptr);
  if (result != SQLITE_OK) return SqliteStatus(db_, result, sql);
  return statement;
}

Cursor Connection::Use(const char* sql) {
  ConnectionUse use(*this);
  if (!use.granted()) return Cursor(*this, std::move(use), nullptr, SnapshotRevoked());
  const auto found = statements_.find(sql);
  if (found != statements_.end()) return Cursor(*this, std::move(use), found->second, absl::OkStatus());
  absl::StatusOr<sqlite3_stmt*> statement = Prepare(sql, true);
  if (!statement.ok()) return Cursor(*this, std::move(use), nullptr, std::move(statement).status());
  statements_.emplace(sql, *statement);
  return Cursor(*this, std::move(use), *statement, absl::OkStatus());
}

Cursor Connection::UseText(const std::string& sql) {
  ConnectionUse use(*this);
  if (!use.granted()) return Cursor(*this, std::move(use), nullptr, SnapshotRevoked());
  const auto found = text_statements_.find(sql);
  if (found != text_statements_.end()) return Cursor(*this, std::move(use), found->second, absl::OkStatus());
  if (text_statements_.size() >= kMaxTextStatements) DropTextStatements();
  absl::StatusOr<sqlite3_stmt*> statement = Prepare(sql, false);
  if (!statement.ok()) return Cursor(*this, std::move(use), nullptr, std::move(statement).status());
  text_statements_.emplace(sql, *statement);
  return Cursor(*this, std::move(use), *statement, absl::OkStatus());
}

}  // namespace toolgate::storage::sqlite
