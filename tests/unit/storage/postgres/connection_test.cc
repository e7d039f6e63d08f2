#include "storage/postgres/connection.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/blocking_counter.h"
#include "absl/time/clock.h"
#include "common/clock.h"
#include "common/fibers/worker_pool.h"
#include "common/net/socket_watch.h"
#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "storage/fault.h"
#include "storage/postgres/errors.h"
#include "tests/support/certificates.h"
#include "tests/support/postgres_server.h"
#include "tests/support/unprivileged.h"

namespace toolgate::storage::postgres {
namespace {

using ::testing::HasSubstr;
using ::toolgate::testing::PostgresServer;

class ConnectionTest : public ::testing::Test {
 protected:
  ConnectionTest() : sockets_(net::SocketWatch::Create().value()), timer_(Clock::Real()) {}

  absl::StatusOr<std::unique_ptr<Connection>> Open(const Connection::Options& options) {
    return Connection::Open(options, {*sockets_, timer_}, nullptr);
  }
  std::unique_ptr<Connection> Open() { return Open(PostgresServer::Shared().ConnectionTo("connections")).value(); }

  std::unique_ptr<net::SocketWatch> sockets_;
  fibers::WaitTimer timer_;
};

TEST_F(ConnectionTest, ValuesComeBackAsTheyWere) {
  const auto connection = Open();
  const std::string bytes("a\0b\xff", 4);
  const auto result =
      connection->Query("SELECT $1, $2, $3, $4, cardinality($5), ($5)[2], ($6)[1], NULL::bytea, $7",
                        Params::Of(bytes, int64_t{-5}, true, std::string_view(), std::vector<std::string>{"x", bytes},
                                   std::vector<int64_t>{int64_t{1} << 40}, false));
  ASSERT_TRUE(result.ok()) << result.status();
  const Row row = (*result)[0];
  EXPECT_EQ(row.String(0), bytes);
  EXPECT_EQ(row.Int(1), -5);
  EXPECT_TRUE(row.Bool(2));
  EXPECT_EQ(row.String(3), "");
  EXPECT_FALSE(row.IsNull(3));
  EXPECT_EQ(row.Int(4), 2);
  EXPECT_EQ(row.String(5), bytes);
  EXPECT_EQ(row.Int(6), int64_t{1} << 40);
  EXPECT_TRUE(row.IsNull(7));
  EXPECT_FALSE(row.Bool(8));
  EXPECT_TRUE(connection->Query("SELECT cardinality($1)", Params::Of(std::vector<std::string>())).ok());
}

TEST_F(ConnectionTest, QueuedStatementsAndAQueryAreOneRoundTrip) {
  const auto connection = Open();
  ASSERT_TRUE(connection->Send("CREATE TEMPORARY TABLE t (n bigint)").ok());
  int64_t inserted = 0;
  for (int64_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(connection
                    ->Send("INSERT INTO t VALUES ($1)", Params::Of(i),
                           [&](const Result& result) { inserted += result.changed(); })
                    .ok());
  }
  const auto sum = connection->Query("SELECT sum(n)::bigint FROM t");
  ASSERT_TRUE(sum.ok()) << sum.status();
  EXPECT_EQ((*sum)[0].Int(0), 4950);
  EXPECT_EQ(inserted, 100);
  EXPECT_EQ(connection->round_trips(), 1);
}

TEST_F(ConnectionTest, AFailureSkipsTheRestOfItsRoundTripAlone) {
  const auto connection = Open();
  ASSERT_TRUE(connection->Query("SELECT 1 + 0").ok());
  bool ran = false;
  ASSERT_TRUE(connection->Send("SELECT 1 / $1", Params::Of(0)).ok());
  ASSERT_TRUE(connection->Send("SELECT 2", {}, [&](const Result&) { ran = true; }).ok());
  const auto failed = connection->Query("SELECT 1 + 0");
  EXPECT_EQ(SqlStateOf(failed.status()), "22012");
  EXPECT_TRUE(IsFault(failed.status()));
  EXPECT_FALSE(ran);
  EXPECT_FALSE(connection->broken());
  // Also the statement that was to be prepared then.
  ASSERT_TRUE(connection->Send("SELECT 2").ok());
  EXPECT_EQ((*connection->Query("SELECT 1 + 0"))[0].Int(0), 1);
}

TEST_F(ConnectionTest, ATransactionEndsThoughSomethingInItFailed) {
  const auto connection = Open();
  ASSERT_TRUE(connection->Send("BEGIN").ok());
  ASSERT_TRUE(connection->Send("SELECT 1 / $1", Params::Of(0)).ok());
  connection->EndLater("ROLLBACK");
  const auto result = connection->Query("SELECT 1");
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_FALSE(connection->is_stuck());
  EXPECT_FALSE(connection->IsClosed());
}

TEST_F(ConnectionTest, MoreThanTheSocketsHoldGoesBothWays) {
  const auto connection = Open();
  const std::string large(8 << 20, 'x');
  // The server replies to the first while the others are still being sent.
  int64_t received = 0;
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(connection
                    ->Send("SELECT $1::bytea", Params::Of(large),
                           [&](const Result& result) { received += static_cast<int64_t>(result[0].Bytes(0).size()); })
                    .ok());
  }
  ASSERT_TRUE(connection->Finish().ok());
  EXPECT_EQ(received, 4 * static_cast<int64_t>(large.size()));
}

TEST_F(ConnectionTest, RowsAreStreamedUntilTheVisitorHasEnough) {
  const auto connection = Open();
  int64_t sum = 0;
  ASSERT_TRUE(connection
                  ->Stream("SELECT n::bigint FROM generate_series(1, 100000) AS n", {},
                           [&](const Row& row) {
                             sum += row.Int(0);
                             return absl::OkStatus();
                           })
                  .ok());
  EXPECT_EQ(sum, int64_t{100000} * 100001 / 2);
  int64_t rows = 0;
  EXPECT_EQ(
      connection->Stream("SELECT n::bigint FROM generate_series(1, 100000) AS n", {},
                         [&](const Row&) { return ++rows < 10 ? absl::OkStatus() : absl::AbortedError("enough"); }),
      absl::AbortedError("enough"));
  EXPECT_EQ(rows, 10);
  EXPECT_TRUE(connection->Query("SELECT 1").ok());
}

TEST_F(ConnectionTest, TheEndOfACallEndsAWait) {
  const auto connection = Open();
  fibers::Cancellation call;
  connection->EndWith(&call);
  std::thread client([&] {
    absl::SleepFor(absl::Milliseconds(50));
    call.Cancel();
  });
  const absl::Time begin = absl::Now();
  const absl::Status status = connection->Query("SELECT pg_sleep(60)").status();
  client.join();
  const auto error = GetToolError(status);
  ASSERT_TRUE(error.has_value()) << status;
  EXPECT_EQ(error->code, ErrorCode::kCancelled);
  EXPECT_LT(absl::Now() - begin, absl::Seconds(10));
  EXPECT_TRUE(connection->broken());
  EXPECT_TRUE(connection->must_cancel());
  connection->Cancel();
}

TEST_F(ConnectionTest, ALostConnectionIsSaidToBeLost) {
  const auto connection = Open();
  const auto pid = connection->Query("SELECT pg_backend_pid()::bigint");
  ASSERT_TRUE(pid.ok());
  EXPECT_FALSE(connection->IsClosed());
  ASSERT_TRUE(PostgresServer::Shared()
                  .Run("postgres", absl::StrCat("SELECT pg_terminate_backend(", (*pid)[0].Int(0), ", 5000)"))
                  .ok());
  EXPECT_TRUE(connection->IsClosed());
  const absl::Status status = connection->Query("SELECT 1").status();
  EXPECT_TRUE(IsLost(status)) << status;
  EXPECT_TRUE(IsTransient(status));
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
}

TEST_F(ConnectionTest, AFailureToConnectNamesPlaceAndRemedy) {
  Connection::Options options = PostgresServer::Shared().ConnectionTo("connections");
  for (auto& [keyword, value] : options.parameters) {
    if (keyword == "dbname") value = "missing";
  }
  EXPECT_THAT(std::string(Open(options).status().message()), HasSubstr("create it with createdb"));
  for (auto& [keyword, value] : options.parameters) {
    if (keyword == "host") value = "/nowhere";
  }
  options.place = "/nowhere";
  const absl::Status status = Open(options).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("at /nowhere"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("start the server"));
  EXPECT_TRUE(IsFault(status));
}

TEST_F(ConnectionTest, FibersThatWaitHoldNoThread) {
  constexpr int kFibers = 8;
  std::vector<std::unique_ptr<Connection>> connections;
  for (int i = 0; i < kFibers; ++i) connections.push_back(Open());
  absl::BlockingCounter done(kFibers);
  fibers::WorkerPool pool({.max_running = 2, .max_queued = kFibers});
  const absl::Time begin = absl::Now();
  for (const auto& connection : connections) {
    ASSERT_TRUE(pool.Submit([&done, raw = connection.get()] {
      EXPECT_TRUE(raw->Query("SELECT pg_sleep(0.5)").ok());
      done.DecrementCount();
    }));
  }
  done.Wait();
  EXPECT_LT(absl::Now() - begin, absl::Seconds(1.9)) << "one after the other takes four seconds";
}

// A server that listens on TCP with TLS, and wants a password there.
class SecuredServer {
 public:
  SecuredServer() : server_({"listen_addresses=127.0.0.1"}, FreePort()) {
    const auto issued = authority_.IssueServer();
    Write("server.crt", issued.certificate);
    Write("server.key", issued.private_key);
    Write("ca.pem", authority_.certificate());
    Write("other.pem", ::toolgate::testing::TestAuthority("Other").certificate());
    Write("right", "right\n");
    Write("wrong", "wrong\n");
    Write("data/pg_hba.conf", "local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n");
    for (const std::string& sql : {std::string("ALTER USER toolgate PASSWORD 'right'"),
                                   absl::StrCat("ALTER SYSTEM SET ssl_cert_file = '", Path("server.crt"), "'"),
                                   absl::StrCat("ALTER SYSTEM SET ssl_key_file = '", Path("server.key"), "'"),
                                   std::string("ALTER SYSTEM SET ssl = on"), std::string("SELECT pg_reload_conf()")}) {
      EXPECT_TRUE(server_.Run("postgres", sql).ok());
    }
    while (*server_.Run("postgres", "SELECT current_setting('ssl')") != "on") absl::SleepFor(absl::Milliseconds(10));
  }

