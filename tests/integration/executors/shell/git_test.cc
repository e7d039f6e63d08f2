// Version control in shell commands: what git does is kept as a whole, and compared with a plain run of the same.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "executors/files/settings.pb.h"
#include "executors/shell/settings.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/folder_listing.h"
#include "tests/support/sandbox_run.h"
#include "tests/support/test_server.h"

namespace toolgate {
namespace {

namespace fs = std::filesystem;
using executors::shell::ShellSettings;
using ::testing::HasSubstr;
using testing::ListFolder;
using ::testing::Not;
using testing::TestServer;

// Equal commits in both runs, and no configuration of the machine's.
constexpr char kEnvironment[] =
    "export HOME=/nonexistent GIT_AUTHOR_DATE='2024-01-02T03:04:05Z' GIT_COMMITTER_DATE='2024-01-02T03:04:05Z'\n"
    "export GIT_MERGE_AUTOEDIT=no GIT_EDITOR=true\n";
// Three branches, of which two conflict in no file, a tag, a submodule-like neighbour and a hook.
constexpr char kRepository[] = R"(
git init -q -b main .
git config user.name Tester; git config user.email tester@example.org
for i in 1 2 3 4 5 6; do echo $i > file$i; mkdir -p src; echo "line $i" >> src/lines; git add -A; git commit -qm "change $i"; done
git tag v1
git checkout -q -b topic; echo topic > topic; git add -A; git commit -qm topic; echo more >> topic; git commit -qam 'more topic'
git checkout -q -b other main~2; echo other > other; git add -A; git commit -qm other
git checkout -q main
git clone -q . upstream 2>/dev/null; (cd upstream; git config user.name U; git config user.email u@example.org; echo up > up; git add -A; git commit -qm upstream)
echo upstream/ >> .git/info/exclude
printf '#!/bin/sh\nexit 0\n' > .git/hooks/post-commit; chmod +x .git/hooks/post-commit
)";
// The state of a repository as a person looks at it.
constexpr char kLook[] = R"(
export GIT_OPTIONAL_LOCKS=0
git -C $R log --all --format='%H %an %s %D' 2>&1
git -C $R stash list --format='%H %s'
git -C $R status --porcelain --branch
git -C $R for-each-ref
git -C $R fsck --full --strict --no-dangling 2>&1
git -C $R config --list --local
git -C $R worktree list --porcelain | sed "s,$(realpath $R),ROOT,"
git -C $R reflog
)";

