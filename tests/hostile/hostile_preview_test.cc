// Questions that hang, that are large, or that are overtaken: one caller's question, and the call that it approves,
// holds up no other caller, and nobody who does what an answer says runs a call twice.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "common/embedded_file.h"
#include "common/status_macros.h"
#include "executors/family.h"
#include "executors/files/files_tools.h"
#include "executors/workspace/workspace_tools.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/config/config.h"
#include "storage/store.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_core.h"
#include "tests/support/test_store.h"
#include "tests/support/unreliable_store.h"

namespace toolgate {
namespace {

using executors::Acted;
using executors::EffectSession;
using executors::Preview;
using executors::Recovered;
using executors::ToolContext;
using executors::files::FilesSettings;
using security::ToolCall;
using security::ToolResult;
using ::testing::HasSubstr;
using ::testing::Not;

// More than the store has readers.
constexpr int kHanging = 20;

// A door at which threads wait as in a system call: nothing but Open ends that.
class Door {
 public:
  void Pass() {
    const absl::MutexLock lock(&mutex_);
    ++waiting_;
    mutex_.Await(absl::Condition(&open_));
    --waiting_;
  }
  void AwaitWaiting(int count) {
    const absl::MutexLock lock(&mutex_);
    const auto reached = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return waiting_ >= count; };
    mutex_.Await(absl::Condition(&reached));
  }
  void Open() {
    const absl::MutexLock lock(&mutex_);
    open_ = true;
  }

 private:
  absl::Mutex mutex_;
  bool open_ ABSL_GUARDED_BY(mutex_) = false;
  int waiting_ ABSL_GUARDED_BY(mutex_) = 0;
};

// A place outside of the service, of which the tool "far_act" makes questions, and in which it acts.
struct FarPlace {
  std::function<absl::Status(EffectSession&)> look = nullptr;  // In each preview.
  std::function<absl::Status(EffectSession&)> act = nullptr;   // In the handler, after its comparison of the state.
  std::function<void()> compare = nullptr;                     // While the handler looks at the state.
  bool compares = true;                                        // Whether the handler does, as it must.
  std::atomic<int> looks{0};
  std::atomic<int> acts{0};
  std::string state = "as it was";
};

const std::vector<EmbeddedFile>& FarDefinitions() {
  static const auto* const files = new std::vector<EmbeddedFile>{
      {"executors/far/definitions/far_act.json",
       R"({"id": "far_act", "name": "Act far away", "description": "Changes something far away.",
           "category": "execute", "module": "far", "permissions": ["block:read"], "confirmation": "always",
           "annotations": {"readOnly": false}, "executor": {"kind": "native"},
           "arguments": {"type": "object"}, "result": {"type": "object"},
           "examples": [{"description": "Act", "arguments": {}, "result": {}}]})"}};
  return *files;
}

executors::Family FarFamily(FarPlace& place) {
  executors::ToolHandlers row;
  row.id = "far_act";
  row.run = executors::EffectHandler([&place](ToolContext&, EffectSession& session) -> absl::StatusOr<Acted> {
    const auto present = [&]() -> absl::StatusOr<std::string> {
      if (place.compare != nullptr) place.compare();
      return executors::StateDigest(Json(place.state));
    };
    if (place.compares) RETURN_IF_ERROR(session.CheckState(present));
    RETURN_IF_ERROR(session.Checkpoint("about to act"));
    if (place.act != nullptr) RETURN_IF_ERROR(place.act(session));
    ++place.acts;
    Acted acted;
    acted.output.data_json = "{}";
    acted.output.reversible = false;
    return acted;
  });
  row.preview = [&place](ToolContext&, EffectSession& session) -> absl::StatusOr<Preview> {
    ++place.looks;
    if (place.look != nullptr) RETURN_IF_ERROR(place.look(session));
    Preview preview;
    preview.summary = "Act far away";
    preview.state_digest = executors::StateDigest(Json(place.state));
    return preview;
  };
  row.recover = [](ToolContext&, EffectSession&) -> absl::StatusOr<Recovered> {
    return Recovered{.outcome = Recovered::Outcome::kRolledBack, .acted = {}};
  };
  return {"far", &FarDefinitions(), [row](const executors::FamilyContext&) -> absl::StatusOr<executors::FamilyTools> {
            return executors::FamilyTools{{row}};
          }};
}

// Of this process, in read calls.
int64_t BytesRead() {
  std::ifstream io("/proc/self/io");
  std::string name;
  int64_t bytes = 0;
  io >> name >> bytes;
  return bytes;
}

// A whole pipeline over a store with few readers, with the tools of the service, files of its own, and the far place.
class HostilePreviewTest : public ::testing::Test {
 protected:
  HostilePreviewTest() {
    testing::TestStoreOptions options;
    options.data_dir = dir_.path() + "/data";
    options.readers = 2;
    sqlite_ = testing::MakeTestStore(options);
    std::filesystem::create_directories(dir_.path() + "/files/w");
    Start();
  }

