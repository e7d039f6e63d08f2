#include "executors/shell/git_config.h"

#include <optional>
#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace toolgate::executors::shell {
namespace {

TEST(GitConfigTest, CredentialsAreLeftOut) {
  EXPECT_EQ(WithoutCredentials("[remote \"origin\"]\n\turl = https://me:pw@example.org/a@b.git\n\tfetch = +refs/*\n"),
            "[remote \"origin\"]\n\turl = https://example.org/a@b.git\n\tfetch = +refs/*\n");
  EXPECT_EQ(WithoutCredentials("[url \"https://token@example.org/\"]\n\tinsteadOf = x\n"),
            "[url \"https://example.org/\"]\n\tinsteadOf = x\n");
  EXPECT_EQ(WithoutCredentials("[remote \"a\"]\nurl = ssh://git:pw@example.org/x\nurl = git@example.org:x\n"),
            "[remote \"a\"]\nurl = ssh://git@example.org/x\nurl = git@example.org:x\n");
  EXPECT_EQ(WithoutCredentials("[http] extraHeader = Authorization: \\\n  secret\n[sendemail]\n smtpPass=x\n"),
            "[http]\n[sendemail]\n");
  EXPECT_EQ(WithoutCredentials("[user] name = N"), "[user] name = N");
  EXPECT_EQ(WithoutCredentials("no section"), "");
}

TEST(GitConfigTest, OnlyHarmlessKeysAreShown) {
  EXPECT_EQ(WithoutCredentials("[core]\n\tbare = false\n\tsshCommand = sshpass -p hunter2 ssh\n\thooksPath = .husky\n"),
            "[core]\n\tbare = false\n\thooksPath = .husky\n");
  EXPECT_EQ(WithoutCredentials("[credential]\n\thelper = \"!f() { echo password=hunter2; }; f\"\n"
                               "[alias]\n\tx = !curl -H 'Authorization: hunter2'\n[user]\n\tname = N # hunter2\n"
                               "; hunter2\n\temail = e\n"),
            "[credential]\n[alias]\n[user]\n\tname = N \n\n\temail = e\n");
  EXPECT_EQ(WithoutCredentials("[remote \"a\"]\n\turl = https://me:hun\\\nter2@example.org\n"), "[remote \"a\"]\n");
  EXPECT_EQ(WithoutCredentials("[core]\n\tbare = false\n\tx\n=hunter2\n"), "[core]\n\tbare = false\n\n");
}

TEST(GitConfigTest, AFilterWithoutItsProgramIsRequired) {
  EXPECT_EQ(WithoutCredentials("[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n\trequired = true\n"),
            "[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n\trequired = true\n");
  EXPECT_EQ(WithoutCredentials("[filter \"x\"]\n\tclean = openssl enc -k hunter2\n"),
            "[filter \"x\"]\n\trequired = true\n");
}

TEST(GitConfigTest, WhatCloneAndInitWriteIsPlain) {
  EXPECT_EQ(RiskyKeyOf("[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
                       "[remote \"origin\"]\n\turl = /a/b\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n"
                       "[branch \"a.b]\\\"c\"]\n\tremote = origin\n\tmerge = refs/heads/x ; comment\n"
                       "[submodule \"s\"]\n\tactive = true\n\turl = ../s\n\tupdate = rebase\n# end"),
            std::nullopt);
  const auto is_submodule = [](std::string_view value) { return value == "../../../s"; };
  EXPECT_EQ(RiskyKeyOf("[core] bare\n\tworktree = ../../../s\n[submodule.Old] Active=1\n", is_submodule), std::nullopt);
  EXPECT_EQ(RiskyKeyOf("[core]worktree = ../../../t", is_submodule), "core.worktree");
  EXPECT_EQ(RiskyKeyOf("[core]worktree = \"../../../s \"", is_submodule), "core.worktree") << "the blank is kept";
  EXPECT_EQ(RiskyKeyOf(""), std::nullopt);
}

TEST(GitConfigTest, WhatCouldRunAProgramIsNamed) {
  const auto key = [](const char* text) { return RiskyKeyOf(text).value_or(""); };
  EXPECT_EQ(key("[core]\n\tfsmonitor = x\n"), "core.fsmonitor");
  EXPECT_EQ(key("[CORE]bare=true\n HooksPath=x"), "core.hookspath");
  EXPECT_EQ(key("[alias]\n\tst = !x\n"), "alias.st");
  EXPECT_EQ(key("[filter \"a\"]\n\tclean = x\n"), "filter.clean");
  EXPECT_EQ(key("[include]\n\tpath = x\n"), "include.path");
  EXPECT_EQ(key("[includeIf \"gitdir:/\"]\n\tpath = x\n"), "includeif.path");
  EXPECT_EQ(key("[remote \"o\"]\n\tuploadpack = x\n"), "remote.uploadpack");
  EXPECT_EQ(key("[submodule \"s\"]\n\tupdate = !x\n"), "submodule.update");
  EXPECT_EQ(key("[core]\n\tworktree = /home\n"), "core.worktree");
  EXPECT_EQ(key("[user]\n\tname = \"a\\\n[core]\"\n\temail = b \\\n\tx\n\tpager = x\n"), "user.pager") << "lines go on";
  EXPECT_EQ(key("[core]\n\tworktree = ../x\n"), "core.worktree");
  EXPECT_EQ(key("[user]\n\tname = a\\x\n"), "its text") << "no such escape";
  EXPECT_EQ(key("[core\n"), "its text");
  EXPECT_EQ(key("bare = true\n"), "its text");
  EXPECT_EQ(key("[core]\n\tbare = \"open\n"), "its text");
}

TEST(GitConfigTest, TheLastValueCounts) {
  EXPECT_EQ(ValueOf("[a]\nb = 1\n[A]\nB = \"2\" \n[a \"s\"]\nb = 3\n[a.s]\nb = 4", "a.b"), "2");
  EXPECT_EQ(ValueOf("[a]\nb = 1\\t\\\n2 # 3\n", "a.b"), "1\t2");
  EXPECT_EQ(ValueOf("[a]\n", "a.b"), std::nullopt);
}

TEST(GitConfigTest, PathsMoveAsAWhole) {
  EXPECT_EQ(MoveRoot("gitdir: /a/b/c\n", "/a/b", "/w"), "gitdir: /w/c\n");
  EXPECT_EQ(MoveRoot("url = /a/b\nx=\"/a/b/\" file:///a/b/c", "/a/b", "/w"), "url = /w\nx=\"/w/\" file:///w/c");
  EXPECT_EQ(MoveRoot("/x/a/b /a/bc https://h/a/b", "/a/b", "/w"), "/x/a/b /a/bc https://h/a/b");
  EXPECT_EQ(MoveRoot("/a/b", "/a/b", "/a/b/a/b"), "/a/b/a/b");
}

}  // namespace
}  // namespace toolgate::executors::shell
