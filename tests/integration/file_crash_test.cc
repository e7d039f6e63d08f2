// Processes that are killed at every step of Write, Edit and their undo.
//
// Each round runs a call in a separate process, which ends itself with SIGKILL at the n-th point: each step of a change
// of files, and the moments right before, within and right after each commit. The next process recovers. Then the call
// is sent again with its key, and everything must agree: the file is the old one or the new one, the answer to the
// repeat says which, the call ran once at most, the audit log knows it, and undo brings the old file back.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "executors/files/files_tools.h"
#include "executors/undo/undo_tool.h"
#include "gtest/gtest.h"
#include "services/config/config.h"
#include "storage/store.h"
#include "tests/support/mortal_process.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_core.h"
#include "tests/support/test_store.h"

namespace toolgate {
namespace {

using executors::files::FilesSettings;
using security::ToolResult;
using testing::IsKilled;

constexpr char kKey[] = "the-key";
constexpr int kNever = 1'000'000;

// A service with the tools of files and undo, which asks nobody, over the files of a folder.
class Process {
 public:
  explicit Process(const std::string& dir, int kill_at = kNever) : points_(kill_at) {
    testing::TestStoreOptions options;
    options.data_dir = dir + "/data";
    sqlite_ = testing::MakeTestStore(options);
    store_ = std::make_unique<testing::DeadlyStore>(*sqlite_, points_);
    core_ = std::make_unique<testing::TestCore>(*store_, Clock::Real(), services::config::Load({}).value(),
                                                MakeCatalog(dir));
  }

  int64_t Recover() {
    using services::execution::Recovery;
    return core_->core().ResolveAbandonedClaims(Recovery::Abandoned::kNotOwnRunning, nullptr).value();
  }
  absl::StatusOr<ToolResult> Run(std::string_view tool, const Json& arguments, const std::string& key) {
    const auto call = core_->Call(tool);
    call->SetArguments(arguments);
    call->idempotency_key = key;
    return core_->Run(*call);
  }
  absl::StatusOr<ToolResult> Undo(const std::string& key) {
    const auto call = core_->Call("undo");
    call->internal = executors::InternalTool::kUndo;
    call->idempotency_key = key;
    return core_->Run(*call);
  }
  // Entries of the audit log that stand for a run of the tool.
  int64_t Runs(const std::string& tool) {
    core_->Flush();
    storage::AuditQuery query;
    query.tool_id = tool;
    query.limit = 100;
    const auto entries = sqlite_->SearchAudit("w", {}, query).value();
    EXPECT_TRUE(sqlite_->VerifyChain("w", {})->valid);
    return std::count_if(entries.begin(), entries.end(),
                         [](const v1::AuditEntry& entry) { return !entry.idempotent_replay(); });
  }
  storage::Store& store() { return *sqlite_; }

 private:
  std::shared_ptr<const executors::Catalog> MakeCatalog(const std::string& dir) {
    executors::CatalogOptions options;
    EXPECT_TRUE(executors::AddDefaults({executors::files::FilesFamily()}, options.settings).ok());
    FilesSettings& settings = *options.settings.MutableExtension(FilesSettings::files);
    settings.set_root(dir + "/files");
    // So that old contents go both ways.
    settings.set_max_undo_bytes(kMaxUndoBytes);
    executors::Family files = executors::files::FilesFamily();
    files.make = [this, make = files.make](const executors::FamilyContext& context) {
      // Its own, which the family then finds.
      using executors::directory::Directories;
      const auto watched = [&]() -> absl::StatusOr<std::shared_ptr<Directories>> {
        auto made = executors::files::OptionsOf(context.settings.GetExtension(FilesSettings::files));
        if (!made.ok()) return made.status();
        made->on_step = [this](std::string_view) { points_.Pass(); };
        return std::make_shared<Directories>(*std::move(made));
      };
      EXPECT_TRUE(context.parts->Get<Directories>(watched).ok());
      return make(context);
    };
    files.definitions = &Definitions();
    return executors::MakeCatalog({files, executors::undo::UndoFamily()}, options).value();
  }
  // Those of the family, which ask nobody here.
  static const std::vector<EmbeddedFile>& Definitions() {
    static const auto* const texts = [] {
      auto* const all = new std::vector<std::string>();
      for (const EmbeddedFile& file : *executors::files::FilesFamily().definitions) {
        Json definition = Json::parse(file.text);
        definition["confirmation"] = "never";
        all->push_back(DumpJson(definition));
      }
      return all;
    }();
    static const auto* const files = [] {
      auto* const all = new std::vector<EmbeddedFile>();
      for (const std::string& text : *texts) all->push_back({"test.json", text});
      return all;
    }();
    return *files;
  }

  static constexpr int64_t kMaxUndoBytes = 1000;

  testing::KillPoints points_;
  std::unique_ptr<storage::Store> sqlite_;
  std::unique_ptr<testing::DeadlyStore> store_;
  std::unique_ptr<testing::TestCore> core_;
};

// A call, and the content of its file before and after.
struct Scene {
  std::string tool;
  Json arguments;
  std::string before;  // "(none)": there is no file.
  std::string after;
};

const std::string& Long() {
  static const auto* const text = new std::string(5000, 'x');
  return *text;
}

std::vector<Scene> Scenes() {
  return {
      {"Write", {{"file", "f"}, {"content", "after"}}, "before", "after"},
      {"Write", {{"file", "d/e/f"}, {"content", "after"}}, "(none)", "after"},
      {"Edit", {{"file", "f"}, {"oldText", "before"}, {"newText", "after"}}, "before", "after"},
      {"Write", {{"file", "f"}, {"content", "after"}}, Long(), "after"},
  };
}

class FileCrashTest : public ::testing::TestWithParam<size_t> {
 protected:
  FileCrashTest() : scene_(Scenes()[GetParam()]) {}

