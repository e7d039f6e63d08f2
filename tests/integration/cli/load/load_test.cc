// `toolgate load` against a whole service in this process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "common/json.h"
#include "tests/integration/cli/load/load_command_run.h"
#include "tests/support/fetch_metrics.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_server.h"

namespace toolgate::cli::load {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

class LoadTest : public ::testing::Test {
 protected:
  // The limits of tools are for people, not for load tests.
  static void WithoutLimits(config::v1::Config& config) {
    config.mutable_rate_limiting()->set_enforcement(config::v1::ENFORCEMENT_REPORT);
  }

  Output Run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"--address", server_.application().address(), "--json"});
    return RunLoadCommand(std::move(arguments));
  }

  std::string WriteProfile(const std::string& text) {
    const std::string path = folder_.path() + "/profile.yaml";
    std::ofstream(path) << text;
    return path;
  }

  // Waits until calls of a run with this seed have reached the service.
  void AwaitCalls(const std::string& seed) {
    v1::SearchEntriesRequest filters;
    filters.mutable_caller()->set_workspace_id("load-" + seed + "-1");
    filters.mutable_caller()->set_user_id("auditor");
    v1::SearchEntriesResponse response;
    while (response.entries_size() == 0) {
      grpc::ClientContext context;
      if (!server_.audit().SearchEntries(&context, filters, &response).ok()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  // Calls in which layer 1 has found something, as soon as the service has counted `expected`: it counts a call after
  // its answer has left.
  int64_t AwaitCallsWithFindings(int64_t expected) {
    int64_t count = 0;
    for (int tries = 0; tries < 2000 && count < expected; ++tries) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      count = 0;
      std::istringstream metrics(testing::FetchMetrics(server_.application().metrics_address()));
      for (std::string line; std::getline(metrics, line);) {
        if (line.starts_with("toolgate_calls_with_findings_total{")) count += std::stoll(line.substr(line.rfind(' ')));
      }
    }
    return count;
  }

  testing::TempDir folder_;
  testing::TestServer server_{WithoutLimits};
};

TEST_F(LoadTest, AClosedLoopMakesExactlyTheCallsAskedFor) {
  const Output output = Run({"--profile", "read-mostly", "--requests", "400", "--workspaces", "1", "--seed", "7"});
  ASSERT_EQ(output.code, 0) << output.out << output.err;
  EXPECT_EQ(output.json["summary"]["count"], 400);
  EXPECT_EQ(output.json["summary"]["errors"], 0);
  EXPECT_EQ(output.json["loop"], "closed");
  EXPECT_GT(output.json["summary"]["rate"], 0);
  EXPECT_GT(StepOf(output, "get page")["count"], 100);
  EXPECT_EQ(output.json["seed"], 7);
  // They reached the service, in workspaces of the seed.
  v1::SearchEntriesRequest filters;
  filters.mutable_caller()->set_workspace_id("load-7-1");
  filters.mutable_caller()->set_user_id("auditor");
  v1::SearchEntriesResponse response;
  grpc::ClientContext context;
  EXPECT_TRUE(server_.audit().SearchEntries(&context, filters, &response).ok());
  EXPECT_GT(response.entries_size(), 0);
}

TEST_F(LoadTest, AnOpenLoopFollowsItsSchedule) {
  const Output output = Run({"--tool", "list_tasks", "--rate", "200/1s", "--arrivals", "even", "--warm-up", "200ms"});
  ASSERT_EQ(output.code, 0) << output.out << output.err;
  const Json& summary = output.json["summary"];
  EXPECT_EQ(output.json["loop"], "open");
  // Each due call either started or is counted as missed; 40 were due in the warm-up.
  EXPECT_EQ(summary["count"].get<int>() + summary["missedStarts"].get<int>(), 200);
  EXPECT_EQ(summary["warmUpCalls"], 40);
  EXPECT_EQ(output.json["harness"]["startLag"]["count"], summary["count"]);
  // Latency counts from the intended start.
  EXPECT_GE(summary["latency"]["max"], summary["serviceTime"]["max"]);
  EXPECT_FALSE(output.json["timeline"].empty());
}

// Stops this process's pacer for a while, as a machine does that is too busy to let it run.
class PacerStop {
 public:
  static constexpr int kSignal = SIGUSR1;

  PacerStop() {
    struct sigaction action = {};
    action.sa_handler = [](int) {
      timespec left = {1, 0};
      while (nanosleep(&left, &left) != 0) {
      }
    };
    sigaction(kSignal, &action, &previous_);
  }
  ~PacerStop() { sigaction(kSignal, &previous_, nullptr); }

  // Waits for the pacer's thread, and stops it for a second.
  void Stop() const {
    for (int tries = 0; tries < 10'000; ++tries) {
      for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::string name;
        std::getline(std::ifstream(task.path() / "comm"), name);
        if (name != "load-pace") continue;
        ASSERT_EQ(syscall(SYS_tgkill, getpid(), std::stoi(task.path().filename()), kSignal), 0);
        return;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ADD_FAILURE() << "no pacer";
  }

 private:
  struct sigaction previous_ = {};
};

TEST_F(LoadTest, LatencyCountsFromTheIntendedStartAndServiceTimeFromTheActualOne) {
  const PacerStop pacer;
  std::thread stopper([&] { pacer.Stop(); });
  // About half of the calls are due while nothing starts, and begin half a second late on average.
  const Output output =
      Run({"--tool", "list_tasks", "--rate", "100/2s", "--arrivals", "even", "--warm-up", "0s", "--threads", "1"});
  stopper.join();
  ASSERT_EQ(output.code, 0) << output.out << output.err;
  const Json& summary = output.json["summary"];
  const Json& lag = output.json["harness"]["startLag"];
  ASSERT_EQ(lag["count"], summary["count"]);
  const auto mean = [](const Json& distribution) { return distribution["mean"].get<double>(); };
  EXPECT_GT(mean(summary["latency"]), 3 * mean(summary["serviceTime"])) << output.out;
  EXPECT_GE(summary["latency"]["max"], lag["max"]);
  // Of each call, latency is lag and service time.
  EXPECT_NEAR(mean(summary["latency"]), mean(lag) + mean(summary["serviceTime"]), 1e-6);
  EXPECT_THAT(output.json["warnings"].dump(), HasSubstr("late"));
}

TEST_F(LoadTest, CallsBeyondTheBoundAreMissedStarts) {
  const Output output = Run({"--tool", "list_tasks", "--rate", "20000/500ms", "--arrivals", "even", "--max-in-flight",
                             "1", "--warm-up", "0s"});
  const Json& summary = output.json["summary"];
  EXPECT_GT(summary["missedStarts"], 0) << output.out << output.err;
  EXPECT_EQ(summary["count"].get<int>() + summary["missedStarts"].get<int>(), 10'000);
  EXPECT_THAT(output.json["warnings"].dump(), HasSubstr("did not keep up"));
}

TEST_F(LoadTest, StreamsCountTheirEvents) {
  const Output output = Run({"--profile", "streaming", "--requests", "60", "--workspaces", "1"});
  ASSERT_EQ(output.code, 0) << output.out << output.err;
  EXPECT_EQ(output.json["summary"]["errors"], 0);
  EXPECT_EQ(output.json["summary"]["firstEvent"]["count"], 60);
  EXPECT_GE(output.json["summary"]["streamEvents"], 60);
}

TEST_F(LoadTest, ConfirmationsAreDecidedAndTheCallsRepeated) {
  const Output output = Run({"--profile", "confirmation", "--requests", "80"});
  ASSERT_EQ(output.code, 0) << output.out << output.err;
  EXPECT_EQ(output.json["summary"]["errors"], 0) << output.out;
  const Json approved = StepOf(output, "delete and approve: approved call");
  EXPECT_GT(approved["count"], 0);
  EXPECT_EQ(approved["outcomes"][0]["code"], "OK");
  EXPECT_EQ(StepOf(output, "delete and approve: decision")["count"], approved["count"]);
  EXPECT_EQ(StepOf(output, "delete and approve")["outcomes"][0]["code"], "CONFIRMATION_REQUIRED");
  const Json denied = StepOf(output, "delete and deny: denied call");
  EXPECT_GT(denied["count"], 0);
  EXPECT_EQ(denied["outcomes"][0]["code"], "CANCELLED");
}

TEST_F(LoadTest, HostileCallsAreRefusedOrRecordedAsExpected) {
  const Output output = Run({"--profile", "hostile", "--requests", "100"});
  ASSERT_EQ(output.code, 0) << output.out << output.err;
  EXPECT_EQ(output.json["summary"]["errors"], 0) << output.out;
  EXPECT_EQ(StepOf(output, "unknown tool")["outcomes"][0]["kind"], "refused");
  EXPECT_EQ(StepOf(output, "unknown argument")["outcomes"][0]["code"], "INVALID_PARAMS");
  const int64_t injected = StepOf(output, "injected instruction")["count"];
  EXPECT_GT(injected, 10);
  EXPECT_EQ(AwaitCallsWithFindings(injected), injected) << "layer 1 has seen each of them, and nothing else";
}

TEST_F(LoadTest, HostileTextThatLayerOneMissesIsAnError) {
  // No text scores that high.
  auto blind = server_.config();
  blind.mutable_injection_defence()->set_threshold(1);
  ASSERT_TRUE(server_.application().Reload(blind).ok());
  const Output output = Run({"--profile", "hostile", "--requests", "100", "--threshold", "errors<1%"});
  EXPECT_EQ(output.code, 12) << output.out << output.err;
  const Json step = StepOf(output, "injected instruction");
  EXPECT_GT(step["errors"], 10);
  EXPECT_EQ(step["errors"], step["count"]);
  EXPECT_EQ(step["outcomes"][0]["code"], "NOT_DETECTED");
  EXPECT_EQ(output.json["summary"]["errors"], step["errors"]);
}

TEST_F(LoadTest, TheTrafficOfAgentsHasNoErrors) {
  const Output output = Run({"--profile", "agents", "--requests", "400", "--workspaces", "2"});
  ASSERT_EQ(output.code, 0) << output.out << output.err;
  EXPECT_EQ(output.json["summary"]["errors"], 0) << output.out;
  EXPECT_EQ(StepOf(output, "read what is gone")["outcomes"][0]["kind"], "tool_failed");
}

TEST_F(LoadTest, WritesHaveNoErrors) {
  const Output output = Run({"--profile", "writes", "--requests", "100", "--workspaces", "1"});
  ASSERT_EQ(output.code, 0) << output.out << output.err;
  EXPECT_EQ(output.json["summary"]["errors"], 0) << output.out;
}

TEST_F(LoadTest, AThresholdThatIsNotMetIsTheExitCode) {
  const Output met = Run({"--tool", "list_tasks", "--requests", "20", "--threshold", "errors<1%"});
  EXPECT_EQ(met.code, 0) << met.out << met.err;
  const Output missed = Run(
      {"--tool", "list_tasks", "--requests", "20", "--threshold", "list_tasks.p99<1ns", "--threshold", "errors<1%"});
  EXPECT_EQ(missed.code, 12);
  EXPECT_EQ(missed.json["passed"], false);
  EXPECT_EQ(missed.json["thresholds"][0]["passed"], false);
  EXPECT_EQ(missed.json["thresholds"][1]["passed"], true);
}

TEST_F(LoadTest, ARunInWhichEachCallFailsIsNoSuccess) {
  const Output output = Run({"--tool", "no_such_tool", "--requests", "10"});
  EXPECT_EQ(output.code, 12);
  const Json step = StepOf(output, "no_such_tool");
  EXPECT_EQ(step["errors"], 10);
  EXPECT_EQ(step["outcomes"][0]["code"], "UNKNOWN_TOOL");
}

TEST_F(LoadTest, TargetsShareTheCalls) {
  testing::TestServer second(WithoutLimits);
  for (const char* balance : {"round-robin", "least-in-flight"}) {
    const Output output =
        Run({"--tool", "list_tasks", "--requests", "100", "--target", server_.application().address(), "--target",
             second.application().address(), "--balance", balance, "--threads", "2", "--connections", "2"});
    ASSERT_EQ(output.code, 0) << output.out << output.err;
    ASSERT_EQ(output.json["targets"].size(), 2u);
    EXPECT_GT(output.json["targets"][0]["count"], 0) << balance;
    EXPECT_GT(output.json["targets"][1]["count"], 0) << balance;
    if (std::string(balance) == "round-robin") {
      EXPECT_EQ(output.json["targets"][0]["count"], 50);
    }
  }
}

TEST_F(LoadTest, TheServicesNumbersStandBesideTheClients) {
  const Output output =
      Run({"--tool", "list_tasks", "--requests", "50", "--metrics", server_.application().metrics_address()});
  ASSERT_EQ(output.code, 0) << output.out << output.err;
  const Json& server = output.json["server"];
  EXPECT_EQ(server["problem"], "");
  ASSERT_EQ(server["tools"].size(), 1u) << server.dump();
  EXPECT_EQ(server["tools"][0]["tool"], "list_tasks");
  // The service counts a call after its answer has left, so up to one for each caller may be missing.
  for (const double count :
       {server["tools"][0]["duration"]["count"].get<double>(), server["tools"][0]["outcomes"]["OK"].get<double>(),
        server["execute"]["count"].get<double>()}) {
    EXPECT_GE(count, 34);
    EXPECT_LE(count, 50);
  }
  EXPECT_FALSE(server["layers"].empty());
}

TEST_F(LoadTest, IdsOfResultsBecomeArguments) {
  const std::string profile = WriteProfile(R"(
setup:
  - tool: create_block
    arguments: '{"type": "page", "data": {"title": "{{words 2}}"}}'
    repeat: 3
    capture: {pool: pages, from: /blockId}
steps:
  - {tool: get_block, arguments: '{"blockId": "{{id pages}}"}'}
)");
  const Output output = Run({"--profile", profile, "--requests", "30", "--workspaces", "3"});
  ASSERT_EQ(output.code, 0) << output.out << output.err;
  EXPECT_EQ(output.json["summary"]["errors"], 0) << output.out;
}

TEST_F(LoadTest, AThinkTimeKeepsCallersFromCalling) {
  const Output output = Run(
      {"--tool", "list_tasks", "--concurrency", "4", "--think-time", "50ms", "--duration", "500ms", "--warm-up", "0s"});
  ASSERT_EQ(output.code, 0) << output.out << output.err;
  // Without the pauses it would be thousands.
  EXPECT_LE(output.json["summary"]["count"], 40);
  EXPECT_GT(output.json["summary"]["count"], 0);
}

TEST_F(LoadTest, AStepWithoutIdsLeftEndsWithTheTime) {
  const std::string profile = WriteProfile(R"(
setup:
  - tool: create_block
    arguments: '{"type": "page", "data": {"title": "x"}}'
    capture: {pool: pages, from: /blockId}
steps:
  - {tool: get_block, arguments: '{"blockId": "{{take pages}}"}'}
)");
  const Output output = Run({"--profile", profile, "--duration", "300ms", "--warm-up", "0s", "--concurrency", "2"});
  EXPECT_EQ(output.json["summary"]["count"], 1) << output.out << output.err;
  EXPECT_GT(output.json["summary"]["skippedSteps"], 0);
}

TEST_F(LoadTest, AFailedSetUpNamesItsCall) {
  const std::string profile = WriteProfile(R"(
setup:
  - {tool: create_block, arguments: '{"type": "nothing"}'}
steps:
  - {tool: list_tasks}
)");
  const Output output = Run({"--profile", profile});
  EXPECT_EQ(output.code, 3);
  EXPECT_THAT(output.err, AllOf(HasSubstr("create_block"), HasSubstr("set-up")));
}

std::string TextOf(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST_F(LoadTest, ATerminalShowsTheRunWhileItLasts) {
  const std::vector<std::string> arguments = {
      "--address", server_.application().address(), "--tool", "list_tasks", "--rate", "100/1500ms", "--warm-up", "1s"};
  const Output shown = RunLoadCommand(arguments, /*at_terminal=*/true);
  ASSERT_EQ(shown.code, 0) << shown.out << shown.err;
  EXPECT_THAT(shown.err, ContainsRegex("\r\x1b\\[K(warming up|measuring)  [0-9]+/2 s  [0-9.]+/s  p50 [^ ]+ [^ ]+  "
                                       "p99 [^ ]+ [^ ]+  in flight [0-9]+  errors 0\r\x1b"));
  EXPECT_THAT(shown.err, EndsWith("\r\x1b[K"));
  EXPECT_THAT(shown.out, Not(HasSubstr("in flight ")));

  const Output hidden = RunLoadCommand(arguments);
  ASSERT_EQ(hidden.code, 0) << hidden.out << hidden.err;
  EXPECT_EQ(hidden.err, "");
}

TEST_F(LoadTest, FilesAreWritten) {
  const std::string html = folder_.path() + "/report.html";
  const std::string json = folder_.path() + "/report.json";
  const Output output = Run({"--tool", "list_tasks", "--requests", "20", "--html", html, "--json-file", json});
  ASSERT_EQ(output.code, 0) << output.out << output.err;
  EXPECT_THAT(TextOf(html), AllOf(HasSubstr("<!DOCTYPE html>"), HasSubstr("list_tasks")));
  EXPECT_EQ(ParseJson(TextOf(json))->at("schema"), "toolgate.load/1");
}

TEST_F(LoadTest, TokensAreShownNowhere) {
  const std::string html = folder_.path() + "/report.html";
  const Output output = Run({"--tool", "list_tasks", "--requests", "5", "--html", html, "--token", "not-shown"});
  EXPECT_THAT(TextOf(html), AllOf(HasSubstr("--token-file"), Not(HasSubstr("not-shown"))));
  EXPECT_THAT(output.out + output.err, Not(HasSubstr("not-shown")));
}

TEST_F(LoadTest, AnInterruptEndsTheRunAndReports) {
  std::thread interrupter([&] {
    AwaitCalls("9");
    std::raise(SIGINT);
  });
  const Output output = Run({"--tool", "list_tasks", "--duration", "1h", "--warm-up", "0s", "--seed", "9"});
  interrupter.join();
  EXPECT_EQ(output.code, 0) << output.out << output.err;
  EXPECT_EQ(output.json["interrupted"], true);
  EXPECT_GT(output.json["summary"]["count"], 0);
}

TEST_F(LoadTest, AServiceThatGoesAwayIsReportedAndTheRunEnds) {
  std::thread stopper([&] {
    AwaitCalls("9");
    server_.Stop();
  });
  const Output output =
      Run({"--tool", "list_tasks", "--duration", "2s", "--warm-up", "0s", "--timeout", "10s", "--seed", "9"});
  stopper.join();
  EXPECT_GT(output.json["summary"]["errors"], 0) << output.out << output.err;
  EXPECT_THAT(StepOf(output, "list_tasks")["outcomes"].dump(), HasSubstr("UNAVAILABLE"));
}

}  // namespace
}  // namespace toolgate::cli::load
