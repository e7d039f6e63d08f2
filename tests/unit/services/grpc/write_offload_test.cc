#include "services/grpc/write_offload.h"

#include <grpc/grpc.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/services/grpc/test_service.h"

namespace toolgate::services::grpc {
namespace {

// Threads of this process whose name, which the kernel cuts to 15 characters, is that of the pool's.
int PoolThreads() {
  int count = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::string name;
    std::getline(std::ifstream(thread.path() / "comm"), name);
    if (name == "default-executo") ++count;
  }
  return count;
}

// Runs `check` in a process of its own, in which nothing has used gRPC yet.
void ExpectInFreshProcess(bool (*check)()) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::_Exit(check() ? EXIT_SUCCESS : EXIT_FAILURE), ::testing::ExitedWithCode(EXIT_SUCCESS), "");
}

bool GrpcHasThePool() {
  grpc_init();
  while (PoolThreads() == 0) std::this_thread::yield();  // A thread gives itself its name, soon after its start.
  return true;
}

// Eight threads call over one connection, so that they meet in it. All calls must succeed without the pool.
bool CallsSucceedWithoutThePool() {
  StopWriteOffload();
  TestServer server;
  const auto channel = server.Connect();
  std::vector<int> failures(8);
  std::vector<std::thread> callers;
  callers.reserve(failures.size());
  for (int& failed : failures) {
    callers.emplace_back([&failed, &channel] {
      for (int i = 0; i < 250; ++i) {
        if (!Call().Run(channel, "echo").ok()) ++failed;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  const bool good = std::all_of(failures.begin(), failures.end(), [](int failed) { return failed == 0; });
  return good && PoolThreads() == 0;
}

// So that the test below cannot pass because the pool has another name.
TEST(WriteOffloadDeathTest, GrpcHasAPoolByItself) { ExpectInFreshProcess(GrpcHasThePool); }

TEST(WriteOffloadDeathTest, WithoutThePoolAllCallsOfAConnectionAreAnswered) {
  ExpectInFreshProcess(CallsSucceedWithoutThePool);
}

}  // namespace
}  // namespace toolgate::services::grpc