class GitTest : public ::testing::Test {
 protected:
  void SetUp() override {
    TOOLGATE_NEEDS_SANDBOX(geteuid());
    if (std::system("git --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no git";
    fs::create_directories(kept());
    fs::create_directories(plain());
    Start({});
  }
  void Start(const ShellSettings& settings) {
    server_ = nullptr;
    server_ = std::make_unique<TestServer>([&](config::v1::Config& config) {
      config.mutable_families()->MutableExtension(executors::files::FilesSettings::files)->set_root(dir_.path());
      config.mutable_families()->MutableExtension(ShellSettings::shell)->MergeFrom(settings);
      config.mutable_rate_limiting()->set_enforcement(config::v1::ENFORCEMENT_REPORT);
    });
  }

  std::string kept() const { return dir_.path() + "/w"; }
  std::string plain() const { return dir_.path() + "/plain"; }
  std::string Content(const std::string& name) const {
    std::ifstream file(kept() + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void Put(const std::string& name, const std::string& content) const {
    fs::create_directories(fs::path(kept() + "/" + name).parent_path());
    std::ofstream(kept() + "/" + name) << content;
  }

  // Output of a script that runs in a folder of the machine.
  std::string RunPlainly(const std::string& folder, const std::string& script) const {
    const std::string file = dir_.path() + "/script";
    const std::string out = dir_.path() + "/out";
    std::ofstream(file) << kEnvironment << "cd " << folder << "\n" << script << "\n";
    std::system(("bash " + file + " > " + out + " 2>&1").c_str());  // NOLINT(cert-env33-c): the test's own script.
    std::ifstream text(out);
    return {std::istreambuf_iterator<char>(text), {}};
  }
  std::string Look(const std::string& folder, const std::string& repository = ".") const {
    return RunPlainly(folder, absl::StrReplaceAll(kLook, {{"$R", repository}}));
  }
  void MakeRepositories() const {
    for (const std::string& folder : {kept(), plain()}) RunPlainly(folder, kRepository);
    ASSERT_EQ(Look(kept()), Look(plain()));
    ASSERT_THAT(Look(kept()), HasSubstr("change 6"));
  }

  v1::ToolResult Try(const std::string& command, bool dry_run = false) {
    v1::ExecuteRequest request = TestServer::Request(
        "Bash", DumpJson(Json{{"command", absl::StrCat(kEnvironment, "export HOME=/tmp\n", command)}}));
    request.set_dry_run(dry_run);
    v1::ExecuteResponse response;
    EXPECT_TRUE(server_->Execute(request, response).ok());
    if (response.has_confirmation_request()) {
      request.set_confirmation_token(response.confirmation_request().token());
      EXPECT_TRUE(server_->Execute(request, response).ok());
    }
    return response.result();
  }
  Json Run(const std::string& command) {
    const v1::ToolResult result = Try(command);
    EXPECT_TRUE(result.success()) << command << "\n" << result.DebugString();
    last_ = result;
    return ParseJson(result.data_json()).value_or(Json::object());
  }
  std::string ErrorOf(const std::string& command) {
    const v1::ToolResult result = Try(command);
    EXPECT_FALSE(result.success()) << command << "\n" << result.DebugString();
    return absl::StrCat(result.error().code(), ": ", result.error().message());
  }

  // Runs a command both ways, compares, and undoes and redoes it.
  void CompareAndUndo(const std::string& command) {
    SCOPED_TRACE(command);
    const std::string files = ListFolder(kept());
    const std::string before = Look(kept());
    RunPlainly(plain(), command);
    const Json result = Run(command);
    ASSERT_EQ(result.value("exitCode", -1), 0) << result;
    ASSERT_FALSE(result.contains("notKept")) << result;
    const std::string after = Look(kept());
    EXPECT_EQ(after, Look(plain())) << result;
    EXPECT_NE(after, before);
    const std::string undone = last_.undo_entry_id();
    const v1::ToolResult undo = server_->Undo(undone);
    ASSERT_TRUE(undo.success()) << undo.DebugString();
    EXPECT_EQ(Look(kept()), before);
    const v1::ToolResult redo = server_->Undo(undo.undo_entry_id());
    ASSERT_TRUE(redo.success()) << redo.DebugString();
    EXPECT_EQ(Look(kept()), after);
  }

  const testing::TempDir dir_;
  std::unique_ptr<TestServer> server_;
  v1::ToolResult last_;
};

TEST_F(GitTest, WhatGitDoesIsKeptAsAPlainRunKeepsIt) {
  MakeRepositories();
  for (const char* command : {
           "echo dirty >> file1; git stash -q",
           "git stash pop -q",
           "git commit -qam 'a commit by a command'",
           "git checkout -q -b by-command && echo y > y && git add y && git commit -qm y",
           "git checkout -q main && git merge -q --no-ff topic -m merged",
           "git branch release.key && git tag -a -m annotated v2",
           "git checkout -q other && git rebase -q main",
           "git checkout -q main && git pull -q --no-rebase upstream main",
           "git cherry-pick other",
           "git worktree add -q wt topic && echo wt >> .git/info/exclude",
           "cd wt && echo in-worktree > w && git add w && git commit -qm 'in a worktree'",
           "git rm -q file3 && git mv file4 moved4 && git commit -qm moves",
           "git reset -q --hard HEAD~2",
           "git gc -q --prune=now",
           "git worktree remove --force wt",
       }) {
    CompareAndUndo(command);
    if (HasFatalFailure()) return;
  }
  EXPECT_THAT(RunPlainly(kept(), "git fsck --full --strict"), Not(HasSubstr("error")));
}

TEST_F(GitTest, SomeoneWhoLooksAtTheRepositoryIsNotInTheWayOfUndo) {
  MakeRepositories();
  const std::string before = Look(kept());
  Run("echo new > file1; echo new > new; git add -A; git commit -qm new");
  const std::string after = Content(".git/index");
  RunPlainly(kept(), "touch -d '2020-01-01' file2; git status");
  ASSERT_NE(Content(".git/index"), after) << "git has noted the new times";
  const v1::ToolResult undo = server_->Undo(last_.undo_entry_id());
  ASSERT_TRUE(undo.success()) << undo.DebugString();
  EXPECT_EQ(Look(kept()), before);
  const std::string undone = Content(".git/index");
  RunPlainly(kept(), "git add -N . ; git rm -q --cached file3");
  EXPECT_EQ(server_->Undo(undo.undo_entry_id()).error().code(), "CONFLICT") << "something else was staged";
  EXPECT_NE(Content(".git/index"), undone);
}

TEST_F(GitTest, ReadingLeavesTheRepositoryAsItIs) {
  MakeRepositories();
  const std::string before = ListFolder(kept());
  const Json result = Run("git status && git diff && git log --stat && git show HEAD && git blame src/lines");
  EXPECT_EQ(result["exitCode"], 0) << result;
  EXPECT_EQ(result["changes"], Json::array()) << result;
  EXPECT_THAT(result["stdout"].get<std::string>(), Not(HasSubstr("toolgate")));
  EXPECT_EQ(ListFolder(kept()), before);
}

TEST_F(GitTest, WhatALaterGitWouldRunIsReadOnly) {
  MakeRepositories();
  const std::string before = ListFolder(kept());
  for (const char* command : {
           "git config user.name x",
           "git config core.fsmonitor ./evil",
           "git remote add evil ../evil",
           "echo evil > .git/config",
           "echo evil > x; mv -f x .git/config; r=$?; rm x; exit $r",
           "ln -f file1 .git/config",
           "rm .git/config",
           "echo evil > .git/hooks/post-checkout",
           "echo evil >> .git/hooks/post-commit",
           "chmod +x .git/hooks/pre-commit.sample",
           "mv .git/hooks .git/h",
           "echo '* filter=x' > .git/info/attributes",
           "echo /tmp > .git/objects/info/alternates",
           "echo '[core]' > .git/config.worktree",
           "git -C upstream config user.name x",
           "echo evil > upstream/.git/hooks/pre-push",
       }) {
    const Json result = Run(command);
    EXPECT_NE(result.value("exitCode", 0), 0) << command << result;
    EXPECT_EQ(ListFolder(kept()), before) << command;
  }
}

TEST_F(GitTest, ACommandThatPlantsWhatALaterGitWouldRunIsRefused) {
  MakeRepositories();
  const std::string before = ListFolder(kept());
  for (const char* command : {
           "git init -q new && git -C new config core.fsmonitor ./evil",
           "git init -q new && git -C new config alias.st '!evil'",
           "git init -q new && printf '[include]\\npath = ../evil\\n' >> new/.git/config",
           "git init -q new && echo evil > new/.git/hooks/post-checkout",
           "git init -q new && rm -r new/.git/hooks && ln -s ../../src new/.git/hooks",
           "git init -q new && echo '* filter=x' > new/.git/info/attributes",
           "git clone -q --shared upstream new",
           "git init -q --bare new && git -C new config core.sshCommand evil",
           "mkdir -p new/objects new/refs; cp .git/HEAD new; printf '[core]\\nfsmonitor=x\\n' > new/config",
           "mkdir new; echo 'gitdir: ../../elsewhere' > new/.git",
           "mkdir new; echo 'gitdir: /tmp/x' > new/.git",
           "mkdir new; ln -s ../upstream/.git new/.git",
           "echo ../src > .git/commondir",
           "git worktree add -q wt topic; echo ../../../src > .git/worktrees/wt/commondir",
           "GIT_SEQUENCE_EDITOR='sed -i s/^pick/edit/' git rebase -i HEAD~2; echo 'exec evil' >> "
           ".git/rebase-merge/git-rebase-todo",
           "cp -r .git new",
       }) {
    EXPECT_THAT(ErrorOf(command), HasSubstr("FORBIDDEN")) << command;
    EXPECT_EQ(ListFolder(kept()), before) << command;
  }
  for (const char* command : {
           "git init -q new; touch new/.git/hooks-a; echo evil > new/.git/hooks/pre-commit; chmod +x "
           "new/.git/hooks/pre-commit",
           "git init -q new; mkdir new/.git/hooks.d; touch new/.git/hooks.d/x; cp file1 new/.git/hooks/pre-commit",
           // Git takes the configuration of a linked worktree from a folder that needs no HEAD.
           "mkdir -p evil/objects evil/refs evil/worktrees/x proj; printf '[core]\\nfsmonitor = x\\n' > evil/config; "
           "echo ../.. > evil/worktrees/x/commondir; cp .git/HEAD evil/worktrees/x; "
           "echo 'gitdir: ../evil/worktrees/x' > proj/.git",
           "mkdir -p evil/objects evil/refs; printf '[core]\\nfsmonitor = x\\n' > evil/config",
           "mkdir new; echo 'gitdir: ../notyet' > new/.git",
           "mkdir new; ln -s ../.. new/up; echo 'gitdir: up/elsewhere' > new/.git",
           "mkdir new; ln -s ../.git new/g; echo 'gitdir: g' > new/.git",
           "mkdir new; echo 'gitdir: /workspace//etc' > new/.git",
           "mkdir new; printf 'gitdir: ../.git ' > new/.git",
           "mkdir new; echo 'gitdir: ../.git /workspace/.git' > new/.git",
           "ln -s config .git/COMMIT_EDITMSG2",
           "rm .git/description; ln -s config .git/description",
           "ln -s ../src .git/rebase-merge",
           "git init -q new; ln -s config new/.git/COMMIT_EDITMSG",
           "git init -q --bare new; ln -s config new/COMMIT_EDITMSG",
           "ln -s ../../../src .git/refs/heads/dir",
           "git init -q new && git -C new config core.worktree ../..",
           "git init -q --bare .git/modules/s && git -C .git/modules/s config core.worktree ../../../.git/hooks",
           "git init -q --bare .git/modules/s && git -C .git/modules/s config core.worktree ../../../..",
           "ln -s .git/hooks s; git init -q --bare .git/modules/s; "
           "git -C .git/modules/s config core.worktree ../../../s",
       }) {
    EXPECT_THAT(ErrorOf(command), HasSubstr("FORBIDDEN")) << command;
    EXPECT_EQ(ListFolder(kept()), before) << command;
  }
  Put("bare/config", "[core]\nfsmonitor = evil\n");
  Put("bare/objects/x", "");
  Put("bare/refs/x", "");
  EXPECT_THAT(ErrorOf("cp .git/HEAD bare"), HasSubstr("core.fsmonitor"));
  EXPECT_FALSE(fs::exists(kept() + "/bare/HEAD"));
}

TEST_F(GitTest, AFolderThatIsThereIsLookedAtWhenSomethingLeadsThere) {
  for (const char* name : {"x/objects/o", "x/refs/r", "common/objects/o", "common/refs/r"}) Put(name, "");
  Put("x/HEAD", "ref: refs/heads/main\n");
  for (const char* name : {"x/config", "common/config"}) Put(name, "[core]\nfsmonitor = evil\n");
  const std::string before = ListFolder(kept());
  for (const char* command : {
           "mkdir proj; echo 'gitdir: ../x' > proj/.git",
           "mkdir proj; echo 'gitdir: /workspace/x' > proj/.git",
           "mkdir -p common/worktrees/w; cp x/HEAD common/worktrees/w; echo ../.. > common/worktrees/w/commondir",
           "mkdir -p x/worktrees/w; cp x/HEAD x/worktrees/w; echo ../.. > x/worktrees/w/commondir",
       }) {
    EXPECT_THAT(ErrorOf(command), HasSubstr("core.fsmonitor")) << command;
    EXPECT_EQ(ListFolder(kept()), before) << command;
  }
  EXPECT_NE(Run("echo > common/config")["exitCode"], 0) << "it is read-only";
}

TEST_F(GitTest, SubmodulesAndWorktreesAreKept) {
  MakeRepositories();
  RunPlainly(kept(), "git -c protocol.file.allow=always submodule add -q ./upstream sub; git commit -qam sub");
  const Json cloned =
      Run("git -c protocol.file.allow=always clone -q --recurse-submodules . copy && git -C copy submodule status && "
          "git -C copy/sub checkout -q -b b && git -C copy worktree add -q ../tree && git -C tree log --oneline -1");
  EXPECT_EQ(cloned["exitCode"], 0) << cloned;
  EXPECT_FALSE(cloned.contains("notKept")) << cloned;
  EXPECT_THAT(Content("copy/sub/.git"), HasSubstr("gitdir: ../.git/modules/sub"));
  EXPECT_THAT(RunPlainly(kept(), "git -C copy/sub log --oneline -1"), HasSubstr(" upstream"));
  EXPECT_THAT(RunPlainly(kept(), "git -C tree log --oneline -1; git -C copy worktree list"), HasSubstr("sub\n"));
  EXPECT_EQ(Run("cd copy/sub && git commit -q --allow-empty -m x 2>&1 || git -c user.name=N -c user.email=e commit -q "
                "--allow-empty -m x")["exitCode"],
            0);
}

// Puts an entry into the index under a name that git allows, and renames it there.
constexpr char kPlantIndex[] =
    "b=$(git hash-object -w file1); git update-index --index-version 2; "
    "git update-index --add --cacheinfo 100755,$b,PLACE && sed -i 's/PLACE/TARGET/' .git/index";

TEST_F(GitTest, AnIndexThatWouldWriteIntoARepositoryIsRefused) {
  MakeRepositories();
  const std::string before = ListFolder(kept());
  // Of equal lengths, as the index has them.
  const std::pair<const char*, const char*> names[] = {{"@git/hooks/post-checkout", ".git\\/hooks\\/post-checkout"},
                                                       {"src/@git/hooks/x", "src\\/.git\\/hooks\\/x"},
                                                       {"git@1/hooks/x", "git~1\\/hooks\\/x"},
                                                       {"@GIT/x", ".GIT\\/x"},
                                                       {"@@/evil", "..\\/evil"},
                                                       {"@evil", "\\/evil"},
                                                       {"src/@/evil", "src\\/.\\/evil"},
                                                       {"src@x", "src\\/\\/"}};
  for (const auto& [place, target] : names) {
    const std::string pattern = absl::StrReplaceAll(place, {{"/", "\\/"}});
    const std::string command = absl::StrReplaceAll(
        kPlantIndex, {{"s/PLACE/TARGET/", absl::StrCat("s/", pattern, "/", target, "/")}, {"PLACE", place}});
    EXPECT_THAT(ErrorOf(command), HasSubstr("\" lists \"")) << command;
    EXPECT_EQ(ListFolder(kept()), before) << command;
  }
  for (const char* command : {"git update-index --split-index", "printf x >> .git/index", "echo > .git/index",
                              "cp .git/index .git/i; head -c 100 .git/i > .git/index"}) {
    EXPECT_THAT(ErrorOf(command), HasSubstr("is no index")) << command;
    EXPECT_EQ(ListFolder(kept()), before) << command;
  }
}

TEST_F(GitTest, EachFormOfAnIndexIsKept) {
  MakeRepositories();
  for (const char* command : {"git update-index --index-version 4", "git update-index --skip-worktree file2",
                              "git update-index --index-version 3", "git update-index --untracked-cache",
                              "git -c index.threads=2 update-index --force-write-index",
                              "git add -N . ; echo n > n; git add -N n", "git rm -q --cached -r ."}) {
    EXPECT_EQ(Run(command).value("exitCode", -1), 0) << command;
  }
  EXPECT_EQ(Run("git init -q --object-format=sha256 new && cd new && git config user.name N && "
                "git config user.email e && echo a > a && git add a && git commit -qm a")["exitCode"],
            0);
  EXPECT_THAT(RunPlainly(kept(), "git -C new log --oneline && git -C new fsck"), HasSubstr(" a"));
}

TEST_F(GitTest, CredentialsBesideTheConfigurationAreNeitherShownNorReplaced) {
  MakeRepositories();
  Put(".git/credentials", "https://me:hunter2@example.org\n");
  RunPlainly(kept(), "git branch credentials");
  const v1::ToolResult shown = Try("echo mine > .git/credentials; echo x > x", true);
  EXPECT_TRUE(shown.success()) << shown.DebugString();
  EXPECT_THAT(shown.data_json(), Not(HasSubstr("hunter2")));
  const Json result = Run("echo mine > .git/credentials; echo x > x");
  ASSERT_TRUE(result.contains("notKept")) << result;
  EXPECT_EQ(result["notKept"][0]["path"], ".git/credentials");
  EXPECT_THAT(Content(".git/credentials"), HasSubstr("hunter2"));
  const Json moved = Run("git branch -f credentials main~1");
  EXPECT_FALSE(moved.contains("notKept")) << moved;
  EXPECT_EQ(RunPlainly(kept(), "git rev-parse credentials"), RunPlainly(kept(), "git rev-parse main~1"));
}

TEST_F(GitTest, UndoLeavesObjectsThatOthersUse) {
  MakeRepositories();
  Run("echo new > file1; git commit -qam new");
  RunPlainly(kept(), "git tag by-person");
  const v1::ToolResult undo = server_->Undo(last_.undo_entry_id());
  ASSERT_TRUE(undo.success()) << undo.DebugString();
  EXPECT_THAT(RunPlainly(kept(), "git log --oneline -1 by-person; git fsck --full"), HasSubstr(" new\n"));
  EXPECT_THAT(RunPlainly(kept(), "git fsck --full"), Not(HasSubstr("missing")));
  const v1::ToolResult redo = server_->Undo(undo.undo_entry_id());
  ASSERT_TRUE(redo.success()) << redo.DebugString();
  EXPECT_EQ(RunPlainly(kept(), "git rev-parse main"), RunPlainly(kept(), "git rev-parse by-person"));
  const v1::ToolResult again = server_->Undo(redo.undo_entry_id());
  ASSERT_TRUE(again.success()) << again.DebugString();
  RunPlainly(kept(), "git tag -d by-person; git reflog expire --expire=now --all; git prune --expire=now");
  EXPECT_EQ(server_->Undo(again.undo_entry_id()).error().code(), "CONFLICT") << "the objects are gone";
  EXPECT_EQ(RunPlainly(kept(), "git fsck --full --no-dangling"), "");
}

TEST_F(GitTest, UndoRemovesARepositoryThatTheCommandMade) {
  const std::string before = ListFolder(kept());
  Run("git init -q new && cd new && git config user.name N && git config user.email e && echo a > a && git add a && "
      "git commit -qm a");
  ASSERT_TRUE(server_->Undo(last_.undo_entry_id()).success());
  EXPECT_EQ(ListFolder(kept()), before);
}

TEST_F(GitTest, TrackedFilesThatCommandsDoNotSeeAreNotTakenForRemoved) {
  MakeRepositories();
  RunPlainly(kept(),
             "echo token > .npmrc; mkdir tests; echo cert > tests/cert.pem; git add -fA; git commit -qm secrets;"
             "git checkout -q -b changed; echo other > .npmrc; git commit -qam changed; git checkout -q main");
  const std::string before = ListFolder(kept());
  for (const char* command : {
           "echo x > file1; git commit -qam x",
           "echo x > file1; git add -A",
           "git rm -q --cached .npmrc",
           "echo x > file1; git stash -q",
           "git checkout -q -f changed",
           "git reset -q --hard",
       }) {
    const std::string error = ErrorOf(command);
    EXPECT_THAT(error, HasSubstr("FORBIDDEN")) << command;
    EXPECT_TRUE(error.find(".npmrc") != std::string::npos || error.find("cert.pem") != std::string::npos) << error;
    EXPECT_EQ(ListFolder(kept()), before) << command;
  }
  const Json result = Run("echo x > file1; git add file1; git commit -qm x; echo own > .netrc; echo y > y; git add y");
  EXPECT_EQ(result["exitCode"], 0) << result;
  EXPECT_EQ(RunPlainly(kept(), "git show --stat --format= HEAD | head -1"), " file1 | 2 +-\n");
}

TEST_F(GitTest, AnotherGitAtWorkIsAConflict) {
  MakeRepositories();
  Put(".git/index.lock", "");
  EXPECT_THAT(ErrorOf("git tag t"), HasSubstr("CONFLICT"));
  EXPECT_EQ(Run("echo x > x")["exitCode"], 0);
  EXPECT_EQ(Run("rm .git/index.lock; git tag t")["exitCode"], 0);
}

TEST_F(GitTest, NewRepositoriesAreKeptWhole) {
  EXPECT_EQ(Run("git init -q -b main && git config user.name N && git config user.email n@example.org && echo a > a && "
                "git add a && git commit -qm first && git status --porcelain")["stdout"],
            "");
  EXPECT_THAT(Look(kept()), HasSubstr("first"));
  EXPECT_EQ(RunPlainly(kept(), "git status --porcelain"), "") << "the service's own folder is not shown";
  const Json cloned =
      Run("git clone -q . sub && git -C sub checkout -q -b b && git init -q --bare bare.git && "
          "git push -q bare.git main");
  EXPECT_EQ(cloned["exitCode"], 0) << cloned;
  EXPECT_THAT(Look(kept(), "sub"), HasSubstr("first"));
  EXPECT_THAT(Look(kept(), "bare.git"), HasSubstr("first"));
  EXPECT_THAT(RunPlainly(kept(), "git -C sub fetch && echo fetched"), HasSubstr("fetched"));
  EXPECT_EQ(Run("git -C sub pull -q origin main")["exitCode"], 0);
  EXPECT_NE(Run("git config user.name x")["exitCode"], 0);
}

TEST_F(GitTest, PasswordsOfTheConfigurationAreNotShown) {
  MakeRepositories();
  RunPlainly(
      kept(),
      "git remote add origin https://me:hunter2@example.org/x.git; "
      "git config http.extraHeader 'Authorization: hunter2'; git config core.sshCommand 'sshpass -p hunter2 ssh';"
      "git config credential.helper '!f() { echo password=hunter2; }; f'; git config alias.x '!echo hunter2';"
      "git config filter.x.clean 'openssl enc -k hunter2'; echo '*.x filter=x' > .git/info/attributes");
  const Json result = Run("git remote -v; cat .git/config; git config --list");
  EXPECT_THAT(result["stdout"].get<std::string>(), HasSubstr("https://example.org/x.git"));
  EXPECT_THAT(result["stdout"].get<std::string>(), Not(HasSubstr("hunter2")));
  EXPECT_THAT(Content(".git/config"), HasSubstr("hunter2"));
  EXPECT_NE(Run("echo plain > a.x; git add a.x")["exitCode"], 0) << "what the filter changes is not stored without it";
}

TEST_F(GitTest, AWorktreeOfThePersonsIsUsedToo) {
  MakeRepositories();
  RunPlainly(kept(), "git worktree add -q wt topic");
  const std::string link = Content("wt/.git");
  EXPECT_EQ(Run("cd wt && echo w > w && git add w && git commit -qm w && git worktree list")["exitCode"], 0);
  EXPECT_EQ(Content("wt/.git"), link);
  EXPECT_THAT(RunPlainly(kept() + "/wt", "git log --oneline -1; git status"), HasSubstr(" w\n"));
}

TEST_F(GitTest, ReadOnlyIsSaidByGit) {
  ShellSettings settings;
  settings.set_git(ShellSettings::READ_ONLY);
  Start(settings);
  MakeRepositories();
  const std::string before = ListFolder(kept());
  for (const char* command : {"git commit --allow-empty -qm x", "git stash list && git tag x", "touch .git/x"}) {
    const Json result = Run(command);
    EXPECT_NE(result.value("exitCode", 0), 0) << command << result;
  }
  EXPECT_EQ(Run("git status && git log -1")["exitCode"], 0);
  EXPECT_THAT(ErrorOf("git init -q new"), HasSubstr("shell.git"));
  EXPECT_EQ(ListFolder(kept()), before);
}

TEST_F(GitTest, ACollectionBeyondTheBoundsIsToldAndKeepsNothing) {
  ShellSettings settings;
  settings.set_max_changed_files(40);
  Start(settings);
  MakeRepositories();
  const std::string before = ListFolder(kept());
  const v1::ToolResult result = Try("git gc -q --prune=now");
  EXPECT_TRUE(!result.success() || ParseJson(result.data_json())->value("killed", "") == "disk")
      << result.DebugString();
  EXPECT_EQ(ListFolder(kept()), before);
}

TEST_F(GitTest, ADryRunShowsAndKeepsNothing) {
  MakeRepositories();
  const std::string before = ListFolder(kept());
  const v1::ToolResult result = Try("echo z > file1; git commit -qam dry", true);
  EXPECT_TRUE(result.success()) << result.DebugString();
  EXPECT_THAT(result.data_json(), HasSubstr("refs/heads/main"));
  EXPECT_EQ(ListFolder(kept()), before);
}

}  // namespace
}  // namespace toolgate
