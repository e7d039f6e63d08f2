#include "storage/postgres/postgres_store.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "storage/fault.h"
#include "storage/postgres/audit_log.h"
#include "storage/postgres/errors.h"
#include "storage/postgres/postgres_rows.h"
#include "storage/postgres/schema.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::storage::postgres {
namespace {

constexpr int64_t kTrimBatch = 1000;  // Total of dropped entries and examined workspaces.
constexpr int64_t kAuditPart = 512;   // Segments that are read on one snapshot.
constexpr int kMaxRehearsals = 5;
constexpr absl::Duration kRehearsalPause = absl::Milliseconds(10);
constexpr absl::Duration kHealthTime = absl::Seconds(3);

constexpr char kBeginSnapshot[] = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
constexpr char kBeginRehearsal[] = "BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE";
constexpr char kEndSnapshot[] = "COMMIT";
constexpr char kEndRehearsal[] = "ROLLBACK";
constexpr char kWorkspaces[] =
    "SELECT workspace FROM toolgate.audit_heads WHERE workspace >= $1 ORDER BY workspace LIMIT $2";
constexpr char kPutSecret[] = "INSERT INTO toolgate.secrets (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING";
constexpr char kFindSecret[] = "SELECT value FROM toolgate.secrets WHERE name = $1";

}  // namespace

// ---- Life -----------------------------------------------------------------------------------------------------------

absl::StatusOr<std::unique_ptr<PostgresStore>> PostgresStore::Create(Options options) {
  if (options.max_batch == 0) return absl::InvalidArgumentError("a store needs a max_batch above zero");
  ASSIGN_OR_RETURN(
      std::unique_ptr<Pool> pool,
      Pool::Create({.connection = options.connection, .size = options.pool_size, .read_shares = options.read_shares}));
  {
    ASSIGN_OR_RETURN(Pool::Lease lease, pool->Take(Pool::Use::kWrite, {}, nullptr));
    RETURN_IF_ERROR(Migrate(*lease));
  }
  std::unique_ptr<PostgresStore> store(new PostgresStore(std::move(options), std::move(pool)));
  RETURN_IF_ERROR(store->PrepareFields());
  if (store->options_.background) {
    store->maintenance_thread_ = std::thread([raw = store.get()] { raw->RunMaintenance(); });
  }
  return store;
}

PostgresStore::PostgresStore(Options options, std::unique_ptr<Pool> pool)
    : options_(std::move(options)),
      pool_(std::move(pool)),
      writer_(*pool_, keys_, options_.fields, options_.timeouts),
      queue_(options_.max_batch, pool_->timer(),
             [this](std::string_view workspace_id, WriteQueue::Jobs jobs) { return RunBatch(workspace_id, jobs); }) {}

PostgresStore::~PostgresStore() {
  {
    absl::MutexLock lock(&maintenance_mutex_);
    stopping_ = true;
  }
  if (maintenance_thread_.joinable()) maintenance_thread_.join();
}

// ---- Reading --------------------------------------------------------------------------------------------------------

absl::Status PostgresStore::WithSnapshot(std::string_view workspace_id, const ReadPatience& patience, ReadBody body) {
  const fibers::Cancellation* const call = patience.cancellation;
  if (call != nullptr) RETURN_IF_ERROR(call->Check());
  std::optional<Pool::Lease> lease;
  // Gives the present connection back first.
  const auto take = [&](bool may_be_idle) -> absl::StatusOr<Connection*> {
    lease.reset();
    ASSIGN_OR_RETURN(Pool::Lease taken, pool_->Take(Pool::Use::kRead, patience.party, call, may_be_idle));
    lease.emplace(std::move(taken));
    (*lease)->EndWith(call);
    return &**lease;
  };
  ASSIGN_OR_RETURN(Connection * connection, take(/*may_be_idle=*/true));
  absl::StatusOr<int64_t> workspace =
      workspace_id.empty() ? absl::StatusOr<int64_t>(0) : keys_.Find(*connection, workspace_id);
  if (IsLost(workspace.status()) && lease->was_idle()) {
    ASSIGN_OR_RETURN(connection, take(/*may_be_idle=*/false));
    workspace = keys_.Find(*connection, workspace_id);
  }
  RETURN_IF_ERROR(workspace.status());
  Session session(*connection, *workspace, options_.fields, call, /*may_write=*/false, [&](Connection& begun) {
    const absl::Status sent = begun.Send(kBeginSnapshot);
    return sent.ok() ? SendTimeouts(begun, options_.timeouts, call) : sent;
  });
  if (lease->was_idle()) session.RenewWith([&] { return take(/*may_be_idle=*/false); });
  absl::Status status = body(session);
  if (lease.has_value()) (*lease)->EndWith(nullptr);
  if (session.has_begun() && lease.has_value()) (*lease)->EndLater(kEndSnapshot);
  return status;
}

