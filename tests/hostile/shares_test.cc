// One user takes all that there is to take: places, the line for them, readers, graph queries, the memory of queries, a
// provider's breaker. Whatever it does, the calls of others are served.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "executors/artifacts/settings.pb.h"
#include "executors/code_graph/settings.pb.h"
#include "executors/files/settings.pb.h"
#include "executors/sql/settings.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fetch_metrics.h"
#include "tests/support/scripted_http_server.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_server.h"

namespace toolgate {
namespace {

using executors::artifacts::ArtifactSettings;
using executors::code_graph::CodeGraphSettings;
using executors::files::FilesSettings;
using testing::FetchMetrics;
using ::testing::HasSubstr;
using testing::ScriptedHttpServer;
using testing::ScriptedReply;
using testing::SeenRequest;
using testing::TestServer;

constexpr char kEndless[] =
    "WITH RECURSIVE ai_n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM ai_n) SELECT count(*) FROM ai_n";

v1::ExecuteRequest Query(std::string_view sql, std::string_view user, std::string_view workspace = "w") {
  v1::ExecuteRequest request = TestServer::Request("db_query", DumpJson(Json{{"sql", sql}}), user);
  request.mutable_caller()->set_workspace_id(std::string(workspace));
  return request;
}

// A call that runs until its client leaves.
class EndlessCall {
 public:
  EndlessCall(TestServer& server, const v1::ExecuteRequest& call) {
    v1::ExecuteStreamRequest request;
    *request.mutable_request() = call;
    stream_ = server.tools().ExecuteStream(&context_, request);
  }
  ~EndlessCall() { End(); }

  // Whether its tool begins to run; waits until it does, or is refused.
  bool Starts() {
    v1::ExecuteStreamResponse event;
    while (stream_->Read(&event)) {
      if (event.has_started()) return true;
    }
    return false;
  }
  // The answer of the call, after Starts has returned false.
  grpc::Status Refusal() { return std::exchange(stream_, nullptr)->Finish(); }
  void End() {
    if (stream_ == nullptr) return;
    context_.TryCancel();
    v1::ExecuteStreamResponse event;
    while (stream_->Read(&event)) {
    }
    static_cast<void>(std::exchange(stream_, nullptr)->Finish());
  }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<v1::ExecuteStreamResponse>> stream_;
};

// Eight places, six of them for calls like db_query, and eight calls that may wait. None ends by itself, and none that
// waits gives up, however slow the machine is.
class FloodTest : public ::testing::Test {
 protected:
  FloodTest()
      : server_([](config::v1::Config& config) {
          auto& tracking = *config.mutable_execution_tracking();
          tracking.set_max_in_flight(8);
          tracking.set_max_queued(8);
          for (auto* time :
               {tracking.mutable_tool_timeout(), tracking.mutable_max_execution_time_per_request(),
                tracking.mutable_max_queue_time(),
                config.mutable_families()->MutableExtension(executors::sql::SqlSettings::sql)->mutable_max_time()}) {
            time->set_seconds(600);
          }
        }) {}

  std::string Metrics() { return FetchMetrics(server_.application().metrics_address()); }
  void AwaitSeries(std::string_view series, int value) {
    const std::string line = absl::StrCat("\n", std::string(series), " ", value, "\n");
    while (Metrics().find(line) == std::string::npos) std::this_thread::yield();
  }
  // As many calls of `user` as can run, with the last one waiting.
  void Flood(std::string_view user, int running, int waiting) {
    for (int i = 0; i < running; ++i) {
      calls_.push_back(std::make_unique<EndlessCall>(server_, Query(kEndless, user)));
      ASSERT_TRUE(calls_.back()->Starts());
    }
    for (int i = 1; i <= waiting; ++i) {
      calls_.push_back(std::make_unique<EndlessCall>(server_, Query(kEndless, user)));
      AwaitSeries("toolgate_bulkhead_waiting{module=\"memory\"}", i);
    }
  }

