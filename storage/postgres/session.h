// Access of rows to one workspace in one transaction.
#ifndef TOOLGATE_STORAGE_POSTGRES_SESSION_H_
#define TOOLGATE_STORAGE_POSTGRES_SESSION_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/fibers/cancellation.h"
#include "storage/declared_fields.h"
#include "storage/postgres/connection.h"

namespace toolgate::storage::postgres {

// Bounds on the server's side.
struct Timeouts {
  absl::Duration statement = absl::Seconds(30);
  absl::Duration lock = absl::Seconds(10);
  absl::Duration idle = absl::Seconds(60);  // Between two statements of a transaction.
};

// Queues the statement that bounds the transaction which has just begun, by these and by the end of `call` (nullptr:
// none).
absl::Status SendTimeouts(Connection& connection, const Timeouts& timeouts, const fibers::Cancellation* call);

// Checks before each use that the call goes on, and while many rows are read. Used by one thread at a time; borrows
// everything.
class Session {
 public:
  // `begin`, called before the first statement, queues the beginning of the transaction. `workspace`: its key; a
  // workspace that does not exist has key 0 and no rows.
  using Begin = std::function<absl::Status(Connection&)>;
  Session(Connection& connection, int64_t workspace, const DeclaredFields& fields, const fibers::Cancellation* call,
          bool may_write, Begin begin)
      : connection_(&connection),
        workspace_(workspace),
        fields_(fields),
        call_(call),
        may_write_(may_write),
        begin_(std::move(begin)) {}
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // `renew` provides another connection, if the present one is lost before anything was read from it: it was idle, and
  // the server has closed it.
  using Renew = std::function<absl::StatusOr<Connection*>()>;
  void RenewWith(Renew renew) { renew_ = std::move(renew); }

  // One round trip each; what is queued goes with it.
  absl::StatusOr<Result> Query(const Sql& sql, const Params& params);
  // Queues a query, whose result `take` gets in the course of the next Query, Stream or Flush that succeeds. Only in a
  // transaction that writes.
  absl::Status QueryAlso(const Sql& sql, const Params& params, Connection::TakeResult take);
  // Calls `visit` with each row until it returns an error, which is returned.
  absl::Status Stream(const Sql& sql, const Params& params, absl::FunctionRef<absl::Status(const Row&)> visit);
  // Queued. FAILED_PRECONDITION in a snapshot.
  absl::Status Write(const Sql& sql, const Params& params);
  absl::Status Flush();

  // A part that can be rolled back by itself. Also when the call is over.
  absl::Status BeginNested();
  absl::Status EndNested(bool keep);

  int64_t workspace() const { return workspace_; }
  const DeclaredFields& fields() const { return fields_; }
  absl::Status CheckCall() const { return call_ == nullptr ? absl::OkStatus() : call_->Check(); }

  bool has_begun() const { return begun_; }
  // Something was queued that changes rows.
  bool has_written() const { return has_written_; }
  // The server's or the connection's first failure: then nothing of the transaction can be kept.
  const absl::Status& failure() const { return failure_; }

 private:
  absl::Status Prepare();
  // Whether a statement that failed so may be sent again, over a new connection.
  bool Renews(const absl::Status& status);
  // Notes a failure, and returns the call's end instead if that is the reason.
  absl::Status Noted(absl::Status status);

  Connection* connection_;
  const int64_t workspace_;
  const DeclaredFields& fields_;
  const fibers::Cancellation* const call_;
  const bool may_write_;
  const Begin begin_;
  Renew renew_;  // Unset once something was read.
  bool begun_ = false;
  bool has_written_ = false;
  absl::Status failure_;
};

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_STORAGE_POSTGRES_SESSION_H_
