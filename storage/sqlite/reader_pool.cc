#include "storage/sqlite/reader_pool.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "common/absl_bridge.h"
#include "common/clock.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "storage/sqlite/row_access.h"
#include "storage/sqlite/word_completions.h"

namespace toolgate::storage::sqlite {
namespace {

constexpr char kBegin[] = "BEGIN";
constexpr char kEnd[] = "COMMIT";
// A snapshot begins with the first read.
constexpr char kFirstRead[] = "SELECT indexed_row FROM search_state";
constexpr size_t kMaxWorkspaceKeys = 10'000;

absl::Status TooManyWait() {
  ToolError error;
  error.code = ErrorCode::kOverloaded;
  error.message = "too many calls wait to read already";
  error.retryable = true;
  error.retry_after = absl::Seconds(1);
  return ToStatus(error);
}

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
    : path_(std::move(path)),
      options_(std::move(options)),
      line_(static_cast<int64_t>(size), shares),
      long_line_(std::max<int64_t>(static_cast<int64_t>(size) / 4, 1), shares),
      waiting_(kMaxWaiting, shares),
      timer_(Clock::Real()) {}

absl::StatusOr<Reader*> ReaderPool::Take(const ReadPatience& patience) {
  ASSIGN_OR_RETURN(const ReaderTurn turn, AwaitTurn(patience));
  {
    absl::MutexLock lock(&mutex_);
    if (!idle_.empty()) return PopIdle(turn);
  }
  absl::StatusOr<Reader*> reader = Open(turn);
  if (!reader.ok()) turn.End();
  return reader;
}

Reader* ReaderPool::TakeAgain(const ReadPatience& patience) {
  const ReaderTurn turn = AwaitTurn(patience).value_or(ReaderTurn());
  {
    absl::MutexLock lock(&mutex_);
    if (!idle_.empty()) return PopIdle(turn);
  }
  if (const absl::StatusOr<Reader*> reader = Open(turn); reader.ok()) return *reader;
  absl::MutexLock lock(&mutex_);
  while (idle_.empty()) returned_.Wait(&mutex_);
  return PopIdle(turn);
}

absl::StatusOr<ReaderTurn> ReaderPool::AwaitTurn(const ReadPatience& patience) {
  fairness::FairLine& line = patience.is_long ? long_line_ : line_;
  ReaderTurn turn{&line, line.TryTake(patience.party)};
  if (turn.account != nullptr || !patience.may_wait) return turn;
  std::optional<fairness::SharedCount::Taken> ticket;
  if (patience.cancellation != nullptr) {
    ticket = waiting_.TryTake(patience.party);
    if (std::holds_alternative<fairness::Bound>(*ticket)) return TooManyWait();
  }
  fairness::FairLine::Waiter waiter;
  if (line.TakeOrJoin(patience.party, waiter)) return ReaderTurn{&line, waiter.account};
  if (patience.cancellation != nullptr) {
    const absl::Status came = timer_.Wait(waiter.came, *patience.cancellation).status();
    if (!came.ok() && line.Leave(waiter).has_value()) return came;
  }
  while (!waiter.came.IsSet()) waiter.came.WaitAside();
  return ReaderTurn{&line, waiter.account};
}

Reader* ReaderPool::PopIdle(const ReaderTurn& turn) {
  Reader* const reader = idle_.back();
  idle_.pop_back();
  return Lend(reader, turn);
}

absl::StatusOr<Reader*> ReaderPool::Open(const ReaderTurn& turn) {
  ASSIGN_OR_RETURN(std::unique_ptr<Connection> connection, Connection::Open(path_, options_));
  RETURN_IF_ERROR(AddVocabulary(*connection));
  absl::MutexLock lock(&mutex_);
  readers_.push_back(std::make_unique<Reader>(std::move(connection)));
  return Lend(readers_.back().get(), turn);
}

Reader* ReaderPool::Lend(Reader* reader, const ReaderTurn& turn) {
  reader->taken_ = true;
  reader->lent_in_ = turn;
  reader->turn_ = turn_;
  reader->revoking_ = reader->revoked_ = reader->backs_up_ = false;
  return reader;
}

void ReaderPool::Return(Reader* reader) {
  ReaderTurn turn;
  {
    absl::MutexLock lock(&mutex_);
    if (reader->revoking_) reader->connection().Restore();
    if (reader->turn_ != turn_) reader->Release();
    reader->taken_ = false;
    turn = std::exchange(reader->lent_in_, {});
    idle_.push_back(reader);
    returned_.Signal();
  }
  turn.End();
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