absl::Status PostgresStore::Read(std::string_view workspace_id, const ReadPatience& patience,
                                 absl::FunctionRef<absl::Status(Rows&)> body) {
  return WithSnapshot(workspace_id, patience, [&](Session& session) {
    PostgresRows rows(session, nullptr);
    return body(rows);
  });
}

absl::StatusOr<std::vector<v1::AuditEntry>> PostgresStore::SearchAudit(std::string_view workspace_id,
                                                                       const ReadPatience& patience,
                                                                       const AuditQuery& query) {
  std::vector<v1::AuditEntry> found;
  AuditQuery left = query;
  for (bool more = true; more;) {
    RETURN_IF_ERROR(WithSnapshot(workspace_id, patience, [&](Session& session) {
      const absl::StatusOr<bool> part = AuditLog(session).SearchPart(left, kAuditPart, found);
      more = part.value_or(false);
      return part.status();
    }));
  }
  return found;
}

absl::StatusOr<std::optional<v1::AuditEntry>> PostgresStore::FindAudit(std::string_view workspace_id,
                                                                       const ReadPatience& patience,
                                                                       std::string_view entry_id) {
  absl::StatusOr<std::optional<v1::AuditEntry>> found;
  RETURN_IF_ERROR(WithSnapshot(workspace_id, patience, [&](Session& session) {
    found = AuditLog(session).Find(entry_id);
    return found.status();
  }));
  return found;
}

absl::StatusOr<ChainReport> PostgresStore::VerifyChain(std::string_view workspace_id, const ReadPatience& patience) {
  AuditLog::Verification verification;
  std::optional<ChainReport> report;
  while (!report.has_value()) {
    RETURN_IF_ERROR(WithSnapshot(workspace_id, patience, [&](Session& session) {
      absl::StatusOr<std::optional<ChainReport>> part = AuditLog(session).VerifyPart(verification, kAuditPart);
      if (part.ok()) report = *std::move(part);
      return part.status();
    }));
  }
  return *std::move(report);
}

absl::StatusOr<std::vector<OpenClaim>> PostgresStore::ListClaims(const ClaimPlace& after, int64_t limit) {
  std::vector<OpenClaim> claims;
  RETURN_IF_ERROR(WithSnapshot("", {}, [&](Session& session) {
    absl::StatusOr<std::vector<OpenClaim>> listed = PostgresJournalRows::List(session, after, limit);
    if (listed.ok()) claims = *std::move(listed);
    return listed.status();
  }));
  return claims;
}

// ---- Writing --------------------------------------------------------------------------------------------------------

size_t PostgresStore::RunBatch(std::string_view workspace_id, WriteQueue::Jobs jobs) {
  if (options_.observer == nullptr) return writer_.RunBatch(workspace_id, jobs);
  const absl::Duration start = options_.clock->Monotonic();
  const size_t done = writer_.RunBatch(workspace_id, jobs);
  options_.observer->OnBatch(done, options_.clock->Monotonic() - start);
  return done;
}

absl::Status PostgresStore::Commit(const WriteContext& context, CommitMode mode,
                                   const fibers::Cancellation& cancellation,
                                   absl::FunctionRef<absl::Status(Rows&)> body) {
  RETURN_IF_ERROR(cancellation.Check());
  if (mode == CommitMode::kDryRun) return Rehearse(context, cancellation, body);
  const absl::Status status =
      queue_.Run(context.workspace_id, cancellation, [&](Session& session, std::vector<PackedAuditEntry>& audit) {
        PostgresRows rows(session, &audit);
        return body(rows);
      });
  if (status.ok()) NoteAudit(context.workspace_id);
  return status;
}

absl::Status PostgresStore::Rehearse(const WriteContext& context, const fibers::Cancellation& cancellation,
                                     absl::FunctionRef<absl::Status(Rows&)> body) {
  absl::Status status;
  for (int attempt = 0; attempt < kMaxRehearsals; ++attempt) {
    if (attempt > 0) RETURN_IF_ERROR(pool_->Pause(kRehearsalPause * attempt, &cancellation));
    bool may_repeat = false;
    status = RehearseOnce(context, cancellation, body, may_repeat);
    if (!may_repeat) return status;
  }
  return status;
}

