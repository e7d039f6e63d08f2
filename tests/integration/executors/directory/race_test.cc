// Paths that somebody swaps while tools use them: nothing outside of the directory is ever read or written.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "absl/time/clock.h"
#include "executors/directory/change_set.h"
#include "executors/directory/content.h"
#include "executors/directory/directory.h"
#include "gtest/gtest.h"
#include "storage/store.h"
#include "tests/support/bare_session.h"
#include "tests/support/directory_limits.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_store.h"

namespace toolgate::executors::directory {
namespace {

constexpr char kCanary[] = "the canary outside";
// Each race ends after so many rounds, or so much time. TOOLGATE_RACE_ROUNDS sets the number of rounds, and then there
// is no limit on time.
constexpr int kReads = 40'000;
constexpr int kWrites = 1'500;
constexpr absl::Duration kMaxTime = absl::Seconds(8);

class RaceTest : public ::testing::Test {
 protected:
  RaceTest() {
    for (const char* const folder : {"/work/d/e", "/work/spare", "/outside/e"}) {
      std::filesystem::create_directories(dir_.path() + folder);
    }
    Put("work/d/f", "inside");
    Put("work/d/e/f", "inside");
    Put("work/a", "inside");
    Put("outside/f", kCanary);
    Put("outside/e/f", kCanary);
    Put("outside/a", kCanary);
    testing::TestStoreOptions options;
    options.data_dir = dir_.path() + "/data";
    store_ = testing::MakeTestStore(options);
    directory_ =
        Directory::Open(dir_.path() + "/work", DenyList::Create({}).value(), testing::kDirectoryLimits).value();
  }

