#include "executors/shell/sandbox/view.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::executors::shell::sandbox {
namespace {

using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::Not;
using ::testing::StartsWith;

std::vector<std::string> Last(const std::vector<std::string>& arguments, size_t count) {
  return {arguments.end() - static_cast<std::ptrdiff_t>(count), arguments.end()};
}

TEST(ViewTest, UnsharesAllNamespaces) {
  const std::vector<std::string> arguments = View("/usr/bin/bwrap").Arguments("", "true");
  EXPECT_EQ(arguments.front(), "/usr/bin/bwrap");
  for (const char* option : {"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts",
                             "--unshare-cgroup-try", "--disable-userns", "--new-session", "--die-with-parent"}) {
    EXPECT_THAT(arguments, Contains(option));
  }
}

TEST(ViewTest, BindsNothingWritableButWhatTheLauncherMade) {
  const std::vector<std::string> arguments = View("/usr/bin/bwrap").Arguments("", "true");
  std::vector<std::string> bound;
  for (size_t i = 0; i + 1 < arguments.size(); ++i) {
    if (arguments[i] == "--bind" || arguments[i] == "--dev-bind") bound.push_back(arguments[i + 1]);
  }
  EXPECT_THAT(bound, ::testing::UnorderedElementsAre("/tmp/merged", "/tmp/temporary", "/tmp/shm", "/tmp/terminals",
                                                     "/dev/full"));
  EXPECT_THAT(arguments, Not(Contains("--share-net")));
}

TEST(ViewTest, PassesTheCommandAsOneArgument) {
  const std::vector<std::string> arguments = View("/usr/bin/bwrap").Arguments("a b", "echo $HOME; ls \"x\"");
  EXPECT_EQ(Last(arguments, 9), (std::vector<std::string>{"/workspace/a b", "--", "/bin/bash", "--noprofile", "--norc",
                                                          "-c", "--", "echo $HOME; ls \"x\"", "bash"}));
}

TEST(ViewTest, HasNoFileOfTheMachinesEtc) {
  const View view("/usr/bin/bwrap");
  for (const auto& [name, content] : view.etc_files()) {
    EXPECT_NE(name, "shadow");
    if (name == "passwd") {
      EXPECT_THAT(content, StartsWith("user:x:1000:1000:"));
    }
  }
}

TEST(ViewTest, TheEnvironmentIsNotTheServices) {
  ASSERT_EQ(setenv("TOOLGATE_CANARY", "secret", 1), 0);
  for (const std::string& variable : View::Environment()) EXPECT_THAT(variable, Not(EndsWith("secret")));
  EXPECT_THAT(View::Environment(), Contains("HOME=/tmp"));
}

}  // namespace
}  // namespace toolgate::executors::shell::sandbox
