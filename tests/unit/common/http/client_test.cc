#include "common/http/client.h"

#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <fstream>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/synchronization/notification.h"
#include "common/absl_bridge.h"
#include "common/digest.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/certificates.h"
#include "tests/support/real_wait.h"
#include "tests/support/scripted_http_server.h"
#include "tests/support/temp_dir.h"

namespace toolgate::http {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::Not;
using testing::ScriptedHttpServer;
using testing::ScriptedReply;
using testing::SeenRequest;

// 100,000 bytes "0", and "hello, hello, hello".
constexpr char kZerosInGzip[] =
    "1f8b08000000000002ffedc13101000000c2a04aeb9fce1a1e40010000000000000000000000000000000000000000000000000000000000"
    "0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
    "0000000000000000000000af0685c24dc5a0860100";
constexpr char kHelloInGzip[] = "1f8b0800000000000203cb48cdc9c9d751c840a2009fa1ca0913000000";

std::unique_ptr<Client> MakeClient(const ClientOptions& options = {}) {
  auto client = Client::Create(options);
  EXPECT_TRUE(client.ok()) << client.status();
  return *std::move(client);
}

// To a server of the test, on the loopback interface; with limits that no loaded machine exceeds.
Request RequestTo(const std::string& url, std::string method = "GET") {
  return {.method = std::move(method),
          .url = url,
          .timeout = absl::Minutes(5),
          .connect_timeout = absl::Minutes(5),
          .idle_timeout = absl::Minutes(5),
          .private_addresses = true};
}

class ClientTest : public ::testing::Test {
 protected:
  absl::StatusOr<Response> Fetch(Client& client, Request request) {
    const auto exchange = client.Start(std::move(request));
    return ReadAll(*exchange, wait_);
  }

  testing::RealWait wait_;
};

TEST_F(ClientTest, SendsARequestAndReadsTheResponse) {
  ScriptedHttpServer server([](const SeenRequest&) {
    return ScriptedReply{.status = 201, .headers = {{"X-Kind", "test"}, {"X-Kind", "two"}}, .body = "done"};
  });
  const auto client = MakeClient();
  Request request = RequestTo(absl::StrCat(server.url(), "/a/../b?c=%2F"), "POST");
  request.headers = {{"Content-Type", "application/json"}, {"X-Empty", ""}};
  request.body = std::string("{\"a\":\0}", 7);
  const auto response = Fetch(*client, request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->head.status, 201);
  EXPECT_EQ(response->head.Find("x-kind"), "test");
  EXPECT_EQ(response->body, "done");
  ASSERT_EQ(server.requests().size(), 1u);
  const SeenRequest seen = server.requests().front();
  EXPECT_EQ(seen.method, "POST");
  EXPECT_EQ(seen.path, "/a/../b?c=%2F");
  EXPECT_EQ(seen.body, request.body);
  EXPECT_EQ(seen.Find("content-type"), "application/json");
  EXPECT_EQ(seen.Find("user-agent"), "toolgate");
  EXPECT_TRUE(std::any_of(seen.headers.begin(), seen.headers.end(),
                          [](const Header& header) { return header.name == "x-empty" && header.value.empty(); }));
}

TEST_F(ClientTest, SendsEveryMethodWithAndWithoutABody) {
  ScriptedHttpServer server([](const SeenRequest&) { return ScriptedReply(); });
  const auto client = MakeClient();
  for (const char* const method : {"GET", "HEAD", "PUT", "POST", "PATCH", "DELETE", "OPTIONS"}) {
    const auto response = Fetch(*client, RequestTo(server.url(), method));
    ASSERT_TRUE(response.ok()) << method << response.status();
    EXPECT_EQ(server.requests().back().method, method);
    EXPECT_EQ(server.requests().back().Find("content-type"), "") << method;
  }
  Request put = RequestTo(server.url(), "PUT");
  put.body = "bytes";
  ASSERT_TRUE(Fetch(*client, put).ok());
  EXPECT_EQ(server.requests().back().body, "bytes");
}

TEST_F(ClientTest, ReadsChunksAsTheyCome) {
  absl::Notification first_was_read;
  ScriptedHttpServer server([&](const SeenRequest&) {
    return ScriptedReply{.chunks = {"one", "two"}, .before_chunk = [&](size_t chunk) {
                           if (chunk == 1) first_was_read.WaitForNotification();
                         }};
  });
  const auto client = MakeClient();
  const auto exchange = client->Start(RequestTo(server.url()));
  EXPECT_EQ(exchange->Head(wait_).value().status, 200);
  EXPECT_TRUE(exchange->may_have_been_sent());
  EXPECT_EQ(exchange->Next(wait_).value(), "one");
  first_was_read.Notify();
  EXPECT_EQ(exchange->Next(wait_).value(), "two");
  EXPECT_EQ(exchange->Next(wait_).value(), "");
}

TEST_F(ClientTest, SkipsInterimResponsesAndTrailers) {
  ScriptedHttpServer server([](const SeenRequest&) {
    return ScriptedReply{
        .raw =
            "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
            "Trailer: X-Sum\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n"};
  });
  const auto client = MakeClient();
  const auto response = Fetch(*client, RequestTo(server.url()));
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->head.status, 200);
  EXPECT_EQ(response->head.Find("link"), "");
  EXPECT_EQ(response->head.Find("x-sum"), "");
  EXPECT_EQ(response->body, "ok");
}