  void Begin() {
    dir_ = std::make_unique<testing::TempDir>();
    std::filesystem::create_directories(dir_->path() + "/files/w");
    if (scene_.before == "(none)") return;
    std::ofstream(File()) << scene_.before;
    chmod(File().c_str(), 0640);
  }
  std::string File() const { return dir_->path() + "/files/w/" + scene_.arguments["file"].get<std::string>(); }
  std::string Content() const {
    if (!std::filesystem::exists(File())) return "(none)";
    std::ifstream file(File(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  // Everything in the directory besides the file and the service's own.
  std::string Others() const {
    std::string names;
    const std::string root = dir_->path() + "/files/w";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      const std::string path = entry.path().string().substr(root.size() + 1);
      if (path.rfind(".toolgate", 0) != 0 && entry.path() != File()) names += path + " ";
    }
    return names;
  }
  void CheckOldOrNew() const {
    const std::string content = Content();
    EXPECT_TRUE(content == scene_.before || content == scene_.after) << "half a file: " << content;
  }
  void CheckMode() const {
    struct stat stat = {};
    if (scene_.before == "(none)") return;
    ASSERT_EQ(lstat(File().c_str(), &stat), 0);
    EXPECT_EQ(stat.st_mode & 07777, 0640u);
  }

  void Kill(int at) {
    killed_ = IsKilled([&] { Process(dir_->path(), at).Run(scene_.tool, scene_.arguments, kKey).IgnoreError(); });
    CheckOldOrNew();
  }
  // Recovers, sends the call again, and compares everything observable.
  void Check() {
    Process process(dir_->path());
    EXPECT_EQ(process.Recover(), 0);
    EXPECT_TRUE(process.store().ListClaims({}, 10)->empty());
    CheckOldOrNew();
    const std::string recovered = Content();
    const absl::StatusOr<ToolResult> result = process.Run(scene_.tool, scene_.arguments, kKey);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(Content(), result->success ? scene_.after : scene_.before);
    if (result->replayed) {
      EXPECT_EQ(Content(), recovered) << "a repeat does nothing";
    }
    EXPECT_EQ(process.Runs(scene_.tool), 1);
    CheckMode();
    if (!result->success) {
      EXPECT_EQ(Others(), "");
      return;
    }
    const absl::StatusOr<ToolResult> undone = process.Undo("");
    ASSERT_TRUE(undone.ok() && undone->success);
    EXPECT_EQ(Content(), scene_.before);
    EXPECT_EQ(Others(), "");
    CheckMode();
  }

  const Scene scene_;
  std::unique_ptr<testing::TempDir> dir_;
  bool killed_ = true;
};

TEST_P(FileCrashTest, ACallThatIsKilledAtAnyStepTakesEffectOnceOrNotAtAll) {
  int rounds = 0;
  for (; killed_ && !HasFailure(); ++rounds) {
    SCOPED_TRACE(rounds);
    Begin();
    Kill(rounds);
    Check();
  }
  // Three commits of three points each, and the steps of the change.
  EXPECT_GT(rounds, 16);
}

TEST_P(FileCrashTest, ARecoveryThatIsKilledItselfIsMadeAgain) {
  for (int first = 4; first < 18 && !HasFailure(); first += 3) {
    bool killed = true;
    for (int second = 0; killed && !HasFailure(); ++second) {
      SCOPED_TRACE(::testing::Message() << first << " then " << second);
      Begin();
      Kill(first);
      killed = IsKilled([&] { Process(dir_->path(), second).Recover(); });
      CheckOldOrNew();
      Check();
    }
  }
}

TEST_P(FileCrashTest, AnUndoThatIsKilledAtAnyStepIsMadeOnce) {
  int rounds = 0;
  for (bool killed = true; killed && !HasFailure(); ++rounds) {
    SCOPED_TRACE(rounds);
    Begin();
    ASSERT_TRUE(Process(dir_->path()).Run(scene_.tool, scene_.arguments, "")->success);
    killed = IsKilled([&] { Process(dir_->path(), rounds).Undo(kKey).IgnoreError(); });
    CheckOldOrNew();
    Process next(dir_->path());
    EXPECT_EQ(next.Recover(), 0);
    absl::StatusOr<ToolResult> undone = next.Undo(kKey);
    // One that had not begun is not made by recovery.
    const bool begun = !undone.ok() || undone->success;
    if (!begun) undone = next.Undo("another key");
    ASSERT_TRUE(undone.ok()) << undone.status();
    EXPECT_TRUE(undone->success) << undone->error->message;
    EXPECT_EQ(Content(), scene_.before);
    EXPECT_EQ(Others(), "");
    CheckMode();
    EXPECT_EQ(next.Runs("undo"), begun ? 1 : 2);
  }
  EXPECT_GT(rounds, 12);
}

// Also between the points that the test knows.
TEST_P(FileCrashTest, ACallThatIsKilledAtAnyMomentTakesEffectOnceOrNotAtAll) {
  constexpr int kRounds = 40;
  int killed = 0;
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    Begin();
    const pid_t child = fork();
    if (child == 0) {
      Process process(dir_->path());
      process.Run(scene_.tool, scene_.arguments, kKey).IgnoreError();
      std::_Exit(0);
    }
    usleep(static_cast<useconds_t>(round) * 1499);
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    killed += WIFSIGNALED(status) ? 1 : 0;
    CheckOldOrNew();
    Check();
  }
  EXPECT_GT(killed, 0);
}

INSTANTIATE_TEST_SUITE_P(Scenes, FileCrashTest, ::testing::Range(size_t{0}, Scenes().size()));

}  // namespace
}  // namespace toolgate