  void Start() { core_ = NewCore(*sqlite_); }
  // Another process over the same data.
  std::unique_ptr<testing::TestCore> NewCore(storage::Store& store) {
    const std::vector<executors::Family> families = {executors::workspace::WorkspaceFamily(),
                                                     executors::files::FilesFamily(), FarFamily(place_)};
    executors::CatalogOptions options;
    EXPECT_TRUE(executors::AddDefaults(families, options.settings).ok());
    options.settings.MutableExtension(FilesSettings::files)->set_root(dir_.path() + "/files");
    return std::make_unique<testing::TestCore>(store, Clock::Real(), config_,
                                               executors::MakeCatalog(families, options).value());
  }

  std::unique_ptr<ToolCall> Call(std::string_view tool, Json arguments = Json::object(), std::string_view token = "",
                                 std::string_view key = "") const {
    auto call = core_->Call(tool);
    call->SetArguments(std::move(arguments));
    call->confirmation_token = token;
    call->idempotency_key = key;
    return call;
  }
  absl::StatusOr<ToolResult> Run(std::string_view tool, Json arguments = Json::object(), std::string_view token = "",
                                 std::string_view key = "") const {
    return core_->Run(*Call(tool, std::move(arguments), token, key));
  }
  std::string Ask(std::string_view tool, Json arguments = Json::object()) const {
    const auto asked = Run(tool, std::move(arguments));
    EXPECT_TRUE(asked.ok()) << asked.status();
    if (!asked.ok() || !asked->confirmation.has_value()) {
      ADD_FAILURE() << "no question";
      return "";
    }
    return asked->confirmation->token;
  }
  // Another caller reads and writes. A call that is held up ends with TIMEOUT.
  void ExpectOthersAreServed() const {
    for (const auto& [tool, arguments] : std::vector<std::pair<std::string, Json>>{
             {"create_block", {{"type", "page"}, {"data", {{"title", "Plans"}}}}}, {"list_tasks", Json::object()}}) {
      const auto call = Call(tool, arguments);
      call->claimed.user_id = "bob";
      call->cancellation.Reset(Clock::Real(), Clock::Real().Monotonic() + absl::Seconds(20));
      const auto result = core_->Run(*call);
      EXPECT_TRUE(result.ok() && result->success) << tool << ": " << result.status();
    }
  }

  std::string PathTo(const std::string& name) const { return dir_.path() + "/files/w/" + name; }
  void Put(const std::string& name, const std::string& text) const { std::ofstream(PathTo(name)) << text; }
  // Its beginning.
  std::string Content(const std::string& name) const {
    std::ifstream file(PathTo(name));
    std::string text(1000, ' ');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<size_t>(file.gcount()));
    return text;
  }

  testing::TempDir dir_;
  config::v1::Config config_ = services::config::Load({}).value();
  FarPlace place_;
  std::unique_ptr<storage::Store> sqlite_;
  std::unique_ptr<testing::TestCore> core_;
};

ErrorCode CodeOf(const absl::StatusOr<ToolResult>& result) {
  if (!result.ok()) {
    const auto error = GetToolError(result.status());
    return error.has_value() ? error->code : ErrorCode::kExecutionError;
  }
  EXPECT_TRUE(result->error.has_value());
  return result->error.value_or(ToolError{}).code;
}

// ---- A place that hangs ---------------------------------------------------------------------------------------------

