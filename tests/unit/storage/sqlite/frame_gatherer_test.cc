#include "storage/sqlite/frame_gatherer.h"

#include <sqlite3.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/faulty_vfs.h"
#include "tests/support/temp_dir.h"

namespace toolgate::storage::sqlite {
namespace {

using ::toolgate::testing::FaultyVfs;
using ::toolgate::testing::TempDir;

constexpr int kPageSize = 512;
constexpr int kFrameSize = 24 + kPageSize;

// A log with only a header, on a disk that fails on request.
class FrameGathererTest : public ::testing::Test {
 protected:
  FrameGathererTest() : memory_(static_cast<size_t>(sqlite3_vfs_find(nullptr)->szOsFile)) {
    sqlite3_vfs* const vfs = sqlite3_vfs_find(nullptr);
    // A VFS looks for the database next to a log, and here is none.
    const int flags = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    // SQLite's files have two zeros behind their names.
    if (vfs->xOpen(vfs, (path_ + '\0').c_str(), &file(), flags, nullptr) != SQLITE_OK) abort();
  }
  ~FrameGathererTest() override { file().pMethods->xClose(&file()); }

  sqlite3_file& file() { return *reinterpret_cast<sqlite3_file*>(memory_.data()); }
  std::string OnDisk() {
    std::ifstream stream(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  static std::string LogHeader() {
    std::string header("\x37\x7f\x06\x82\x00\x2d\xe2\x18\x00\x00\x02\x00", 12);
    return header + std::string(20, 'h');
  }
  static std::string FrameHeader(bool commits) {
    return std::string("\0\0\0\1\0\0\0", 7) + (commits ? '\7' : '\0') + std::string(16, 's');
  }
  static std::string Page(char fill) { return std::string(kPageSize, fill); }
  static sqlite3_int64 FrameAt(int index) { return 32 + sqlite3_int64{index} * kFrameSize; }

  int Write(const std::string& bytes, sqlite3_int64 offset) {
    return gatherer_.Write(bytes.data(), static_cast<int>(bytes.size()), offset);
  }
  int WriteFrame(int index, char fill, bool commits = false) {
    const int result = Write(FrameHeader(commits), FrameAt(index));
    return result != SQLITE_OK ? result : Write(Page(fill), FrameAt(index) + 24);
  }
  void Begin() {
    ASSERT_EQ(Write(LogHeader(), 0), SQLITE_OK);
    gatherer_.BeginTransaction();
  }
  // Makes all further operations fail.
  void Break() { vfs_.Arm(1, FaultyVfs::Fault::kFull, FaultyVfs::Lasting::kForGood); }

  TempDir dir_;
  const std::string path_ = dir_.path() + "/log";
  FaultyVfs vfs_;
  std::vector<char> memory_;
  FrameGatherer gatherer_{file()};
};

TEST_F(FrameGathererTest, HoldsFramesUntilOneCommits) {
  Begin();
  EXPECT_EQ(WriteFrame(0, 'a'), SQLITE_OK);
  EXPECT_EQ(WriteFrame(1, 'b'), SQLITE_OK);
  EXPECT_EQ(Write(FrameHeader(true), FrameAt(2)), SQLITE_OK);
  EXPECT_EQ(OnDisk(), LogHeader());
  EXPECT_EQ(Write(Page('c'), FrameAt(2) + 24), SQLITE_OK);
  EXPECT_EQ(OnDisk(), LogHeader() + FrameHeader(false) + Page('a') + FrameHeader(false) + Page('b') +
                          FrameHeader(true) + Page('c'));
}

TEST_F(FrameGathererTest, HoldsNothingWithoutTheWriteLockOrAPageSize) {
  EXPECT_EQ(Write(LogHeader(), 0), SQLITE_OK);
  EXPECT_EQ(WriteFrame(0, 'a'), SQLITE_OK);
  EXPECT_EQ(OnDisk().size(), static_cast<size_t>(FrameAt(1)));
  std::string damaged = LogHeader();
  damaged[0] = 'x';
  EXPECT_EQ(Write(damaged, 0), SQLITE_OK);
  gatherer_.BeginTransaction();
  EXPECT_EQ(WriteFrame(0, 'b'), SQLITE_OK);
  EXPECT_EQ(OnDisk(), damaged + FrameHeader(false) + Page('b'));
}

TEST_F(FrameGathererTest, LearnsThePageSizeFromALogThatItReads) {
  EXPECT_EQ(file().pMethods->xWrite(&file(), LogHeader().data(), 32, 0), SQLITE_OK);
  EXPECT_EQ(file().pMethods->xWrite(&file(), Page('z').data(), kPageSize, 32), SQLITE_OK);
  std::string read(32, ' ');
  EXPECT_EQ(gatherer_.Read(read.data(), 32, 0), SQLITE_OK);
  EXPECT_EQ(read, LogHeader());
  gatherer_.BeginTransaction();
  EXPECT_EQ(WriteFrame(0, 'a'), SQLITE_OK);  // Does not follow its last write, so it is passed on at once.
  EXPECT_EQ(OnDisk().size(), static_cast<size_t>(FrameAt(1)));
  EXPECT_EQ(WriteFrame(1, 'b'), SQLITE_OK);
  EXPECT_EQ(OnDisk().size(), static_cast<size_t>(FrameAt(1)));
}

TEST_F(FrameGathererTest, PassesOnWhatOnlyHasTheSizeOfAHeader) {
  Begin();
  EXPECT_EQ(WriteFrame(0, 'a'), SQLITE_OK);
  const std::string part(24, '\0');
  EXPECT_EQ(Write(part + part, FrameAt(1)), SQLITE_OK);
  EXPECT_EQ(Write(part, FrameAt(1) + 48), SQLITE_OK);
  EXPECT_EQ(OnDisk(), LogHeader() + FrameHeader(false) + Page('a') + part + part + part);
}

TEST_F(FrameGathererTest, AHeaderWrittenAgainIsPassedOn) {
  Begin();
  EXPECT_EQ(WriteFrame(0, 'a'), SQLITE_OK);
  EXPECT_EQ(WriteFrame(1, 'b', true), SQLITE_OK);
  const std::string again = FrameHeader(true).replace(10, 3, "new");
  EXPECT_EQ(Write(again, FrameAt(0)), SQLITE_OK);
  EXPECT_EQ(Write(again, FrameAt(1)), SQLITE_OK);
  EXPECT_EQ(OnDisk(), LogHeader() + again + Page('a') + again + Page('b'));
}

TEST_F(FrameGathererTest, KeepsWhatItAcceptedUntilItCanBeWritten) {
  Begin();
  EXPECT_EQ(WriteFrame(0, 'a'), SQLITE_OK);
  Break();
  std::string read(kPageSize, ' ');
  EXPECT_EQ(gatherer_.Read(read.data(), kPageSize, FrameAt(0) + 24), SQLITE_FULL);
  EXPECT_EQ(gatherer_.Flush(), SQLITE_FULL);
  EXPECT_EQ(Write(Page('b'), FrameAt(5)), SQLITE_FULL) << "overtook what was written before";
  vfs_.Disarm();
  EXPECT_EQ(gatherer_.Read(read.data(), kPageSize, FrameAt(0) + 24), SQLITE_OK);
  EXPECT_EQ(read, Page('a'));
}

TEST_F(FrameGathererTest, ARefusedCommitIsNeverWritten) {
  Begin();
  EXPECT_EQ(WriteFrame(0, 'a'), SQLITE_OK);
  Break();
  EXPECT_EQ(WriteFrame(1, 'b', true), SQLITE_FULL);
  vfs_.Disarm();
  EXPECT_EQ(gatherer_.Flush(), SQLITE_OK);
  EXPECT_EQ(OnDisk(), LogHeader() + FrameHeader(false) + Page('a') + FrameHeader(true));
}

TEST_F(FrameGathererTest, ForgetsWhatWasNotCommittedWhenTheLockIsGivenBack) {
  Begin();
  EXPECT_EQ(WriteFrame(0, 'a'), SQLITE_OK);
  gatherer_.EndTransaction();
  EXPECT_EQ(gatherer_.Flush(), SQLITE_OK);
  EXPECT_EQ(OnDisk(), LogHeader());
}

TEST_F(FrameGathererTest, WritesWhenNoFurtherFrameHasRoom) {
  Begin();
  const int fit = FrameGatherer::kCapacity / kFrameSize;
  for (int i = 0; i < fit; ++i) EXPECT_EQ(WriteFrame(i, 'a'), SQLITE_OK);
  EXPECT_EQ(OnDisk(), LogHeader());
  EXPECT_EQ(WriteFrame(fit, 'b'), SQLITE_OK);
  EXPECT_EQ(OnDisk().size(), static_cast<size_t>(FrameAt(fit)));
}

}  // namespace
}  // namespace toolgate::storage::sqlite
