// Connections that callers share.
#ifndef TOOLGATE_STORAGE_POSTGRES_POOL_H_
#define TOOLGATE_STORAGE_POSTGRES_POOL_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/fairness/fair_line.h"
#include "common/fairness/fair_shares.h"
#include "common/fibers/cancellation.h"
#include "common/fibers/wait_timer.h"
#include "common/net/socket_watch.h"
#include "storage/postgres/connection.h"

namespace toolgate::storage::postgres {

// At most `size` connections, opened when they are needed. Half of them, rounded up, are for reads, the others for
// writes, so that neither keeps the other from the server. Callers wait in a fair line; a fiber that waits steps aside.
// A connection that broke is dropped. When one cannot be opened, those who ask soon after get the same failure, so that
// a server that comes back is not overrun. Thread-safe.
class Pool {
 public:
  enum class Use { kRead, kWrite };
  struct Options {
    Connection::Options connection;
    size_t size = 0;                    // Two at least.
    fairness::Shares read_shares = {};  // Of the connections for reads.
  };
  // Calls that wait for one; a user and a workspace have shares of them, too.
  static constexpr int64_t kMaxWaiting = 4096;

  static absl::StatusOr<std::unique_ptr<Pool>> Create(Options options);
  // Called when no connection is lent any more.
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // A connection for one caller, given back with the object. It is outside of a transaction then, or broken.
  class Lease {
   public:
    Lease(Lease&& other) noexcept
        : pool_(other.pool_),
          line_(other.line_),
          account_(other.account_),
          connection_(std::move(other.connection_)),
          was_idle_(other.was_idle_) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease();

    Connection& operator*() { return *connection_; }
    Connection* operator->() { return connection_.get(); }
    // It was idle before, so that the server may have closed it.
    bool was_idle() const { return was_idle_; }

   private:
    friend class Pool;
    Lease(Pool& pool, fairness::FairLine& line, fairness::FairLine::Account& account)
        : pool_(&pool), line_(&line), account_(&account) {}

    Pool* pool_;
    fairness::FairLine* line_;
    fairness::FairLine::Account* account_;
    std::unique_ptr<Connection> connection_;
    bool was_idle_ = false;
  };

  // UNAVAILABLE if the server cannot be reached; CANCELLED or TIMEOUT (ToolError) when the call ends first. The caller
  // holds no lock. `call` may be nullptr. Unless `may_be_idle`, the connection is a new one.
  absl::StatusOr<Lease> Take(Use use, const fairness::Party& party, const fibers::Cancellation* call,
                             bool may_be_idle = true);
  // Waits; OK when the time has passed.
  absl::Status Pause(absl::Duration time, const fibers::Cancellation* call);
  fibers::WaitTimer& timer() { return timer_; }

 private:
  Pool(Options options, std::unique_ptr<net::SocketWatch> sockets);

  absl::StatusOr<fairness::FairLine::Account*> AwaitTurn(fairness::FairLine& line, const fairness::Party& party,
                                                         const fibers::Cancellation* call);
  std::unique_ptr<Connection> PopIdle() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<std::unique_ptr<Connection>> Open(const fibers::Cancellation* call) ABSL_LOCKS_EXCLUDED(mutex_);
  void Return(std::unique_ptr<Connection> connection) ABSL_LOCKS_EXCLUDED(mutex_);
  void RunDisposal();

  const Options options_;
  const std::unique_ptr<net::SocketWatch> sockets_;
  fibers::WaitTimer timer_;  // On the real clock: it asks each call, whose deadline is on its own.
  fairness::FairLine reads_;
  fairness::FairLine writes_;
  absl::Mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_ ABSL_GUARDED_BY(mutex_);  // The last one used is taken first.
  absl::Status last_failure_ ABSL_GUARDED_BY(mutex_);                      // Of opening one,
  absl::Duration failed_until_ ABSL_GUARDED_BY(mutex_);                    // the answer until then,
  absl::Duration delay_ ABSL_GUARDED_BY(mutex_);                           // and the length of that.
  std::deque<std::unique_ptr<Connection>> disposed_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread disposal_;
};

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_STORAGE_POSTGRES_POOL_H_