TEST_F(HostilePreviewTest, QuestionsThatHangHoldUpNobody) {
  Door door;
  place_.look = [&](EffectSession&) {
    door.Pass();
    return absl::OkStatus();
  };
  std::vector<std::thread> asking;
  asking.reserve(kHanging);
  std::atomic<int> asked{0};
  for (int i = 0; i < kHanging; ++i) {
    asking.emplace_back([&] {
      const auto result = Run("far_act");
      if (result.ok() && result->confirmation.has_value()) ++asked;
    });
  }
  door.AwaitWaiting(kHanging);
  ExpectOthersAreServed();
  door.Open();
  for (std::thread& thread : asking) thread.join();
  EXPECT_EQ(asked, kHanging);
}

TEST_F(HostilePreviewTest, AnApprovedCallWhosePlaceHangsHoldsUpNobody) {
  const std::string token = Ask("far_act");
  Door door;
  place_.compare = [&] { door.Pass(); };
  // The question is not made again: certainly not in the commit of the claim.
  place_.look = [](EffectSession&) { return absl::InternalError("asked again"); };
  std::thread acting([&] {
    const auto result = Run("far_act", Json::object(), token);
    EXPECT_TRUE(result.ok() && result->success) << result.status();
  });
  door.AwaitWaiting(1);
  ExpectOthersAreServed();
  door.Open();
  acting.join();
  EXPECT_EQ(place_.looks, 1);
  EXPECT_EQ(place_.acts, 1);
}

TEST_F(HostilePreviewTest, QuestionsAreBoundedLikeEffects) {
  // Of three, one user has two.
  config_.mutable_execution_tracking()->set_max_effects(3);
  config_.mutable_execution_tracking()->set_max_effects_per_provider(3);
  Start();
  Door door;
  place_.look = [&](EffectSession&) {
    door.Pass();
    return absl::OkStatus();
  };
  std::thread first([&] { EXPECT_TRUE(Run("far_act").ok()); });
  std::thread second([&] { EXPECT_TRUE(Run("far_act").ok()); });
  door.AwaitWaiting(2);
  const auto third = Run("far_act");
  ASSERT_FALSE(third.ok());
  EXPECT_EQ(CodeOf(third), ErrorCode::kOverloaded);
  EXPECT_TRUE(GetToolError(third.status())->retry_after.has_value());
  door.Open();
  first.join();
  second.join();
}

TEST_F(HostilePreviewTest, AQuestionEndsWithItsCall) {
  const auto call = Call("far_act");
  place_.look = [&](EffectSession& session) {
    fibers::Event never;
    call->cancellation.Cancel();
    return session.Wait(never).status();
  };
  const auto left = core_->Run(*call);
  ASSERT_FALSE(left.ok());
  EXPECT_EQ(CodeOf(left), ErrorCode::kCancelled);

  const auto late = Call("far_act");
  place_.look = [&](EffectSession& session) {
    fibers::Event never;
    return session.Wait(never).status();
  };
  late->cancellation.Reset(Clock::Real(), Clock::Real().Monotonic() + absl::Milliseconds(50));
  EXPECT_EQ(CodeOf(core_->Run(*late)), ErrorCode::kTimeout);
}

