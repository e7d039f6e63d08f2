#include "storage/postgres/session.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "storage/postgres/errors.h"

namespace toolgate::storage::postgres {
namespace {

constexpr char kSetTimeouts[] =
    "SELECT set_config('statement_timeout', $1, true), set_config('lock_timeout', $2, true), "
    "set_config('idle_in_transaction_session_timeout', $3, true)";
constexpr char kNestedSavepoint[] = "SAVEPOINT nested";
constexpr char kReleaseNested[] = "RELEASE SAVEPOINT nested";
constexpr char kRollbackToNested[] = "ROLLBACK TO SAVEPOINT nested";

// Rows that are read between two checks that the call goes on.
constexpr int64_t kRowsOfACheck = 64;

std::string Millis(absl::Duration duration) {
  return absl::StrCat(std::clamp<int64_t>(absl::ToInt64Milliseconds(duration), 1, 2'000'000'000));
}

}  // namespace

absl::Status SendTimeouts(Connection& connection, const Timeouts& timeouts, const fibers::Cancellation* call) {
  absl::Duration statement = timeouts.statement;
  // We end a call to the millisecond; the server, a second later, what could not be told to stop.
  if (call != nullptr)
    statement = std::min(statement, std::max(call->Remaining(), absl::ZeroDuration()) + absl::Seconds(1));
  const std::string statement_ms = Millis(statement);
  const std::string lock_ms = Millis(std::min(timeouts.lock, statement));
  const std::string idle_ms = Millis(timeouts.idle);
  Params params;
  params.AddText(statement_ms).AddText(lock_ms).AddText(idle_ms);
  return connection.Send(kSetTimeouts, params);
}

absl::Status Session::Prepare() {
  RETURN_IF_ERROR(CheckCall());
  RETURN_IF_ERROR(failure_);
  if (begun_) return absl::OkStatus();
  begun_ = true;
  return begin_ == nullptr ? absl::OkStatus() : Noted(begin_(*connection_));
}

bool Session::Renews(const absl::Status& status) {
  if (renew_ == nullptr || !IsLost(status) || !CheckCall().ok()) return false;
  const absl::StatusOr<Connection*> connection = std::exchange(renew_, nullptr)();
  if (!connection.ok()) return false;
  connection_ = *connection;
  begun_ = false;
  return true;
}

absl::Status Session::Noted(absl::Status status) {
  if (status.ok()) return status;
  // An error of a visitor is no failure of the transaction.
  if (failure_.ok()) failure_ = status;
  absl::Status ended = CheckCall();
  return ended.ok() ? status : ended;
}

absl::StatusOr<Result> Session::Query(const Sql& sql, const Params& params) {
  RETURN_IF_ERROR(Prepare());
  absl::StatusOr<Result> result = connection_->Query(sql, params);
  if (!result.ok() && Renews(result.status())) {
    RETURN_IF_ERROR(Prepare());
    result = connection_->Query(sql, params);
  }
  if (result.ok()) renew_ = nullptr;
  if (!result.ok()) return Noted(std::move(result).status());
  return result;
}

absl::Status Session::Stream(const Sql& sql, const Params& params, absl::FunctionRef<absl::Status(const Row&)> visit) {
  RETURN_IF_ERROR(Prepare());
  absl::Status visited;
  int64_t rows = 0;
  const auto take = [&](const Row& row) {
    if (++rows % kRowsOfACheck == 0) visited = CheckCall();
    if (visited.ok()) visited = visit(row);
    return visited;
  };
  absl::Status streamed = connection_->Stream(sql, params, take);
  if (!streamed.ok() && rows == 0 && Renews(streamed)) {
    RETURN_IF_ERROR(Prepare());
    streamed = connection_->Stream(sql, params, take);
  }
  renew_ = nullptr;
  if (!visited.ok()) return visited;
  return Noted(streamed);
}

absl::Status Session::QueryAlso(const Sql& sql, const Params& params, Connection::TakeResult take) {
  if (!may_write_) return absl::FailedPreconditionError("a snapshot reads one thing after the other");
  RETURN_IF_ERROR(Prepare());
  return Noted(connection_->Send(sql, params, std::move(take)));
}

absl::Status Session::Write(const Sql& sql, const Params& params) {
  if (!may_write_) return absl::FailedPreconditionError("a snapshot cannot be changed");
  RETURN_IF_ERROR(Prepare());
  has_written_ = true;
  return Noted(connection_->Send(sql, params));
}

absl::Status Session::Flush() {
  if (!begun_) return absl::OkStatus();
  RETURN_IF_ERROR(Prepare());
  return Noted(connection_->Finish());
}

absl::Status Session::BeginNested() {
  if (!may_write_) return absl::FailedPreconditionError("a snapshot cannot be changed");
  RETURN_IF_ERROR(Prepare());
  return Noted(connection_->Send(kNestedSavepoint));
}

absl::Status Session::EndNested(bool keep) {
  RETURN_IF_ERROR(failure_);
  if (!keep) RETURN_IF_ERROR(Noted(connection_->Send(kRollbackToNested)));
  return Noted(connection_->Send(kReleaseNested));
}

}  // namespace toolgate::storage::postgres