TEST_F(ClientTest, DecompressesAndBoundsAfterwards) {
  std::string body = absl::HexStringToBytes(kHelloInGzip);
  ScriptedHttpServer server([&](const SeenRequest&) {
    return ScriptedReply{.headers = {{"Content-Encoding", "gzip"}}, .body = body};
  });
  const auto client = MakeClient();
  const auto hello = Fetch(*client, RequestTo(server.url()));
  ASSERT_TRUE(hello.ok()) << hello.status();
  EXPECT_EQ(hello->body, "hello, hello, hello");
  EXPECT_EQ(server.requests().back().Find("accept-encoding"), "gzip, deflate");
  body = absl::HexStringToBytes(kZerosInGzip);
  Request request = RequestTo(server.url());
  request.max_body_bytes = 100000;
  EXPECT_EQ(Fetch(*client, request).value().body, std::string(100000, '0'));
  request.max_body_bytes = 99999;
  EXPECT_EQ(Fetch(*client, request).status().code(), absl::StatusCode::kOutOfRange);
}

// --- Failures ---

struct FaultCase {
  const char* name;
  ScriptedReply reply;
  absl::StatusCode code;
};

class ClientFaultTest : public ::testing::TestWithParam<FaultCase> {};

TEST_P(ClientFaultTest, IsTold) {
  ScriptedHttpServer server([](const SeenRequest&) { return GetParam().reply; });
  const auto client = MakeClient();
  Request request = RequestTo(absl::StrCat(server.url(), "/secret?key=secret"), "POST");
  request.headers = {{"authorization", "secret"}};
  request.max_body_bytes = 1 << 20;
  if (GetParam().reply.never_answer) request.idle_timeout = absl::Milliseconds(200);
  testing::RealWait wait;
  const auto exchange = client->Start(request);
  const absl::Status status = ReadAll(*exchange, wait).status();
  EXPECT_EQ(status.code(), GetParam().code) << status;
  EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr(server.url()), Not(HasSubstr("secret"))));
  EXPECT_TRUE(exchange->may_have_been_sent());
  EXPECT_EQ(server.requests().size(), 1u);
}

std::string Repeated(const std::string& text, size_t bytes) {
  std::string all;
  while (all.size() < bytes) all += text;
  return all;
}

