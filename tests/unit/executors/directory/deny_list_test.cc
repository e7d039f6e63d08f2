#include "executors/directory/deny_list.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace toolgate::executors::directory {
namespace {

DenyList Make(const std::vector<std::string>& extra = {}) { return DenyList::Create(extra).value(); }

TEST(DenyListTest, CoversSecretsAndTheServicesOwnFolder) {
  const DenyList list = Make();
  for (const std::string_view path : {".toolgate",
                                      ".toolgate/staging/x",
                                      ".git",
                                      ".git/config",
                                      "sub/.git/hooks/pre-commit",
                                      ".env",
                                      ".env.local",
                                      "app/.env",
                                      "server.pem",
                                      "certs/Server.PEM",
                                      "id_rsa",
                                      "keys/id_rsa.pub",
                                      "id_ed25519",
                                      "tls.key",
                                      ".netrc",
                                      ".aws/credentials",
                                      "home/.aws/credentials",
                                      ".ssh/known_hosts",
                                      ".GIT/config",
                                      ".Env",
                                      ".toolGATE/x",
                                      "\xEF\xBC\x8Egit/config",
                                      ".g\xE2\x80\x8Cit/config",
                                      ".g\xC2\xADit"}) {
    EXPECT_TRUE(list.Find(path).has_value()) << path;
  }
}

TEST(DenyListTest, LeavesLookAlikesAlone) {
  const DenyList list = Make();
  for (const std::string_view path :
       {"src/main.cc", ".gitignore", ".github/workflows/ci.yaml", "git/config", "env", "environment.ts", "my.env.ts",
        "pem", "keys.txt", "key", "monkey", "toolgate/x", ".aws/config", "credentials", "a/b/c", "id.rsa", ".envoy"}) {
    EXPECT_FALSE(list.Find(path).has_value()) << path << " by " << std::string(list.Find(path).value_or(""));
  }
}

TEST(DenyListTest, PatternsOfTheOperator) {
  const DenyList list = Make({"*.secret", "/private", "a/**/z", "data/?.db", "end/**"});
  for (const std::string_view path : {"x.secret", "d/X.SECRET", "d.secret/inner", "private", "private/a/b", "a/z",
                                      "a/b/c/z", "q/a/b/z/below", "data/1.db", "end/x", "p/end/x/y"}) {
    EXPECT_TRUE(list.Find(path).has_value()) << path;
  }
  for (const std::string_view path : {"x.secrets", "sub/private", "b/z", "data/12.db", "data/x/1.db", "secret"}) {
    EXPECT_FALSE(list.Find(path).has_value()) << path;
  }
}

TEST(DenyListTest, AnswersThePattern) { EXPECT_EQ(Make().Find("x/.env.local"), ".env.*"); }

TEST(DenyListTest, RefusesWhatIsNoPattern) {
  for (const std::string& pattern : {std::string(), std::string("/"), std::string("a//b"), std::string("../x"),
                                     std::string("a/./b"), std::string(600, 'x'), std::string("a\0b", 3)}) {
    EXPECT_EQ(DenyList::Create({pattern}).status().code(), absl::StatusCode::kInvalidArgument) << pattern;
  }
}

TEST(DenyListTest, TakesLinearTimeOnHostilePatterns) {
  const DenyList list = Make({std::string("*a*a*a*a*a*a*a*a*a*a*a*a*a*b"), "**/**/**/**/**/x"});
  std::string path(250, 'a');
  for (int i = 0; i < 14; ++i) path += "/" + std::string(250, 'a');
  EXPECT_FALSE(list.Find(path).has_value());
}

}  // namespace
}  // namespace toolgate::executors::directory
