#include "executors/directory/directory.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "common/tool_error.h"
#include "executors/directory/change_set.h"
#include "executors/directory/path.h"
#include "gmock/gmock.h"
#include "tests/unit/executors/directory/directory_fixture.h"

namespace toolgate::executors::directory {
namespace {

using ::testing::HasSubstr;

class DirectoryTest : public DirectoryFixture {
 protected:
  std::string Resolved(const std::string& path, Directory::LastLink last = Directory::LastLink::kFollow) const {
    const auto resolved = directory_->Resolve(path, last);
    return resolved.ok() ? resolved->path : CodeName(resolved.status());
  }
};

TEST_F(DirectoryTest, ReadsFiles) {
  Put("a.txt", "alpha");
  Put("sub/b c.txt", "beta");
  EXPECT_EQ(Read("a.txt"), "alpha");
  EXPECT_EQ(Read("sub/b c.txt"), "beta");
  EXPECT_EQ(Read("none"), "NOT_FOUND");
  EXPECT_EQ(Read("a.txt/x"), "NOT_FOUND");
  EXPECT_EQ(Read("sub"), "FORBIDDEN");
}

TEST_F(DirectoryTest, FollowsLinksInside) {
  Put("real/file.txt", "here");
  Link("real/file.txt", "to_file");
  Link("real", "to_folder");
  Link("../real/file.txt", "deep/up");
  Link("to_folder/../real/./file.txt", "winding");
  Link("to_file", "twice");
  for (const char* const path : {"to_file", "to_folder/file.txt", "deep/up", "winding", "twice"}) {
    EXPECT_EQ(Read(path), "here") << path;
    EXPECT_EQ(Resolved(path), "real/file.txt") << path;
  }
  EXPECT_EQ(Resolved("to_file", Directory::LastLink::kKeep), "to_file");
  EXPECT_EQ(Resolved("to_folder/file.txt", Directory::LastLink::kKeep), "real/file.txt");
  EXPECT_EQ(Resolved("to_folder/new/file", Directory::LastLink::kKeep), "real/new/file");
}

TEST_F(DirectoryTest, NoLinkLeadsOut) {
  Link("../canary", "out");
  Link(temp_.path() + "/canary", "absolute");
  Link(root() + "/a.txt", "absolute_inside");
  Link("..", "up");
  Link("../work-sibling", "sibling");
  Link("/proc/self/root", "proc");
  Link("/proc/self/cwd", "cwd");
  Link("out", "chain");
  Put("a.txt", "a");
  for (const char* const path : {"out", "absolute", "absolute_inside", "up/canary", "sibling/canary", "proc/etc/passwd",
                                 "cwd/x", "chain", "up/work/a.txt", "proc"}) {
    EXPECT_EQ(Read(path), "FORBIDDEN") << path;
  }
}

TEST_F(DirectoryTest, LinksThatGoRoundAreRefused) {
  Link("b", "a");
  Link("a", "b");
  Link("self", "self");
  EXPECT_EQ(Read("a"), "FORBIDDEN");
  EXPECT_EQ(Read("self"), "FORBIDDEN");
  EXPECT_EQ(Read("self/x"), "FORBIDDEN");
  Link("nowhere", "dangling");
  EXPECT_EQ(Read("dangling"), "NOT_FOUND");
}

TEST_F(DirectoryTest, TheDenyListHoldsForThePathThatIsOpened) {
  Put(".env", "SECRET");
  Put(".git/config", "SECRET");
  Put("ok.txt", "fine");
  Link(".env", "innocent.txt");
  Link(".git", "repo");
  Link("ok.txt", "looks.pem");
  EXPECT_EQ(Read(".env"), "FORBIDDEN");
  EXPECT_EQ(Read("innocent.txt"), "FORBIDDEN");
  EXPECT_EQ(Read("repo/config"), "FORBIDDEN");
  EXPECT_EQ(Read("looks.pem"), "fine") << "what is opened is ok.txt";
  EXPECT_EQ(Read(".env "), "NOT_FOUND") << "another name, and not the file";
  EXPECT_EQ(Read(".env'"), "NOT_FOUND");
  EXPECT_EQ(Read(".git/nothing"), "FORBIDDEN") << "nobody learns what is there";
}

TEST_F(DirectoryTest, SpecialFilesAreRefusedWithoutBeingOpened) {
  ASSERT_EQ(mkfifo(PathTo("fifo").c_str(), 0600), 0);
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  PathTo("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  Link("fifo", "link_to_fifo");
  for (const char* const path : {"fifo", "socket", "link_to_fifo"}) EXPECT_EQ(Read(path), "FORBIDDEN") << path;
  if (mknod(PathTo("null").c_str(), S_IFCHR | 0600, makedev(1, 3)) == 0) {
    EXPECT_EQ(Read("null"), "FORBIDDEN");
  }
  // A writer of the FIFO finds nobody at its other end: nobody has opened it.
  EXPECT_EQ(open(PathTo("fifo").c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC), -1);
  EXPECT_EQ(errno, ENXIO);
  close(listener);
}

TEST_F(DirectoryTest, AFileThatIsReplacedAfterItsCheckIsNotOpened) {
  Put("a", "first");
  const auto resolved = directory_->Resolve("a");
  ASSERT_TRUE(resolved.ok());
  std::filesystem::remove(PathTo("a"));
  ASSERT_EQ(mkfifo(PathTo("a").c_str(), 0600), 0);
  const auto file = Directory::Reopen(*resolved);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(ReadWhole(file->get(), "a", 100).value(), "first");
}

TEST_F(DirectoryTest, LooksAtStates) {
  Put("f", "x");
  chmod(PathTo("f").c_str(), 0640);
  Link("f", "l");
  const FileState file = directory_->Look("f").value();
  EXPECT_EQ(file.kind, FileKind::kFile);
  EXPECT_EQ(file.mode, 0640u);
  EXPECT_EQ(file.size, 1);
  EXPECT_EQ(file.sha256.size(), 32u);
  EXPECT_EQ(directory_->Look("l")->target, "f");
  EXPECT_EQ(directory_->Look("none")->kind, FileKind::kMissing);
  EXPECT_EQ(directory_->Look("f/below")->kind, FileKind::kMissing);
  EXPECT_EQ(directory_->Look("l/below")->kind, FileKind::kMissing) << "no link is followed";
}

TEST_F(DirectoryTest, WalksWithoutFollowingAndWithoutTheDenied) {
  Put("a/b/c", "1");
  Put(".git/config", "x");
  Link("a", "loop");
  std::vector<std::string> paths;
  ASSERT_TRUE(directory_
                  ->Walk("", WalkDenied::kSkip, never_,
                         [&](const WalkEntry& entry) {
                           paths.push_back(entry.path);
                           return WalkStep::kContinue;
                         })
                  .ok());
  EXPECT_THAT(paths, ::testing::UnorderedElementsAre("a", "a/b", "a/b/c", "loop"));
}

TEST_F(DirectoryTest, AWalkMarksWhatToolsMayNotTouch) {
  std::string deepest = "d";
  for (size_t i = 1; i < kMaxComponents; ++i) deepest += "/d";
  Put(deepest + "/d/d/file", "x");
  Put("secret/.env", "x");
  std::set<std::string> denied;
  std::set<std::string> out_of_reach;
  ASSERT_TRUE(directory_
                  ->Walk("", WalkDenied::kMark, never_,
                         [&](const WalkEntry& entry) {
                           if (entry.is_denied) denied.insert(entry.path);
                           if (entry.is_out_of_reach) out_of_reach.insert(entry.path);
                           return WalkStep::kContinue;
                         })
                  .ok());
  EXPECT_THAT(denied, ::testing::ElementsAre("secret/.env"));
  EXPECT_THAT(out_of_reach, ::testing::ElementsAre(deepest + "/d")) << "told, and not entered";
}

TEST_F(DirectoryTest, AWalkStopsWhenItsCallDoes) {
  for (int i = 0; i < 20; ++i) Put("f" + std::to_string(i), "x");
  fibers::Cancellation cancellation;
  int visited = 0;
  const absl::Status walked = directory_->Walk("", WalkDenied::kIgnore, cancellation, [&](const WalkEntry&) {
    if (++visited == 3) cancellation.Cancel();
    return WalkStep::kContinue;
  });
  EXPECT_EQ(CodeName(walked), "CANCELLED");
  EXPECT_EQ(visited, 3);
  EXPECT_EQ(CodeName(directory_->CheckRoom(1, cancellation)), "CANCELLED");
  EXPECT_EQ(CodeName(directory_->Look("f1", cancellation).status()), "CANCELLED");
}

TEST_F(DirectoryTest, NoLinkLeadsDeeperThanToolsReach) {
  std::string folder = "d";
  for (size_t i = 1; i < kMaxComponents; ++i) folder += "/d";
  Put(folder + "/file", "x");
  std::string half = "d";
  for (size_t i = 1; i < kMaxComponents / 2; ++i) half += "/d";
  Link(half, "link");
  EXPECT_EQ(Read("link/" + half + "/file"), "INVALID_PARAMS");
  EXPECT_EQ(Read("link/" + half + "/none"), "INVALID_PARAMS");
  // Links that go up and down for ever are given up.
  std::string zigzag;
  for (int i = 0; i < 1300; ++i) zigzag += i % 2 == 0 ? "d/" : "../";
  Link(zigzag + "link", "around");
  EXPECT_EQ(Read("around"), "FORBIDDEN");
}

// Only a folder that a service of this user may have made is used.
TEST_F(DirectoryTest, ItsOwnFolderMustBeItsOwn) {
  const auto own = [&] { return directory_->OwnFolder("staging").status(); };
  ASSERT_TRUE(own().ok()) << own();
  const auto refused = [&](const std::string& why) {
    const std::optional<ToolError> error = GetToolError(own());
    ASSERT_TRUE(error.has_value() && error->code == ErrorCode::kNotConfigured) << own();
    EXPECT_THAT(error->message, ::testing::HasSubstr(why));
    EXPECT_THAT(error->message, ::testing::HasSubstr("an operator must remove it"));
    const auto session = Session("key");
    EXPECT_EQ(CodeName(ChangeSet::Begin(*directory_, *session, never_).status()), "NOT_CONFIGURED");
  };
  for (const char* const name : {".toolgate", ".toolgate/staging"}) {
    std::filesystem::permissions(PathTo(name), std::filesystem::perms(0770));
    refused(std::string("\"") + name + "\" in the workspace's directory");
    refused("has the mode 0770 instead of 0700");
    std::filesystem::permissions(PathTo(name), std::filesystem::perms(0700));
    EXPECT_TRUE(own().ok());
    if (geteuid() != 0) continue;
    ASSERT_EQ(chown(PathTo(name).c_str(), 12345, 12345), 0);
    refused("belongs to user 12345, not to user 0");
    ASSERT_EQ(chown(PathTo(name).c_str(), 0, 0), 0);
    EXPECT_TRUE(own().ok());
  }
  std::filesystem::remove_all(PathTo(".toolgate"));
  std::filesystem::create_directories(PathTo("elsewhere"));
  Link("elsewhere", ".toolgate");
  refused("is a symbolic link or a file");
  EXPECT_EQ(CodeName(directory_->Stamp().status()), "NOT_CONFIGURED");
  std::filesystem::remove(PathTo(".toolgate"));
  Put(".toolgate", "x");
  refused("is a symbolic link or a file");
}

TEST_F(DirectoryTest, CountsWhatThereIsRoomFor) {
  Limits limits = testing::kDirectoryLimits;
  limits.max_total_bytes = 100;
  Open(limits);
  Put("a", std::string(60, 'x'));
  EXPECT_TRUE(directory_->CheckRoom(40, never_).ok());
  EXPECT_EQ(CodeName(directory_->CheckRoom(41, never_)), "QUOTA_EXCEEDED");
  directory_->CountChange(30);
  EXPECT_EQ(CodeName(directory_->CheckRoom(41, never_)), "QUOTA_EXCEEDED");
  std::filesystem::remove(PathTo("a"));
  EXPECT_TRUE(directory_->CheckRoom(41, never_).ok()) << "it counts again before it refuses";
}

TEST_F(DirectoryTest, AStampLiesBetweenChanges) {
  Put("before", "x");
  const auto stamp = directory_->Stamp();
  ASSERT_TRUE(stamp.ok()) << stamp.status();
  Put("after", "x");
  const auto changed = [&](const char* name) {
    struct stat stat = {};
    EXPECT_EQ(::stat(PathTo(name).c_str(), &stat), 0);
    return std::pair(stat.st_ctim.tv_sec, stat.st_ctim.tv_nsec);
  };
  EXPECT_LT(changed("before"), std::pair(stamp->tv_sec, stamp->tv_nsec));
  EXPECT_GE(changed("after"), std::pair(stamp->tv_sec, stamp->tv_nsec));
}

TEST_F(DirectoryTest, OneHoldsTheLock) {
  std::atomic<int> inside{0};
  std::atomic<int> turns{0};
  std::vector<std::thread> threads;
  // Two objects on one directory exclude each other as two threads do.
  const auto other = Directory::Open(root(), DenyList::Create({}).value(), testing::kDirectoryLimits).value();
  for (int i = 0; i < 6; ++i) {
    threads.emplace_back([&, i] {
      const auto session = Session("k" + std::to_string(i));
      Directory& directory = i % 3 == 0 ? *other : *directory_;
      for (int round = 0; round < 10; ++round) {
        const auto lock = directory.Lock(*session);
        ASSERT_TRUE(lock.ok()) << lock.status();
        EXPECT_EQ(++inside, 1);
        std::this_thread::yield();
        --inside;
        ++turns;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(turns, 60);
}

TEST_F(DirectoryTest, APlantedOwnFolderIsNotFollowed) {
  std::filesystem::create_directory(temp_.path() + "/trap");
  Link("../trap", ".toolgate");
  const auto session = Session("k");
  EXPECT_FALSE(directory_->Lock(*session).ok());
  EXPECT_TRUE(std::filesystem::is_empty(temp_.path() + "/trap"));
}

TEST_F(DirectoryTest, AFolderThatIsNotThereIsNamed) {
  const auto none = Directory::Open(temp_.path() + "/none", DenyList::Create({}).value(), testing::kDirectoryLimits);
  EXPECT_EQ(none.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(none.status().message()), HasSubstr("/none cannot be opened"));
}

TEST_F(DirectoryTest, NoPayloadReadsTheCanary) {
  Put("a.txt", "inside");
  Put("d/e/f.txt", "inside");
  const std::vector<std::string> ups = {"..",
                                        "%2e%2e",
                                        "%2e.",
                                        ".%2e",
                                        "%252e%252e",
                                        "..%00",
                                        "..\\",
                                        "..;",
                                        "...",
                                        "....",
                                        "\xC0\xAE\xC0\xAE",
                                        "\xE0\x80\xAE\xE0\x80\xAE",
                                        "\xEF\xBC\x8E\xEF\xBC\x8E",
                                        "\xE2\x80\xA5",
                                        "\xE2\x80\xA4\xE2\x80\xA4",
                                        ".. ",
                                        " ..",
                                        "..'",
                                        "\"..\"",
                                        "..\t",
                                        "..\n",
                                        "\\..",
                                        "%c0%ae%c0%ae",
                                        "%uff0e%uff0e",
                                        "..%c0%af",
                                        "..%5c",
                                        "..%2f",
                                        "....//",
                                        "..././",
                                        "d/../..",
                                        "d/e/../../.."};
  const std::vector<std::string> separators = {"/",     "\\",           "%2f",          "%5c", "//",       "/./",
                                               "%252f", "\xE2\x88\x95", "\xEF\xBC\x8F", "/ /", "\xC0\xAF", "/%2e/"};
  const std::vector<std::string> ends = {"canary",
                                         "work-sibling/canary",
                                         "canary ",
                                         "canary'",
                                         "canary\"",
                                         "canary%00",
                                         "canary%00.txt",
                                         "CANARY",
                                         "work/../canary",
                                         "canary/",
                                         "canary/.",
                                         "./canary",
                                         "work-sibling/./canary"};
  const std::vector<std::string> starts = {"",
                                           "./",
                                           "/",
                                           "//",
                                           "d/",
                                           "d/e/",
                                           "a.txt/",
                                           "d/e/f.txt/",
                                           "\\",
                                           "file://",
                                           "~/",
                                           "~root/",
                                           "C:\\",
                                           "\\\\?\\",
                                           "%2f",
                                           temp_.path() + "/",
                                           root() + "/",
                                           root(),
                                           root() + "-sibling/",
                                           "/proc/self/root/",
                                           "/proc/self/cwd/",
                                           "proc/self/fd/0/"};
  int tried = 0;
  for (const std::string& start : starts) {
    for (const std::string& up : ups) {
      for (const std::string& separator : separators) {
        for (const std::string& end : ends) {
          for (int depth = 1; depth <= 3; ++depth) {
            std::string payload = start;
            for (int i = 0; i < depth; ++i) payload += up + separator;
            payload += end;
            ++tried;
            const auto path = ParseFilePath("file", payload);
            if (!path.ok()) continue;
            ASSERT_TRUE(IsCanonical(*path)) << payload;
            const std::string content = Read(*path);
            ASSERT_NE(content, kCanary) << payload;
          }
        }
      }
    }
  }
  EXPECT_GT(tried, 100'000);
  EXPECT_EQ(Content("../canary"), kCanary);
}

}  // namespace
}  // namespace toolgate::executors::directory