  std::string Path(const std::string& name) const { return absl::StrCat(server_.folder(), "/", name); }
  Connection::Options Options(const std::string& mode, const std::string& root, const std::string& password) {
    Connection::Options options;
    options.place = "127.0.0.1";
    options.parameters = {
        {"host", "127.0.0.1"}, {"port", absl::StrCat(port_)}, {"user", "toolgate"},     {"dbname", "postgres"},
        {"sslmode", mode},     {"sslrootcert", Path(root)},   {"gssencmode", "disable"}};
    options.password_file = Path(password);
    return options;
  }

 private:
  int FreePort() {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    EXPECT_EQ(bind(fd, reinterpret_cast<const sockaddr*>(&address), size), 0);
    EXPECT_EQ(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
    close(fd);
    return port_ = ntohs(address.sin_port);
  }
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(Path(name)) << text;
    chmod(Path(name).c_str(), 0600);
    ::toolgate::testing::GiveToUnprivileged(Path(name));
  }

  int port_ = 0;
  const ::toolgate::testing::TestAuthority authority_;
  PostgresServer server_;
};

TEST_F(ConnectionTest, ServerAndPasswordAreVerified) {
  SecuredServer server;
  const auto good = Open(server.Options("verify-full", "ca.pem", "right"));
  ASSERT_TRUE(good.ok()) << good.status();
  EXPECT_EQ((*(*good)->Query("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"))[0].Bool(0), true);
  const std::string large(1 << 20, 'x');
  EXPECT_EQ((*(*good)->Query("SELECT $1", Params::Of(large)))[0].Bytes(0), large);

  const auto why = [&](const std::string& mode, const std::string& root, const std::string& password) {
    const absl::Status status = Open(server.Options(mode, root, password)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
    return std::string(status.message());
  };
  const std::string wrong = why("verify-full", "ca.pem", "wrong");
  EXPECT_THAT(wrong, HasSubstr("correct storage.postgres.user, or the password"));
  EXPECT_THAT(wrong, ::testing::Not(HasSubstr("'wrong'")));
  EXPECT_THAT(why("verify-full", "other.pem", "right"), HasSubstr("storage.postgres.tls.root_certificate_file"));
  EXPECT_THAT(why("disable", "ca.pem", "right"), HasSubstr("set storage.postgres.tls.mode"));
  EXPECT_THAT(why("verify-full", "ca.pem", "missing"), HasSubstr("cannot read a password from"));
}

}  // namespace
}  // namespace toolgate::storage::postgres
