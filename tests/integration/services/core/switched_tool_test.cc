// A tool that is switched off for a caller does not exist for it: not for calls, not as a step, not even as a
// suggestion.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/status_macros.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/config/config.h"
#include "storage/fault.h"
#include "storage/forwarding_store.h"
#include "storage/store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_core.h"
#include "tests/support/test_store.h"
#include "tests/support/test_tools.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::services::core {
namespace {

using executors::ReadHandler;
using executors::ToolContext;
using executors::ToolDefinition;
using executors::ToolHandlers;
using executors::ToolOutput;
using executors::WriteHandler;
using security::ToolResult;
using testing::CodeOf;
using testing::FactOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TestCore;

// Counts reads, and fails them on demand.
class WatchedStore final : public storage::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  using ForwardingStore::Read;
  absl::Status Read(std::string_view workspace, const storage::ReadPatience& patience,
                    absl::FunctionRef<absl::Status(storage::ReadView&)> body) override {
    ++reads;
    if (!fault.ok()) return storage::MarkFault(fault);
    return store().Read(workspace, patience, body);
  }
  int reads = 0;
  absl::Status fault;
};

ToolDefinition Definition(std::string_view id, std::string_view switch_name = "", bool read_only = false) {
  ToolDefinition definition = testing::MakeTool(id, 0).definition;
  definition.display_name = id;
  definition.switch_name = switch_name;
  definition.annotations.read_only = read_only;
  return definition;
}

// The switch of user ann is off while she has a document of this kind.
constexpr char kKind[] = "extras-off";

absl::StatusOr<bool> ExtrasAreOn(const Caller& caller, storage::ReadView& view) {
  ASSIGN_OR_RETURN(const std::optional<std::string> off, view.FindDocument(kKind, caller.user_id));
  return !off.has_value();
}

ToolHandlers Writes(std::string_view id) {
  return {id, WriteHandler([](ToolContext&, storage::Transaction& tx) -> absl::StatusOr<ToolOutput> {
            RETURN_IF_ERROR(tx.CreateBlock({"", "page", "", "{}", std::nullopt}).status());
            return ToolOutput{.data_json = "{}", .description = "Wrote"};
          })};
}

ToolHandlers Flips() {
  return {"flip", WriteHandler([](ToolContext& context, storage::Transaction& tx) -> absl::StatusOr<ToolOutput> {
            const std::string& user = context.caller.user_id;
            ASSIGN_OR_RETURN(const auto off, tx.FindDocument(kKind, user));
            RETURN_IF_ERROR(off.has_value() ? tx.DeleteDocument(kKind, user) : tx.PutDocument(kKind, user, "{}"));
            return ToolOutput{.data_json = "{}"};
          })};
}

ToolHandlers RunsSteps(std::vector<std::string> steps) {
  return {"automation",
          WriteHandler([steps](ToolContext& context, storage::Transaction& tx) -> absl::StatusOr<ToolOutput> {
            for (const std::string& step : steps) {
              RETURN_IF_ERROR(context.steps->RunStep({step, Json::object()}, tx).status());
            }
            return ToolOutput{.data_json = "{}"};
          })};
}

std::shared_ptr<const executors::Catalog> CatalogWith(std::vector<std::string> steps, bool with_extras = true) {
  std::vector<ToolDefinition> definitions = {Definition("plain"), Definition("flip"), Definition("automation")};
  std::vector<ToolHandlers> handlers = {Writes("plain"), Flips(), RunsSteps(std::move(steps))};
  if (with_extras) {
    definitions.push_back(Definition("keep_notes", "extras"));
    handlers.push_back(Writes("keep_notes"));
    definitions.push_back(Definition("look.up", "extras", /*read_only=*/true));
    handlers.push_back(
        {"look.up", ReadHandler([](ToolContext&, storage::ReadView&) { return ToolOutput{.data_json = "{}"}; })});
  }
  return executors::Catalog::Create(std::move(definitions), handlers, {{"extras", ExtrasAreOn}}).value();
}

class SwitchedToolTest : public ::testing::Test {
 protected:
  SwitchedToolTest() {
    testing::TestStoreOptions options;
    options.data_dir = dir_.path();
    store_ = testing::MakeTestStore(options);
    watched_ = std::make_unique<WatchedStore>(*store_);
    Make({});
  }

  void Make(std::vector<std::string> steps) {
    core_ = std::make_unique<TestCore>(*watched_, clock_, config_, CatalogWith(std::move(steps)));
  }
  void Flip() { EXPECT_TRUE(core_->Run("flip")->success); }
  static ToolError ErrorOf(const absl::StatusOr<ToolResult>& result) {
    if (result.ok()) return result->error.value_or(ToolError());
    return GetToolError(result.status()).value_or(ToolError());
  }
  std::vector<v1::AuditEntry> Audit() {
    core_->Flush();
    storage::AuditQuery query;
    query.limit = 100;
    return store_->SearchAudit("w", {}, query).value();
  }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  toolgate::config::v1::Config config_ = config::Load({}).value();
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<WatchedStore> watched_;
  std::unique_ptr<TestCore> core_;
};

TEST_F(SwitchedToolTest, IsThereWhileTheSwitchIsOn) {
  EXPECT_TRUE(core_->Run("keep_notes")->success);
  Flip();
  EXPECT_EQ(CodeOf(core_->Run("keep_notes").status()), ErrorCode::kUnknownTool);
  EXPECT_EQ(CodeOf(core_->Run("look.up").status()), ErrorCode::kUnknownTool);
  Flip();
  EXPECT_TRUE(core_->Run("keep_notes")->success);
  EXPECT_TRUE(core_->Run("look.up")->success);
}

