#include "storage/postgres/pool.h"

#include <pthread.h>

#include <algorithm>

#include "common/status_macros.h"
#include "common/tool_error.h"
#include "storage/postgres/errors.h"

namespace toolgate::storage::postgres {
namespace {

constexpr absl::Duration kFirstDelay = absl::Milliseconds(20);
constexpr absl::Duration kLongestDelay = absl::Seconds(1);

absl::Status TooManyWait() {
  ToolError error;
  error.code = ErrorCode::kOverloaded;
  error.message = "too many calls wait for the store already";
  error.retryable = true;
  error.retry_after = absl::Seconds(1);
  return ToStatus(error);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Pool>> Pool::Create(Options options) {
  if (options.size < 2) return absl::InvalidArgumentError("a pool needs two connections at least");
  ASSIGN_OR_RETURN(std::unique_ptr<net::SocketWatch> sockets, net::SocketWatch::Create());
  return std::unique_ptr<Pool>(new Pool(std::move(options), std::move(sockets)));
}

Pool::Pool(Options options, std::unique_ptr<net::SocketWatch> sockets)
    : options_(std::move(options)),
      sockets_(std::move(sockets)),
      timer_(Clock::Real()),
      reads_(static_cast<int64_t>(options_.size - options_.size / 2), options_.read_shares),
      writes_(static_cast<int64_t>(options_.size / 2), {}),
      delay_(kFirstDelay),
      disposal_([this] { RunDisposal(); }) {}

Pool::~Pool() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
  }
  disposal_.join();
}

Pool::Lease::~Lease() {
  if (connection_ == nullptr) return;
  pool_->Return(std::move(connection_));
  line_->Release(*account_);
}

absl::StatusOr<Pool::Lease> Pool::Take(Use use, const fairness::Party& party, const fibers::Cancellation* call,
                                       bool may_be_idle) {
  fairness::FairLine& line = use == Use::kRead ? reads_ : writes_;
  ASSIGN_OR_RETURN(fairness::FairLine::Account* const account, AwaitTurn(line, party, call));
  Lease lease(*this, line, *account);
  if (may_be_idle) lease.connection_ = PopIdle();
  lease.was_idle_ = lease.connection_ != nullptr;
  if (lease.was_idle_) return lease;
  absl::StatusOr<std::unique_ptr<Connection>> opened = Open(call);
  if (!opened.ok()) {
    line.Release(*account);
    return opened.status();
  }
  lease.connection_ = *std::move(opened);
  return lease;
}

absl::StatusOr<fairness::FairLine::Account*> Pool::AwaitTurn(fairness::FairLine& line, const fairness::Party& party,
                                                             const fibers::Cancellation* call) {
  fairness::FairLine::Account* const account = line.TryTake(party);
  if (account != nullptr) return account;
  if (call != nullptr && line.waiting() >= kMaxWaiting) return TooManyWait();
  fairness::FairLine::Waiter waiter;
  if (line.TakeOrJoin(party, waiter)) return waiter.account;
  if (call != nullptr) {
    const absl::Status came = timer_.Wait(waiter.came, *call).status();
    if (!came.ok() && line.Leave(waiter).has_value()) return came;
  }
  while (!waiter.came.IsSet()) waiter.came.WaitAside();
  return waiter.account;
}

std::unique_ptr<Connection> Pool::PopIdle() {
  while (true) {
    std::unique_ptr<Connection> connection;
    {
      absl::MutexLock lock(&mutex_);
      if (idle_.empty()) return nullptr;
      connection = std::move(idle_.back());
      idle_.pop_back();
    }
    if (!connection->IsClosed() && !connection->is_stuck()) return connection;
  }
}

absl::StatusOr<std::unique_ptr<Connection>> Pool::Open(const fibers::Cancellation* call) {
  {
    absl::MutexLock lock(&mutex_);
    if (!last_failure_.ok() && Clock::Real().Monotonic() < failed_until_) return last_failure_;
  }
  absl::StatusOr<std::unique_ptr<Connection>> connection =
      Connection::Open(options_.connection, {*sockets_, timer_}, call);
  absl::MutexLock lock(&mutex_);
  if (connection.ok()) {
    last_failure_ = absl::OkStatus();
    delay_ = kFirstDelay;
  } else if (IsLost(connection.status())) {  // Not the end of the call.
    last_failure_ = connection.status();
    failed_until_ = Clock::Real().Monotonic() + delay_;
    delay_ = std::min(2 * delay_, kLongestDelay);
  }
  return connection;
}

void Pool::Return(std::unique_ptr<Connection> connection) {
  connection->EndWith(nullptr);
  absl::MutexLock lock(&mutex_);
  if (!connection->broken()) {
    idle_.push_back(std::move(connection));
  } else if (connection->must_cancel()) {
    disposed_.push_back(std::move(connection));
  }
}

absl::Status Pool::Pause(absl::Duration time, const fibers::Cancellation* call) {
  fibers::Event never;
  return timer_.Wait(never, call == nullptr ? Connection::NoCall() : *call, Clock::Real().Monotonic() + time).status();
}

void Pool::RunDisposal() {
  pthread_setname_np(pthread_self(), "toolgate-cancels");
  const auto has_work = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return stopping_ || !disposed_.empty(); };
  while (true) {
    std::unique_ptr<Connection> connection;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(&has_work));
      if (disposed_.empty()) return;
      connection = std::move(disposed_.front());
      disposed_.pop_front();
    }
    connection->Cancel();
  }
}

}  // namespace toolgate::storage::postgres
