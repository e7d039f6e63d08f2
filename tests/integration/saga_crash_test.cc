// Processes that are killed at every point of an automation whose steps settle one by one.
//
// Each round runs the automation in a process of its own, which is killed at the n-th point (mortal_process.h). The
// next process recovers what was left. Then the call is sent again with its key, and everything must agree: either all
// steps took effect, once, and one undo takes them back, or nothing of them is there.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/mortal_process.h"
#include "tests/support/scratch_tool.h"
#include "tests/support/temp_dir.h"

namespace toolgate {
namespace {

using security::ToolResult;
using testing::IsKilled;
using testing::MortalProcess;

constexpr char kKey[] = "the-key";

Json Write(const std::string& name, const std::string& text) {
  return {{"tool", "scratch_write"}, {"arguments", {{"name", name}, {"text", text}}}};
}
Json Fail() { return {{"tool", "scratch_read"}, {"arguments", {{"name", "nothing"}}}}; }

class SagaCrashTest : public ::testing::Test {
 protected:
  // A fresh service whose file "one" holds "before", and an automation of `steps`.
  void Begin(const Json& steps) {
    dir_ = std::make_unique<testing::TempDir>();
    std::filesystem::create_directory(dir_->path() + "/scratch");
    MortalProcess process(dir_->path());
    ASSERT_TRUE(process.Run("scratch_write", {{"name", "one"}, {"text", "before"}}, "")->success);
    std::filesystem::remove(dir_->path() + "/acts");
    const auto make = [&](storage::Transaction& tx) -> absl::Status {
      const Json data{{"title", "Auto"}, {"steps", steps}};
      const auto block = tx.CreateBlock({"auto", "automation", "", DumpJson(data), std::nullopt});
      return block.status();
    };
    const storage::WriteContext context{"w", "ann", "made", absl::Now()};
    ASSERT_TRUE(process.store().Commit(context, storage::CommitMode::kDurable, fibers::Cancellation(), make).ok());
  }
  absl::StatusOr<ToolResult> Trigger(MortalProcess& process) {
    return process.Run("trigger_automation", {{"automationId", "auto"}}, kKey);
  }
  // Whether the process was killed that runs the automation and ends at the `kill_at`-th point.
  bool TriggerIsKilled(int kill_at) {
    return IsKilled([&] {
      MortalProcess process(dir_->path(), kill_at);
      Trigger(process).IgnoreError();
    });
  }
  std::string File(const std::string& name) const { return testing::ReadScratch(dir_->path() + "/scratch/" + name); }
  // Number of files, half-made ones included.
  static int64_t Count(const std::string& folder) {
    const std::filesystem::directory_iterator files(folder);
    return std::distance(begin(files), end(files));
  }
  int64_t Files() const { return Count(dir_->path() + "/scratch"); }
  static int64_t Pages(MortalProcess& process) {
    storage::BlockQuery query;
    query.types = {"page"};
    query.limit = 100;
    int64_t pages = 0;
    const auto count = [&](storage::ReadView& view) -> absl::Status {
      pages = static_cast<int64_t>(view.FindBlocks(query)->blocks.size());
      return absl::OkStatus();
    };
    EXPECT_TRUE(process.store().Read("w", count).ok());
    return pages;
  }
  static size_t UndoEntries(MortalProcess& process) {
    size_t entries = 0;
    const auto count = [&](storage::ReadView& view) -> absl::Status {
      entries = view.ListUndoEntries("ann")->size();
      return absl::OkStatus();
    };
    EXPECT_TRUE(process.store().Read("w", count).ok());
    return entries;
  }
  // That no write, and no reversal of one, took effect twice: each has a key of its own.
  void CheckActs() const {
    std::istringstream lines(testing::ReadScratch(dir_->path() + "/acts"));
    std::set<std::string> keys;
    for (std::string key; std::getline(lines, key);) EXPECT_TRUE(keys.insert(key).second) << key << " acted twice";
  }
  // That the log verifies, and has one entry of each call which is no repeat.
  static void CheckAudit(MortalProcess& process, const ToolResult& result) {
    process.Flush();
    storage::AuditQuery query;
    query.limit = 1000;
    std::set<std::string> ids;
    const std::vector<v1::AuditEntry> entries = process.store().SearchAudit("w", {}, query).value();
    for (const v1::AuditEntry& entry : entries) {
      EXPECT_TRUE(ids.insert(entry.id()).second) << entry.tool_id();
    }
    const auto entry = process.store().GetAudit("w", {}, result.audit_entry_id);
    ASSERT_TRUE(entry.ok()) << entry.status();
    EXPECT_EQ(entry->success(), result.success);
    EXPECT_TRUE(process.store().VerifyChain("w", {})->valid);
  }

