#include "storage/blobs/local_blob_store.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/digest.h"
#include "common/ids.h"
#include "gtest/gtest.h"
#include "observability/trace_ids.h"
#include "observability/tracing/attribute_names.h"
#include "observability/tracing/trace_recording.h"
#include "storage/blobs/blob_key.h"
#include "tests/support/fake_clock.h"
#include "tests/support/kept_traces.h"
#include "tests/support/temp_dir.h"

namespace toolgate::storage::blobs {
namespace {

namespace fs = std::filesystem;

absl::StatusOr<bool> NoWait(fibers::Event&, absl::Duration) { return false; }

class LocalBlobStoreTest : public ::testing::Test {
 protected:
  std::unique_ptr<LocalBlobStore> Open(const std::string& public_url = "") const {
    return LocalBlobStore::Create({folder_, public_url}).value();
  }
  // Paths of all files, hidden ones too, below the folder.
  std::vector<std::string> Files() const {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), folder_).string());
    }
    return files;
  }

  const testing::TempDir dir_;
  const std::string folder_ = dir_.path() + "/data/blobs";
};

TEST_F(LocalBlobStoreTest, StoresAnswersAndDeletesABlob) {
  const auto store = Open();
  EXPECT_EQ(store->Configured(), absl::OkStatus());
  EXPECT_EQ(store->Put("a/b.png", "image/png", std::string("x\0y", 3), {NoWait}), absl::OkStatus());
  EXPECT_EQ(store->Has("a/b.png", {NoWait}).value(), true);
  EXPECT_EQ(store->Get("a/b.png", 3, {NoWait}).value(), std::string("x\0y", 3));
  EXPECT_EQ(store->Delete("a/b.png", {NoWait}), absl::OkStatus());
  EXPECT_EQ(store->Has("a/b.png", {NoWait}).value(), false);
  EXPECT_EQ(store->Get("a/b.png", 3, {NoWait}).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store->Delete("a/b.png", {NoWait}), absl::OkStatus());
}

TEST_F(LocalBlobStoreTest, EachOperationOfASampledCallIsASpan) {
  const testing::FakeClock clock;
  observability::TraceIds ids(IdSource::Real());
  const observability::TraceContext call{1, 2, 4, 1, {}};
  observability::tracing::TraceRecording recording({1, 2, 3, 1, {}}, ids, clock);
  const Scope scope{NoWait, {&call, &recording}};
  const auto store = Open();
  EXPECT_EQ(store->Put("a.png", "image/png", "x", scope), absl::OkStatus());
  EXPECT_EQ(store->Get("b.png", 10, scope).status().code(), absl::StatusCode::kNotFound);
  ASSERT_EQ(recording.spans().size(), 2u);
  EXPECT_EQ(recording.spans()[0].name, "write blob");
  EXPECT_EQ(recording.spans()[0].kind, observability::tracing::SpanKind::kInternal);
  EXPECT_FALSE(recording.spans()[0].failed);
  EXPECT_EQ(recording.spans()[1].name, "read blob");
  EXPECT_EQ(testing::FindText(recording, &recording.spans()[1], observability::tracing::kErrorType), "NOT_FOUND");
}

TEST_F(LocalBlobStoreTest, ReplacesABlob) {
  const auto store = Open();
  ASSERT_EQ(store->Put("a.png", "image/png", "old and long", {NoWait}), absl::OkStatus());
  ASSERT_EQ(store->Put("a.png", "image/png", "new", {NoWait}), absl::OkStatus());
  EXPECT_EQ(store->Get("a.png", 100, {NoWait}).value(), "new");
  EXPECT_EQ(Files(), std::vector<std::string>{"a.png"});
}

TEST_F(LocalBlobStoreTest, AnswersNoBlobThatIsLargerThanAskedFor) {
  const auto store = Open();
  ASSERT_EQ(store->Put("a.png", "image/png", "1234", {NoWait}), absl::OkStatus());
  EXPECT_EQ(store->Get("a.png", 3, {NoWait}).status().code(), absl::StatusCode::kOutOfRange);
}

