#include "common/redis/client.h"

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/redis_server.h"

namespace toolgate::redis {
namespace {

using ::testing::HasSubstr;
using testing::RedisServer;

class ClientTest : public ::testing::Test {
 protected:
  static std::unique_ptr<Client> Connect(const RedisServer& server, absl::Duration timeout = absl::Seconds(10),
                                         const std::string& password = "") {
    Client::Options options;
    options.target.unix_path = server.socket();
    if (!password.empty()) options.read_password = [password] { return absl::StatusOr<std::string>(password); };
    options.timeout = timeout;
    return Client::Create(std::move(options)).value();
  }
};

constexpr Script kAppend = {"return redis.call('APPEND', KEYS[1], ARGV[1])", "append"};

TEST_F(ClientTest, RepliesComeInTheOrderOfTheCommands) {
  const RedisServer server;
  const auto client = Connect(server);
  const std::string bytes("a\0\r\nb", 5);
  const auto replies = client->Run({{"SET", "k", bytes},
                                    {"GET", "k"},
                                    {"GET", "none"},
                                    {"INCR", "k"},
                                    {"RPUSH", "list", "x", "y"},
                                    {"LRANGE", "list", "0", "-1"}});
  ASSERT_TRUE(replies.ok()) << replies.status();
  EXPECT_EQ((*replies)[0].text, "OK");
  EXPECT_EQ((*replies)[1].text, bytes);
  EXPECT_EQ((*replies)[2].kind, Reply::Kind::kNil);
  EXPECT_TRUE((*replies)[3].is_error()) << "it is no number";
  EXPECT_EQ((*replies)[4].integer, 2);
  ASSERT_EQ((*replies)[5].items.size(), 2u);
  EXPECT_EQ((*replies)[5].items[1].text, "y");
}

TEST_F(ClientTest, LargeTextsGoBothWays) {
  const RedisServer server;
  const auto client = Connect(server);
  const std::string large(8 << 20, 'x');
  const auto replies = client->Run({{"SET", "k", large}, {"GET", "k"}});
  ASSERT_TRUE(replies.ok()) << replies.status();
  EXPECT_EQ((*replies)[1].text, large);
}

TEST_F(ClientTest, AScriptRunsOnceWhetherTheServerKnowsItOrNot) {
  const RedisServer server;
  const auto client = Connect(server);
  for (int i = 1; i <= 3; ++i) {
    const auto replies = client->RunScript(kAppend, {{{"a"}, {"x"}}, {{"b"}, {"yy"}}});
    ASSERT_TRUE(replies.ok()) << replies.status();
    EXPECT_EQ((*replies)[0].integer, i);
    EXPECT_EQ((*replies)[1].integer, 2 * i);
  }
}

TEST_F(ClientTest, AFailingScriptIsNamed) {
  const RedisServer server;
  const auto client = Connect(server);
  const absl::Status status = client->RunScript({"return redis.call('NOTHING')", "broken"}, {{{"a"}, {}}}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("broken"));
}

TEST_F(ClientTest, ARestartedServerIsConnectedToAgain) {
  RedisServer server;
  const auto client = Connect(server);
  ASSERT_TRUE(client->Run({{"PING"}}).ok());
  server.Stop();
  EXPECT_EQ(client->Run({{"PING"}}).status().code(), absl::StatusCode::kUnavailable);
  server.Start();
  EXPECT_TRUE(client->Run({{"PING"}}).ok());
}

TEST_F(ClientTest, AServerThatDoesNotReplyIsGivenUpInTime) {
  const RedisServer server;
  const auto client = Connect(server, absl::Milliseconds(200));
  ASSERT_TRUE(client->Run({{"SET", "k", "1"}}).ok());
  server.Freeze();
  EXPECT_EQ(client->Run({{"INCR", "k"}}).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(client->Run({{"INCR", "k"}}).status().code(), absl::StatusCode::kUnavailable);
  server.Thaw();
  // Late replies to what was given up are not taken for those of later commands.
  const auto replies = client->Run({{"ECHO", "hello"}});
  ASSERT_TRUE(replies.ok()) << replies.status();
  EXPECT_EQ((*replies)[0].text, "hello");
}

TEST_F(ClientTest, AWrongPasswordIsRefused) {
  const RedisServer server({"--requirepass", "right"});
  EXPECT_TRUE(Connect(server, absl::Seconds(10), "right")->Run({{"PING"}}).ok());
  const absl::Status status = Connect(server, absl::Seconds(10), "wrong")->Run({{"PING"}}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("password"));
}

TEST_F(ClientTest, AServerThatEvictsIsNotHealthy) {
  const RedisServer keeps({"--maxmemory", "50mb"});
  EXPECT_TRUE(Connect(keeps)->CheckHealth().ok());
  const RedisServer evicts({"--maxmemory", "50mb", "--maxmemory-policy", "allkeys-lru"});
  const absl::Status status = Connect(evicts)->CheckHealth();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("allkeys-lru"));
}

TEST_F(ClientTest, ManyThreadsShareIt) {
  const RedisServer server;
  const auto client = Connect(server);
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&client, t] {
      for (int i = 0; i < 50; ++i) {
        const std::string text = absl::StrCat(t, "-", i);
        const auto replies = client->Run({{"INCR", "count"}, {"ECHO", text}});
        ASSERT_TRUE(replies.ok()) << replies.status();
        EXPECT_EQ((*replies)[1].text, text);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ((*client->Run({{"GET", "count"}}))[0].text, "800");
}

}  // namespace
}  // namespace toolgate::redis
