// One connection to PostgreSQL, in pipeline mode and without blocking.
#ifndef TOOLGATE_STORAGE_POSTGRES_CONNECTION_H_
#define TOOLGATE_STORAGE_POSTGRES_CONNECTION_H_

#include <postgresql/libpq-fe.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/fibers/cancellation.h"
#include "common/fibers/event.h"
#include "common/fibers/wait_timer.h"
#include "common/net/socket_watch.h"
#include "storage/postgres/libpq.h"
#include "storage/postgres/params.h"
#include "storage/postgres/result.h"

namespace toolgate::storage::postgres {

// The text of a statement. A literal is prepared once in each connection, a text that was put together never.
class Sql {
 public:
  Sql(const char* literal) : text_(literal) {}  // NOLINT(google-explicit-constructor)
  // Borrowed.
  static Sql Once(const std::string& text) { return {text.c_str(), false}; }

  const char* text() const { return text_; }
  bool is_literal() const { return is_literal_; }

 private:
  Sql(const char* text, bool is_literal) : text_(text), is_literal_(is_literal) {}

  const char* text_;
  bool is_literal_ = true;
};

// Statements are queued, and sent together with the next one whose rows are needed: one round trip, however many they
// are. PostgreSQL skips all that follow a failed one in it. Used by one thread or fiber at a time.
class Connection {
 public:
  struct Options {
    std::vector<std::pair<std::string, std::string>> parameters;  // libpq's keywords.
    std::string password_file;                                    // Read for each connection; empty: none.
    std::string place;                                            // Host, port and database, for messages.
    absl::Duration connect_timeout = absl::Seconds(10);
    // Of a statement, on our side; the server's own are shorter.
    absl::Duration reply_timeout = absl::Minutes(2);
    bool prepares = true;  // False: a transaction pooler is between, so no statement has a name.
  };
  // Needs of a wait; borrowed.
  struct Waits {
    net::SocketWatch& sockets;
    fibers::WaitTimer& timer;
  };

  // A call that never ends.
  static const fibers::Cancellation& NoCall();

  // UNAVAILABLE, naming the place and the remedy; the call's own error when the call ends first. `call`: nullptr: none.
  static absl::StatusOr<std::unique_ptr<Connection>> Open(const Options& options, const Waits& waits,
                                                          const fibers::Cancellation* call);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  using TakeResult = std::function<void(const Result&)>;
  // Queues a statement. Its failure is returned by the next function below. `take` gets its result then, unless one
  // before it failed.
  absl::Status Send(const Sql& sql, const Params& params = {}, TakeResult take = nullptr);
  // Sends everything, and returns the rows of this statement.
  absl::StatusOr<Result> Query(const Sql& sql, const Params& params = {});
  // The same row by row, so that no more than one is in memory. Rows behind the one for which `visit` returned an error
  // are dropped.
  absl::Status Stream(const Sql& sql, const Params& params, absl::FunctionRef<absl::Status(const Row&)> visit);
  // Sends everything, and waits until it has been done.
  absl::Status Finish();
  // Sends everything and then this statement, which ends the transaction whether or not something before it fails. The
  // next use finds out that it has been done.
  void EndLater(const char* literal);

  // The call whose end ends a wait, and with it the connection, which must then be ended by Cancel. nullptr: none.
  void EndWith(const fibers::Cancellation* call) {
    call_ = call;
    call_is_for_one_round_ = false;
  }
  // The same for the next round trip alone.
  void EndNextWith(const fibers::Cancellation* call) {
    call_ = call;
    call_is_for_one_round_ = true;
  }
  // Nothing more can be done with it.
  bool broken() const { return broken_; }
  // A statement may still run in the server.
  bool must_cancel() const { return must_cancel_; }
  // Idle, as far as is known, and nevertheless in a transaction.
  bool is_stuck() const;
  // Whether the server has closed an idle connection; takes no round trip.
  bool IsClosed();
  // Ends what runs in the server. Blocks for a connection of its own, so not on a fiber.
  void Cancel();
  // A warning of the server that a commit is perhaps not on its standby; set until Query or Finish begins.
  bool unreplicated() const { return unreplicated_; }
  // Number of round trips so far.
  int64_t round_trips() const { return round_trips_; }
  int server_version() const { return Pq().PQserverVersion(pg_); }

 private:
  // Results that the server still owes, in order.
  struct Expected {
    enum class Kind { kStatement, kPrepare, kSync };
    Kind kind;
    bool later = false;             // Of EndLater: its failure is no one's.
    const char* literal = nullptr;  // Of kPrepare.
    TakeResult take = nullptr;
  };
  using TakeRow = absl::FunctionRef<absl::Status(PGresult*)>;

  Connection(const Options& options, const Waits& waits, PGconn* pg);

  absl::Status Connect();
  absl::Status Queue(const Sql& sql, const Params& params, TakeResult take);
  // Sends everything and reads up to the end. `take` receives ownership of each result of the last statement; `by_row`:
  // of one row each.
  absl::Status Round(TakeRow take, bool by_row);
  absl::Status Sync();
  absl::Status Flush();
  absl::Status ReadAll(TakeRow take, bool by_row);
  absl::Status ReadOne(const Expected& expected, bool is_wanted, TakeRow take, bool by_row);
  absl::Status AwaitSocket(bool write, absl::Duration until);
  // Waits until a result is there.
  absl::Status AwaitResult();
  absl::Status Broken(absl::Status status);
  void WatchSocket();
  static void TakeNotice(void* connection, const PGresult* notice);

  const Options options_;
  const Waits waits_;
  PGconn* const pg_;
  const fibers::Cancellation* call_ = nullptr;
  bool call_is_for_one_round_ = false;
  fibers::Event event_;
  std::unique_ptr<net::SocketWatch::Socket> socket_;
  std::deque<Expected> expected_;
  absl::flat_hash_map<const char*, std::string> prepared_;  // Names by literal.
  int64_t last_name_ = 0;
  int64_t round_trips_ = 0;
  absl::Status failure_;  // The first of the present round.
  bool broken_ = false;
  bool must_cancel_ = false;
  bool unreplicated_ = false;
};

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_STORAGE_POSTGRES_CONNECTION_H_
