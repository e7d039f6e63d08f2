#include "executors/shell/bash.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/sandbox_run.h"
#include "tests/support/tool_harness.h"

namespace toolgate::executors::shell {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class BashTest : public ::testing::Test {
 protected:
  void SetUp() override {
    TOOLGATE_NEEDS_SANDBOX(geteuid());
    fs::create_directories(harness_.files() + "/test");
  }

  std::string Path(const std::string& name) { return harness_.files() + "/test/" + name; }
  void Put(const std::string& name, const std::string& content) {
    fs::create_directories(fs::path(Path(name)).parent_path());
    std::ofstream(Path(name), std::ios::binary) << content;
  }
  std::string Content(const std::string& name) {
    std::ifstream file(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  Json RunWith(const Json& arguments, storage::CommitMode mode = storage::CommitMode::kDurable) {
    const auto result = harness_.Call("Bash", arguments, mode);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.value_or(Json());
  }
  Json Run(const std::string& command) { return RunWith(Json{{"command", command}}); }
  ToolError Failure(const Json& arguments) {
    const auto result = harness_.Call("Bash", arguments);
    EXPECT_FALSE(result.ok());
    return GetToolError(result.status()).value_or(ToolError());
  }

  testing::ToolHarness harness_;
};

TEST_F(BashTest, ChangesTheWorkspaceAndSaysWhat) {
  Put("file", "old\n");
  Put("gone", "x");
  Put("script", "x");
  const Json result =
      Run("echo new > file; rm gone; mkdir d; echo y > d/y; chmod +x script; ln -s file link; touch d/y");
  EXPECT_EQ(result["exitCode"], 0);
  EXPECT_EQ(result["changes"], Json::parse(R"([
      {"path":"d","change":"added","type":"folder"}, {"path":"d/y","change":"added","type":"file"},
      {"path":"file","change":"changed","type":"file"}, {"path":"gone","change":"removed","type":"file"},
      {"path":"link","change":"added","type":"link"}, {"path":"script","change":"mode","type":"file"}])"))
      << result;
  EXPECT_EQ(Content("file"), "new\n");
  EXPECT_FALSE(fs::exists(Path("gone")));
  EXPECT_EQ(fs::read_symlink(Path("link")), "file");
  EXPECT_TRUE((fs::status(Path("script")).permissions() & fs::perms::owner_exec) != fs::perms::none);
}

TEST_F(BashTest, AFileThatIsOnlyTouchedIsNoChange) {
  Put("file", "same\n");
  EXPECT_EQ(Run("touch file; echo same > file")["changes"], Json::array());
}

TEST_F(BashTest, ACommandThatFailsKeepsItsChanges) {
  const Json result = Run("echo x > file; exit 4");
  EXPECT_EQ(result["exitCode"], 4);
  EXPECT_EQ(Content("file"), "x\n");
}

TEST_F(BashTest, ACommandThatIsKilledKeepsNone) {
  const Json result = RunWith(Json{{"command", "echo x > file; echo out; sleep 60"}, {"timeoutMs", 300}});
  EXPECT_EQ(result["killed"], "timeout");
  EXPECT_FALSE(result.contains("exitCode"));
  EXPECT_EQ(result["stdout"], "out\n");
  EXPECT_EQ(result["changes"], Json::array());
  EXPECT_FALSE(fs::exists(Path("file")));
}

TEST_F(BashTest, ASignalHasAName) {
  const Json result = Run("kill -SEGV $$");
  EXPECT_EQ(result["exitCode"], 139);
  EXPECT_EQ(result["signal"], "SIGSEGV");
}

TEST_F(BashTest, LongOutputIsCut) {
  const Json result = Run("seq 100000; echo end >&2");
  EXPECT_EQ(result["stdoutBytes"], 588895);
  EXPECT_THAT(result["stdout"].get<std::string>(), StartsWith("1\n2\n"));
  EXPECT_THAT(result["stdout"].get<std::string>(), HasSubstr("bytes left out"));
  EXPECT_THAT(result["stdout"].get<std::string>(), ::testing::EndsWith("\n100000\n"));
  EXPECT_FALSE(result.contains("stderrBytes"));
}

TEST_F(BashTest, OutputThatIsNoTextIsShownAllTheSame) {
  const Json result = Run("printf 'a\\377b'; printf 'ä\\303' >&2; printf 'x\\200\\201' >&2");
  EXPECT_EQ(result["stdout"], "a\uFFFDb");
  EXPECT_EQ(result["stdoutReplacedBytes"], 1);
  EXPECT_EQ(result["stderrReplacedBytes"], 3);
  EXPECT_FALSE(Run("printf ä")["stdout"].contains("stdoutReplacedBytes"));
}

TEST_F(BashTest, LongOutputIsCutBetweenCharacters) {
  for (const char* start : {"", "a", "aa", "aaa"}) {
    const Json result = Run(std::string("printf '%s' ") + start + "; for i in {1..30000}; do printf '😀é'; done");
    EXPECT_FALSE(result.contains("stdoutReplacedBytes")) << start;
    EXPECT_THAT(result["stdout"].get<std::string>(), ::testing::Not(HasSubstr("\uFFFD")));
    EXPECT_THAT(result["stdout"].get<std::string>(), HasSubstr("bytes left out"));
  }
}

TEST_F(BashTest, ItsOutputHasNames) {
  const auto expect_names = [this] {
    const Json result = Run("echo out > /dev/stdout; echo err > /dev/stderr; echo tee | tee /dev/stdout /dev/stderr");
    EXPECT_EQ(result["exitCode"], 0) << result;
    EXPECT_EQ(result["stdout"], "out\ntee\ntee\n");
    EXPECT_EQ(result["stderr"], "err\ntee\n");
  };
  expect_names();
  if (geteuid() != 0) GTEST_SKIP() << "only root runs commands as another user";
  constexpr uid_t kOther = 4321;
  ASSERT_EQ(chown(Path("").c_str(), kOther, kOther), 0);
  expect_names();
}

TEST_F(BashTest, TheSandboxsOwnCommandLineIsNotShown) {
  const Json result = Run("cat /proc/[0-9]*/cmdline /proc/[0-9]*/task/*/cmdline | tr '\\0' ' '; ps -ef 2>/dev/null");
  const std::string shown = result["stdout"].get<std::string>();
  EXPECT_THAT(shown, HasSubstr("cmdline")) << "the command itself";
  for (const char* own : {"--unshare", "--ro-bind", "/tmp/merged", "--seccomp"}) {
    EXPECT_THAT(shown, ::testing::Not(HasSubstr(own)));
  }
}

TEST_F(BashTest, AFolderOfTheWorkspaceIsRenamed) {
  Put("old/a/b", "b\n");
  Put("old/c", "c\n");
  fs::create_symlink("c", Path("old/link"));
  fs::create_directories(Path("empty"));
  fs::create_directories(Path("full/x"));
  constexpr char kRename[] = "rename() { perl -e 'rename($ARGV[0], $ARGV[1]) or die \"$!\\n\"' \"$@\"; }; ";
  const Json result =
      Run(std::string(kRename) +
          "chmod 555 old/a; rename old new && rename new empty && chmod 750 empty/a && rename empty/ sub && cd sub && "
          "rename a ../a && rename ../a \"$PWD/a\" && rename /workspace/sub /workspace/last; "
          "rename ../last ../full; rename ../last ../last/a/x");
  EXPECT_EQ(result["stderr"].get<std::string>(), "Directory not empty\nInvalid argument\n") << result;
  EXPECT_EQ(Content("last/a/b"), "b\n");
  EXPECT_EQ(Content("last/c"), "c\n");
  EXPECT_EQ(fs::read_symlink(Path("last/link")), "c");
  EXPECT_EQ(fs::status(Path("last/a")).permissions(), fs::perms(0750));
  for (const char* gone : {"old", "new", "empty", "sub", "a"}) EXPECT_FALSE(fs::exists(Path(gone))) << gone;
  EXPECT_FALSE(result.contains("notKept")) << result;
}

TEST_F(BashTest, BeginsInItsFolder) {
  Put("folder/x", "");
  fs::create_directory_symlink("folder", Path("link"));
  EXPECT_EQ(RunWith(Json{{"command", "pwd"}, {"cwd", "folder/"}})["stdout"], "/workspace/folder\n");
  EXPECT_EQ(RunWith(Json{{"command", "pwd"}, {"cwd", "link"}})["stdout"], "/workspace/folder\n");
  EXPECT_EQ(RunWith(Json{{"command", "pwd"}, {"cwd", "/workspace/folder"}})["stdout"], "/workspace/folder\n");
  EXPECT_EQ(RunWith(Json{{"command", "pwd"}, {"cwd", "/workspace"}})["stdout"], "/workspace\n");
}

TEST_F(BashTest, RefusesAFolderThatItMayNotBeginIn) {
  Put("file", "");
  fs::create_directory_symlink("/etc", Path("out"));
  Put(".ssh/x", "");
  for (const char* cwd : {"../other", "/etc", "out", "missing", "file", ".ssh", ".toolgate"}) {
    EXPECT_NE(Failure(Json{{"command", "echo x > made"}, {"cwd", cwd}}).message, "") << cwd;
  }
  EXPECT_FALSE(fs::exists(Path("made")));
}

TEST_F(BashTest, SecretsAreNeitherSeenNorChanged) {
  Put("a/.env", "PASSWORD=x\n");
  Put("a/b", "x");
  Put(".git/config", "[remote \"o\"]\n\turl = https://u:secret@h/x\n");
  Put(".git/HEAD", "ref: refs/heads/main\n");
  const Json result = Run("cat a/.env .git/config; cat .git/HEAD; rm -r a; echo mine > key.pem; echo x > .git/HEAD");
  EXPECT_EQ(result["stdout"], "[remote \"o\"]\n\turl = https://h/x\nref: refs/heads/main\n");
  EXPECT_EQ(Content("a/.env"), "PASSWORD=x\n");
  EXPECT_FALSE(fs::exists(Path("a/b")));
  EXPECT_EQ(Content(".git/HEAD"), "x\n");
  EXPECT_FALSE(fs::exists(Path("key.pem")));
  ASSERT_EQ(result["notKept"].size(), 2U) << result;
  EXPECT_EQ(result["notKept"][0]["path"], "a");
}

TEST_F(BashTest, PlantedLinksLeadNowhere) {
  const std::string outside = harness_.files() + "/outside";
  fs::create_directories(outside);
  std::ofstream(outside + "/file") << "outside\n";
  Put("folder/file", "inside\n");
  // A folder becomes a link to a folder outside, and a link outside becomes a folder.
  Run("rm -r folder; ln -s " + outside + " folder; ln -s " + outside + "/file file; ln -s /workspace/../outside up");
  EXPECT_EQ(fs::read_symlink(Path("folder")), outside);
  Run("rm folder; mkdir folder; echo new > folder/file; rm file; echo new > file");
  EXPECT_EQ(Content("folder/file"), "new\n");
  EXPECT_EQ(Content("file"), "new\n");
  std::ifstream file(outside + "/file");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "outside\n");
}

TEST_F(BashTest, ADryRunShowsTheChangesAndMakesNone) {
  Put("file", "one\ntwo\n");
  const Json result = RunWith(Json{{"command", "sed -i s/two/2/ file; echo x > new"}}, storage::CommitMode::kDryRun);
  EXPECT_EQ(result["changes"].size(), 2U) << result;
  EXPECT_THAT(result["diff"].get<std::string>(), HasSubstr("-two\n+2\n"));
  EXPECT_EQ(Content("file"), "one\ntwo\n");
  EXPECT_FALSE(fs::exists(Path("new")));
  EXPECT_FALSE(fs::exists(Path(".toolgate")));
}

TEST_F(BashTest, TooManyChangesAreRefused) {
  const ToolError error = Failure(Json{{"command", "mkdir d; cd d; seq 30000 | xargs touch; true"}});
  EXPECT_EQ(error.code, ErrorCode::kQuotaExceeded) << error.message;
  EXPECT_FALSE(fs::exists(Path("d")));
}

TEST_F(BashTest, NamesMayBeAnyBytes) {
  const Json result = Run("touch $'new\\nline' $'bytes\\377' \"it's\" ' blank '");
  EXPECT_EQ(result["changes"].size(), 4U) << result;
  EXPECT_TRUE(fs::exists(Path("new\nline")));
  EXPECT_TRUE(fs::exists(Path("bytes\377")));
}

}  // namespace
}  // namespace toolgate::executors::shell
