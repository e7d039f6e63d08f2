#include "executors/shell/change_plan.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/tool_error.h"
#include "executors/directory/path.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/directory_limits.h"
#include "tests/support/temp_dir.h"

namespace toolgate::executors::shell {
namespace {

namespace fs = std::filesystem;
using directory::Directory;
using directory::FileKind;
using sandbox::EntryKind;
using sandbox::UpperEntry;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A folder for the workspace and one for the upper layer.
class ChangePlanTest : public ::testing::Test {
 protected:
  ChangePlanTest() {
    fs::create_directories(dir_.path() + "/workspace");
    fs::create_directories(dir_.path() + "/upper");
    directory_ =
        Directory::Open(dir_.path() + "/workspace", directory::DenyList::Create({}).value(), testing::kDirectoryLimits)
            .value();
    upper_ = Descriptor(open((dir_.path() + "/upper").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  void Put(const std::string& name, const std::string& content = "x") const {
    fs::create_directories(fs::path(dir_.path() + "/" + name).parent_path());
    std::ofstream(dir_.path() + "/" + name) << content;
  }
  static UpperEntry File(const std::string& path, uint32_t mode = 0644) {
    return {path, EntryKind::kFile, mode, 1, "", false, false};
  }
  static UpperEntry Folder(const std::string& path, bool replaces = false) {
    return {path, EntryKind::kFolder, 0755, 0, "", replaces, false};
  }
  static UpperEntry Removed(const std::string& path) { return {path, EntryKind::kRemoved, 0, 0, "", false, false}; }
  static UpperEntry Link(const std::string& path, const std::string& target) {
    return {path, EntryKind::kLink, 0777, 0, target, false, false};
  }

  // "remove a", "file 644 a", "folder 755 a", "link a -> b" and "not a".
  std::vector<std::string> Plan(const std::vector<UpperEntry>& entries) {
    const ChangePlan plan = PlanChanges(*directory_, entries, keeps_git_, fibers::Cancellation()).value();
    std::vector<std::string> lines;
    for (const PlannedChange& change : plan.changes) {
      if (change.kind == FileKind::kMissing) lines.push_back("remove " + change.path);
      if (change.kind == FileKind::kFile) lines.push_back(absl::StrFormat("file %o %s", change.mode, change.path));
      if (change.kind == FileKind::kFolder) lines.push_back(absl::StrFormat("folder %o %s", change.mode, change.path));
      if (change.kind == FileKind::kLink) lines.push_back(absl::StrCat("link ", change.path, " -> ", change.target));
    }
    for (const NotKept& row : plan.not_kept) lines.push_back("not " + row.path);
    return lines;
  }

  const testing::TempDir dir_;
  std::shared_ptr<Directory> directory_;
  bool keeps_git_ = false;
  Descriptor upper_;
};

TEST_F(ChangePlanTest, NewThingsAreAdded) {
  EXPECT_THAT(Plan({Folder("a"), File("a/b", 0755), Link("a/c", "/etc/passwd")}),
              ElementsAre("folder 755 a", "file 755 a/b", "link a/c -> /etc/passwd"));
}

TEST_F(ChangePlanTest, AFolderThatIsThereIsNoChange) {
  Put("workspace/a/b");
  EXPECT_THAT(Plan({Folder("a"), File("a/b")}), ElementsAre("file 644 a/b"));
}

TEST_F(ChangePlanTest, ARemovedFolderIsRemovedWithAllBelowIt) {
  Put("workspace/a/b/c");
  Put("workspace/a/d");
  EXPECT_THAT(Plan({Removed("a")}),
              ::testing::UnorderedElementsAre("remove a/b", "remove a/b/c", "remove a/d", "remove a"));
}

TEST_F(ChangePlanTest, WhatIsGoneAlreadyIsNotRemoved) { EXPECT_THAT(Plan({Removed("a")}), IsEmpty()); }

TEST_F(ChangePlanTest, AFolderThatReplacesAnotherHidesItsContent) {
  Put("workspace/a/old");
  Put("workspace/a/kept");
  EXPECT_THAT(Plan({Folder("a", true), File("a/kept")}), ElementsAre("remove a/old", "file 644 a/kept"));
}

TEST_F(ChangePlanTest, WhatIsReplacedTwiceIsRemovedOnce) {
  Put("workspace/a/b/c/d");
  EXPECT_THAT(Plan({Folder("a", true), Folder("a/b", true), File("a/b/c")}),
              ElementsAre("remove a/b/c/d", "file 644 a/b/c"));
}

TEST_F(ChangePlanTest, KindsMayChange) {
  Put("workspace/a/old");
  Put("workspace/b");
  EXPECT_THAT(Plan({File("a"), Folder("b", true), File("b/c")}),
              ElementsAre("remove a/old", "file 644 a", "folder 755 b", "file 644 b/c"));
}

TEST_F(ChangePlanTest, TheDenyListIsLeftAlone) {
  Put("workspace/a/.env");
  Put("workspace/a/b");
  Put("workspace/c/.env");
  EXPECT_THAT(Plan({Removed("a"), File("c", 0644), Folder(".git"), File(".git/index"), File("d.pem")}),
              ElementsAre("remove a/b", "not a", "not c", "not .git", "not d.pem"));
}

TEST_F(ChangePlanTest, VersionControlIsKeptIfItMayBe) {
  keeps_git_ = true;
  Put("workspace/a/.git/refs/heads/id_rsa_fix");
  Put("workspace/a/.git/HEAD");
  Put("workspace/.ssh/.git/HEAD");
  EXPECT_THAT(Plan({Removed("a"), Folder(".git"), File(".git/refs/tags/release.key", 0644), Removed(".ssh/.git/HEAD"),
                    File(".GIT", 0644)}),
              ::testing::UnorderedElementsAre("remove a/.git/refs/heads/id_rsa_fix", "remove a/.git/refs/heads",
                                              "remove a/.git/refs", "remove a/.git/HEAD", "remove a/.git", "remove a",
                                              "folder 755 .git", "file 644 .git/refs/tags/release.key",
                                              "not .ssh/.git/HEAD", "not .GIT"));
}

// A path of `depth` components.
std::string Deep(size_t depth) {
  std::string path = "d";
  for (size_t i = 1; i < depth; ++i) path += "/d";
  return path;
}

TEST_F(ChangePlanTest, WhatIsOutOfReachStays) {
  const std::string deepest = Deep(directory::kMaxComponents);
  Put("workspace/" + deepest + "/d/.env");
  Put("workspace/d/file");
  EXPECT_THAT(Plan({Removed("d")}), ElementsAre("remove d/file", "not d"));
  EXPECT_THAT(Plan({File("e/" + deepest), Folder("f" + deepest.substr(1))}),
              ElementsAre("folder 755 f" + deepest.substr(1), "not e/" + deepest));
}

TEST_F(ChangePlanTest, AsksForCancellation) {
  fibers::Cancellation cancellation;
  cancellation.Cancel();
  EXPECT_EQ(GetToolError(PlanChanges(*directory_, {File("a")}, keeps_git_, cancellation).status())->code,
            ErrorCode::kCancelled);
}

TEST_F(ChangePlanTest, SpecialFilesAreLeftOut) {
  UpperEntry pipe = File("pipe");
  pipe.kind = EntryKind::kSpecial;
  EXPECT_THAT(Plan({pipe}), ElementsAre("not pipe"));
  ASSERT_EQ(mkfifo((dir_.path() + "/workspace/fifo").c_str(), 0600), 0);
  EXPECT_THAT(Plan({Removed("fifo"), File("fifo2")}), ElementsAre("file 644 fifo2", "not fifo"));
}

TEST_F(ChangePlanTest, SetUserIdBitsAreLeftOut) {
  EXPECT_THAT(Plan({File("a", 06755)}), ElementsAre("file 755 a", "not a"));
}

TEST_F(ChangePlanTest, LinksOfTheWorkspaceAreNotFollowed) {
  fs::create_directory_symlink("/etc", dir_.path() + "/workspace/link");
  EXPECT_THAT(Plan({Removed("link")}), ElementsAre("remove link"));
  EXPECT_THAT(Plan({Folder("link", true), File("link/passwd")}),
              ElementsAre("folder 755 link", "file 644 link/passwd"));
}

TEST_F(ChangePlanTest, ADryRunShowsWhatWouldDiffer) {
  Put("workspace/same", "same\n");
  Put("upper/same", "same\n");
  Put("workspace/text", "one\ntwo\nthree\n");
  Put("upper/text", "one\n2\nthree\n");
  Put("upper/binary", std::string("\0\1", 2));
  Put("workspace/old", "old\n");
  const ChangePlan plan = PlanChanges(*directory_, {File("binary"), Removed("old"), File("same"), File("text")},
                                      keeps_git_, fibers::Cancellation())
                              .value();
  const auto changes = CompareChanges(plan, upper_.get(), *directory_, fibers::Cancellation());
  ASSERT_TRUE(changes.ok()) << changes.status();
  EXPECT_EQ(changes->size(), 3U);
  const auto diff = DiffChanges(*changes, upper_.get(), *directory_, 10'000, fibers::Cancellation());
  ASSERT_TRUE(diff.ok()) << diff.status();
  EXPECT_THAT(*diff, HasSubstr("added file binary\n"));
  EXPECT_THAT(*diff, HasSubstr("--- a/text\n+++ b/text\n"));
  EXPECT_THAT(*diff, HasSubstr("-two\n+2\n"));
  EXPECT_THAT(*diff, HasSubstr("--- a/old\n+++ /dev/null\n"));
}

TEST_F(ChangePlanTest, AllUsersMayWriteOnlyWhatTheyMightBefore) {
  Put("workspace/open/x");
  Put("workspace/closed/x");
  fs::permissions(dir_.path() + "/workspace/open", fs::perms::all);
  const auto folder = [](const std::string& path, uint32_t mode) {
    return UpperEntry{path, EntryKind::kFolder, mode, 0, "", false, false};
  };
  EXPECT_THAT(
      Plan({folder("closed", 0777), folder("new", 01777), File("new/y", 0666), folder("open", 0777)}),
      ElementsAre("folder 775 closed", "folder 775 new", "file 664 new/y", "not closed", "not new", "not new/y"));
}

}  // namespace
}  // namespace toolgate::executors::shell