  std::string PathTo(const std::string& name) const { return dir_.path() + "/" + name; }
  void Put(const std::string& name, const std::string& content) const { std::ofstream(PathTo(name)) << content; }
  std::string Content(const std::string& name) const {
    std::ifstream file(PathTo(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Exchanges two names for ever.
  void Exchange(const std::string& a, const std::string& b) const {
    renameat2(AT_FDCWD, PathTo(a).c_str(), AT_FDCWD, PathTo(b).c_str(), RENAME_EXCHANGE);
  }

  // Runs `attack` again and again beside `work`, which is run `rounds` times.
  static void Race(int rounds, const std::function<void()>& attack, const std::function<void()>& work) {
    std::atomic<bool> stop{false};
    std::thread attacker([&] {
      while (!stop) attack();
    });
    absl::Time end = absl::Now() + kMaxTime;
    if (const char* const wanted = getenv("TOOLGATE_RACE_ROUNDS"); wanted != nullptr) {
      rounds = std::atoi(wanted);
      end = absl::InfiniteFuture();
    }
    for (int i = 0; i < rounds && absl::Now() < end && !HasFailure(); ++i) work();
    stop = true;
    attacker.join();
  }

  // Checks the answer of a read; counts those that worked.
  void ReadOnce(const std::string& path) {
    const auto open = directory_->OpenToRead(path);
    if (!open.ok()) return;
    ++worked_;
    ASSERT_EQ(ReadWhole(open->file.get(), path, 1000).value_or("?").find(kCanary), std::string::npos);
  }
  void WriteOnce(const std::string& path) {
    testing::BareSession session(*store_, "w", "key-" + std::to_string(++keys_));
    const auto lock = directory_->Lock(session);
    ASSERT_TRUE(lock.ok()) << lock.status();
    const auto changes = ChangeSet::Begin(*directory_, session, never_);
    ASSERT_TRUE(changes.ok()) << changes.status();
    const auto resolved = directory_->Resolve(path, Directory::LastLink::kKeep);
    if (!resolved.ok() || !(*changes)->SetFile(resolved->path, "written " + std::to_string(keys_), 0644).ok()) return;
    if ((*changes)->Apply().ok()) ++worked_;
  }
  void CheckOutside() const {
    EXPECT_EQ(Content("outside/f"), kCanary);
    EXPECT_EQ(Content("outside/a"), kCanary);
    EXPECT_EQ(Content("outside/e/f"), kCanary);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(PathTo("outside"))) {
      const std::string name = entry.path().filename();
      EXPECT_TRUE(name == "f" || name == "a" || name == "e") << name << " was made outside";
    }
  }

  testing::TempDir dir_;
  std::unique_ptr<storage::Store> store_;
  const fibers::Cancellation never_;
  std::shared_ptr<Directory> directory_;
  int keys_ = 0;
  int worked_ = 0;
};

TEST_F(RaceTest, AFileThatBecomesALinkOutWhileItIsRead) {
  std::filesystem::create_symlink("../outside/a", PathTo("work/trap"));
  Race(
      kReads, [&] { Exchange("work/a", "work/trap"); }, [&] { ReadOnce("a"); });
  EXPECT_GT(worked_, 0);
  CheckOutside();
}

TEST_F(RaceTest, AFolderThatBecomesALinkOutWhileItIsRead) {
  std::filesystem::create_symlink("../outside", PathTo("work/trap"));
  Race(
      kReads, [&] { Exchange("work/d", "work/trap"); }, [&] { ReadOnce("d/f"); });
  EXPECT_GT(worked_, 0);
  CheckOutside();
}

TEST_F(RaceTest, AFolderThatIsMovedUpWhileALinkIsFollowed) {
  // The target goes up and down again: a folder that moves meanwhile must not shift where it ends.
  std::filesystem::create_directories(PathTo("work/x/y"));
  std::filesystem::create_symlink("../../a", PathTo("work/x/y/link"));
  Race(
      kReads,
      [&] {
        Exchange("work/x/y", "work/spare");
        Exchange("work/x/y", "work/spare");
      },
      [&] {
        ReadOnce("x/y/link");
        ReadOnce("spare/link");
      });
  CheckOutside();
}

TEST_F(RaceTest, AFifoThatTakesAFilesPlaceIsNeverOpened) {
  ASSERT_EQ(mkfifo(PathTo("work/trap").c_str(), 0600), 0);
  Race(
      kReads,
      [&] {
        Exchange("work/a", "work/trap");
        // Somebody who had opened it to read would let this writer in.
        const int writer = open(PathTo("work/trap").c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW);
        struct stat stat = {};
        const bool is_fifo = writer >= 0 && fstat(writer, &stat) == 0 && S_ISFIFO(stat.st_mode);
        EXPECT_FALSE(is_fifo);
        if (writer >= 0) close(writer);
        Exchange("work/a", "work/trap");
      },
      [&] { ReadOnce("a"); });
  EXPECT_GT(worked_, 0);
}

TEST_F(RaceTest, AFileThatBecomesALinkOutWhileItIsWritten) {
  std::filesystem::create_symlink("../outside/a", PathTo("work/trap"));
  Race(
      kWrites, [&] { Exchange("work/a", "work/trap"); }, [&] { WriteOnce("a"); });
  CheckOutside();
}

TEST_F(RaceTest, AFolderThatBecomesALinkOutWhileAFileInItIsWritten) {
  std::filesystem::create_symlink("../outside", PathTo("work/trap"));
  Race(
      kWrites, [&] { Exchange("work/d", "work/trap"); }, [&] { WriteOnce("d/e/f"); });
  EXPECT_GT(worked_, 0);
  CheckOutside();
}

TEST_F(RaceTest, AFolderThatBecomesALinkOutWhileAFileIsMadeInIt) {
  std::filesystem::create_symlink("../outside", PathTo("work/trap"));
  int made = 0;
  Race(
      kWrites, [&] { Exchange("work/d", "work/trap"); }, [&] { WriteOnce("d/e/new" + std::to_string(++made)); });
  EXPECT_GT(worked_, 0);
  CheckOutside();
}

}  // namespace
}  // namespace toolgate::executors::directory