absl::Status PostgresStore::RehearseOnce(const WriteContext& context, const fibers::Cancellation& cancellation,
                                         absl::FunctionRef<absl::Status(Rows&)> body, bool& may_repeat) {
  const fairness::Party party{context.workspace_id, context.user_id};
  ASSIGN_OR_RETURN(Pool::Lease lease, pool_->Take(Pool::Use::kRead, party, &cancellation));
  lease->EndWith(&cancellation);
  ASSIGN_OR_RETURN(const std::vector<int64_t> keys, keys_.Make(*lease, {context.workspace_id}));
  Session session(*lease, keys.front(), options_.fields, &cancellation, /*may_write=*/true,
                  [&](Connection& connection) {
                    const absl::Status begun = connection.Send(kBeginRehearsal);
                    return begun.ok() ? SendTimeouts(connection, options_.timeouts, &cancellation) : begun;
                  });
  std::vector<PackedAuditEntry> audit;
  PostgresRows rows(session, &audit);
  absl::Status status = body(rows);
  // Queued writes must succeed as well.
  const bool is_good = status.ok() && session.failure().ok();
  if (is_good && session.has_written()) session.Flush().IgnoreError();
  if (session.has_begun()) lease->EndLater(kEndRehearsal);
  if (session.failure().ok() || !cancellation.Check().ok()) return status;
  may_repeat = IsTransient(session.failure());
  return status.ok() ? session.failure() : status;
}

absl::Status PostgresStore::AppendPackedAudit(const std::vector<PackedAuditEntry>& entries) {
  if (entries.empty()) return absl::OkStatus();
  for (const PackedAuditEntry& entry : entries) NoteAudit(entry.workspace_id);
  return writer_.AppendAudit(entries);
}

absl::StatusOr<int64_t> PostgresStore::TrimWorkspace(int64_t workspace, absl::Time before, int64_t limit) {
  absl::StatusOr<int64_t> dropped;
  RETURN_IF_ERROR(writer_.Run([&](Connection& connection) {
    Session session(connection, workspace, options_.fields, nullptr, /*may_write=*/true, nullptr);
    dropped = AuditLog(session).Trim(absl::ToUnixMicros(before), limit);
    return dropped.status();
  }));
  return dropped;
}

absl::StatusOr<AuditTrim> PostgresStore::TrimAudit(absl::Time before, int64_t from) {
  std::vector<int64_t> workspaces;
  RETURN_IF_ERROR(WithSnapshot("", {}, [&](Session& session) {
    return session.Stream(kWorkspaces, Params::Of(from, kTrimBatch + 1), [&](const Row& row) {
      workspaces.push_back(row.Int(0));
      return absl::OkStatus();
    });
  }));
  AuditTrim step;
  int64_t left = kTrimBatch;
  for (const int64_t workspace : workspaces) {
    const absl::StatusOr<int64_t> dropped = TrimWorkspace(workspace, before, left);
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
  return step;
}

absl::StatusOr<std::string> PostgresStore::GetOrCreateSecret(std::string_view name, std::string_view fresh) {
  std::string secret;
  RETURN_IF_ERROR(writer_.Run([&](Connection& connection) {
    const absl::Status sent = connection.Send(kPutSecret, Params::Of(name, fresh));
    if (!sent.ok()) return sent;
    const absl::StatusOr<Result> found = connection.Query(kFindSecret, Params::Of(name));
    if (!found.ok()) return found.status();
    if (found->empty()) return MarkFault(absl::InternalError("a secret was not written"));
    secret = (*found)[0].String(0);
    return absl::OkStatus();
  }));
  return secret;
}

// ---- Operation ------------------------------------------------------------------------------------------------------

absl::Status PostgresStore::Backup(const std::string& /*path*/, const fibers::Cancellation& /*cancellation*/) {
  return absl::UnimplementedError(
      "the store is in PostgreSQL, whose own tools make backups while it serves: pg_dump --format=custom for one "
      "database, pg_basebackup and an archive of the write-ahead log for a whole server");
}

absl::Status PostgresStore::CheckHealth() {
  const fibers::Cancellation bound(Clock::Real(), Clock::Real().Monotonic() + kHealthTime);
  absl::StatusOr<Pool::Lease> lease = pool_->Take(Pool::Use::kRead, {}, &bound);
  absl::Status status = lease.status();
  if (lease.ok()) {
    (*lease)->EndWith(&bound);
    status = (*lease)->Query("SELECT 1").status();
    (*lease)->EndWith(nullptr);
  }
  if (status.ok()) return status;
  // The end of the bound is no call's.
  return MarkFault(absl::UnavailableError(
      absl::StrCat("PostgreSQL at ", options_.connection.place, " does not serve: ", std::string(status.message()))));
}

}  // namespace toolgate::storage::postgres
