#include "storage/sqlite/writer.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/brief_section.h"
#include "common/status_macros.h"
#include "storage/fault.h"
#include "storage/sqlite/audit_log.h"
#include "storage/sqlite/row_access.h"

namespace toolgate::storage::sqlite {
namespace {

// Maximum number of users with a cached end of the undo stack, and of workspaces with a cached key and end of the
// chain.
constexpr size_t kMaxUndoPlaces = 10'000;
constexpr size_t kMaxWorkspaces = 10'000;

// Entries that are read into the index over their terms at once, while mutations wait.
constexpr int64_t kAuditStep = 1000;

constexpr char kBeginWriting[] = "BEGIN IMMEDIATE";
constexpr char kCommit[] = "COMMIT";
// Only causes a write. (SQLite does not write a row that is updated to its present value.)
constexpr char kTouch[] = "INSERT INTO search_pending (row) VALUES (-1)";
constexpr char kTouchBack[] = "DELETE FROM search_pending WHERE row = -1";
constexpr char kSavepoint[] = "SAVEPOINT job";
constexpr char kRelease[] = "RELEASE job";
constexpr char kRollbackTo[] = "ROLLBACK TO job";
constexpr char kNestedSavepoint[] = "SAVEPOINT nested";
constexpr char kNestedRelease[] = "RELEASE nested";
constexpr char kNestedRollbackTo[] = "ROLLBACK TO nested";
constexpr char kLastUndoPlace[] = "SELECT coalesce(max(place), 0) FROM undo_entries WHERE workspace = ? AND user = ?";
constexpr char kAddWorkspace[] = "INSERT INTO workspaces (id) VALUES (?) RETURNING key";
// The index may still contain rows of deleted blocks.
constexpr char kCounters[] =
    "SELECT max(coalesce((SELECT max(row) FROM blocks), 0), coalesce((SELECT max(row) FROM search_pending), 0), "
    "coalesce((SELECT max(rowid) FROM search_text_docsize), 0), indexed_row), indexed_row FROM search_state";

int RememberLogPages(void* pages, sqlite3*, const char*, int count) {
  static_cast<std::atomic<int64_t>*>(pages)->store(count, std::memory_order_relaxed);
  return SQLITE_OK;
}

absl::Status RunBody(WriteJob& job) {
  // An exception in one caller's body must not end another caller's thread.
  try {
    return job.RunBody();
  } catch (const std::exception& error) {
    return absl::InternalError(absl::StrCat("a transaction's body threw: ", error.what()));
  }
}

// All others wait for its end.
absl::Status RunInSection(WriteJob& job) {
  const BriefSection section;
  return RunBody(job);
}

}  // namespace

Writer::Writer(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {
  sqlite3_wal_hook(connection_->db(), RememberLogPages, &log_pages_);
}

absl::Status Writer::Start() {
  ASSIGN_OR_RETURN(const std::vector<int64_t> unindexed, AuditLog::ListUnindexed(*connection_));
  unindexed_audit_.insert(unindexed.begin(), unindexed.end());
  return Reload();
}

absl::Status Writer::Reload() {
  workspace_keys_.clear();
  chain_heads_.clear();
  undo_places_.clear();
  Cursor cursor = connection_->Use(kCounters);
  RETURN_IF_ERROR(cursor.Step().status());
  last_block_row_ = std::max(last_block_row_, cursor.Int(0));
  indexed_row_ = cursor.Int(1);
  return absl::OkStatus();
}

void Writer::RunBatch(absl::Span<WriteJob* const> jobs) {
  if (RunTransaction(jobs) == Outcome::kDone || jobs.size() == 1) return;
  // One of them was too much for the disk; the others get a transaction each.
  for (size_t i = 0; i < jobs.size(); ++i) RunTransaction(jobs.subspan(i, 1));
}

Writer::Outcome Writer::RunTransaction(absl::Span<WriteJob* const> jobs) {
  const Outcome outcome = RunTransactionOnce(jobs, /*with_savepoints=*/false);
  return outcome == Outcome::kNeedsSavepoints ? RunTransactionOnce(jobs, /*with_savepoints=*/true) : outcome;
}

Writer::Outcome Writer::RunTransactionOnce(absl::Span<WriteJob* const> jobs, bool with_savepoints) {
  with_savepoints_ = with_savepoints;
  needs_savepoints_ = false;
  batch_audit_.clear();
  const int64_t changes_before = sqlite3_total_changes64(connection_->db());
  absl::Status status = connection_->Use(kBeginWriting).Run();
  if (!status.ok()) {
    Abandon(jobs, status);
    return Outcome::kDone;
  }
  for (WriteJob* job : jobs) {
    RunJob(*job, /*keep=*/true);
    if (connection_->autocommit()) {
      Abandon(jobs, job->status.ok() ? absl::UnavailableError("SQLite took back the transaction") : job->status);
      return Outcome::kTakenBack;
    }
    if (needs_savepoints_) return StartAgain(jobs);
  }
  status = FlushAudit();
  if (status.ok()) status = Commit();
  if (!status.ok()) {
    Abandon(jobs, status);
    return Outcome::kDone;
  }
  if (sqlite3_total_changes64(connection_->db()) != changes_before) {
    generation_.fetch_add(1, std::memory_order_release);
    batches_.fetch_add(1, std::memory_order_relaxed);
    broken_.store(false, std::memory_order_relaxed);
  }
  return Outcome::kDone;
}

void Writer::Rehearse(WriteJob& job) {
  with_savepoints_ = true;
  needs_savepoints_ = false;
  batch_audit_.clear();
  // Others have written since the last one.
  job.status = Reload();
  if (job.status.ok()) job.status = connection_->Use(kBeginWriting).Run();
  if (!job.status.ok()) return;
  RunJob(job, /*keep=*/false);
  if (connection_->autocommit()) return;
  const absl::Status ended = connection_->Execute("ROLLBACK");
  if (job.status.ok()) job.status = ended;
}

// This is not a failure, so callers are not notified.
Writer::Outcome Writer::StartAgain(absl::Span<WriteJob* const> jobs) {
  absl::Status status = connection_->Execute("ROLLBACK");
  if (status.ok()) status = Reload();
  if (status.ok()) return Outcome::kNeedsSavepoints;
  Abandon(jobs, status);
  return Outcome::kDone;
}

void Writer::RunJob(WriteJob& job, bool keep) {
  savepoint_open_ = job_made_workspace_ = job_moved_index_ = false;
  hopeful_ = !with_savepoints_;
  job_changes_ = 0;
  job_audit_.clear();
  job.status = keep ? RunInSection(job) : RunBody(job);
  if (connection_->autocommit()) return;
  if (keep && job.status.ok()) job.status = TakeJobAudit();
  const absl::Status ended = EndJob(keep && job.status.ok());
  if (job.status.ok()) job.status = ended;
}

absl::Status Writer::TakeJobAudit() {
  std::vector<int64_t> workspaces;
  for (const PackedAuditEntry& entry : job_audit_) {
    ASSIGN_OR_RETURN(workspaces.emplace_back(), WorkspaceKey(entry.workspace_id, true));
  }
  for (size_t i = 0; i < workspaces.size(); ++i) batch_audit_[workspaces[i]].push_back(std::move(job_audit_[i]));
  return absl::OkStatus();
}

absl::Status Writer::EndJob(bool keep) {
  if (!savepoint_open_) {
    if (!keep && job_changes_ > 0) RequireSavepoints();
    return absl::OkStatus();
  }
  if (keep) return connection_->Use(kRelease).Run();
  RETURN_IF_ERROR(connection_->Use(kRollbackTo).Run());
  RETURN_IF_ERROR(connection_->Use(kRelease).Run());
  return ForgetTakenBack();
}

absl::Status Writer::BeginNested() { return connection_->Use(kNestedSavepoint).Run(); }

absl::Status Writer::EndNested(bool keep) {
  if (keep) return connection_->Use(kNestedRelease).Run();
  RETURN_IF_ERROR(connection_->Use(kNestedRollbackTo).Run());
  RETURN_IF_ERROR(connection_->Use(kNestedRelease).Run());
  return ForgetTakenBack();
}

absl::Status Writer::ForgetTakenBack() {
  undo_places_.clear();
  return job_made_workspace_ || job_moved_index_ ? Reload() : absl::OkStatus();
}

absl::Status Writer::BeforeChange() {
  // If the disk fails, SQLite may roll back the transaction in the middle of a job. A later change would then be
  // committed separately.
  if (connection_->autocommit()) return MarkFault(absl::UnavailableError("SQLite took back the transaction"));
  ++job_changes_;
  if (hopeful_ || savepoint_open_) return absl::OkStatus();
  RETURN_IF_ERROR(connection_->Use(kSavepoint).Run());
  savepoint_open_ = true;
  return absl::OkStatus();
}

absl::StatusOr<int64_t> Writer::WorkspaceKey(std::string_view id, bool create) {
  const auto known = workspace_keys_.find(ToAbsl(id));
  if (known != workspace_keys_.end()) return known->second;
  ASSIGN_OR_RETURN(int64_t key, FindWorkspaceKey(*connection_, id));
  if (key == 0) {
    if (!create) return 0;
    RETURN_IF_ERROR(BeforeChange());
    Cursor cursor = connection_->Use(kAddWorkspace);
    RETURN_IF_ERROR(cursor.Bind(id).Step().status());
    key = cursor.Int(0);
    job_made_workspace_ = true;
  }
  if (workspace_keys_.size() >= kMaxWorkspaces) workspace_keys_.clear();
  workspace_keys_.emplace(id, key);
  return key;
}

absl::StatusOr<int64_t> Writer::NextUndoPlace(int64_t workspace, std::string_view user) {
  if (undo_places_.size() >= kMaxUndoPlaces) undo_places_.clear();
  const auto [place, unknown] = undo_places_.try_emplace({workspace, std::string(user)}, 0);
  if (unknown) {
    Cursor cursor = connection_->Use(kLastUndoPlace);
    absl::Status status = cursor.Bind(workspace, user).Step().status();
    if (!status.ok()) {
      undo_places_.erase(place);
      return status;
    }
    place->second = cursor.Int(0);
  }
  return ++place->second;
}

absl::Status Writer::CatchUpSearch(SearchBacklog& backlog) {
  if (backlog.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(BeforeChange());
  job_moved_index_ = true;
  RETURN_IF_ERROR(sqlite::CatchUpSearch(*connection_, kIndexStep, backlog));
  Cursor cursor = connection_->Use(kCounters);
  RETURN_IF_ERROR(cursor.Step().status());
  indexed_row_ = cursor.Int(1);
  return absl::OkStatus();
}

absl::StatusOr<bool> Writer::IndexAudit() {
  if (unindexed_audit_.empty()) return false;
  RETURN_IF_ERROR(BeforeChange());
  absl::Status unreadable;
  int64_t left = kAuditStep;
  for (auto workspace = unindexed_audit_.begin(); workspace != unindexed_audit_.end();) {
    const absl::StatusOr<int64_t> read = AuditLog(*connection_, *workspace).IndexTerms(left);
    if (!read.ok() && !absl::IsDataLoss(read.status())) return read.status();
    if (!read.ok()) unreadable.Update(read.status());  // It stays without the index, and holds up no other.
    left -= read.value_or(0);
    if (left <= 0) return true;
    // Forgotten only when nothing was found: this job may be rolled back.
    workspace = read.value_or(1) == 0 ? unindexed_audit_.erase(workspace) : std::next(workspace);
  }
  RETURN_IF_ERROR(unreadable);
  return false;
}

void Writer::AddAudit(std::vector<PackedAuditEntry> entries) {
  if (job_audit_.empty()) {
    job_audit_ = std::move(entries);
  } else {
    std::move(entries.begin(), entries.end(), std::back_inserter(job_audit_));
  }
}

absl::Status Writer::FlushAudit() {
  for (const auto& [workspace, entries] : batch_audit_) {
    AuditLog log(*connection_, workspace);
    auto head = chain_heads_.find(workspace);
    if (head == chain_heads_.end()) {
      ASSIGN_OR_RETURN(ChainLink link, log.ReadHead());
      if (chain_heads_.size() >= kMaxWorkspaces) chain_heads_.clear();
      head = chain_heads_.emplace(workspace, std::move(link)).first;
    }
    SegmentBuilder segment(head->second);
    for (const PackedAuditEntry& entry : entries) segment.Add(entry);
    RETURN_IF_ERROR(log.Append(segment));
    unindexed_audit_.insert(workspace);
    head->second = segment.head();
  }
  return absl::OkStatus();
}

absl::Status Writer::Commit() {
  absl::Status status = connection_->Use(kCommit).Run();
  if (!status.ok()) ForgetFailedCommit();
  return status;
}

// A transaction that could not be synced may be complete in the log, and a reader of the log after a crash would take
// it for committed. Anything written in its place prevents that; on a disk that accepts nothing at all, the next commit
// does.
void Writer::ForgetFailedCommit() {
  if (!connection_->autocommit()) connection_->Execute("ROLLBACK").IgnoreError();
  absl::Status status = connection_->Use(kBeginWriting).Run();
  if (status.ok()) status = Touch();
  if (status.ok()) connection_->Use(kCommit).Run().IgnoreError();
  if (!connection_->autocommit()) connection_->Execute("ROLLBACK").IgnoreError();
}

absl::Status Writer::Touch() {
  RETURN_IF_ERROR(connection_->Use(kTouch).Run());
  return connection_->Use(kTouchBack).Run();
}

// Nothing of the batch is kept, so all callers that expected something get the reason.
void Writer::Abandon(absl::Span<WriteJob* const> jobs, const absl::Status& status) {
  if (!connection_->autocommit()) connection_->Execute("ROLLBACK").IgnoreError();
  broken_.store(true, std::memory_order_relaxed);
  for (WriteJob* job : jobs) {
    if (job->status.ok()) job->status = status;
  }
  Reload().IgnoreError();  // A failure here shows again at the next write, which reads the state that it needs.
}

}  // namespace toolgate::storage::sqlite