  void CheckNothingIsLeft(MortalProcess& process) {
    EXPECT_EQ(File("one"), "before");
    EXPECT_EQ(Files(), 1);
    EXPECT_EQ(Pages(process), 0);
  }
  // Recovers, sends the call again, and compares everything that can be seen of it. Whether it succeeded.
  bool Check() {
    MortalProcess process(dir_->path());
    EXPECT_EQ(process.Recover(), 0);
    EXPECT_TRUE(process.store().ListClaims({}, 10)->empty());
    const absl::StatusOr<ToolResult> result = Trigger(process);
    if (!result.ok()) {
      ADD_FAILURE() << result.status();
      return false;
    }
    CheckActs();
    CheckAudit(process, *result);
    EXPECT_EQ(UndoEntries(process), result->success ? 2U : 1U) << "that of the setup is one";
    if (!result->success) {
      EXPECT_TRUE(std::none_of(result->error->facts.begin(), result->error->facts.end(),
                               [](const auto& fact) { return fact.first == "keptSteps"; }));
      CheckNothingIsLeft(process);
      return false;
    }
    EXPECT_EQ(File("one"), "after");
    EXPECT_EQ(File("two"), "new");
    EXPECT_EQ(Pages(process), 1);
    const absl::StatusOr<ToolResult> undone = process.Undo("");
    EXPECT_TRUE(undone.ok() && undone->success) << undone.status();
    CheckNothingIsLeft(process);
    return true;
  }

  const Json all_ = Json::array({Write("one", "after"), {{"tool", "scratch_plain"}}, Write("two", "new")});
  std::unique_ptr<testing::TempDir> dir_;
};

TEST_F(SagaCrashTest, AnAutomationThatIsKilledAnywhereTakesEffectOnceOrNotAtAll) {
  int rounds = 0;
  int succeeded = 0;
  for (bool killed = true; killed && !HasFailure(); ++rounds) {
    SCOPED_TRACE(rounds);
    Begin(all_);
    killed = TriggerIsKilled(rounds);
    succeeded += Check() ? 1 : 0;
  }
  // Before, within and after each of ten commits (claims of the whole and of two steps, their checkpoints and
  // settlements, and the write), and the handlers' four places, twice.
  EXPECT_GE(rounds, 38);
  EXPECT_GT(succeeded, 3) << "nothing ran before the first, and all had settled before the last";
  EXPECT_LT(succeeded, rounds - 20);
}

TEST_F(SagaCrashTest, AFailureThatIsKilledAnywhereLeavesNothing) {
  Json steps = all_;
  steps.push_back(Fail());
  int rounds = 0;
  for (bool killed = true; killed && !HasFailure(); ++rounds) {
    SCOPED_TRACE(rounds);
    Begin(steps);
    killed = TriggerIsKilled(rounds);
    EXPECT_FALSE(Check());
  }
  EXPECT_GE(rounds, 60) << "the steps, and what takes them back";
}

TEST_F(SagaCrashTest, ARecoveryThatIsKilledItselfIsMadeAgain) {
  // Points at which one, two and three steps have left something.
  for (const int first : {8, 14, 18, 27}) {
    bool killed = true;
    for (int second = 0; killed && !HasFailure(); ++second) {
      SCOPED_TRACE(::testing::Message() << first << " then " << second);
      Begin(all_);
      EXPECT_TRUE(TriggerIsKilled(first));
      killed = IsKilled([&] { MortalProcess(dir_->path(), second).Recover(); });
      EXPECT_FALSE(Check());
    }
  }
}

TEST_F(SagaCrashTest, AnUndoThatIsKilledAnywhereIsMadeOnce) {
  int rounds = 0;
  for (bool killed = true; killed && !HasFailure(); ++rounds) {
    SCOPED_TRACE(rounds);
    Begin(all_);
    {
      MortalProcess process(dir_->path());
      ASSERT_TRUE(Trigger(process)->success);
    }
    killed = IsKilled([&] { MortalProcess(dir_->path(), rounds).Undo("undo-key").IgnoreError(); });
    MortalProcess next(dir_->path());
    EXPECT_EQ(next.Recover(), 0);
    const absl::StatusOr<ToolResult> undone = next.UndoUnlessBegun("undo-key");
    ASSERT_TRUE(undone.ok()) << undone.status();
    EXPECT_TRUE(undone->success) << undone->error->message;
    CheckNothingIsLeft(next);
    CheckAudit(next, *undone);
  }
  EXPECT_GE(rounds, 18);
}

}  // namespace
}  // namespace toolgate
