#include "cli/load/driver/callers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

namespace toolgate::cli::load::driver {
namespace {

TEST(CallersTest, GeneratedOnesAreAllDifferent) {
  const Callers callers = Callers::Generated("load", "user", 3, 4, "t");
  EXPECT_EQ(callers.size(), 12u);
  EXPECT_EQ(callers.workspace_count(), 3u);
  std::set<std::pair<std::string, std::string>> seen;
  for (size_t i = 0; i < callers.size(); ++i) {
    const CallerIdentity caller = callers.At(i);
    seen.emplace(caller.workspace, caller.user);
    EXPECT_EQ(caller.token, "t");
    EXPECT_EQ(caller.workspace, "load-" + std::to_string(caller.workspace_index + 1));
  }
  EXPECT_EQ(seen.size(), 12u);
  EXPECT_EQ(callers.OfWorkspace(2).workspace, "load-3");
}

TEST(CallersTest, ReadsAFile) {
  const auto callers = Callers::Parse(
      "{\"workspace\": \"a\", \"user\": \"u1\", \"token\": \"x.y\"}\n\n{\"workspace\": \"b\", \"user\": \"u2\"}\n"
      "{\"workspace\": \"a\", \"user\": \"u3\"}\n");
  ASSERT_TRUE(callers.ok()) << callers.status();
  EXPECT_EQ(callers->size(), 3u);
  EXPECT_EQ(callers->workspace_count(), 2u);
  EXPECT_EQ(callers->At(2).workspace_index, callers->At(0).workspace_index);
  EXPECT_EQ(callers->At(0).token, "x.y");
  EXPECT_EQ(callers->OfWorkspace(callers->At(1).workspace_index).user, "u2");
  EXPECT_TRUE(callers->have_tokens());
  EXPECT_FALSE(Callers::Parse("{\"workspace\": \"a\", \"user\": \"u1\"}")->have_tokens());
}

TEST(CallersTest, RefusesABadLineWithoutShowingTokens) {
  for (const char* line :
       {"[]", "{\"workspace\": 1}", "{\"name\": \"x\"}", "{", "{\"workspace\": \"w\", \"token\": \"secret token\"}",
        "{\"user\": \"u\", \"token\": \"secret\"}"}) {
    const auto callers = Callers::Parse(std::string("{\"workspace\": \"w\", \"user\": \"u\"}\n") + line);
    ASSERT_FALSE(callers.ok()) << line;
    EXPECT_THAT(std::string(callers.status().message()), ::testing::StartsWith("line 2: ")) << line;
    EXPECT_THAT(std::string(callers.status().message()), ::testing::Not(::testing::HasSubstr("secret")));
  }
  EXPECT_FALSE(Callers::Parse("\n").ok());
}

}  // namespace
}  // namespace toolgate::cli::load::driver
