#include "storage/postgres/writer.h"

#include <algorithm>
#include <exception>
#include <map>
#include <string>
#include <utility>

#include "absl/random/random.h"
#include "absl/strings/str_cat.h"
#include "common/digest.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "storage/fault.h"
#include "storage/postgres/audit_log.h"
#include "storage/postgres/errors.h"

namespace toolgate::storage::postgres {
namespace {

constexpr int kMaxAttempts = 6;
constexpr absl::Duration kFirstPause = absl::Milliseconds(10);
// Within this time, the fate of a transaction whose connection was lost must be known.
constexpr absl::Duration kResolveTime = absl::Seconds(15);
constexpr absl::Duration kResolvePause = absl::Milliseconds(100);

constexpr char kBeginWriting[] = "BEGIN ISOLATION LEVEL READ COMMITTED";
constexpr char kLockWorkspace[] = "SELECT pg_advisory_xact_lock($1)";
constexpr char kXid[] = "SELECT pg_current_xact_id()";
constexpr char kXactStatus[] = "SELECT pg_xact_status($1::text::xid8)";
constexpr char kCommitWriting[] = "COMMIT";
constexpr char kLeaveMark[] = "INSERT INTO toolgate.commit_marks (mark) VALUES ($1)";
constexpr char kFindMark[] = "SELECT 1 FROM toolgate.commit_marks WHERE mark = $1";
constexpr char kRollbackWriting[] = "ROLLBACK";
constexpr char kJobSavepoint[] = "SAVEPOINT job";
constexpr char kReleaseJob[] = "RELEASE SAVEPOINT job";
constexpr char kRollbackToJob[] = "ROLLBACK TO SAVEPOINT job";

// Of a transaction number that the server has never given out: it lost the transaction in a crash.
constexpr char kNoSuchXid[] = "22023";

absl::Status RunBody(WriteJob& job, Session& session, std::vector<PackedAuditEntry>& audit) {
  // An exception in one caller's body must not end another caller's thread.
  try {
    return job.RunBody(session, audit);
  } catch (const std::exception& error) {
    return absl::InternalError(absl::StrCat("a transaction's body threw: ", error.what()));
  }
}

// Differs from all others of all processes.
std::string NewMark() {
  absl::BitGen random;
  std::string mark;
  for (int i = 0; i < 16; ++i) mark.push_back(static_cast<char>(absl::Uniform<unsigned char>(random)));
  return mark;
}

void SetStatus(WriteQueue::Jobs jobs, const absl::Status& status) {
  for (const auto& job : jobs) job->status = status;
}

}  // namespace

int64_t LockOf(std::string_view workspace_id) {
  const std::string digest = Sha256(absl::StrCat("toolgate.workspace\n", std::string(workspace_id)));
  uint64_t lock = 0;
  for (size_t i = 0; i < sizeof(lock); ++i) lock = (lock << 8) | static_cast<unsigned char>(digest[i]);
  return static_cast<int64_t>(lock);
}

void Writer::Pause(int attempt) {
  absl::BitGen random;
  const absl::Duration longest = kFirstPause * (1 << std::min(attempt, 6));
  pool_.Pause(longest * absl::Uniform(random, 0.5, 1.0), nullptr).IgnoreError();
}

// ---- A workspace's jobs ---------------------------------------------------------------------------------------------

size_t Writer::RunBatch(std::string_view workspace_id, WriteQueue::Jobs jobs) {
  absl::Status failure;
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    if (attempt > 0) Pause(attempt - 1);
    failure = absl::OkStatus();
    switch (RunOnce(workspace_id, jobs, failure)) {
      case Outcome::kDone:
        return jobs.size();
      case Outcome::kFirstLeft:
        return 1;
      case Outcome::kSplit:
        for (size_t i = 0; i < jobs.size(); ++i) RunBatch(workspace_id, jobs.subspan(i, 1));
        return jobs.size();
      case Outcome::kAgain:
        break;
    }
  }
  SetStatus(jobs, failure);
  return jobs.size();
}

