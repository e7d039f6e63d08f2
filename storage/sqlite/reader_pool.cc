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

ReaderPool::ReaderPool(std::string path, Connection::Options options, size_t size)
    : path_(std::move(path)), options_(std::move(options)), size_(size) {}

absl::StatusOr<Reader*> ReaderPool::Take(const ReadPatience& patience) {
  {
    absl::MutexLock lock(&mutex_);
    RETURN_IF_ERROR(AwaitTurn(patience));
    if (!idle_.empty()) return PopIdle();
    ++opened_;
  }
  absl::StatusOr<std::unique_ptr<Connection>> connection = Connection::Open(path_, options_);
  absl::MutexLock lock(&mutex_);
  if (!connection.ok()) {
    --opened_;
    returned_.Signal();
    return std::move(connection).status();
  }
  readers_.push_back(std::make_unique<Reader>(*std::move(connection)));
  return Lend(readers_.back().get());
}

Reader* ReaderPool::TakeAgain() {
  absl::MutexLock lock(&mutex_);
  while (idle_.empty()) AwaitReturn(absl::InfiniteDuration());
  return PopIdle();
}

absl::Status ReaderPool::AwaitTurn(const ReadPatience& patience) {
  if (!patience.may_wait) return absl::OkStatus();
  while (idle_.empty() && opened_ >= size_) {
    if (patience.cancellation == nullptr) {
      AwaitReturn(absl::InfiniteDuration());
    } else {
      RETURN_IF_ERROR(patience.cancellation->Check());
      AwaitReturn(kPollInterval);
    }
  }
  return absl::OkStatus();
}

void ReaderPool::AwaitReturn(absl::Duration at_most) {
  ++waiting_;
  returned_.WaitWithTimeout(&mutex_, at_most);
  --waiting_;
}

Reader* ReaderPool::PopIdle() {
  Reader* const reader = idle_.back();
  idle_.pop_back();
  return Lend(reader);
}

Reader* ReaderPool::Lend(Reader* reader) {
  reader->taken_ = true;
  reader->turn_ = turn_;
  reader->revoking_ = reader->revoked_ = reader->backs_up_ = false;
  return reader;
}

void ReaderPool::Return(Reader* reader) {
  absl::MutexLock lock(&mutex_);
  if (reader->revoking_) reader->connection().Restore();
  if (reader->turn_ != turn_) reader->Release();
  reader->taken_ = false;
  idle_.push_back(reader);
  if (waiting_ > 0) returned_.Signal();
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
