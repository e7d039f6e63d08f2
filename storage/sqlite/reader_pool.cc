#include "storage/sqlite/reader_pool.h"

#include <algorithm>
#include <utility>

#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "storage/sqlite/workspace_rows.h"

namespace toolgate::storage::sqlite {
namespace {

constexpr char kBegin[] = "BEGIN";
constexpr char kEnd[] = "COMMIT";
// A snapshot begins with the first read.
constexpr char kFirstRead[] = "SELECT indexed_row FROM search_state";
constexpr size_t kMaxWorkspaceKeys = 10'000;
// Interval at which a waiting caller checks whether its client has left.
constexpr absl::Duration kPollInterval = absl::Milliseconds(20);

}  // namespace

absl::Status Reader::Refresh(uint64_t generation) {
  if (generation_ == generation) return absl::OkStatus();
  Release();
  RETURN_IF_ERROR(connection_->Use(kBegin).Run());
  absl::Status status = connection_->Use(kFirstRead).Step().status();
  if (!status.ok()) {
    connection_->Use(kEnd).Run().IgnoreError();
    return status;
  }
  generation_ = generation;
  return absl::OkStatus();
}

void Reader::Release() {
  generation_ = 0;
  if (!connection_->autocommit()) connection_->Use(kEnd).Run().IgnoreError();  // A read cannot lose anything.
}

absl::StatusOr<int64_t> Reader::WorkspaceKey(std::string_view id) {
  const auto known = workspace_keys_.find(ToAbsl(id));
  if (known != workspace_keys_.end()) return known->second;
  ASSIGN_OR_RETURN(const int64_t key, FindWorkspaceKey(*connection_, id));
  if (key == 0) return 0;
  if (workspace_keys_.size() >= kMaxWorkspaceKeys) workspace_keys_.clear();
  workspace_keys_.emplace(id, key);
  return key;
}

ReaderPool::ReaderPool(std::string path, Connection::Options options, size_t size, const fairness::Shares& shares)
    : path_(std::move(path)), options_(std::move(options)), shares_(static_cast<int64_t>(size), shares) {}

absl::StatusOr<Reader*> ReaderPool::Take(const ReadPatience& patience) {
  Account* account = nullptr;
  {
    absl::MutexLock lock(&mutex_);
    ASSIGN_OR_RETURN(account, AwaitTurn(patience));
    if (!idle_.empty()) return PopIdle(*account);
  }
  absl::StatusOr<Reader*> reader = Open(*account);
  if (!reader.ok()) {
    absl::MutexLock lock(&mutex_);
    EndTurn(*account);
  }
  return reader;
}

Reader* ReaderPool::TakeAgain(const fairness::Party& party) {
  Account* account = nullptr;
  {
    absl::MutexLock lock(&mutex_);
    account = AwaitTurn({.party = party}).value();
    if (!idle_.empty()) return PopIdle(*account);
  }
  if (const absl::StatusOr<Reader*> reader = Open(*account); reader.ok()) return *reader;
  // Others have those that there are.
  absl::MutexLock lock(&mutex_);
  while (idle_.empty()) returned_.Wait(&mutex_);
  return PopIdle(*account);
}

absl::StatusOr<ReaderPool::Account*> ReaderPool::AwaitTurn(const ReadPatience& patience) {
  Account& account = shares_.Open(patience.party);
  if (!patience.may_wait || shares_.Exceeded(account) == fairness::Bound::kNone) {
    shares_.Take(account);
    return &account;
  }
  Waiter waiter;
  waiter.account = &account;
  shares_.Join(waiter);
  while (waiter.in_line) {
    if (patience.cancellation == nullptr) {
      waiter.came.Wait(&mutex_);
      continue;
    }
    if (absl::Status status = patience.cancellation->Check(); !status.ok()) {
      shares_.Leave(waiter);
      shares_.Close(account);
      return status;
    }
    waiter.came.WaitWithTimeout(&mutex_, kPollInterval);
  }
  return &account;
}

void ReaderPool::EndTurn(Account& account) {
  shares_.Release(account);
  while (fairness::FairShares::Waiter* const next = shares_.Grant()) static_cast<Waiter*>(next)->came.Signal();
  shares_.Close(account);
}

Reader* ReaderPool::PopIdle(Account& account) {
  Reader* const reader = idle_.back();
  idle_.pop_back();
  return Lend(reader, account);
}

absl::StatusOr<Reader*> ReaderPool::Open(Account& account) {
  ASSIGN_OR_RETURN(std::unique_ptr<Connection> connection, Connection::Open(path_, options_));
  absl::MutexLock lock(&mutex_);
  readers_.push_back(std::make_unique<Reader>(std::move(connection)));
  return Lend(readers_.back().get(), account);
}

Reader* ReaderPool::Lend(Reader* reader, Account& account) {
  reader->taken_by_ = &account;
  reader->turn_ = turn_;
  reader->revoking_ = reader->revoked_ = reader->backs_up_ = false;
  return reader;
}

void ReaderPool::Return(Reader* reader) {
  absl::MutexLock lock(&mutex_);
  if (reader->revoking_) reader->connection().Restore();
  if (reader->turn_ != turn_) reader->Release();
  idle_.push_back(reader);
  EndTurn(*std::exchange(reader->taken_by_, nullptr));
  returned_.Signal();
}

void ReaderPool::ReleaseIdle() {
  absl::MutexLock lock(&mutex_);
  for (Reader* reader : idle_) reader->Release();
}

void ReaderPool::BeginTurnover() {
  absl::MutexLock lock(&mutex_);
  ++turn_;
  for (Reader* reader : idle_) reader->Release();
}

bool ReaderPool::AwaitTurnover(absl::Duration at_most) {
  absl::MutexLock lock(&mutex_);
  return mutex_.AwaitWithTimeout(absl::Condition(this, &ReaderPool::HasTurned), at_most);
}

bool ReaderPool::HasTurned() const {
  return std::none_of(readers_.begin(), readers_.end(), [this](const auto& reader) {
    mutex_.AssertHeld();
    return IsOld(*reader);
  });
}

size_t ReaderPool::RevokeOld(bool backups_too) {
  absl::MutexLock lock(&mutex_);
  size_t revoked = 0;
  for (const auto& reader : readers_) {
    if (!IsOld(*reader) || (reader->backs_up_ && !backups_too)) continue;
    if (!std::exchange(reader->revoking_, true)) ++revoked;
    reader->revoked_ = reader->connection().Revoke();
  }
  return revoked;
}

bool ReaderPool::HasOldBackup() {
  absl::MutexLock lock(&mutex_);
  return std::any_of(readers_.begin(), readers_.end(), [this](const auto& reader) {
    mutex_.AssertHeld();
    return reader->backs_up_ && IsOld(*reader);
  });
}

void ReaderPool::MarkBackup(Reader& reader) {
  absl::MutexLock lock(&mutex_);
  reader.backs_up_ = true;
}

}  // namespace toolgate::storage::sqlite