Writer::Outcome Writer::RunOnce(std::string_view workspace_id, WriteQueue::Jobs jobs, absl::Status& failure) {
  const fibers::Cancellation& call = jobs.front()->call();
  int64_t xid = 0;
  std::string mark;
  bool is_known = true;
  std::vector<PackedAuditEntry> audit;
  {
    absl::StatusOr<Pool::Lease> lease = pool_.Take(Pool::Use::kWrite, {workspace_id, ""}, &call);
    const absl::StatusOr<std::vector<int64_t>> keys =
        lease.ok() ? keys_.Make(**lease, {workspace_id}) : absl::StatusOr<std::vector<int64_t>>(lease.status());
    if (!keys.ok()) {
      failure = keys.status();
      if (IsTransient(failure)) return Outcome::kAgain;
      jobs.front()->status = failure;
      if (!call.Check().ok()) return Outcome::kFirstLeft;
      SetStatus(jobs, failure);
      return Outcome::kDone;
    }
    Connection& connection = **lease;
    bool has_written = false;
    const Outcome ran = RunJobs(connection, workspace_id, keys->front(), jobs, xid, audit, has_written, failure);
    if (ran != Outcome::kDone || (!has_written && audit.empty())) {
      connection.EndLater(kRollbackWriting);
      return ran;
    }
    for (const Params& params : AppendParams(keys->front(), audit)) {
      failure.Update(connection.Send(kAppendAudit, params));
    }
    if (failure.ok()) failure = Commit(connection, xid, mark, is_known);
    if (!failure.ok()) connection.EndLater(kRollbackWriting);
  }
  if (!is_known) {
    failure = Resolve(xid, mark);
    if (absl::IsAborted(failure)) return Outcome::kAgain;
  }
  if (failure.ok()) return Outcome::kDone;
  if (is_known && IsTransient(failure)) return Outcome::kAgain;
  if (is_known && jobs.size() > 1 && !SqlStateOf(failure).empty()) return Outcome::kSplit;
  for (const auto& job : jobs) {
    if (job->status.ok()) job->status = failure;
  }
  return Outcome::kDone;
}

Writer::Outcome Writer::RunJobs(Connection& connection, std::string_view workspace_id, int64_t workspace,
                                WriteQueue::Jobs jobs, int64_t& xid, std::vector<PackedAuditEntry>& audit,
                                bool& has_written, absl::Status& failure) {
  const fibers::Cancellation& call = jobs.front()->call();
  failure = Begin(connection, LockOf(workspace_id), &xid, &call);
  if (!failure.ok()) return Outcome::kAgain;
  for (const auto& job : jobs) {
    if (!job->Begin()) continue;
    job->status = RunJob(connection, workspace, *job, jobs.size() > 1, audit, has_written, failure);
    if (failure.ok()) continue;
    // Before the transaction had begun, the end of the first call alone can have broken the connection.
    if (const absl::Status ended = call.Check(); connection.must_cancel() && !ended.ok()) {
      jobs.front()->status = ended;
      return Outcome::kFirstLeft;
    }
    if (IsTransient(failure)) return Outcome::kAgain;
    if (jobs.size() > 1) return Outcome::kSplit;
    if (job->status.ok()) job->status = failure;
    has_written = false;
    audit.clear();
    return Outcome::kDone;
  }
  return Outcome::kDone;
}

absl::Status Writer::RunJob(Connection& connection, int64_t workspace, WriteJob& job, bool on_savepoint,
                            std::vector<PackedAuditEntry>& audit, bool& has_written, absl::Status& failure) {
  RETURN_IF_ERROR(job.call().Check());
  Session session(connection, workspace, fields_, &job.call(), /*may_write=*/true,
                  [&](Connection& begun) { return on_savepoint ? begun.Send(kJobSavepoint) : absl::OkStatus(); });
  std::vector<PackedAuditEntry> entries;
  absl::Status status = RunBody(job, session, entries);
  failure = session.failure();
  if (!failure.ok()) return status;
  if (!status.ok() && !on_savepoint) return status;  // Nothing of the transaction is kept.
  if (on_savepoint && session.has_begun()) {
    if (!status.ok()) failure.Update(connection.Send(kRollbackToJob));
    failure.Update(connection.Send(kReleaseJob));
  }
  if (!status.ok()) return status;
  has_written |= session.has_written();
  std::move(entries.begin(), entries.end(), std::back_inserter(audit));
  return status;
}

absl::Status Writer::Begin(Connection& connection, int64_t lock, int64_t* xid, const fibers::Cancellation* call) {
  RETURN_IF_ERROR(connection.Send(kBeginWriting));
  RETURN_IF_ERROR(SendTimeouts(connection, timeouts_, nullptr));
  if (lock != 0) RETURN_IF_ERROR(connection.Send(kLockWorkspace, Params::Of(lock)));
  if (call != nullptr) connection.EndNextWith(call);
  *xid = 0;
  return connection.Send(kXid, {}, [xid](const Result& result) { *xid = result[0].Int(0); });
}

