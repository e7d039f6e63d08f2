#include "executors/directory/staging.h"

#include <unistd.h>

#include "tests/unit/executors/directory/directory_fixture.h"

namespace toolgate::executors::directory {
namespace {

class StagingTest : public DirectoryFixture {
 protected:
  FileState PutFile(const Staging& staging, size_t n, const std::string& content) const {
    return staging.PutFile(n, 0644, [&](Staging::Sink sink) { return sink(content); }).value();
  }
};

TEST_F(StagingTest, MovesAFileIntoPlaceAndLeavesTheOldOne) {
  Put("a", "old");
  const Staging staging = Staging::Open(*directory_, "key").value();
  const FileState before = directory_->Look("a").value();
  const FileState after = PutFile(staging, 0, "new");
  ASSERT_TRUE(staging.Move("a", before, after, 0).ok());
  EXPECT_EQ(Content("a"), "new");
  EXPECT_EQ(staging.Look(0).value(), before);
  ASSERT_TRUE(staging.Move("a", after, before, 0).ok());
  EXPECT_EQ(Content("a"), "old");
}

TEST_F(StagingTest, AnotherStateStaysAsItIs) {
  Put("a", "old");
  const Staging staging = Staging::Open(*directory_, "key").value();
  const FileState before = directory_->Look("a").value();
  const FileState after = PutFile(staging, 0, "new");
  Put("a", "theirs");
  EXPECT_EQ(CodeName(staging.Move("a", before, after, 0)), "CONFLICT");
  EXPECT_EQ(Content("a"), "theirs");
  EXPECT_EQ(staging.Look(0).value(), after);
  EXPECT_EQ(CodeName(staging.Move("a", before, FileState(), 1)), "CONFLICT");
  EXPECT_EQ(Content("a"), "theirs");
}

TEST_F(StagingTest, KeepsTheOwnerWhereItMay) {
  if (geteuid() != 0) GTEST_SKIP() << "only the superuser may give files away";
  Put("a", "old");
  Put("d/x", "x");
  ASSERT_EQ(chown(PathTo("a").c_str(), 12345, 54321), 0);
  ASSERT_EQ(chown(PathTo("d").c_str(), 23456, 65432), 0);
  const Staging staging = Staging::Open(*directory_, "key").value();
  ASSERT_TRUE(staging.Move("a", directory_->Look("a").value(), PutFile(staging, 0, "new"), 0).ok());
  ASSERT_TRUE(staging.Move("d/new", FileState(), PutFile(staging, 1, "new"), 1).ok());
  struct stat stat = {};
  ASSERT_EQ(lstat(PathTo("a").c_str(), &stat), 0);
  EXPECT_EQ(stat.st_uid, 12345u);
  EXPECT_EQ(stat.st_gid, 54321u);
  EXPECT_EQ(stat.st_mode & 07777, 0644u);
  ASSERT_EQ(lstat(PathTo("d/new").c_str(), &stat), 0);
  EXPECT_EQ(stat.st_uid, 23456u);
}

TEST_F(StagingTest, AFolderIsReplacedOnlyWhenItIsEmpty) {
  Put("d/x", "x");
  const Staging staging = Staging::Open(*directory_, "key").value();
  const FileState folder = directory_->Look("d").value();
  const FileState file = PutFile(staging, 0, "file");
  EXPECT_EQ(CodeName(staging.Move("d", folder, file, 0)), "CONFLICT");
  EXPECT_EQ(Content("d/x"), "x");
  std::filesystem::remove(PathTo("d/x"));
  EXPECT_TRUE(staging.Move("d", folder, file, 0).ok());
  EXPECT_EQ(Content("d"), "file");
}

TEST_F(StagingTest, KeepsImagesUpToABound) {
  for (int i = 0; i < 4; ++i) {
    const Staging staging = Staging::Open(*directory_, "key" + std::to_string(i)).value();
    PutFile(staging, 0, std::string(100, 'x'));
    ASSERT_TRUE(staging.KeepAsImages(250).ok());
  }
  EXPECT_FALSE(OpenImage(*directory_, "key0", 0).ok());
  EXPECT_FALSE(OpenImage(*directory_, "key1", 0).ok());
  EXPECT_TRUE(OpenImage(*directory_, "key2", 0).ok());
  EXPECT_TRUE(OpenImage(*directory_, "key3", 0).ok());
  EXPECT_TRUE(Staging::Open(*directory_, "key3").value().Look(0).value().size == 100) << "found again by its name";
}

TEST_F(StagingTest, OnlyPlainNamesAreFolders) {
  for (const char* const name : {"", "..", "a/b", ".x"}) EXPECT_FALSE(Staging::Open(*directory_, name).ok()) << name;
}

TEST_F(StagingTest, RecordsLast) {
  const Staging staging = Staging::Open(*directory_, "key").value();
  ASSERT_TRUE(staging.PutRecord("journal", "one").ok());
  ASSERT_TRUE(staging.PutRecord("journal", "2").ok());
  EXPECT_EQ(staging.ReadRecord("journal", 100).value(), "2");
  EXPECT_EQ(ListStaged(*directory_).value(), std::vector<std::string>{"key"});
  ASSERT_TRUE(staging.Remove().ok());
  EXPECT_TRUE(ListStaged(*directory_)->empty());
}

TEST(FileStateMatchTest, AFolderThatIsBeingFilledMatches) {
  const FileState wanted{FileKind::kFolder, 0555, 0, "", ""};
  EXPECT_TRUE(Matches({FileKind::kFolder, 0755, 0, "", ""}, wanted));
  EXPECT_FALSE(Matches({FileKind::kFolder, 0700, 0, "", ""}, wanted));
  EXPECT_FALSE(Matches({FileKind::kFile, 0755, 0, "", ""}, wanted));
  EXPECT_TRUE(OnlyModeDiffers({FileKind::kFile, 0644, 1, "h", ""}, {FileKind::kFile, 0600, 1, "h", ""}));
  EXPECT_FALSE(OnlyModeDiffers({FileKind::kFile, 0644, 1, "h", ""}, {FileKind::kFile, 0600, 1, "i", ""}));
}

}  // namespace
}  // namespace toolgate::executors::directory
