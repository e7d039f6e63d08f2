#include "executors/directory/deny_list.h"

#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "executors/directory/path.h"
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
  for (const std::string_view path : {"src/main.cc",
                                      ".gitignore",
                                      ".github/workflows/ci.yaml",
                                      "git/config",
                                      "env",
                                      "environment.ts",
                                      "my.env.ts",
                                      ".env.example",
                                      ".env.test.example",
                                      "app/.ENV.Sample",
                                      ".env.template",
                                      ".env.local.dist",
                                      ".env.tmpl",
                                      ".env.prod-template",
                                      ".env.schema",
                                      "pem",
                                      "keys.txt",
                                      "key",
                                      "monkey",
                                      "toolgate/x",
                                      ".aws/config",
                                      "credentials",
                                      "a/b/c",
                                      "id.rsa",
                                      ".envoy"}) {
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

TEST(DenyListTest, OnlyNamesThatEndLikeATemplateAreOne) {
  for (const std::string_view path : {".env.example.local", ".env.example.bak", ".env.examples2", ".env.myexample",
                                      ".env.production", ".env.", ".env.example~", ".envrc"}) {
    EXPECT_TRUE(Make().Find(path).has_value()) << path;
  }
  EXPECT_EQ(Make({".env.*"}).Find(".env.example"), ".env.*") << "the operator's pattern has no exception";
  EXPECT_EQ(Make({"*.example"}).Find(".env.example"), "*.example");
}

TEST(DenyListTest, AnswersThePattern) { EXPECT_EQ(Make().Find("x/.env.local"), ".env.*"); }

TEST(DenyListTest, RefusesWhatIsNoPattern) {
  for (const std::string& pattern : {std::string(), std::string("/"), std::string("a//b"), std::string("../x"),
                                     std::string("a/./b"), std::string(600, 'x'), std::string("a\0b", 3)}) {
    EXPECT_EQ(DenyList::Create({pattern}).status().code(), absl::StatusCode::kInvalidArgument) << pattern;
  }
}

// The meaning of a pattern in the plainest way, which shares no code with the list.
bool GlobMatches(std::string_view glob, std::string_view name) {
  if (glob.empty()) return name.empty();
  if (glob.front() == '*') {
    return GlobMatches(glob.substr(1), name) || (!name.empty() && GlobMatches(glob, name.substr(1)));
  }
  return !name.empty() && (glob.front() == '?' || glob.front() == name.front()) &&
         GlobMatches(glob.substr(1), name.substr(1));
}

using Names = absl::Span<const std::string_view>;

// Whether the pattern's components match the names, or a folder above the last of them.
bool Covers(Names pattern, Names names) {
  if (pattern.empty()) return true;
  if (pattern.front() == "**") {
    return Covers(pattern.subspan(1), names) || (!names.empty() && Covers(pattern, names.subspan(1)));
  }
  return !names.empty() && GlobMatches(pattern.front(), names.front()) && Covers(pattern.subspan(1), names.subspan(1));
}

// The first of the patterns that covers the path; nothing: none does.
std::optional<std::string_view> FindPlainly(const std::vector<std::string>& patterns, std::string_view path) {
  const std::vector<std::string_view> names = ComponentsOf(path);
  for (const std::string& written : patterns) {
    const bool anchored = written.front() == '/';
    const std::vector<std::string_view> pattern = ComponentsOf(std::string_view(written).substr(anchored ? 1 : 0));
    for (size_t from = 0; from < (anchored ? 1 : names.size()); ++from) {
      if (Covers(pattern, Names(names).subspan(from))) return written;
    }
  }
  return std::nullopt;
}

std::string Random(std::mt19937& random, const std::vector<std::string_view>& parts, size_t most) {
  std::string path;
  for (size_t left = 1 + random() % most; left > 0; --left) {
    path += path.empty() ? "" : "/";
    path += parts[random() % parts.size()];
  }
  return path;
}

TEST(DenyListTest, DeniesWhatItsPatternsSay) {
  std::mt19937 random(40);
  int denied = 0;
  for (int round = 0; round < 400; ++round) {
    std::vector<std::string> patterns(DenyList::BuiltIn().begin(), DenyList::BuiltIn().end());
    for (size_t extra = 1 + random() % 3; extra > 0; --extra) {
      const bool anchored = random() % 3 == 0;
      patterns.push_back((anchored ? "/" : "") + Random(random, {"a", "b", "**", "*", "?", "a*", "*b", "?b", "**"}, 4));
    }
    const DenyList list =
        Make({patterns.begin() + static_cast<std::ptrdiff_t>(DenyList::BuiltIn().size()), patterns.end()});
    for (int path_count = 0; path_count < 30; ++path_count) {
      const std::string path =
          path_count == 0 ? "" : Random(random, {"a", "b", "ab", "c", "bb", ".aws", "credentials", "x.pem"}, 7);
      const std::optional<std::string_view> expected = FindPlainly(patterns, path);
      const std::optional<std::string_view> found = list.Find(path);
      ASSERT_EQ(found.has_value(), expected.has_value()) << path << " with " << absl::StrJoin(patterns, " ");
      denied += found.has_value() ? 1 : 0;
      // Below a folder that is denied another pattern may match, too: the folder's is named.
      const bool is_topmost = path.empty() || !FindPlainly(patterns, ParentOf(path)).has_value();
      if (is_topmost) {
        EXPECT_EQ(found, expected) << path;
      }
    }
  }
  EXPECT_GT(denied, 1000);
  EXPECT_LT(denied, 11000);
}

TEST(DenyListTest, AWalkSeesWhatAPathSays) {
  const DenyList list = Make({"a/**/z", "/b/*/c", "**/x/y"});
  std::mt19937 random(41);
  for (int round = 0; round < 2000; ++round) {
    const std::string path = Random(random, {"a", "b", "c", "x", "y", "z", ".ENV"}, 8);
    DenyList::State state = list.top();
    for (const std::string_view name : ComponentsOf(path)) state = list.Step(state, name);
    ASSERT_EQ(list.PatternOf(state), list.Find(path)) << path;
  }
}

TEST(DenyListTest, ALongPathCostsOneStepAComponent) {
  // Some 2,000 components, with patterns that stay open all the way: the old matcher took the square of this.
  const DenyList list = Make({"**/q/**/q/**/q/**/x", "q/**/q/**/q/**/y"});
  std::string path = "q";
  while (path.size() < kMaxPathBytes - 1) path += "/q";
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(list.Find(path).has_value());
  EXPECT_EQ(list.Find(path + "/.env"), ".env");
}

TEST(DenyListTest, TakesLinearTimeOnHostilePatterns) {
  const DenyList list = Make({std::string("*a*a*a*a*a*a*a*a*a*a*a*a*a*b"), "**/**/**/**/**/x"});
  std::string path(250, 'a');
  for (int i = 0; i < 14; ++i) path += "/" + std::string(250, 'a');
  EXPECT_FALSE(list.Find(path).has_value());
}

}  // namespace
}  // namespace toolgate::executors::directory