absl::Status Writer::Commit(Connection& connection, int64_t& xid, std::string& mark, bool& is_known) {
  // Without the number, no one could tell later what became of the transaction.
  if (xid == 0) RETURN_IF_ERROR(connection.Finish());
  connection.EndWith(nullptr);
  mark = NewMark();
  RETURN_IF_ERROR(connection.Send(kLeaveMark, Params::Of(mark)));
  bool is_committed = false;
  RETURN_IF_ERROR(
      connection.Send(kCommitWriting, {}, [&](const Result& result) { is_committed = result.command() == "COMMIT"; }));
  const absl::Status finished = connection.Finish();
  is_known = is_committed || (!connection.broken() && !IsLost(finished));
  if (connection.unreplicated()) {
    is_known = true;
    return MarkFault(absl::UnavailableError(
        "PostgreSQL has committed, but its standby may not have: whether the change lasts is not known"));
  }
  if (is_committed) return absl::OkStatus();
  RETURN_IF_ERROR(finished);
  return MarkFault(absl::InternalError("PostgreSQL rolled a transaction back at its end"));
}

absl::Status Writer::Resolve(int64_t xid, const std::string& mark) {
  const std::string number = absl::StrCat(static_cast<uint64_t>(xid));
  const absl::Duration until = Clock::Real().Monotonic() + kResolveTime;
  absl::Status last;
  while (Clock::Real().Monotonic() < until) {
    absl::StatusOr<Pool::Lease> lease = pool_.Take(Pool::Use::kWrite, {}, nullptr, /*may_be_idle=*/false);
    last = lease.status();
    if (lease.ok()) {
      const absl::StatusOr<Result> found = (*lease)->Query(kXactStatus, Params().AddText(number));
      last = found.status();
      const bool is_lost = SqlStateOf(last) == kNoSuchXid;
      const bool has_ended = found.ok() && (*found)[0].Bytes(0) != "in progress";
      if (is_lost || has_ended) {
        const absl::StatusOr<Result> left = (*lease)->Query(kFindMark, Params::Of(mark));
        last = left.status();
        if (left.ok() && !left->empty()) return absl::OkStatus();
        if (left.ok()) return absl::AbortedError("the server did not keep the transaction");
      }
    }
    pool_.Pause(kResolvePause, nullptr).IgnoreError();
  }
  return MarkFault(absl::UnavailableError(
      absl::StrCat("the connection to PostgreSQL was lost during a commit, and it is not known whether transaction ",
                   number, " is committed", last.ok() ? "" : ": ", last.ok() ? "" : std::string(last.message()))));
}

// ---- Transactions of the store's own --------------------------------------------------------------------------------

absl::Status Writer::Run(Body body) {
  absl::Status status;
  for (int attempt = 0; attempt < kMaxAttempts; ++attempt) {
    if (attempt > 0) Pause(attempt - 1);
    status = RunBodyOnce(body);
    if (!IsTransient(status) && !absl::IsAborted(status)) return status;
  }
  return status;
}

absl::Status Writer::RunBodyOnce(Body body) {
  int64_t xid = 0;
  std::string mark;
  bool is_known = true;
  absl::Status status;
  {
    ASSIGN_OR_RETURN(Pool::Lease lease, pool_.Take(Pool::Use::kWrite, {}, nullptr));
    status = Begin(*lease, /*lock=*/0, &xid, nullptr);
    if (status.ok()) status = body(*lease);
    if (status.ok()) status = Commit(*lease, xid, mark, is_known);
    if (!status.ok()) lease->EndLater(kRollbackWriting);
  }
  return is_known ? status : Resolve(xid, mark);
}

absl::Status Writer::AppendAudit(const std::vector<PackedAuditEntry>& entries) {
  std::map<std::string_view, std::vector<PackedAuditEntry>> by_workspace;
  for (const PackedAuditEntry& entry : entries) by_workspace[entry.workspace_id].push_back(entry);
  std::vector<std::string_view> ids;
  for (const auto& [id, of_workspace] : by_workspace) ids.push_back(id);
  std::map<int64_t, const std::vector<PackedAuditEntry>*> by_key;
  {
    ASSIGN_OR_RETURN(Pool::Lease lease, pool_.Take(Pool::Use::kWrite, {}, nullptr));
    ASSIGN_OR_RETURN(const std::vector<int64_t> keys, keys_.Make(*lease, ids));
    for (size_t i = 0; i < ids.size(); ++i) by_key.emplace(keys[i], &by_workspace[ids[i]]);
  }
  // The heads of the chains are locked in the order of their keys, so that two of these never wait for each other.
  return Run([&](Connection& connection) -> absl::Status {
    for (const auto& [key, of_workspace] : by_key) {
      for (const Params& params : AppendParams(key, *of_workspace)) {
        absl::Status sent = connection.Send(kAppendAudit, params);
        if (!sent.ok()) return sent;
      }
    }
    return absl::OkStatus();
  });
}

}  // namespace toolgate::storage::postgres
