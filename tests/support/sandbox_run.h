// One command in a sandbox, run by a process of its own, so that a test may choose the user that runs it.
#ifndef TOOLGATE_TESTS_SUPPORT_SANDBOX_RUN_H_
#define TOOLGATE_TESTS_SUPPORT_SANDBOX_RUN_H_

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/json.h"
#include "executors/shell/sandbox/sandbox.h"
#include "tests/support/sandbox_options.h"

namespace toolgate::testing {

// The user of tests that need an ordinary one.
inline constexpr uid_t kNobody = 65534;

struct SandboxJob {
  std::string command;
  uid_t user = 0;  // Only root may choose.
  std::string cwd = {};
  std::vector<std::string> hidden = {};
  absl::Duration timeout = absl::Seconds(30);
  executors::shell::sandbox::Sandbox::Options options = SandboxOptions();
};

struct SandboxRun {
  std::string error;  // Why there was no run; empty: there was one.
  int exit_code = -1;
  std::string killed;  // "timeout", "memory", "processes", "disk" or empty.
  bool stopped = false;
  std::string out;
  std::string err;
  // The upper layer, an entry a line: "file 644 path", "folder 755 path", "link path -> target", "removed path",
  // "special path"; a folder that hides what was there has a "!" behind its kind.
  std::string changes;
  absl::Duration took;  // From the start of the command until all its processes were gone.
};

// Runs it on `workspace`, a folder, which belongs to the user. The process and all that it started are gone afterwards.
SandboxRun RunInSandbox(const std::string& workspace, const SandboxJob& job);

// Runs `work` as `user` in a process of its own and answers the text that it answers.
std::string RunAs(uid_t user, const std::function<std::string()>& work);

// Why this machine has no sandbox for the user; empty: it has one, or TOOLGATE_REQUIRE_SANDBOX is set, so that a test
// without one fails.
std::string WhyNoSandbox(uid_t user = 0);

// Gives a folder and all in it to a user.
void GiveTo(uid_t user, const std::string& folder);

}  // namespace toolgate::testing

// For the beginning of a test.
#define TOOLGATE_NEEDS_SANDBOX(user)                                 \
  do {                                                               \
    const std::string why = ::toolgate::testing::WhyNoSandbox(user); \
    if (!why.empty()) GTEST_SKIP() << why;                           \
  } while (false)

#endif  // TOOLGATE_TESTS_SUPPORT_SANDBOX_RUN_H_