INSTANTIATE_TEST_SUITE_P(
    Faults, ClientFaultTest,
    ::testing::Values(
        FaultCase{"CutOffInTheBody", {.body = "half", .cut_off = true}, absl::StatusCode::kUnavailable},
        FaultCase{"CutOffBetweenChunks", {.chunks = {"half"}, .cut_off = true}, absl::StatusCode::kUnavailable},
        FaultCase{"CutOffInTheHead", {.raw = "HTTP/1.1 200 OK\r\nX-A", .cut_off = true}, absl::StatusCode::kDataLoss},
        FaultCase{"ClosedWithoutAnswer", {.hang_up = true}, absl::StatusCode::kUnavailable},
        FaultCase{"Silence", {.never_answer = true}, absl::StatusCode::kDeadlineExceeded},
        FaultCase{"NoHttp", {.raw = "220 mail.example.com ESMTP\r\n", .cut_off = true}, absl::StatusCode::kDataLoss},
        FaultCase{"StatusOfText", {.raw = "HTTP/1.1 abc OK\r\n\r\n", .cut_off = true}, absl::StatusCode::kDataLoss},
        FaultCase{"ChunkOfText",
                  {.raw = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"},
                  absl::StatusCode::kUnavailable},
        FaultCase{"BadGzip",
                  {.headers = {{"Content-Encoding", "gzip"}}, .body = "this is not gzip"},
                  absl::StatusCode::kDataLoss},
        FaultCase{"EndlessBody", {.endless_bytes = size_t{1} << 30}, absl::StatusCode::kOutOfRange},
        FaultCase{"DeclaredTooLarge", {.body = std::string((1 << 20) + 1, 'x')}, absl::StatusCode::kOutOfRange},
        FaultCase{"EndlessHeaders",
                  {.raw = "HTTP/1.1 200 OK\r\n" + Repeated("X-Header: value\r\n", 1 << 20)},
                  absl::StatusCode::kDataLoss},
        FaultCase{"OneEndlessHeader",
                  {.raw = "HTTP/1.1 200 OK\r\nX-Header: " + std::string(1 << 20, 'x')},
                  absl::StatusCode::kDataLoss},
        FaultCase{"EndlessInterimResponses",
                  {.raw = Repeated("HTTP/1.1 103 Early\r\nLink: x\r\n\r\n", 1 << 20)},
                  absl::StatusCode::kDataLoss}),
    [](const auto& row) { return row.param.name; });

TEST_F(ClientTest, TellsThatNothingListens) {
  int port = 0;
  {
    const ScriptedHttpServer gone([](const SeenRequest&) { return ScriptedReply(); });
    port = gone.port();
  }
  const auto client = MakeClient();
  const auto exchange = client->Start(RequestTo(absl::StrCat("http://127.0.0.1:", port)));
  EXPECT_EQ(exchange->Head(wait_).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_FALSE(exchange->may_have_been_sent());
}

TEST_F(ClientTest, EndsAnExchangeAtItsDeadline) {
  absl::Notification go_on;
  ScriptedHttpServer server([&](const SeenRequest&) {
    return ScriptedReply{.chunks = {"a", "b"}, .before_chunk = [&](size_t chunk) {
                           if (chunk == 1) go_on.WaitForNotification();
                         }};
  });
  const auto client = MakeClient();
  Request request = RequestTo(server.url());
  request.timeout = absl::Seconds(2);
  const auto exchange = client->Start(request);
  EXPECT_EQ(exchange->Next(wait_).value(), "a");
  EXPECT_EQ(exchange->Next(wait_).status().code(), absl::StatusCode::kDeadlineExceeded);
  go_on.Notify();
}

TEST_F(ClientTest, EndsAConnectionThatNeverStands) {
  // Takes the connection, and answers nothing to the greeting of TLS.
  ScriptedHttpServer server([](const SeenRequest&) { return ScriptedReply(); });
  const auto client = MakeClient();
  Request request = RequestTo(absl::StrCat("https://127.0.0.1:", server.port()));
  request.connect_timeout = absl::Milliseconds(200);
  const auto exchange = client->Start(request);
  EXPECT_EQ(exchange->Head(wait_).status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_FALSE(exchange->may_have_been_sent());
}

TEST_F(ClientTest, TellsOfARequestThatCannotBe) {
  const auto client = MakeClient();
  Request request = RequestTo("http://127.0.0.1:1");
  request.headers = {{"x", "a\r\nb: c"}};
  const auto exchange = client->Start(request);
  EXPECT_EQ(exchange->Head(wait_).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(exchange->Next(wait_).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(exchange->may_have_been_sent());
}

TEST(ClientOptionsTest, MustBePossible) {
  for (const ClientOptions& options :
       {ClientOptions{.proxy = "proxy.example.com"}, ClientOptions{.proxy = "file:///tmp/x"},
        ClientOptions{.ca_file = "/nonexistent/ca.pem"}, ClientOptions{.max_connections = 0}}) {
    EXPECT_EQ(Client::Create(options).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

// --- Addresses ---

TEST_F(ClientTest, RefusesSpecialAddressesWhateverTheirName) {
  ScriptedHttpServer server([](const SeenRequest&) { return ScriptedReply(); });
  const auto client = MakeClient();
  for (const char* const host : {"127.0.0.1", "localhost", "[::1]", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]"}) {
    const auto exchange = client->Start({.url = absl::StrCat("http://", host, ":", server.port(), "/")});
    EXPECT_EQ(exchange->Head(wait_).status().code(), absl::StatusCode::kPermissionDenied) << host;
    EXPECT_FALSE(exchange->may_have_been_sent()) << host;
  }
  EXPECT_EQ(server.connections(), 0u);
}

TEST_F(ClientTest, RefusesAPooledConnectionToASpecialAddress) {
  ScriptedHttpServer server([](const SeenRequest&) { return ScriptedReply(); });
  const auto client = MakeClient();
  const std::string url = absl::StrCat("http://localhost:", server.port(), "/");
  ASSERT_TRUE(Fetch(*client, RequestTo(url)).ok());
  EXPECT_EQ(Fetch(*client, {.url = url}).status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(server.requests().size(), 1u);
}

// --- Redirects ---

struct RedirectCase {
  const char* name;
  const char* location;
  absl::StatusCode code;
};

class ClientRedirectTest : public ::testing::TestWithParam<RedirectCase> {};

// The server is a proxy here, so that public names lead to it.
TEST_P(ClientRedirectTest, ChecksEachAddressOnTheWay) {
  ScriptedHttpServer proxy([](const SeenRequest& request) {
    if (request.path == "http://example.com/end") return ScriptedReply{.body = "end"};
    return ScriptedReply{.status = 302, .headers = {{"Location", GetParam().location}}, .body = "moved"};
  });
  const auto client = MakeClient({.proxy = proxy.url()});
  testing::RealWait wait;
  const auto exchange = client->Start({.url = "http://example.com/start", .max_redirects = 3});
  const auto response = ReadAll(*exchange, wait);
  EXPECT_EQ(response.status().code(), GetParam().code) << response.status();
  EXPECT_EQ(response.ok() ? response->body : "end", "end");
}

INSTANTIATE_TEST_SUITE_P(
    Locations, ClientRedirectTest,
    ::testing::Values(RedirectCase{"Relative", "/end", absl::StatusCode::kOk},
                      RedirectCase{"Absolute", "http://example.com/end#x", absl::StatusCode::kOk},
                      RedirectCase{"Metadata", "http://169.254.169.254/latest", absl::StatusCode::kPermissionDenied},
                      RedirectCase{"Loopback", "http://127.0.0.1/", absl::StatusCode::kPermissionDenied},
                      RedirectCase{"Loopback6", "http://[::ffff:127.0.0.1]/", absl::StatusCode::kPermissionDenied},
                      RedirectCase{"File", "file:///etc/passwd", absl::StatusCode::kDataLoss},
                      RedirectCase{"Password", "http://user:word@example.com/end", absl::StatusCode::kDataLoss}),
    [](const auto& row) { return row.param.name; });

TEST_F(ClientTest, FollowsNoMoreRedirectsThanAllowed) {
  ScriptedHttpServer server([](const SeenRequest&) {
    return ScriptedReply{.status = 307, .headers = {{"Location", "/again"}}, .body = "moved"};
  });
  const auto client = MakeClient();
  for (const int allowed : {0, 2}) {
    Request request = RequestTo(server.url());
    request.max_redirects = allowed;
    const size_t before = server.requests().size();
    const auto response = Fetch(*client, request);
    ASSERT_TRUE(response.ok()) << response.status();
    EXPECT_EQ(response->head.status, 307);
    EXPECT_EQ(response->body, "moved");
    EXPECT_EQ(server.requests().size() - before, allowed + 1u);
  }
}

// --- Connections ---

TEST_F(ClientTest, KeepsConnectionsForReuse) {
  ScriptedHttpServer server([](const SeenRequest&) { return ScriptedReply{.body = "ok"}; });
  const auto client = MakeClient();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(Fetch(*client, RequestTo(server.url())).ok());
  EXPECT_EQ(server.connections(), 1u);
}

// Answers a connection's first request, and closes it when the next one has come.
ScriptedReply HangUpLater(const SeenRequest& request, std::set<size_t>& used, absl::Mutex& mutex) {
  absl::MutexLock lock(&mutex);
  if (used.insert(request.connection).second) return {};
  return {.hang_up = true};
}

TEST_F(ClientTest, SendsNoPostTwiceWhenAPooledConnectionEnds) {
  absl::Mutex mutex;
  std::set<size_t> used;
  ScriptedHttpServer server([&](const SeenRequest& request) { return HangUpLater(request, used, mutex); });
  const auto client = MakeClient();
  ASSERT_TRUE(Fetch(*client, RequestTo(server.url(), "POST")).ok());
  const auto exchange = client->Start(RequestTo(server.url(), "POST"));
  EXPECT_EQ(exchange->Head(wait_).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(exchange->may_have_been_sent());
  EXPECT_EQ(server.requests().size(), 2u);
}

TEST_F(ClientTest, SendsAGetAgainWhenAPooledConnectionEnds) {
  absl::Mutex mutex;
  std::set<size_t> used;
  ScriptedHttpServer server([&](const SeenRequest& request) { return HangUpLater(request, used, mutex); });
  const auto client = MakeClient();
  ASSERT_TRUE(Fetch(*client, RequestTo(server.url())).ok());
  const auto response = Fetch(*client, RequestTo(server.url()));
  EXPECT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(server.requests().size(), 3u);
}

TEST_F(ClientTest, RunsManyExchangesAtOnce) {
  constexpr size_t kExchanges = 200;
  absl::Notification all_have_come;
  ScriptedHttpServer server([&](const SeenRequest& request) {
    all_have_come.WaitForNotification();
    return ScriptedReply{.body = request.path};
  });
  const auto client = MakeClient({.max_connections_per_host = kExchanges});
  std::vector<std::unique_ptr<Exchange>> exchanges;
  for (size_t i = 0; i < kExchanges; ++i)
    exchanges.push_back(client->Start(RequestTo(absl::StrCat(server.url(), "/", i))));
  EXPECT_TRUE(server.AwaitRequests(kExchanges));
  all_have_come.Notify();
  for (size_t i = 0; i < kExchanges; ++i) {
    const auto response = ReadAll(*exchanges[i], wait_);
    ASSERT_TRUE(response.ok()) << response.status();
    EXPECT_EQ(response->body, absl::StrCat("/", i));
  }
}

TEST_F(ClientTest, HasRequestsWaitForAConnection) {
  ScriptedHttpServer server([&](const SeenRequest& request) { return ScriptedReply{.body = request.path}; });
  const auto client = MakeClient({.max_connections = 4, .max_connections_per_host = 3});
  std::vector<std::unique_ptr<Exchange>> exchanges;
  for (int i = 0; i < 100; ++i) exchanges.push_back(client->Start(RequestTo(absl::StrCat(server.url(), "/", i))));
  // From the last to the first: none depends on another one's reader.
  for (int i = 99; i >= 0; --i) {
    const auto response = ReadAll(*exchanges[i], wait_);
    ASSERT_TRUE(response.ok()) << response.status();
    EXPECT_EQ(response->body, absl::StrCat("/", i));
  }
  EXPECT_LE(server.connections(), 3u);
}

TEST_F(ClientTest, GivesUpWaitingForAConnectionAtTheDeadline) {
  ScriptedHttpServer server([](const SeenRequest&) { return ScriptedReply{.never_answer = true}; });
  const auto client = MakeClient({.max_connections_per_host = 1});
  const auto first = client->Start(RequestTo(server.url()));
  ASSERT_TRUE(server.AwaitRequests(1));
  Request request = RequestTo(server.url());
  request.timeout = absl::Milliseconds(200);
  const auto second = client->Start(request);
  EXPECT_EQ(second->Head(wait_).status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_FALSE(second->may_have_been_sent());
}

TEST_F(ClientTest, UsesNoProxyOfTheEnvironment) {
  ASSERT_EQ(setenv("http_proxy", "http://127.0.0.1:1", 1), 0);
  ScriptedHttpServer server([](const SeenRequest&) { return ScriptedReply{.body = "direct"}; });
  const auto client = MakeClient();
  const auto response = Fetch(*client, RequestTo(server.url()));
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->body, "direct");
  unsetenv("http_proxy");
}

// --- Back-pressure and cancellation ---

TEST_F(ClientTest, HoldsNoMoreThanABuffersWorth) {
  constexpr size_t kBytes = size_t{16} << 20;
  ScriptedHttpServer server([](const SeenRequest&) { return ScriptedReply{.endless_bytes = kBytes}; });
  const auto client = MakeClient();
  Request request = RequestTo(server.url());
  request.max_body_bytes = kBytes;
  const auto exchange = client->Start(request);
  ASSERT_TRUE(exchange->Head(wait_).ok());
  std::vector<size_t> sizes;
  size_t total = 0;
  while (true) {
    const auto piece = exchange->Next(wait_);
    ASSERT_TRUE(piece.ok()) << piece.status();
    if (piece->empty()) break;
    sizes.push_back(piece->size());
    total += piece->size();
  }
  EXPECT_EQ(total, kBytes);
  EXPECT_THAT(sizes, Each(Le((size_t{256} << 10) + (size_t{16} << 10))));
}

TEST_F(ClientTest, SilenceWhileNobodyReadsIsNotTheServers) {
  ScriptedHttpServer server([](const SeenRequest&) { return ScriptedReply{.endless_bytes = size_t{32} << 20}; });
  const auto client = MakeClient();
  Request request = RequestTo(server.url());
  request.max_body_bytes = int64_t{32} << 20;
  request.idle_timeout = absl::Seconds(1);
  const auto paused = client->Start(request);
  ASSERT_TRUE(paused->Head(wait_).ok());
  // Long enough for the limit to have passed.
  ScriptedHttpServer silent([](const SeenRequest&) { return ScriptedReply{.never_answer = true}; });
  Request other = RequestTo(silent.url());
  other.idle_timeout = absl::Seconds(1) + absl::Milliseconds(500);
  EXPECT_EQ(Fetch(*client, other).status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(ReadAll(*paused, wait_).ok());
}

TEST_F(ClientTest, CancelsWhileConnecting) {
  ScriptedHttpServer server([](const SeenRequest&) { return ScriptedReply(); });
  const auto client = MakeClient();
  auto exchange = client->Start(RequestTo(absl::StrCat("https://127.0.0.1:", server.port())));
  while (server.connections() == 0) std::this_thread::yield();
  exchange.reset();
  EXPECT_TRUE(server.AwaitNoConnections());
}

TEST_F(ClientTest, CancelsWhileItAwaitsTheAnswer) {
  ScriptedHttpServer server([](const SeenRequest&) { return ScriptedReply{.never_answer = true}; });
  const auto client = MakeClient();
  auto exchange = client->Start(RequestTo(server.url()));
  ASSERT_TRUE(server.AwaitRequests(1));
  exchange.reset();
  EXPECT_TRUE(server.AwaitNoConnections());
}

TEST_F(ClientTest, CancelsWhilePaused) {
  ScriptedHttpServer server([](const SeenRequest&) { return ScriptedReply{.endless_bytes = size_t{1} << 30}; });
  const auto client = MakeClient();
  Request request = RequestTo(server.url());
  request.max_body_bytes = int64_t{1} << 30;
  auto exchange = client->Start(request);
  ASSERT_TRUE(exchange->Head(wait_).ok());
  exchange.reset();
  EXPECT_TRUE(server.AwaitNoConnections());
}

TEST_F(ClientTest, CancelsAtAnyMoment) {
  ScriptedHttpServer server([](const SeenRequest&) { return ScriptedReply{.body = std::string(1 << 20, 'x')}; });
  const auto client = MakeClient();
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      testing::RealWait wait;
      for (int i = 0; i < 50; ++i) {
        const auto exchange = client->Start(RequestTo(server.url()));
        const int steps = (i + thread) % 3;
        EXPECT_TRUE(steps < 1 || exchange->Head(wait).ok());
        EXPECT_TRUE(steps < 2 || exchange->Next(wait).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(Fetch(*client, RequestTo(server.url())).ok());
}

TEST_F(ClientTest, ACancelledCallStopsWaiting) {
  ScriptedHttpServer server([](const SeenRequest&) { return ScriptedReply{.never_answer = true}; });
  const auto client = MakeClient();
  const auto exchange = client->Start(RequestTo(server.url()));
  std::thread canceller([&] {
    EXPECT_TRUE(server.AwaitRequests(1));
    wait_.Cancel();
  });
  EXPECT_EQ(exchange->Head(wait_).status().code(), absl::StatusCode::kCancelled);
  canceller.join();
}

// --- TLS ---

class ClientTlsTest : public ClientTest {
 protected:
  std::string FileOf(const testing::TestAuthority& authority) {
    const std::string path = directory_.path() + "/ca.pem";
    std::ofstream(path) << authority.certificate();
    return path;
  }

  testing::TempDir directory_;
  testing::TestAuthority authority_;
  testing::IssuedCertificate certificate_ = authority_.IssueServer();
};

TEST_F(ClientTlsTest, TrustsTheConfiguredAuthority) {
  ScriptedHttpServer server([](const SeenRequest&) { return ScriptedReply{.body = "sealed"}; }, &certificate_);
  const auto client = MakeClient({.ca_file = FileOf(authority_)});
  for (int i = 0; i < 2; ++i) {
    const auto response = Fetch(*client, RequestTo(server.url()));
    ASSERT_TRUE(response.ok()) << response.status();
    EXPECT_EQ(response->body, "sealed");
  }
  EXPECT_EQ(server.connections(), 1u);
}

TEST_F(ClientTlsTest, TrustsNoOther) {
  ScriptedHttpServer server([](const SeenRequest&) { return ScriptedReply(); }, &certificate_);
  const testing::TestAuthority other("Other authority");
  for (const ClientOptions& options : {ClientOptions(), ClientOptions{.ca_file = FileOf(other)}}) {
    const auto client = MakeClient(options);
    const auto exchange = client->Start(RequestTo(server.url()));
    EXPECT_EQ(exchange->Head(wait_).status().code(), absl::StatusCode::kUnavailable);
    EXPECT_FALSE(exchange->may_have_been_sent());
  }
  EXPECT_EQ(server.requests().size(), 0u);
}

TEST_F(ClientTlsTest, TrustsNoCertificateOfAnotherHost) {
  const testing::IssuedCertificate other =
      authority_.Issue({.common_name = "example.com", .alternative_names = {"DNS:example.com"}});
  ScriptedHttpServer server([](const SeenRequest&) { return ScriptedReply(); }, &other);
  const auto client = MakeClient({.ca_file = FileOf(authority_)});
  EXPECT_EQ(Fetch(*client, RequestTo(server.url())).status().code(), absl::StatusCode::kUnavailable);
}

// --- Signatures ---

// The signature that a server computes from a request (AWS Signature Version 4).
std::string ServersSignature(const SeenRequest& seen, const AwsSignature& key) {
  const std::string authorization(seen.Find("authorization"));
  const size_t from = authorization.find("SignedHeaders=") + 14;
  const std::string names = authorization.substr(from, authorization.find(',', from) - from);
  const size_t question = std::min(seen.path.find('?'), seen.path.size());
  const std::string query = seen.path.substr(std::min(question + 1, seen.path.size()));
  std::string canonical = absl::StrCat(seen.method, "\n", seen.path.substr(0, question), "\n", query, "\n");
  for (const absl::string_view name : absl::StrSplit(names, ';')) {
    absl::StrAppend(&canonical, name, ":", ToAbsl(seen.Find(FromAbsl(name))), "\n");
  }
  absl::StrAppend(&canonical, "\n", names, "\n", HexEncode(Sha256(seen.body)));
  const std::string time(seen.Find("x-amz-date"));
  const std::string day = time.substr(0, 8);
  const std::string scope = absl::StrCat(day, "/", key.region, "/", key.service, "/aws4_request");
  const std::string text = absl::StrCat("AWS4-HMAC-SHA256\n", time, "\n", scope, "\n", HexEncode(Sha256(canonical)));
  std::string secret = absl::StrCat("AWS4", key.secret_key);
  for (const std::string& part : {day, key.region, key.service, std::string("aws4_request")}) {
    secret = HmacSha256(secret, part);
  }
  return HexEncode(HmacSha256(secret, text));
}

struct SignatureCase {
  const char* name;
  const char* method;
  const char* path;
  const char* body = "";
};

class ClientSignatureTest : public ::testing::TestWithParam<SignatureCase> {};

TEST_P(ClientSignatureTest, IsThatOfTheServer) {
  ScriptedHttpServer server([](const SeenRequest&) { return ScriptedReply(); });
  const auto client = MakeClient();
  Request request = RequestTo(absl::StrCat(server.url(), GetParam().path), GetParam().method);
  request.body = GetParam().body;
  request.headers = {{"Content-Type", "image/png"}, {"x-amz-meta-a", "b"}};
  request.signature = AwsSignature{.access_key = "AKID", .secret_key = "secret/key+", .region = "eu-central-1"};
  testing::RealWait wait;
  const auto exchange = client->Start(request);
  ASSERT_TRUE(ReadAll(*exchange, wait).ok());
  const SeenRequest seen = server.requests().front();
  const std::string authorization(seen.Find("authorization"));
  EXPECT_THAT(authorization, HasSubstr("/eu-central-1/s3/aws4_request"));
  EXPECT_THAT(authorization, HasSubstr("host;"));
  EXPECT_THAT(authorization, HasSubstr("x-amz-content-sha256"));
  EXPECT_THAT(authorization, HasSubstr(absl::StrCat("Signature=", ServersSignature(seen, *request.signature))));
  EXPECT_EQ(seen.Find("x-amz-content-sha256"), HexEncode(Sha256(request.body)));
  EXPECT_EQ(std::count_if(seen.headers.begin(), seen.headers.end(),
                          [](const Header& header) { return header.name == "x-amz-content-sha256"; }),
            1);
}

INSTANTIATE_TEST_SUITE_P(
    Requests, ClientSignatureTest,
    ::testing::Values(SignatureCase{"Get", "GET", "/bucket/key"},
                      SignatureCase{"Put", "PUT", "/bucket/key.png", "bytes"},
                      SignatureCase{"EmptyPut", "PUT", "/bucket/empty"}, SignatureCase{"Head", "HEAD", "/bucket/key"},
                      SignatureCase{"Delete", "DELETE", "/bucket/key"},
                      SignatureCase{"Query", "GET", "/bucket/?prefix=a/b&list-type=2&delimiter=%2F"},
                      SignatureCase{"Parameter", "POST", "/bucket/key?uploads"},
                      SignatureCase{"Escapes", "PUT", "/bucket/a%20(1)/%C3%A4+b@c:d", "x"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace toolgate::http
