#include "storage/postgres/connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/clock.h"
#include "common/status_macros.h"
#include "storage/fault.h"
#include "storage/postgres/errors.h"
#include "storage/postgres/libpq.h"

namespace toolgate::storage::postgres {
namespace {

constexpr char kUnreplicated[] = "01000";

// The first line of a file.
absl::StatusOr<std::string> ReadPassword(const std::string& path) {
  std::ifstream file(path);
  std::string password;
  if (!std::getline(file, password) || password.empty()) {
    return MarkFault(absl::UnavailableError(absl::StrCat("cannot read a password from ", path,
                                                         "; it must be the file's first line, and the file readable")));
  }
  if (password.back() == '\r') password.pop_back();
  return password;
}

}  // namespace

// ---- Life -----------------------------------------------------------------------------------------------------------

const fibers::Cancellation& Connection::NoCall() {
  static const auto* const never = new fibers::Cancellation();
  return *never;
}

absl::StatusOr<std::unique_ptr<Connection>> Connection::Open(const Options& options, const Waits& waits,
                                                             const fibers::Cancellation* call) {
  RETURN_IF_ERROR(LoadLibpq());
  std::vector<const char*> keywords;
  std::vector<const char*> values;
  for (const auto& [keyword, value] : options.parameters) {
    keywords.push_back(keyword.c_str());
    values.push_back(value.c_str());
  }
  absl::StatusOr<std::string> password("");
  if (!options.password_file.empty()) {
    password = ReadPassword(options.password_file);
    RETURN_IF_ERROR(password.status());
    keywords.push_back("password");
    values.push_back(password->c_str());
  }
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  PGconn* const pg = Pq().PQconnectStartParams(keywords.data(), values.data(), /*expand_dbname=*/0);
  if (pg == nullptr) return absl::ResourceExhaustedError("no memory for a connection to PostgreSQL");
  std::unique_ptr<Connection> connection(new Connection(options, waits, pg));
  connection->EndWith(call);
  RETURN_IF_ERROR(connection->Connect());
  connection->EndWith(nullptr);
  return connection;
}

Connection::Connection(const Options& options, const Waits& waits, PGconn* pg)
    : options_(options), waits_(waits), pg_(pg) {
  Pq().PQsetNoticeReceiver(pg_, TakeNotice, this);
}

Connection::~Connection() {
  socket_.reset();
  Pq().PQfinish(pg_);
}

absl::Status Connection::Connect() {
  const absl::Duration until = Clock::Real().Monotonic() + options_.connect_timeout;
  PostgresPollingStatusType state = PGRES_POLLING_WRITING;
  if (Pq().PQstatus(pg_) == CONNECTION_BAD) return CannotConnect(options_.place, Pq().PQerrorMessage(pg_));
  while (state != PGRES_POLLING_OK) {
    WatchSocket();
    const absl::Status waited = AwaitSocket(state == PGRES_POLLING_WRITING, until);
    if (IsLost(waited)) {
      return CannotConnect(options_.place,
                           absl::StrCat("no reply for ", absl::FormatDuration(options_.connect_timeout)));
    }
    RETURN_IF_ERROR(waited);
    // libpq may take another socket from now on, for the next of several addresses.
    const int fd = Pq().PQsocket(pg_);
    state = Pq().PQconnectPoll(pg_);
    if (state == PGRES_POLLING_FAILED) {
      socket_.reset();
      broken_ = true;
      return CannotConnect(options_.place, Pq().PQerrorMessage(pg_));
    }
    if (Pq().PQsocket(pg_) != fd) socket_.reset();
  }
  WatchSocket();
  Pq().PQsetnonblocking(pg_, 1);
  Pq().PQenterPipelineMode(pg_);
  return absl::OkStatus();
}

void Connection::WatchSocket() {
  const int fd = Pq().PQsocket(pg_);
  if (socket_ != nullptr && socket_->fd() == fd) return;
  socket_.reset();
  socket_ = std::make_unique<net::SocketWatch::Socket>(waits_.sockets, fd, event_);
}

void Connection::TakeNotice(void* connection, const PGresult* notice) {
  const char* const state = Pq().PQresultErrorField(notice, PG_DIAG_SQLSTATE);
  if (state != nullptr && std::string_view(state) == kUnreplicated) {
    static_cast<Connection*>(connection)->unreplicated_ = true;
  }
}

absl::Status Connection::Broken(absl::Status status) {
  broken_ = true;
  return status;
}

bool Connection::is_stuck() const { return expected_.empty() && Pq().PQtransactionStatus(pg_) != PQTRANS_IDLE; }

bool Connection::IsClosed() {
  if (broken_ || Pq().PQconsumeInput(pg_) == 0) return true;
  while (!expected_.empty() && Pq().PQisBusy(pg_) == 0) {
    const Expected expected = std::move(expected_.front());
    expected_.pop_front();
    const absl::Status read = ReadOne(
        expected, /*is_wanted=*/false, [](PGresult*) { return absl::OkStatus(); }, /*by_row=*/false);
    if (broken_) return true;
  }
  if (Pq().PQstatus(pg_) == CONNECTION_BAD) return true;
  char byte = 0;
  const ssize_t read = recv(Pq().PQsocket(pg_), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (read < 0) return errno != EAGAIN && errno != EWOULDBLOCK;
  // An idle server says something only to take its leave.
  return read == 0 || expected_.empty();
}

void Connection::Cancel() {
  PGcancel* const cancel = Pq().PQgetCancel(pg_);
  if (cancel == nullptr) return;
  std::array<char, 256> ignored;
  Pq().PQcancel(cancel, ignored.data(), static_cast<int>(ignored.size()));
  Pq().PQfreeCancel(cancel);
}

// ---- Waiting --------------------------------------------------------------------------------------------------------

absl::Status Connection::AwaitSocket(bool write, absl::Duration until) {
  pollfd ready = {Pq().PQsocket(pg_), static_cast<short>(POLLIN | (write ? POLLOUT : 0)), 0};
  if (poll(&ready, 1, 0) > 0) return absl::OkStatus();
  event_.Reset();
  socket_->Arm(write);
  const absl::StatusOr<bool> came = waits_.timer.Wait(event_, call_ == nullptr ? NoCall() : *call_, until);
  if (!came.ok()) {
    must_cancel_ = true;
    return Broken(came.status());
  }
  if (*came) return absl::OkStatus();
  must_cancel_ = true;
  return Broken(LostConnection("it did not reply in time"));
}

absl::Status Connection::Flush() {
  const absl::Duration until = Clock::Real().Monotonic() + options_.reply_timeout;
  while (true) {
    const int left = Pq().PQflush(pg_);
    if (left == 0) return absl::OkStatus();
    if (left < 0) return Broken(LostConnection(Pq().PQerrorMessage(pg_)));
    // The server may send results before it reads on.
    RETURN_IF_ERROR(AwaitSocket(/*write=*/true, until));
    if (Pq().PQconsumeInput(pg_) == 0) return Broken(LostConnection(Pq().PQerrorMessage(pg_)));
  }
}

absl::Status Connection::AwaitResult() {
  if (Pq().PQisBusy(pg_) == 0) return absl::OkStatus();
  const absl::Duration until = Clock::Real().Monotonic() + options_.reply_timeout;
  while (Pq().PQisBusy(pg_) != 0) {
    RETURN_IF_ERROR(AwaitSocket(/*write=*/false, until));
    if (Pq().PQconsumeInput(pg_) == 0) return Broken(LostConnection(Pq().PQerrorMessage(pg_)));
  }
  return absl::OkStatus();
}

// ---- Statements -----------------------------------------------------------------------------------------------------

absl::Status Connection::Queue(const Sql& sql, const Params& params, TakeResult take) {
  if (broken_) return LostConnection("it was given up");
  if (options_.prepares && sql.is_literal()) {
    auto known = prepared_.find(sql.text());
    if (known == prepared_.end()) {
      known = prepared_.emplace(sql.text(), absl::StrCat("s", ++last_name_)).first;
      if (Pq().PQsendPrepare(pg_, known->second.c_str(), sql.text(), params.size(), params.types()) == 0) {
        return Broken(LostConnection(Pq().PQerrorMessage(pg_)));
      }
      expected_.push_back({Expected::Kind::kPrepare, false, sql.text()});
    }
    if (Pq().PQsendQueryPrepared(pg_, known->second.c_str(), params.size(), params.values(), params.lengths(),
                                 params.formats(), /*resultFormat=*/1) == 0) {
      return Broken(LostConnection(Pq().PQerrorMessage(pg_)));
    }
  } else if (Pq().PQsendQueryParams(pg_, sql.text(), params.size(), params.types(), params.values(), params.lengths(),
                                    params.formats(), /*resultFormat=*/1) == 0) {
    return Broken(LostConnection(Pq().PQerrorMessage(pg_)));
  }
  expected_.push_back({Expected::Kind::kStatement, false, nullptr, std::move(take)});
  return absl::OkStatus();
}

absl::Status Connection::Send(const Sql& sql, const Params& params, TakeResult take) {
  return Queue(sql, params, std::move(take));
}

absl::Status Connection::Sync() {
  if (broken_) return LostConnection("it was given up");
  if (Pq().PQpipelineSync(pg_) == 0) return Broken(LostConnection(Pq().PQerrorMessage(pg_)));
  expected_.push_back({Expected::Kind::kSync});
  return absl::OkStatus();
}

absl::StatusOr<Result> Connection::Query(const Sql& sql, const Params& params) {
  RETURN_IF_ERROR(Queue(sql, params, nullptr));
  std::optional<Result> rows;
  RETURN_IF_ERROR(Round(
      [&](PGresult* result) {
        rows.emplace(result);
        return absl::OkStatus();
      },
      /*by_row=*/false));
  if (!rows.has_value()) return Broken(LostConnection("there was no result"));
  return *std::move(rows);
}

absl::Status Connection::Stream(const Sql& sql, const Params& params,
                                absl::FunctionRef<absl::Status(const Row&)> visit) {
  RETURN_IF_ERROR(Queue(sql, params, nullptr));
  return Round(
      [&](PGresult* result) -> absl::Status {
        const Result rows(result);
        for (int i = 0; i < rows.rows(); ++i) {
          absl::Status visited = visit(rows[i]);
          if (!visited.ok()) return visited;
        }
        return absl::OkStatus();
      },
      /*by_row=*/true);
}

absl::Status Connection::Finish() {
  return Round(
      [](PGresult* result) {
        Pq().PQclear(result);
        return absl::OkStatus();
      },
      /*by_row=*/false);
}

void Connection::EndLater(const char* literal) {
  if (broken_) return;
  // A failure before it would have it skipped.
  const bool has_queued = !expected_.empty() && expected_.back().kind != Expected::Kind::kSync;
  if (has_queued && !Sync().ok()) return;
  if (!Queue(literal, {}, nullptr).ok() || !Sync().ok()) return;
  for (Expected& expected : expected_) expected.later = true;
  // The rest goes with the next use.
  if (Pq().PQflush(pg_) < 0) broken_ = true;
}

absl::Status Connection::Round(TakeRow take, bool by_row) {
  failure_ = absl::OkStatus();
  unreplicated_ = false;
  RETURN_IF_ERROR(Sync());
  ++round_trips_;
  absl::Status done = Flush();
  if (done.ok()) done = ReadAll(take, by_row);
  if (std::exchange(call_is_for_one_round_, false)) call_ = nullptr;
  return done;
}

absl::Status Connection::ReadAll(TakeRow take, bool by_row) {
  absl::Status taken;
  while (!expected_.empty()) {
    const Expected expected = std::move(expected_.front());
    expected_.pop_front();
    // The last statement comes before the last synchronisation.
    const bool is_last = expected_.size() == 1 && expected.kind == Expected::Kind::kStatement && !expected.later;
    absl::Status read = ReadOne(expected, is_last, take, by_row && is_last && expected.take == nullptr);
    if (broken_) return failure_.ok() ? read : failure_;
    if (taken.ok()) taken = std::move(read);
  }
  return failure_.ok() ? taken : failure_;
}

absl::Status Connection::ReadOne(const Expected& expected, bool is_wanted, TakeRow take, bool by_row) {
  if (by_row) Pq().PQsetSingleRowMode(pg_);
  absl::Status taken;
  while (true) {
    RETURN_IF_ERROR(AwaitResult());
    PGresult* const result = Pq().PQgetResult(pg_);
    if (result == nullptr) {
      if (Pq().PQstatus(pg_) == CONNECTION_BAD) return Broken(LostConnection(Pq().PQerrorMessage(pg_)));
      return taken;
    }
    const ExecStatusType status = Pq().PQresultStatus(result);
    if (status == PGRES_PIPELINE_SYNC) {
      Pq().PQclear(result);
      if (expected.kind != Expected::Kind::kSync) return Broken(LostConnection("results came out of order"));
      return taken;
    }
    const bool is_good = status == PGRES_TUPLES_OK || status == PGRES_SINGLE_TUPLE || status == PGRES_COMMAND_OK;
    if (is_good && expected.take != nullptr && !expected.later) {
      expected.take(Result(result));
      continue;
    }
    if (is_good && is_wanted && taken.ok()) {
      taken = take(result);
      continue;
    }
    if (!is_good) {
      if (expected.kind == Expected::Kind::kPrepare) prepared_.erase(expected.literal);
      if (status != PGRES_PIPELINE_ABORTED && failure_.ok() && !expected.later) failure_ = StatusOf(result);
      if (Pq().PQstatus(pg_) == CONNECTION_BAD) {
        const absl::Status lost = StatusOf(result);
        Pq().PQclear(result);
        return Broken(IsLost(lost) ? lost : LostConnection(Pq().PQerrorMessage(pg_)));
      }
    }
    Pq().PQclear(result);
  }
}

}  // namespace toolgate::storage::postgres
