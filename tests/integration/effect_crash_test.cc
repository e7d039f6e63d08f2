// Processes that are killed at every point between the claim of an effect and its settlement.
//
// Each round runs a call in a separate process, which ends itself with SIGKILL at the n-th point: the places that the
// handler passes, and the moments right before and right after each commit. The next process recovers. Then the call is
// sent again with its key, and everything must agree: the content of the folder, the number of writes, the answer to
// the repeat, the audit log, and the effect of undo.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/mortal_process.h"
#include "tests/support/scratch_tool.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_store.h"

namespace toolgate {
namespace {

using security::ToolResult;
using testing::IsKilled;

constexpr char kKey[] = "the-key";

class Process : public testing::MortalProcess {
 public:
  using MortalProcess::MortalProcess;
  absl::StatusOr<ToolResult> Write(const std::string& text, const std::string& key) {
    return Run("scratch_write", {{"name", "file"}, {"text", text}}, key);
  }
  void FailOnOrder() {
    hooks().fail = [] { return MakeError(ErrorCode::kConflict, "on order"); };
  }
};

class EffectCrashTest : public ::testing::Test {
 protected:
  // A fresh service whose file holds "before".
  void Begin() {
    dir_ = std::make_unique<testing::TempDir>();
    std::filesystem::create_directory(dir_->path() + "/scratch");
    Process process(dir_->path());
    ASSERT_TRUE(process.Write("before", "")->success);
    std::filesystem::remove(dir_->path() + "/acts");
  }
  std::string File() const { return testing::ReadScratch(dir_->path() + "/scratch/file"); }
  int Acts() const {
    const std::string lines = testing::ReadScratch(dir_->path() + "/acts");
    return static_cast<int>(std::count(lines.begin(), lines.end(), '\n'));
  }
  // Everything in the folder but the file.
  int Leftovers() const {
    const std::filesystem::directory_iterator files(dir_->path() + "/scratch");
    return static_cast<int>(
        std::count_if(begin(files), end(files), [](const auto& entry) { return entry.path().filename() != "file"; }));
  }

  // Checks that the log has exactly one entry of the call apart from repeats and refusals, whose success is `success`,
  // and that the chain verifies.
  static void CheckAudit(Process& process, const std::string& tool, const std::string& audit_entry_id, bool success) {
    process.Flush();
    storage::AuditQuery query;
    query.tool_id = tool;
    query.limit = 100;
    const std::vector<v1::AuditEntry> entries = process.store().SearchAudit("w", {}, query).value();
    const auto ran = std::count_if(entries.begin(), entries.end(), [&](const v1::AuditEntry& entry) {
      return entry.id() == audit_entry_id && !entry.idempotent_replay();
    });
    EXPECT_EQ(ran, 1);
    const auto entry = process.store().GetAudit("w", {}, audit_entry_id);
    ASSERT_TRUE(entry.ok()) << entry.status();
    EXPECT_EQ(entry->success(), success);
    EXPECT_TRUE(process.store().VerifyChain("w", {})->valid);
  }

  // The tool notes an act after it has acted, so one that is killed between the two is not noted.
  enum class Acted { kNoted, kPerhapsNoted };

  // Sends the call again, and compares everything observable.
  void CheckWrite(Process& process, Acted acted = Acted::kNoted) {
    EXPECT_EQ(process.Recover(), 0);
    EXPECT_TRUE(process.store().ListClaims({}, 10)->empty());
    const absl::StatusOr<ToolResult> result = process.Write("after", kKey);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(Leftovers(), 0);
    EXPECT_EQ(File(), result->success ? "after" : "before");
    EXPECT_LE(Acts(), result->success ? 1 : 0);
    EXPECT_TRUE(Acts() == 1 || !result->success || acted == Acted::kPerhapsNoted);
    CheckAudit(process, "scratch_write", result->audit_entry_id, result->success);
    if (!result->success) return;
    ASSERT_TRUE(process.Undo("")->success);
    EXPECT_EQ(File(), "before");
  }