TEST_F(HostilePreviewTest, AQuestionWritesNothingAndSendsNothing) {
  place_.look = [&](EffectSession& session) {
    EXPECT_EQ(session.Checkpoint("x").code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_EQ(session.Output("text", "x").code(), absl::StatusCode::kFailedPrecondition);
    return session.Read([](storage::ReadView& view) { return view.FindBlock("b").status(); });
  };
  Ask("far_act");
  EXPECT_EQ(place_.looks, 1);
}

// ---- A place that changes -------------------------------------------------------------------------------------------

TEST_F(HostilePreviewTest, APlaceThatChangedSinceTheQuestionIsLeftAsItIs) {
  const std::string token = Ask("far_act");
  place_.state = "as nobody approved it";
  EXPECT_EQ(CodeOf(Run("far_act", Json::object(), token, "key")), ErrorCode::kConflict);
  EXPECT_EQ(CodeOf(Run("far_act", Json::object(), token, "key")), ErrorCode::kConflict) << "its outcome";
  EXPECT_EQ(place_.acts, 0);
}

TEST_F(HostilePreviewTest, AHandlerThatDoesNotCompareGetsNoFurther) {
  const std::string token = Ask("far_act");
  place_.compares = false;
  const auto result = Run("far_act", Json::object(), token);
  EXPECT_FALSE(result.ok() && result->success);
  EXPECT_EQ(place_.acts, 0);
}

TEST_F(HostilePreviewTest, AFileThatChangedSinceTheQuestionIsLeftAsItIs) {
  struct Row {
    const char* what;
    std::function<void()> change;
  };
  const std::string path = PathTo("a");
  const Row rows[] = {
      {"other content", [&] { Put("a", "one\nother\n"); }},
      {"other mode", [&] { std::filesystem::permissions(path, std::filesystem::perms::owner_all); }},
      {"gone", [&] { std::filesystem::remove(path); }},
      {"a link now",
       [&] {
         std::filesystem::rename(path, PathTo("b"));
         std::filesystem::create_symlink("b", path);
       }},
      {"too large now", [&] { ASSERT_EQ(truncate(path.c_str(), off_t{200} << 30), 0); }},
      {"binary now", [&] { Put("a", std::string("\0\1\2", 3)); }},
  };
  const std::vector<std::pair<std::string, Json>> calls = {
      {"Write", {{"file", "a"}, {"content", "new\n"}}},
      {"Edit", {{"file", "a"}, {"oldText", "two"}, {"newText", "2"}}},
  };
  for (const auto& [tool, arguments] : calls) {
    for (const Row& row : rows) {
      SCOPED_TRACE(absl::StrCat(tool, ": ", row.what));
      std::filesystem::remove_all(PathTo("a"));
      Put("a", "one\ntwo\n");
      std::filesystem::permissions(path, std::filesystem::perms(0644));
      const std::string token = Ask(tool, arguments);
      row.change();
      const auto status = std::filesystem::symlink_status(path);
      const int64_t before = BytesRead();
      EXPECT_EQ(CodeOf(Run(tool, arguments, token)), ErrorCode::kConflict);
      EXPECT_LT(BytesRead() - before, int64_t{64} << 20);
      EXPECT_EQ(std::filesystem::symlink_status(path), status);
      EXPECT_THAT(Content("a"), Not(HasSubstr("new")));
    }
  }
}

TEST_F(HostilePreviewTest, AFileThatIsAsItWasIsWritten) {
  Put("a", "one\ntwo\n");
  const Json write = {{"file", "a"}, {"content", "1\n2\n"}};
  EXPECT_TRUE(Run("Write", write, Ask("Write", write))->success);
  EXPECT_EQ(Content("a"), "1\n2\n");
  const Json edit = {{"file", "a"}, {"oldText", "2"}, {"newText", "two"}};
  EXPECT_TRUE(Run("Edit", edit, Ask("Edit", edit))->success);
  EXPECT_EQ(Content("a"), "1\ntwo\n");
  const Json create = {{"file", "new"}, {"content", "x"}};
  EXPECT_TRUE(Run("Write", create, Ask("Write", create))->success);
  EXPECT_EQ(Content("new"), "x");
}

// ---- A large file ---------------------------------------------------------------------------------------------------

TEST_F(HostilePreviewTest, QuestionsAboutALargeFileDoNotReadIt) {
  Put("large", "");
  ASSERT_EQ(truncate(PathTo("large").c_str(), off_t{200} << 30), 0);
  const int64_t before = BytesRead();
  const Json write = {{"file", "large"}, {"content", "x"}};
  const std::string token = Ask("Write", write);
  EXPECT_EQ(CodeOf(Run("Edit", {{"file", "large"}, {"oldText", "a"}, {"newText", "b"}})), ErrorCode::kQuotaExceeded);
  // Its times stand for its content.
  ASSERT_EQ(utimensat(AT_FDCWD, PathTo("large").c_str(), nullptr, 0), 0);
  EXPECT_EQ(CodeOf(Run("Write", write, token)), ErrorCode::kConflict);
  EXPECT_LT(BytesRead() - before, int64_t{64} << 20);
}

// ---- Repeats --------------------------------------------------------------------------------------------------------

TEST_F(HostilePreviewTest, ARepeatIsToldToWaitAndThenTheOutcome) {
  const std::string token = Ask("far_act");
  Door door;
  place_.act = [&](EffectSession&) {
    door.Pass();
    return absl::OkStatus();
  };
  std::thread acting([&] { EXPECT_TRUE(Run("far_act", Json::object(), token, "key")->success); });
  door.AwaitWaiting(1);
  for (const std::string& repeated : {token, std::string()}) {
    const auto repeat = Run("far_act", Json::object(), repeated, "key");
    ASSERT_FALSE(repeat.ok());
    EXPECT_EQ(repeat.status().code(), absl::StatusCode::kAborted) << repeat.status();
    const auto error = GetToolError(repeat.status());
    EXPECT_TRUE(error->retryable && error->retry_after.has_value());
  }
  EXPECT_EQ(place_.looks, 1) << "nobody was asked about a repeat";
  // Without the key there is no telling whether it is a repeat, but the token says that its call has begun.
  const auto unkeyed = Run("far_act", Json::object(), token);
  ASSERT_FALSE(unkeyed.ok());
  EXPECT_EQ(CodeOf(unkeyed), ErrorCode::kCancelled);
  EXPECT_EQ(unkeyed.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_FALSE(GetToolError(unkeyed.status())->retryable);
  EXPECT_THAT(GetToolError(unkeyed.status())->message, HasSubstr("runs, or has run"));
  EXPECT_THAT(GetToolError(unkeyed.status())->message, Not(HasSubstr("ask for a new one")));
  door.Open();
  acting.join();
  const auto outcome = Run("far_act", Json::object(), token, "key");
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_TRUE(outcome->replayed && outcome->success);
  EXPECT_EQ(place_.acts, 1);
}

TEST_F(HostilePreviewTest, ARepeatAfterACrashWaitsForItsRecovery) {
  const std::string token = Ask("far_act");
  testing::UnreliableStore dying(*sqlite_);
  place_.act = [&](EffectSession&) {
    dying.fail_commits = absl::UnavailableError("the disk is gone");
    return absl::OkStatus();
  };
  std::unique_ptr<testing::TestCore> second = std::exchange(core_, NewCore(dying));
  EXPECT_FALSE(Run("far_act", Json::object(), token, "key").ok());
  place_.act = nullptr;
  // Another process takes the repeat, and then the claim.
  std::swap(core_, second);
  for (int i = 0; i < 2; ++i) {
    const auto repeat = Run("far_act", Json::object(), token, "key");
    ASSERT_FALSE(repeat.ok());
    EXPECT_EQ(repeat.status().code(), absl::StatusCode::kAborted) << repeat.status();
  }
  using services::execution::Recovery;
  ASSERT_EQ(core_->core().ResolveAbandonedClaims(Recovery::Abandoned::kNotOwnRunning, nullptr).value(), 0);
  const auto outcome = Run("far_act", Json::object(), token, "key");
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_TRUE(outcome->replayed);
  EXPECT_EQ(CodeOf(outcome), ErrorCode::kExecutionError) << "it was rolled back";
  EXPECT_EQ(place_.acts, 1);
}

TEST_F(HostilePreviewTest, ARepeatOfAnAutomationWaitsToo) {
  const Json steps = Json::array({{{"tool", "far_act"}, {"arguments", Json::object()}}});
  const auto made = Run("create_block", {{"type", "automation"}, {"data", {{"title", "Auto"}, {"steps", steps}}}});
  ASSERT_TRUE(made.ok() && made->success) << made.status();
  const Json trigger = {{"automationId", ParseJson(made->data_json).value()["blockId"]}};
  const std::string token = Ask("trigger_automation", trigger);
  Door door;
  place_.act = [&](EffectSession&) {
    door.Pass();
    return absl::OkStatus();
  };
  std::thread acting([&] {
    const auto result = Run("trigger_automation", trigger, token, "key");
    EXPECT_TRUE(result.ok() && result->success) << result.status();
  });
  door.AwaitWaiting(1);
  ExpectOthersAreServed();
  EXPECT_EQ(Run("trigger_automation", trigger, token, "key").status().code(), absl::StatusCode::kAborted);
  door.Open();
  acting.join();
  EXPECT_TRUE(Run("trigger_automation", trigger, token, "key")->replayed);
  EXPECT_EQ(place_.acts, 1);
}

}  // namespace
}  // namespace toolgate
