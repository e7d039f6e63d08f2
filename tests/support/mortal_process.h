// A service in a process of its own, which ends itself with SIGKILL at a point of the test's choice: at the places that
// the handlers of scratch tools pass, and right before, within and right after each commit.
#ifndef TOOLGATE_TESTS_SUPPORT_MORTAL_PROCESS_H_
#define TOOLGATE_TESTS_SUPPORT_MORTAL_PROCESS_H_

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "gtest/gtest.h"
#include "services/config/config.h"
#include "storage/forwarding_store.h"
#include "storage/store.h"
#include "tests/support/scratch_tool.h"
#include "tests/support/test_core.h"
#include "tests/support/test_store.h"

namespace toolgate::testing {

// Ends the process at the point whose turn it is.
class KillPoints {
 public:
  explicit KillPoints(int at) : at_(at) {}
  void Pass() {
    if (passed_++ == at_) raise(SIGKILL);
  }

 private:
  const int at_;
  std::atomic<int> passed_{0};
};

class DeadlyStore final : public storage::ForwardingStore {
 public:
  DeadlyStore(storage::Store& store, KillPoints& points) : storage::ForwardingStore(store), points_(points) {}

  absl::Status Commit(const storage::WriteContext& context, storage::CommitMode mode,
                      const fibers::Cancellation& cancellation,
                      absl::FunctionRef<absl::Status(storage::Transaction&)> body) override {
    points_.Pass();
    absl::Status status = store().Commit(context, mode, cancellation, [&](storage::Transaction& tx) {
      absl::Status done = body(tx);
      points_.Pass();
      return done;
    });
    points_.Pass();
    return status;
  }

 private:
  KillPoints& points_;
};

// A service over the files of a folder.
class MortalProcess {
 public:
  static constexpr int kNever = 1'000'000;

  // Ends at the `kill_at`-th point.
  explicit MortalProcess(const std::string& dir, int kill_at = kNever) : points_(kill_at) {
    TestStoreOptions options;
    options.data_dir = dir + "/data";
    sqlite_ = MakeTestStore(options);
    store_ = std::make_unique<DeadlyStore>(*sqlite_, points_);
    hooks_.at = [this](std::string_view) { points_.Pass(); };
    core_ = std::make_unique<TestCore>(*store_, Clock::Real(), services::config::Load({}).value(),
                                       ScratchCatalog(dir + "/scratch", hooks_));
  }

  int64_t Recover() {
    using services::execution::Recovery;
    return core_->core().ResolveAbandonedClaims(Recovery::Abandoned::kNotOwnRunning, nullptr).value();
  }
  absl::StatusOr<security::ToolResult> Run(std::string_view tool, Json arguments, const std::string& key,
                                           std::string_view request_id = "") {
    const auto call = core_->Call(tool);
    call->SetArguments(std::move(arguments));
    call->idempotency_key = key;
    call->request_id = request_id;
    return core_->Run(*call);
  }
  absl::StatusOr<security::ToolResult> Undo(const std::string& key, Json arguments = Json::object()) {
    const auto call = core_->Call("undo");
    call->internal = executors::InternalTool::kUndo;
    call->SetArguments(std::move(arguments));
    call->idempotency_key = key;
    return core_->Run(*call);
  }
  // Sends an undo again after a process that made it was killed. One that had not begun is answered as rolled back, and
  // is then made with another key.
  absl::StatusOr<security::ToolResult> UndoUnlessBegun(const std::string& key, const Json& arguments = Json::object()) {
    absl::StatusOr<security::ToolResult> undone = Undo(key, arguments);
    if (!undone.ok() || undone->success) return undone;
    // One that has begun must be finished by recovery, not by this.
    EXPECT_EQ(sqlite_->GetAudit("w", {}, undone->audit_entry_id).value().recovery(), "rolled_back");
    return Undo(key + " again", arguments);
  }
  ScratchHooks& hooks() { return hooks_; }
  storage::Store& store() { return *sqlite_; }
  void Flush() { core_->Flush(); }

 private:
  KillPoints points_;
  ScratchHooks hooks_;
  std::unique_ptr<storage::Store> sqlite_;
  std::unique_ptr<DeadlyStore> store_;
  std::unique_ptr<TestCore> core_;
};

// Runs `work` in a process of its own. Whether that was killed; anything but an orderly end is a failure.
inline bool IsKilled(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    std::_Exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  if (WIFSIGNALED(status)) {
    EXPECT_EQ(WTERMSIG(status), SIGKILL);
    return true;
  }
  EXPECT_EQ(WEXITSTATUS(status), 0);
  return false;
}

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_MORTAL_PROCESS_H_