  TestServer server_;
  std::vector<std::unique_ptr<EndlessCall>> calls_;
};

TEST_F(FloodTest, OthersAreServedAtOnceWhileOneUsersCallsWait) {
  Flood("ann", 4, 3);
  server_.Run(Query("SELECT 1", "bob"));
  server_.Run(Query("SELECT 1", "cat", "another"));
  server_.Run(TestServer::Request("create_block", R"({"type":"page","data":{"title":"Not held up"}})", "bob"));
  AwaitSeries("toolgate_bulkhead_waiting{module=\"memory\"}", 3);
}

TEST_F(FloodTest, OneUsersCallsDoNotFillTheLine) {
  Flood("ann", 4, 6);
  EndlessCall beyond(server_, Query(kEndless, "ann"));
  ASSERT_FALSE(beyond.Starts());
  const grpc::Status refusal = beyond.Refusal();
  EXPECT_EQ(refusal.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_EQ(testing::ErrorInfoOf(refusal).reason(), "OVERLOADED");
  EXPECT_THAT(refusal.error_message(), HasSubstr("this user"));
  server_.Run(Query("SELECT 1", "bob"));
}

TEST_F(FloodTest, TheFirstCallOfAnotherGoesBeforeTheRestOfThisOne) {
  Flood("ann", 4, 3);
  // The last place of those that are left is for whoever has none.
  EndlessCall of_bob(server_, Query(kEndless, "bob"));
  ASSERT_TRUE(of_bob.Starts());
  EndlessCall second_of_bob(server_, Query(kEndless, "bob"));
  AwaitSeries("toolgate_bulkhead_waiting{module=\"memory\"}", 4);
  // Ann's share of what is left has shrunk, so that the place which comes free is Bob's.
  calls_[0]->End();
  calls_[1]->End();
  EXPECT_TRUE(second_of_bob.Starts());
}

// Statements that compute hold the store's readers, of which there are two.
TEST(ReadersTest, OneUsersStatementsLeaveOneToOthers) {
  TestServer server([](config::v1::Config& config) {
    config.mutable_storage()->mutable_sqlite()->set_readers(2);
    auto& tracking = *config.mutable_execution_tracking();
    for (auto* time :
         {tracking.mutable_tool_timeout(), tracking.mutable_max_execution_time_per_request(),
          config.mutable_families()->MutableExtension(executors::sql::SqlSettings::sql)->mutable_max_time()}) {
      time->set_seconds(600);
    }
  });
  const auto both_run = [&] {
    const std::string metrics = FetchMetrics(server.application().metrics_address());
    return metrics.find("\ntoolgate_calls_in_flight 2\n") != std::string::npos;
  };
  EndlessCall first(server, Query(kEndless, "ann"));
  ASSERT_TRUE(first.Starts());
  EndlessCall second(server, Query(kEndless, "ann"));
  while (!both_run()) std::this_thread::yield();
  for (int i = 0; i < 20; ++i) server.Run(Query("SELECT 1", absl::StrCat("bob", i), "another"));
  EXPECT_TRUE(both_run()) << "others had to wait for the end of hers";
}

// Of four queries that may run at a time, one user has three.
TEST(GraphPlacesTest, OneUsersQueriesLeaveOneToOthers) {
  const testing::TempDir folder;
  std::filesystem::create_directories(folder.path() + "/w");
  std::filesystem::create_directories(folder.path() + "/another");
  TestServer server([&](config::v1::Config& config) {
    config.mutable_families()->MutableExtension(FilesSettings::files)->set_root(folder.path());
    auto& graph = *config.mutable_families()->MutableExtension(CodeGraphSettings::code_graph);
    graph.set_max_running(4);
    graph.mutable_max_wait()->set_seconds(3);
    graph.mutable_max_time()->set_seconds(600);
    for (auto* time : {config.mutable_execution_tracking()->mutable_tool_timeout(),
                       config.mutable_execution_tracking()->mutable_max_execution_time_per_request()}) {
      time->set_seconds(600);
    }
  });
  const auto query = [](std::string_view text, std::string_view user) {
    return TestServer::Request("GraphQuery", DumpJson(Json{{"query", text}}), user);
  };
  constexpr char kEndlessQuery[] =
      "UNWIND range(1, 10000) AS a UNWIND range(1, 10000) AS b UNWIND range(1, 10000) AS c "
      "WITH a WHERE a < 0 RETURN count(*) AS x";
  std::vector<std::unique_ptr<EndlessCall>> calls;
  for (int i = 0; i < 3; ++i) {
    calls.push_back(std::make_unique<EndlessCall>(server, query(kEndlessQuery, "ann")));
    ASSERT_TRUE(calls.back()->Starts());
  }
  // Her calls have begun, and take their places soon.
  v1::ExecuteResponse response;
  do {
    const grpc::Status status = server.Execute(query("RETURN 1 AS x", "ann"), response);
    ASSERT_TRUE(status.ok()) << status.error_message();
  } while (response.result().success());
  EXPECT_EQ(response.result().error().code(), "OVERLOADED") << response.DebugString();
  EXPECT_TRUE(response.result().error().retryable());
  EXPECT_THAT(response.result().error().message(), HasSubstr("your queries"));
  v1::ExecuteRequest of_bob = query("RETURN 1 AS x", "bob");
  of_bob.mutable_caller()->set_workspace_id("another");
  server.Run(of_bob);
}

class MemoryTest : public ::testing::Test {
 protected:
  static constexpr int64_t kBudget = int64_t{16} << 20;

  MemoryTest()
      : server_([](config::v1::Config& config) {
          config.mutable_execution_tracking()->set_max_query_memory_bytes(kBudget);
        }) {}

  int64_t InUse() {
    const std::string metrics = FetchMetrics(server_.application().metrics_address());
    const std::string name = "\ntoolgate_query_memory_bytes ";
    const size_t at = metrics.find(name);
    return at == std::string::npos ? -1 : static_cast<int64_t>(std::stod(metrics.substr(at + name.size())));
  }

  TestServer server_;
};

// Statements that would each take 64 MiB, many at a time.
TEST_F(MemoryTest, QueriesTogetherKeepTheirBudgetAndSmallOnesRun) {
  constexpr int kCallers = 6;
  constexpr char kHungry[] =
      "WITH RECURSIVE ai_n(i, t) AS (SELECT 1, hex(zeroblob(500)) UNION SELECT i + 1, hex(zeroblob(500)) || i FROM "
      "ai_n "
      "LIMIT 50000) SELECT count(*) FROM ai_n";
  std::atomic<int> refused{0};
  std::atomic<int> running{kCallers};
  std::vector<std::thread> callers;
  for (int i = 0; i < kCallers; ++i) {
    callers.emplace_back([&] {
      v1::ExecuteResponse response;
      const grpc::Status status = server_.Execute(Query(kHungry, "ann"), response);
      EXPECT_TRUE(status.ok()) << status.error_message();
      EXPECT_EQ(response.result().error().code(), "OVERLOADED") << response.DebugString();
      EXPECT_TRUE(response.result().error().retryable());
      ++refused;
      --running;
    });
  }
  int64_t most = 0;
  int served = 0;
  do {
    most = std::max(most, InUse());
    server_.Run(Query("SELECT 1", absl::StrCat("bob", served++ % 100), "another"));
  } while (running > 0);
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(refused, kCallers);
  EXPECT_LE(most, kBudget * 3 / 4) << "a user's share";
  EXPECT_EQ(InUse(), 0);
}

// A provider whose model writes what it is told to, or fails.
class BreakerTest : public ::testing::Test {
 protected:
  BreakerTest()
      : model_([this](const SeenRequest&) { return Reply(); }), server_([this](config::v1::Config& config) {
          auto& provider =
              *config.mutable_families()->MutableExtension(ArtifactSettings::artifacts)->mutable_provider();
          provider.set_base_url(model_.url());
          provider.set_keyless(true);
          provider.set_max_attempts(1);
        }) {}

  ScriptedReply Reply() const {
    ScriptedReply reply;
    reply.status = status_;
    if (status_ != 200) return reply;
    reply.headers = {{"content-type", "text/event-stream"}};
    const Json delta{{"choices", Json::array({Json{{"index", 0}, {"delta", Json{{"content", answer_}}}}})}};
    const Json end{{"choices", Json::array({Json{{"index", 0}, {"delta", Json::object()}, {"finish_reason", stop_}}})}};
    reply.body = absl::StrCat("data: ", DumpJson(delta), "\n\ndata: ", DumpJson(end), "\n\ndata: [DONE]\n\n");
    return reply;
  }
  v1::ExecuteResponse Generate(std::string_view user) {
    v1::ExecuteResponse response;
    const grpc::Status status = server_.Execute(
        TestServer::Request("generate_artifact", R"({"type":"mermaid","prompt":"Two steps"})", user), response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response;
  }
  // Whether eight calls of one user, which fail, leave the breaker closed for another.
  void ExpectThatFailuresStayAnns() {
    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ(Generate("ann").result().error().code(), status_ == 400 ? "INVALID_PARAMS" : "EXECUTION_ERROR") << i;
    }
    status_ = 200;
    stop_ = "stop";
    answer_ = "flowchart TD\n  A --> B\n";
    EXPECT_TRUE(Generate("bob").result().success());
  }

  std::atomic<int> status_ = 200;
  std::string stop_ = "stop";
  std::string answer_;
  ScriptedHttpServer model_;
  TestServer server_;
};

TEST_F(BreakerTest, AnswersThatOurChecksRefuseOpenNone) {
  answer_ = "flowchart TD\n  A --> B\n  click A \"javascript:alert(1)\"\n";
  ExpectThatFailuresStayAnns();
}

TEST_F(BreakerTest, RefusedContentOpensNone) {
  stop_ = "content_filter";
  ExpectThatFailuresStayAnns();
}

TEST_F(BreakerTest, EmptyAnswersOpenNone) { ExpectThatFailuresStayAnns(); }

TEST_F(BreakerTest, PolicyRefusalsByStatusOpenNone) {
  status_ = 403;
  ExpectThatFailuresStayAnns();
}

TEST_F(BreakerTest, AnOutageStillOpensOne) {
  status_ = 500;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Generate("ann").result().error().code(), "EXECUTION_ERROR");
  const size_t asked = model_.requests().size();
  server_.Refused(TestServer::Request("generate_artifact", R"({"type":"mermaid","prompt":"Two steps"})", "bob"),
                  "CIRCUIT_OPEN");
  EXPECT_EQ(model_.requests().size(), asked);
}

}  // namespace
}  // namespace toolgate