TEST_F(LocalBlobStoreTest, KeepsFoldersAndFilesToTheirOwner) {
  const auto store = Open();
  ASSERT_EQ(store->Put("a/b.png", "image/png", "x", {NoWait}), absl::OkStatus());
  struct stat info = {};
  ASSERT_EQ(stat((folder_ + "/a/b.png").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  ASSERT_EQ(stat((folder_ + "/a").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
}

TEST_F(LocalBlobStoreTest, RefusesNamesThatLeadElsewhere) {
  const auto store = Open();
  for (const char* const key : {"../x", "/etc/passwd", "a/../../x", ""}) {
    EXPECT_EQ(store->Put(key, "image/png", "x", {NoWait}).code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(store->Get(key, 10, {NoWait}).status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(store->Has(key, {NoWait}).status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(store->Delete(key, {NoWait}).code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST_F(LocalBlobStoreTest, FollowsNoLink) {
  const auto store = Open();
  std::ofstream(dir_.path() + "/secret") << "secret";
  fs::create_symlink(dir_.path() + "/secret", folder_ + "/link.png");
  EXPECT_EQ(store->Get("link.png", 100, {NoWait}).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store->Has("link.png", {NoWait}).value(), false);
  ASSERT_EQ(store->Put("link.png", "image/png", "x", {NoWait}), absl::OkStatus());
  std::ifstream secret(dir_.path() + "/secret");
  std::string kept;
  secret >> kept;
  EXPECT_EQ(kept, "secret");
}

TEST_F(LocalBlobStoreTest, AnswersUrlsBelowItsBaseAndTakesNoOthersBack) {
  struct Case {
    std::string public_url;
    std::string url;
  };
  for (const Case& one :
       {Case{"", "/blobs/a/b.png"}, Case{"https://cdn.example.com/x", "https://cdn.example.com/x/a/b.png"},
        Case{"https://cdn.example.com/x/", "https://cdn.example.com/x/a/b.png"}}) {
    const auto store = Open(one.public_url);
    EXPECT_EQ(store->UrlOf("a/b.png"), one.url);
    EXPECT_EQ(store->KeyOf(one.url), "a/b.png");
    for (const char* const url :
         {"https://evil.com/a/b.png", "a/b.png", "", "/blobs/../x", "https://cdn.example.com/x"}) {
      EXPECT_EQ(store->KeyOf(url), std::nullopt) << url;
    }
  }
}

TEST_F(LocalBlobStoreTest, LeavesNothingBehindWhenTheDiskIsFull) {
  const auto store = Open();
  ASSERT_EQ(store->Put("a.png", "image/png", "old", {NoWait}), absl::OkStatus());
  // A process whose files may have 1,000 bytes meets the same as one on a full disk.
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &limit);
    const absl::Status put = store->Put("a.png", "image/png", std::string(5000, 'x'), {NoWait});
    _exit(put.code() == absl::StatusCode::kResourceExhausted ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(Files(), std::vector<std::string>{"a.png"});
  EXPECT_EQ(store->Get("a.png", 100, {NoWait}).value(), "old");
}

// A blob is named after its content, so one that was cut off shows.
TEST_F(LocalBlobStoreTest, ShowsWholeBlobsOnlyWhenItsProcessIsKilled) {
  const auto store = Open();
  for (int round = 0; round < 20; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      for (int i = 0;; ++i) {
        const std::string bytes = absl::StrCat(round, "-", i, "-", std::string(200'000, 'x'));
        static_cast<void>(store->Put(ContentKey("w", bytes, "bin"), "application/octet-stream", bytes, {NoWait}));
        if (i == round) raise(SIGKILL);
      }
    }
    if (round % 2 == 0) kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  for (const std::string& file : Files()) {
    const std::string name = fs::path(file).stem().string();
    if (fs::path(file).filename().string().starts_with(".")) continue;
    EXPECT_EQ(HexEncode(Sha256(store->Get(file, 1 << 20, {NoWait}).value())), name);
  }
}

TEST_F(LocalBlobStoreTest, RemovesWhatWasLeftUnfinishedLongAgo) {
  const auto store = Open();
  ASSERT_EQ(store->Put("w/a.png", "image/png", "x", {NoWait}), absl::OkStatus());
  const std::string old_one = folder_ + "/w/.unfinished-1";
  const std::string new_one = folder_ + "/w/.unfinished-2";
  std::ofstream(old_one) << "x";
  std::ofstream(new_one) << "x";
  fs::last_write_time(old_one, fs::file_time_type::clock::now() - std::chrono::hours(2));
  Open();
  EXPECT_FALSE(fs::exists(old_one));
  EXPECT_TRUE(fs::exists(new_one));
  EXPECT_TRUE(fs::exists(folder_ + "/w/a.png"));
}

TEST_F(LocalBlobStoreTest, IsNotWhereAFileIs) {
  std::ofstream(dir_.path() + "/file") << "x";
  for (const char* const path : {"/file", "/file/blobs"}) {
    EXPECT_EQ(LocalBlobStore::Create({dir_.path() + path, ""}).status().code(), absl::StatusCode::kFailedPrecondition);
  }
}

TEST_F(LocalBlobStoreTest, TakesManyThreadsAtOnce) {
  const auto store = Open();
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&store] {
      for (int k = 0; k < 20; ++k) {
        EXPECT_EQ(store->Put("a/same.png", "image/png", std::string(1000, 'x'), {NoWait}), absl::OkStatus());
        EXPECT_EQ(store->Get("a/same.png", 1000, {NoWait})->size(), 1000u);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Files(), std::vector<std::string>{"a/same.png"});
}

}  // namespace
}  // namespace toolgate::storage::blobs