TEST_F(SwitchedToolTest, OffItIsAnsweredAndAuditedLikeOneThatDoesNotExist) {
  Flip();
  TestCore without(*watched_, clock_, config_, CatalogWith({}, /*with_extras=*/false));
  // By name, by alias, misspelt, and next to a known name.
  for (const char* tool : {"keep_notes", "look.up", "look_up", "keep_note", "Keep-Notes", "plane"}) {
    const auto off = core_->Run(tool, {{"text", "secret"}});
    const auto absent = without.Run(tool, {{"text", "secret"}});
    EXPECT_EQ(off.status().code(), absent.status().code()) << tool;
    EXPECT_EQ(ErrorOf(off).message, ErrorOf(absent).message) << tool;
    EXPECT_EQ(ErrorOf(off).facts, ErrorOf(absent).facts) << tool;
    without.Flush();
    const auto entries = Audit();
    ASSERT_GE(entries.size(), 2u);
    for (const v1::AuditEntry& entry : {entries[0], entries[1]}) {
      EXPECT_EQ(entry.tool_id(), tool);
      EXPECT_EQ(entry.tool_name(), "") << tool;
      EXPECT_EQ(entry.params_json(), "") << tool;
      EXPECT_EQ(entry.refused_by(), "resolve") << tool;
      EXPECT_EQ(entry.outcome(), "UNKNOWN_TOOL") << tool;
    }
  }
}

TEST_F(SwitchedToolTest, ItIsSuggestedOnlyWhileTheSwitchIsOn) {
  EXPECT_THAT(ErrorOf(core_->Run("keep_note")).message, HasSubstr("did you mean \"keep_notes\"?"));
  Flip();
  EXPECT_THAT(ErrorOf(core_->Run("keep_note")).message, Not(HasSubstr("keep_notes")));
  EXPECT_THAT(ErrorOf(core_->Run("plai")).message, HasSubstr("did you mean \"plain\"?"));
}

TEST_F(SwitchedToolTest, TheSwitchIsTheCallersOwn) {
  Flip();
  const auto call = core_->Call("keep_notes");
  call->claimed.user_id = "bob";
  EXPECT_TRUE(core_->Run(*call)->success);
}

TEST_F(SwitchedToolTest, TheNameOfAToolThatIsNoneIsMaskedBeforeItIsCut) {
  const std::string name = std::string(44, 'a') + " ghp" + "_16C7e42F292c6912E7710c838347Ae178B4a";
  EXPECT_EQ(CodeOf(core_->Run(name).status()), ErrorCode::kUnknownTool);
  core_->Flush();
  EXPECT_EQ(store_->SearchAudit("w", {}, {})->front().tool_id(), std::string(44, 'a') + " [masked:token]");
}

TEST_F(SwitchedToolTest, NeitherADryRunNorAKnownKeyGoesRoundIt) {
  const auto keyed = [&] {
    auto call = core_->Call("keep_notes");
    call->idempotency_key = "k";
    return call;
  };
  EXPECT_TRUE(core_->Run(*keyed())->success);
  Flip();
  EXPECT_EQ(CodeOf(core_->Run(*keyed()).status()), ErrorCode::kUnknownTool);
  const auto dry = core_->Call("keep_notes");
  dry->dry_run = true;
  EXPECT_EQ(CodeOf(core_->Run(*dry).status()), ErrorCode::kUnknownTool);
  Flip();
  EXPECT_TRUE(core_->Run(*keyed())->replayed);
}

TEST_F(SwitchedToolTest, AStepOfAnAutomationIsNotThereEither) {
  Make({"plain", "keep_notes"});
  EXPECT_TRUE(core_->Run("automation")->success);
  Flip();
  EXPECT_EQ(ErrorOf(core_->Run("automation")).code, ErrorCode::kUnknownTool);
}

TEST_F(SwitchedToolTest, AStepSeesWhatTheStepsBeforeItDid) {
  Make({"flip", "keep_notes"});
  EXPECT_EQ(ErrorOf(core_->Run("automation")).code, ErrorCode::kUnknownTool);
  EXPECT_TRUE(core_->Run("keep_notes")->success) << "what the failed automation switched off is on again";
  Make({"flip", "flip", "keep_notes"});
  EXPECT_TRUE(core_->Run("automation")->success);
}

TEST_F(SwitchedToolTest, AToolWithoutASwitchCostsNoRead) {
  watched_->reads = 0;
  EXPECT_TRUE(core_->Run("plain")->success);
  EXPECT_EQ(watched_->reads, 0);
  EXPECT_TRUE(core_->Run("keep_notes")->success);
  EXPECT_EQ(watched_->reads, 1);
}

TEST_F(SwitchedToolTest, WhenNobodyKnowsItIsNotRun) {
  watched_->fault = absl::UnavailableError("disk /var/lib is away");
  const ToolError error = ErrorOf(core_->Run("keep_notes"));
  EXPECT_EQ(error.code, ErrorCode::kOverloaded);
  EXPECT_EQ(FactOf(error, "fault"), "store");
  EXPECT_THAT(ErrorOf(core_->Run("keep_note")).message, Not(HasSubstr("keep_notes")));
  EXPECT_TRUE(core_->Run("plain")->success) << "the others do not ask";
}

}  // namespace
}  // namespace toolgate::services::core
