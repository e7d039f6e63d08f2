#include "storage/sqlite/sqlite_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/absl_bridge.h"
#include "common/sqlite/sqlite_budget.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "storage/snapshot_revoked.h"
#include "storage/sqlite/audit_log.h"
#include "storage/sqlite/field_rows.h"
#include "storage/sqlite/schema.h"
#include "storage/sqlite/word_completions.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::storage::sqlite {
namespace {

constexpr int64_t kTrimBatch = 1000;  // Total of dropped entries and examined workspaces.
// For reads of the store itself, a thread each: they are few and short.
const ReadPatience kAtOnce{.may_wait = false};
constexpr int64_t kAuditPart = 512;  // Segments that are read on one snapshot.
constexpr int kBackupStep = 1024;    // Pages copied between two checks whether the caller still waits for the copy.
constexpr char kFindSecret[] = "SELECT value FROM secrets WHERE name = ?";
constexpr char kPutSecret[] = "INSERT INTO secrets (name, value) VALUES (?, ?)";
constexpr char kWorkspaces[] = "SELECT workspace FROM audit_heads WHERE workspace >= ? ORDER BY workspace LIMIT ?";

// SQLite would fall back to reading a file that it may not write, and leave files that it may not write either.
absl::Status CheckWritable(const std::string& path) {
  for (const char* suffix : {"", "-wal", "-shm"}) {
    const std::string file = path + suffix;
    if (faccessat(AT_FDCWD, file.c_str(), W_OK, AT_EACCESS) != 0 && errno != ENOENT) {
      return UnusableFile(file, "cannot write", errno);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Connection>> OpenWriter(const std::string& path, const SqliteStore::Options& options) {
  RETURN_IF_ERROR(CheckWritable(path));
  ASSIGN_OR_RETURN(std::unique_ptr<Connection> connection,
                   Connection::Open(path, {.create = true, .cache_kib = options.cache_kib, .gather_log = true}));
  chmod(path.c_str(), 0600);
  RETURN_IF_ERROR(connection->Execute(
      absl::StrCat("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; PRAGMA "
                   "journal_size_limit = ",
                   options.log_limit)
          .c_str()));
  RETURN_IF_ERROR(Migrate(*connection));
  RETURN_IF_ERROR(AddVocabulary(*connection));
  RETURN_IF_ERROR(connection->Execute("BEGIN IMMEDIATE"));
  RETURN_IF_ERROR(PrepareFieldRows(*connection, options.fields));
  RETURN_IF_ERROR(connection->Execute("COMMIT"));
  if (options.max_pages > 0) {
    RETURN_IF_ERROR(connection->Execute(absl::StrCat("PRAGMA max_page_count = ", options.max_pages).c_str()));
  }
  return connection;
}

}  // namespace

// Rows of a reader's snapshot.
class SnapshotRows final : private SearchCatchUp, public SqliteRows {
 public:
  SnapshotRows(SqliteStore& store, BorrowedReader& reader, int64_t workspace, std::string_view workspace_id,
               const ReadPatience& patience)
      : SqliteRows(reader->connection(), workspace, store.options_.fields, static_cast<SearchCatchUp&>(*this)),
        store_(store),
        reader_(reader),
        workspace_id_(workspace_id),
        patience_(patience) {}

 private:
  // If the index is behind, the rows move forward to a snapshot whose index contains at least the content of this one.
  absl::Status CatchUpSearch() override {
    ASSIGN_OR_RETURN(const SearchBacklog backlog, MeasureSearchBacklog(reader_->connection()));
    if (backlog.empty()) return absl::OkStatus();
    absl::Status caught_up =
        reader_.GiveBackDuring([&] { return store_.CatchUpSearch(backlog, patience_.cancellation); });
    access().MoveTo(reader_->connection(), access().workspace());
    ASSIGN_OR_RETURN(const int64_t workspace, store_.Refresh(*reader_, workspace_id_));
    access().MoveTo(reader_->connection(), workspace);
    return caught_up;
  }

  SqliteStore& store_;
  BorrowedReader& reader_;
  const std::string_view workspace_id_;
  const ReadPatience& patience_;
};

// ---- Life -----------------------------------------------------------------------------------------------------------

absl::StatusOr<std::unique_ptr<SqliteStore>> SqliteStore::Create(const Options& options) {
  if (options.max_batch == 0 || options.readers == 0 || options.cache_kib == 0) {
    return absl::InvalidArgumentError("a store needs max_batch, readers and cache_kib above zero");
  }
  // Nobody may use SQLite before this, and the store is the first who does. It asks no budget for itself.
  toolgate::sqlite::SqliteBudget::Install();
  ASSIGN_OR_RETURN(DataDirectory directory, DataDirectory::Lock(options.data_dir));
  const std::string path = options.data_dir + "/toolgate.db";
  absl::StatusOr<std::unique_ptr<Connection>> writer = OpenWriter(path, options);
  absl::StatusOr<std::unique_ptr<Connection>> checkpointer = absl::UnknownError("not opened");
  if (writer.ok()) checkpointer = Connection::Open(path, {.cache_kib = 64});
  if (!writer.ok() || !checkpointer.ok()) {
    const absl::Status status = writer.ok() ? checkpointer.status() : writer.status();
    return absl::Status(status.code(), absl::StrCat("cannot open the database ", path, ": ", status.message()));
  }
  std::unique_ptr<SqliteStore> store(
      new SqliteStore(options, std::move(directory), *std::move(writer), *std::move(checkpointer)));
  RETURN_IF_ERROR(store->writer_.Start());
  if (options.background) {
    store->maintenance_thread_ = std::thread([raw = store.get()] { raw->RunMaintenance(); });
    store->log_thread_ = std::thread([raw = store.get()] { raw->RunLogKeeper(); });
  }
  return store;
}

SqliteStore::SqliteStore(const Options& options, DataDirectory directory, std::unique_ptr<Connection> writer,
                         std::unique_ptr<Connection> checkpointer)
    : options_(options),
      path_(options.data_dir + "/toolgate.db"),
      directory_(std::move(directory)),
      writer_(std::move(writer)),
      queue_(options.max_batch, [this](absl::Span<WriteJob* const> jobs) { RunBatch(jobs); }),
      readers_(path_, {.read_only = true, .cache_kib = options.cache_kib}, options.readers, options.reader_shares),
      rehearsals_(path_, options.cache_kib),
      log_(path_, options.log_limit, *options.clock, std::move(checkpointer), writer_, queue_, readers_),
      tidied_batches_(writer_.batches()),
      indexed_(options.clock->Monotonic()),
      swept_(indexed_),
      counted_(-absl::InfiniteDuration()) {}

SqliteStore::~SqliteStore() {
  {
    absl::MutexLock lock(&maintenance_mutex_);
    stopping_ = true;
  }
  if (maintenance_thread_.joinable()) maintenance_thread_.join();
  if (log_thread_.joinable()) log_thread_.join();
  log_.Copy().IgnoreError();  // The rest is replayed at the next start.
}

// ---- Reading --------------------------------------------------------------------------------------------------------

absl::StatusOr<int64_t> SqliteStore::Refresh(Reader& reader, std::string_view workspace_id) {
  // Read before the snapshot is made, so that a commit in between only makes it newer than it claims to be.
  RETURN_IF_ERROR(reader.Refresh(writer_.generation()));
  return reader.WorkspaceKey(workspace_id);
}

absl::Status SqliteStore::WithReader(std::string_view workspace_id, const ReadPatience& patience,
                                     absl::FunctionRef<absl::Status(BorrowedReader&, int64_t)> body) {
  ASSIGN_OR_RETURN(Reader* const taken, readers_.Take(patience));
  BorrowedReader reader(readers_, taken, patience);
  const absl::StatusOr<int64_t> workspace = Refresh(*reader, workspace_id);
  const absl::Status status = workspace.ok() ? body(reader, *workspace) : workspace.status();
  // Also if `body` ignored the failure: it has not seen all of its snapshot.
  return reader->refused() ? SnapshotRevoked() : status;
}

absl::Status SqliteStore::Read(std::string_view workspace_id, const ReadPatience& patience,
                               absl::FunctionRef<absl::Status(Rows&)> body) {
  return WithReader(workspace_id, patience, [&](BorrowedReader& reader, int64_t workspace) {
    SnapshotRows rows(*this, reader, workspace, workspace_id, patience);
    return body(rows);
  });
}

absl::StatusOr<std::vector<v1::AuditEntry>> SqliteStore::SearchAudit(std::string_view workspace_id,
                                                                     const ReadPatience& patience,
                                                                     const AuditQuery& query) {
  std::vector<v1::AuditEntry> found;
  AuditQuery left = query;
  for (bool more = true; more;) {
    RETURN_IF_ERROR(WithReader(workspace_id, patience, [&](BorrowedReader& reader, int64_t workspace) -> absl::Status {
      ASSIGN_OR_RETURN(more, AuditLog(reader->connection(), workspace).SearchPart(left, kAuditPart, found));
      return absl::OkStatus();
    }));
  }
  return found;
}

absl::StatusOr<std::optional<v1::AuditEntry>> SqliteStore::FindAudit(std::string_view workspace_id,
                                                                     const ReadPatience& patience,
                                                                     std::string_view entry_id) {
  absl::StatusOr<std::optional<v1::AuditEntry>> found;
  RETURN_IF_ERROR(WithReader(workspace_id, patience, [&](BorrowedReader& reader, int64_t workspace) {
    found = AuditLog(reader->connection(), workspace).Find(entry_id);
    return found.status();
  }));
  return found;
}

absl::StatusOr<ChainReport> SqliteStore::VerifyChain(std::string_view workspace_id, const ReadPatience& patience) {
  AuditLog::Verification verification;
  std::optional<ChainReport> report;
  while (!report.has_value()) {
    RETURN_IF_ERROR(WithReader(workspace_id, patience, [&](BorrowedReader& reader, int64_t workspace) -> absl::Status {
      ASSIGN_OR_RETURN(report, AuditLog(reader->connection(), workspace).VerifyPart(verification, kAuditPart));
      return absl::OkStatus();
    }));
  }
  return *std::move(report);
}

// ---- Writing --------------------------------------------------------------------------------------------------------

absl::Status SqliteStore::Write(absl::FunctionRef<absl::Status(Writer&)> body) {
  const auto run = [&] { return body(writer_); };
  WriteJob job(run);
  return queue_.Run(job);
}

void SqliteStore::RunBatch(absl::Span<WriteJob* const> jobs) {
  const absl::Duration start = Stopwatch();
  writer_.RunBatch(jobs);
  if (options_.observer != nullptr) options_.observer->OnBatch(jobs.size(), Stopwatch() - start);
  if (!log_.IsLong()) return;
  {
    absl::MutexLock lock(&maintenance_mutex_);
    log_is_long_ = true;
  }
  log_.AwaitRoom();
}

absl::Duration SqliteStore::Stopwatch() const {
  return options_.observer == nullptr ? absl::ZeroDuration() : options_.clock->Monotonic();
}

absl::Status SqliteStore::Commit(const WriteContext& context, CommitMode mode, const fibers::Cancellation& cancellation,
                                 absl::FunctionRef<absl::Status(Rows&)> body) {
  using LongBacklog = SqliteTransactionRows::LongBacklog;
  bool gave_up = false;
  absl::Status status = CommitOnce(context, mode, cancellation, LongBacklog::kGiveUp, gave_up, body);
  if (!gave_up) return status;
  RETURN_IF_ERROR(CatchUpSearch(&cancellation));
  return CommitOnce(context, mode, cancellation, LongBacklog::kRead, gave_up, body);
}

absl::Status SqliteStore::CommitOnce(const WriteContext& context, CommitMode mode,
                                     const fibers::Cancellation& cancellation,
                                     SqliteTransactionRows::LongBacklog long_backlog, bool& gave_up,
                                     absl::FunctionRef<absl::Status(Rows&)> body) {
  const auto run = [&](Writer& writer) -> absl::Status {
    RETURN_IF_ERROR(cancellation.Check());
    // The leader runs this on behalf of any call; its work for all calls is outside of this scope.
    const CallScope scope(writer.connection(), &cancellation);
    ASSIGN_OR_RETURN(const int64_t workspace, writer.WorkspaceKey(context.workspace_id, false));
    SqliteTransactionRows rows(writer, workspace, context.workspace_id, options_.fields, cancellation, long_backlog);
    const absl::Status status = body(rows);
    gave_up = rows.gave_up();
    if (gave_up) return absl::UnavailableError("a search gave up");
    RETURN_IF_ERROR(status);
    writer.AddAudit(rows.TakeAudit());
    return absl::OkStatus();
  };
  if (mode == CommitMode::kDurable) return Write(run);
  const ReadPatience patience{.cancellation = &cancellation, .party = {context.workspace_id, context.user_id}};
  return WithReader(context.workspace_id, patience, [&](BorrowedReader& reader, int64_t) -> absl::Status {
    const ConnectionUse pinned(reader->connection());
    return pinned.granted() ? rehearsals_.Run(reader->connection(), run) : SnapshotRevoked();
  });
}

absl::Status SqliteStore::AppendPackedAudit(const std::vector<PackedAuditEntry>& entries) {
  if (entries.empty()) return absl::OkStatus();
  return Write([&](Writer& writer) {
    writer.AddAudit(entries);
    return absl::OkStatus();
  });
}

absl::StatusOr<AuditTrim> SqliteStore::TrimAudit(absl::Time before, int64_t from) {
  AuditTrim step;
  const absl::Status trimmed = Write([&](Writer& writer) -> absl::Status {
    step = AuditTrim();
    std::vector<int64_t> workspaces;
    {
      Cursor cursor = writer.connection().Use(kWorkspaces);
      cursor.Bind(from, kTrimBatch + 1);
      while (true) {
        ASSIGN_OR_RETURN(const bool found, cursor.Step());
        if (!found) break;
        workspaces.push_back(cursor.Int(0));
      }
    }
    RETURN_IF_ERROR(writer.BeforeChange());
    int64_t left = kTrimBatch;
    for (const int64_t workspace : workspaces) {
      const absl::StatusOr<int64_t> dropped =
          AuditLog(writer.connection(), workspace).Trim(absl::ToUnixMicros(before), left);
      if (absl::IsDataLoss(dropped.status())) {
        step.kept = dropped.status();
      } else {
        RETURN_IF_ERROR(dropped.status());
        step.dropped += *dropped;
        left -= *dropped;
      }
      --left;  // Examining a workspace is work as well.
      if (left >= 0) continue;
      step.next = workspace;
      break;
    }
    return absl::OkStatus();
  });
  RETURN_IF_ERROR(trimmed);
  return step;
}

absl::StatusOr<std::vector<OpenClaim>> SqliteStore::ListClaims(const ClaimPlace& after, int64_t limit) {
  std::vector<OpenClaim> claims;
  RETURN_IF_ERROR(WithReader("", kAtOnce, [&](BorrowedReader& reader, int64_t) -> absl::Status {
    ASSIGN_OR_RETURN(claims, SqliteJournalRows::List(reader->connection(), after, limit));
    return absl::OkStatus();
  }));
  return claims;
}

absl::StatusOr<std::string> SqliteStore::GetOrCreateSecret(std::string_view name, std::string_view fresh) {
  std::string secret;
  const absl::Status written = Write([&](Writer& writer) -> absl::Status {
    {
      Cursor cursor = writer.connection().Use(kFindSecret);
      ASSIGN_OR_RETURN(const bool found, cursor.Bind(name).Step());
      if (found) {
        secret = cursor.Blob(0);
        return absl::OkStatus();
      }
    }
    RETURN_IF_ERROR(writer.BeforeChange());
    secret = fresh;
    return writer.connection().Use(kPutSecret).Bind(name).BindBlob(fresh).Run();
  });
  RETURN_IF_ERROR(written);
  return secret;
}

// ---- Operation ------------------------------------------------------------------------------------------------------

absl::Status SqliteStore::Backup(const std::string& path, const fibers::Cancellation& cancellation) {
  std::error_code error;
  if (std::filesystem::exists(path, error)) {
    return absl::AlreadyExistsError(absl::StrCat("the backup file ", path, " exists already; name a new one"));
  }
  const std::string partial = path + ".partial";
  std::filesystem::remove(partial, error);
  absl::Status status = CopyTo(partial, cancellation);
  // A link, unlike a rename, never replaces a file that was created meanwhile.
  if (status.ok() && link(partial.c_str(), path.c_str()) != 0) {
    status = absl::UnavailableError(absl::StrCat("cannot make the backup file ", path, ": ", std::strerror(errno)));
  }
  std::filesystem::remove(partial, error);
  return status;
}

absl::Status SqliteStore::CopyTo(const std::string& path, const fibers::Cancellation& cancellation) {
  ASSIGN_OR_RETURN(const std::unique_ptr<Connection> target, Connection::Open(path, {.create = true}));
  chmod(path.c_str(), 0600);
  const ReadPatience patience{.cancellation = &cancellation, .party = {"", "backup"}, .is_long = true};
  return WithReader("", patience, [&](BorrowedReader& reader, int64_t) -> absl::Status {
    // The reader's snapshot lasts for the whole copy, so commits meanwhile do not disturb it.
    readers_.MarkBackup(*reader);
    const ConnectionUse use(reader->connection());
    if (!use.granted()) return SnapshotRevoked();
    sqlite3_backup* const backup = sqlite3_backup_init(target->db(), "main", reader->connection().db(), "main");
    if (backup == nullptr) return SqliteStatus(target->db(), sqlite3_errcode(target->db()), "beginning a backup");
    int copied = SQLITE_OK;
    absl::Status may_go_on;
    while (copied == SQLITE_OK && may_go_on.ok()) {
      copied = sqlite3_backup_step(backup, kBackupStep);
      if (copied == SQLITE_OK) may_go_on = reader->connection().CheckCall();
    }
    const int finished = sqlite3_backup_finish(backup);
    RETURN_IF_ERROR(may_go_on);
    if (copied != SQLITE_DONE) return SqliteStatus(target->db(), copied, absl::StrCat("copying to ", path));
    return SqliteStatus(target->db(), finished, absl::StrCat("copying to ", path));
  });
}

absl::Status SqliteStore::CheckHealth() {
  if (writer_.broken()) {
    // Only a commit shows whether commits work again.
    const absl::Status touched = Write([](Writer& writer) -> absl::Status {
      RETURN_IF_ERROR(writer.BeforeChange());
      return writer.Touch();
    });
    RETURN_IF_ERROR(touched);
  }
  return WithReader("", kAtOnce, [](BorrowedReader&, int64_t) { return absl::OkStatus(); });
}

}  // namespace toolgate::storage::sqlite