  std::unique_ptr<testing::TempDir> dir_;
};

TEST_F(EffectCrashTest, AWriteThatIsKilledAnywhereTakesEffectOnceOrNotAtAll) {
  int rounds = 0;
  for (bool killed = true; killed; ++rounds) {
    SCOPED_TRACE(rounds);
    Begin();
    killed = IsKilled([&] { Process(dir_->path(), rounds).Write("after", kKey).IgnoreError(); });
    Process next(dir_->path());
    CheckWrite(next);
    if (HasFailure()) return;
  }
  // Before, within and after each of three commits (claim, checkpoint, settlement), and the handler's four places.
  EXPECT_GT(rounds, 12);
}

TEST_F(EffectCrashTest, ARecoveryThatIsKilledItselfIsMadeAgain) {
  // The points of the call's own process after which something is left to recover.
  for (int first = 3; first < 12; ++first) {
    bool killed = true;
    for (int second = 0; killed; ++second) {
      SCOPED_TRACE(::testing::Message() << first << " then " << second);
      Begin();
      IsKilled([&] { Process(dir_->path(), first).Write("after", kKey).IgnoreError(); });
      killed = IsKilled([&] { Process(dir_->path(), second).Recover(); });
      Process next(dir_->path());
      CheckWrite(next);
      if (HasFailure()) return;
    }
  }
}

TEST_F(EffectCrashTest, AFailureThatIsKilledAnywhereLeavesNothing) {
  int rounds = 0;
  for (bool killed = true; killed; ++rounds) {
    SCOPED_TRACE(rounds);
    Begin();
    killed = IsKilled([&] {
      Process process(dir_->path(), rounds);
      process.FailOnOrder();
      process.Write("after", kKey).IgnoreError();
    });
    Process next(dir_->path());
    next.FailOnOrder();
    EXPECT_EQ(next.Recover(), 0);
    const absl::StatusOr<ToolResult> result = next.Write("after", kKey);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_FALSE(result->success);
    EXPECT_EQ(File(), "before");
    EXPECT_EQ(Leftovers(), 0);
    EXPECT_EQ(Acts(), 0);
    CheckAudit(next, "scratch_write", result->audit_entry_id, false);
    if (HasFailure()) return;
  }
}

TEST_F(EffectCrashTest, AnUndoThatIsKilledAnywhereIsMadeOnce) {
  int rounds = 0;
  for (bool killed = true; killed; ++rounds) {
    SCOPED_TRACE(rounds);
    Begin();
    ASSERT_TRUE(Process(dir_->path()).Write("after", "")->success);
    killed = IsKilled([&] { Process(dir_->path(), rounds).Undo(kKey).IgnoreError(); });
    Process next(dir_->path());
    EXPECT_EQ(next.Recover(), 0);
    const absl::StatusOr<ToolResult> undone = next.UndoUnlessBegun(kKey);
    ASSERT_TRUE(undone.ok()) << undone.status();
    EXPECT_TRUE(undone->success) << undone->error->message;
    EXPECT_EQ(File(), "before");
    EXPECT_EQ(Leftovers(), 0);
    EXPECT_EQ(Acts(), 2) << "the write, and one undo";
    CheckAudit(next, "undo", undone->audit_entry_id, true);
    if (HasFailure()) return;
  }
}

// Two files that calls of one request wrote; a call of another wrote one of them before.
TEST_F(EffectCrashTest, AnUndoOfAWholeRequestThatIsKilledAnywhereIsMadeOnce) {
  int rounds = 0;
  for (bool killed = true; killed; ++rounds) {
    SCOPED_TRACE(rounds);
    Begin();
    {
      Process process(dir_->path());
      ASSERT_TRUE(process.Run("scratch_write", {{"name", "other"}, {"text", "made"}}, "", "turn")->success);
      ASSERT_TRUE(process.Run("scratch_write", {{"name", "file"}, {"text", "after"}}, "", "turn")->success);
    }
    const Json all{{"allOfRequestId", "turn"}};
    killed = IsKilled([&] { Process(dir_->path(), rounds).Undo(kKey, all).IgnoreError(); });
    Process next(dir_->path());
    EXPECT_EQ(next.Recover(), 0);
    const absl::StatusOr<ToolResult> undone = next.UndoUnlessBegun(kKey, all);
    ASSERT_TRUE(undone.ok()) << undone.status();
    EXPECT_TRUE(undone->success) << undone->error->message;
    EXPECT_EQ(File(), "before");
    EXPECT_EQ(Leftovers(), 0);
    EXPECT_EQ(Acts(), 4) << "two writes, each undone once";
    CheckAudit(next, "undo", undone->audit_entry_id, true);
    ASSERT_TRUE(next.Undo("", {{"entryId", undone->undo_entry_id}})->success);
    EXPECT_EQ(File(), "after");
    EXPECT_EQ(Leftovers(), 1);
    if (HasFailure()) return;
  }
  EXPECT_GT(rounds, 12);
}

// Also between the points that the test knows.
TEST_F(EffectCrashTest, AWriteThatIsKilledAtAnyMomentTakesEffectOnceOrNotAtAll) {
  constexpr int kRounds = 60;
  int killed = 0;
  for (int round = 0; round < kRounds && !HasFailure(); ++round) {
    SCOPED_TRACE(round);
    Begin();
    const pid_t child = fork();
    if (child == 0) {
      Process process(dir_->path());
      process.Write("after", kKey).IgnoreError();
      std::_Exit(0);
    }
    usleep(static_cast<useconds_t>(round) * 997);
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    killed += WIFSIGNALED(status) ? 1 : 0;
    Process next(dir_->path());
    CheckWrite(next, Acted::kPerhapsNoted);
  }
  EXPECT_GT(killed, 0);
}

}  // namespace
}  // namespace toolgate
