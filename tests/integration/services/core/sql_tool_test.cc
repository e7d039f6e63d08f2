// db_query through every layer: one commit, questions to people, undo and redo, keys, automations.
#include <memory>
#include <string>
#include <string_view>

#include "executors/registration/registration.h"
#include "executors/sql/settings.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/config/config.h"
#include "storage/store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_core.h"
#include "tests/support/test_store.h"
#include "tests/support/test_tools.h"

namespace toolgate::services::core {
namespace {

using security::ToolResult;
using ::testing::HasSubstr;
using testing::TestCore;

constexpr int64_t kMaxUndoBytes = 200'000;
class SqlToolTest : public ::testing::Test {
 protected:
  SqlToolTest() {
    testing::TestStoreOptions options;
    options.data_dir = dir_.path();
    options.clock = &clock_;
    store_ = testing::MakeTestStore(options);
    toolgate::config::v1::Config configuration = config::Load({}).value();
    auto& settings = *configuration.mutable_families();
    settings.MutableExtension(executors::sql::SqlSettings::sql)->set_max_undo_bytes(kMaxUndoBytes);
    core_ = std::make_unique<TestCore>(*store_, clock_, configuration,
                                       executors::registration::BuiltInCatalog({.settings = settings}).value());
  }

  std::unique_ptr<security::ToolCall> Call(std::string_view sql) {
    auto call = core_->Call("db_query");
    call->SetArguments({{"sql", std::string(sql)}});
    return call;
  }
  ToolResult Run(security::ToolCall& call) {
    auto result = core_->Run(call);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : ToolResult();
  }
  ToolResult Sql(std::string_view sql) { return Run(*Call(sql)); }
  // The answer of a statement that succeeds.
  std::string Answer(std::string_view sql) {
    const ToolResult result = Sql(sql);
    EXPECT_TRUE(result.success) << sql << ": " << (result.error.has_value() ? result.error->message : "no error");
    return result.data_json;
  }
  // A schema change, approved.
  ToolResult Approved(std::string_view sql) {
    const ToolResult asked = Sql(sql);
    EXPECT_TRUE(asked.confirmation.has_value()) << sql;
    if (!asked.confirmation.has_value()) return {};
    const auto call = Call(sql);
    call->confirmation_token = asked.confirmation->token;
    return Run(*call);
  }
  // Fills ai_t, in several statements, with more than undo keeps of one.
  void FillBeyondUndo() {
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(Answer("INSERT INTO ai_t WITH RECURSIVE n(a) AS (VALUES (1) UNION ALL SELECT a + 1 FROM n "
                       "WHERE a < 100) SELECT hex(zeroblob(500)) FROM n"),
                R"({"affectedRows":100})");
    }
  }
  ToolResult Undo(const std::string& entry_id = "") {
    const auto call = core_->Call("undo");
    call->internal = executors::InternalTool::kUndo;
    call->SetArguments(entry_id.empty() ? Json::object() : Json{{"entryId", entry_id}});
    return Run(*call);
  }
  size_t UndoEntries() {
    size_t entries = 0;
    EXPECT_TRUE(store_
                    ->Read("w",
                           [&](storage::ReadView& view) {
                             entries = view.ListUndoEntries("ann")->size();
                             return absl::OkStatus();
                           })
                    .ok());
    return entries;
  }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<TestCore> core_;
};

TEST_F(SqlToolTest, AChangeToTheSchemaAsksAndRowsDoNot) {
  const ToolResult asked = Sql("CREATE TABLE ai_t(a)");
  ASSERT_TRUE(asked.confirmation.has_value());
  EXPECT_THAT(asked.confirmation->summary, HasSubstr("Create table ai_t"));
  EXPECT_EQ(Approved("CREATE TABLE ai_t(a)").data_json, R"({"success":true})");
  EXPECT_EQ(Answer("INSERT INTO ai_t VALUES (1), (2)"), R"({"affectedRows":2})");
  EXPECT_EQ(Answer("SELECT sum(a) AS s FROM ai_t"), R"({"rows":[{"s":3}]})");
  EXPECT_EQ(UndoEntries(), 2u);
}

// The statement alone shows neither how much is deleted nor whether it can be restored.
TEST_F(SqlToolTest, AnApprovalHoldsForWhatWasThereWhenItWasAskedFor) {
  Approved("CREATE TABLE ai_t(a)");
  Sql("INSERT INTO ai_t VALUES (1), (2)");
  const ToolResult asked = Sql("DROP TABLE ai_t");
  ASSERT_TRUE(asked.confirmation.has_value());
  EXPECT_TRUE(asked.confirmation->reversible);
  FillBeyondUndo();
  const auto call = Call("DROP TABLE ai_t");
  call->confirmation_token = asked.confirmation->token;
  EXPECT_EQ(testing::CodeOf(core_->Run(*call).status()), ErrorCode::kConflict);
  const ToolResult again = Sql("DROP TABLE ai_t");
  ASSERT_TRUE(again.confirmation.has_value());
  EXPECT_FALSE(again.confirmation->reversible);
  EXPECT_FALSE(Approved("DROP TABLE ai_t").can_undo);
}

// The size of a step is unknown when the question about the whole is asked.
TEST_F(SqlToolTest, AStepThatTakesMoreThanUndoKeepsDoesNotRunWhereUndoWasPromised) {
  Approved("CREATE TABLE ai_t(a)");
  const Json step = {{"tool", "db_query"}, {"arguments", {{"sql", "DROP TABLE ai_t"}}}};
  const auto make = core_->Call("create_block");
  make->SetArguments({{"type", "automation"}, {"data", {{"title", "Tidy"}, {"steps", Json::array({step})}}}});
  const Json arguments = {{"automationId", ParseJson(Run(*make).data_json).value()["blockId"]}};
  const auto trigger = [&](const std::string& token) {
    const auto call = core_->Call("trigger_automation");
    call->SetArguments(arguments);
    call->confirmation_token = token;
    return Run(*call);
  };
  Sql("INSERT INTO ai_t VALUES (1)");
  EXPECT_TRUE(trigger(trigger("").confirmation->token).can_undo);
  EXPECT_TRUE(Undo().success);
  FillBeyondUndo();
  const ToolResult asked = trigger("");
  ASSERT_TRUE(asked.confirmation.has_value());
  EXPECT_TRUE(asked.confirmation->reversible);
  const ToolResult refused = trigger(asked.confirmation->token);
  ASSERT_TRUE(refused.error.has_value());
  EXPECT_EQ(refused.error->code, ErrorCode::kConflict);
  EXPECT_THAT(refused.error->message, HasSubstr("more than undo can keep"));
  EXPECT_EQ(Answer("SELECT count(*) AS n FROM sqlite_schema"), R"({"rows":[{"n":1}]})");
}

TEST_F(SqlToolTest, EveryStatementIsUndoneInTurnAndRedone) {
  Approved("CREATE TABLE ai_t(a)");
  Sql("INSERT INTO ai_t VALUES (1), (2)");
  const ToolResult update = Sql("UPDATE ai_t SET a = a * 10");
  EXPECT_TRUE(update.can_undo);
  const ToolResult undone = Undo(update.undo_entry_id);
  EXPECT_TRUE(undone.success);
  EXPECT_EQ(Answer("SELECT sum(a) AS s FROM ai_t"), R"({"rows":[{"s":3}]})");
  EXPECT_TRUE(Undo(undone.undo_entry_id).success);
  EXPECT_EQ(Answer("SELECT sum(a) AS s FROM ai_t"), R"({"rows":[{"s":30}]})");
  for (int i = 0; i < 3; ++i) {
    const ToolResult result = Undo();
    EXPECT_TRUE(result.success) << i << ": " << result.error->message;
  }
  EXPECT_EQ(Answer("SELECT count(*) AS n FROM sqlite_schema"), R"({"rows":[{"n":0}]})");
}

TEST_F(SqlToolTest, AnUndoThatWouldOverwriteIsAConflict) {
  Approved("CREATE TABLE ai_t(id INTEGER PRIMARY KEY, a)");
  const ToolResult first = Sql("INSERT INTO ai_t VALUES (1, 'x')");
  Sql("UPDATE ai_t SET a = 'y'");
  const ToolResult undone = Undo(first.undo_entry_id);
  EXPECT_FALSE(undone.success);
  EXPECT_EQ(undone.error->code, ErrorCode::kConflict);
  EXPECT_THAT(undone.error->message, HasSubstr("row 1 of ai_t has been changed since"));
  EXPECT_EQ(Answer("SELECT a FROM ai_t"), R"({"rows":[{"a":"y"}]})");
}

TEST_F(SqlToolTest, AKeyRunsAStatementOnce) {
  Approved("CREATE TABLE ai_t(a)");
  for (const bool replayed : {false, true}) {
    const auto call = Call("INSERT INTO ai_t VALUES (1)");
    call->idempotency_key = "once";
    const ToolResult result = Run(*call);
    EXPECT_EQ(result.data_json, R"({"affectedRows":1})");
    EXPECT_EQ(result.replayed, replayed);
  }
  EXPECT_EQ(Answer("SELECT count(*) AS n FROM ai_t"), R"({"rows":[{"n":1}]})");
}

TEST_F(SqlToolTest, ADryRunOfADropSaysWhatWouldGoAndKeepsIt) {
  Approved("CREATE TABLE ai_t(a)");
  Sql("INSERT INTO ai_t VALUES (1), (2)");
  const auto call = Call("DROP TABLE ai_t");
  call->dry_run = true;
  EXPECT_EQ(Run(*call).data_json, R"({"success":true,"affectedRows":2})");
  EXPECT_EQ(Answer("SELECT count(*) AS n FROM ai_t"), R"({"rows":[{"n":2}]})");
}

TEST_F(SqlToolTest, ARefusedStatementIsAFailedCallWithAReason) {
  for (const char* sql : {"SELECT * FROM chats", "DROP TABLE messages", "ATTACH 'x' AS y"}) {
    const ToolResult result = Sql(sql);
    EXPECT_FALSE(result.success) << sql;
    EXPECT_EQ(result.error->code, ErrorCode::kForbidden) << sql;
  }
  EXPECT_EQ(UndoEntries(), 0u);
}

TEST_F(SqlToolTest, AnAutomationsStatementsAreOneChange) {
  Approved("CREATE TABLE ai_t(a)");
  const auto make = core_->Call("create_block");
  make->SetArguments({{"type", "automation"},
                      {"data",
                       {{"title", "Count"},
                        {"steps",
                         {{{"tool", "db_query"}, {"arguments", {{"sql", "INSERT INTO ai_t VALUES (1)"}}}},
                          {{"tool", "db_query"}, {"arguments", {{"sql", "INSERT INTO ai_t SELECT a + 1 FROM ai_t"}}}},
                          {{"tool", "db_query"}, {"arguments", {{"sql", "UPDATE ai_t SET a = a * 10"}}}}}}}}});
  const Json block = ParseJson(Run(*make).data_json).value();
  const Json arguments = {{"automationId", block["blockId"]}};
  const auto ask = core_->Call("trigger_automation");
  ask->SetArguments(arguments);
  const ToolResult asked = Run(*ask);
  ASSERT_TRUE(asked.confirmation.has_value());
  const auto run = core_->Call("trigger_automation");
  run->SetArguments(arguments);
  run->confirmation_token = asked.confirmation->token;
  const ToolResult ran = Run(*run);
  ASSERT_TRUE(ran.success) << ran.error->message;
  EXPECT_EQ(Answer("SELECT a FROM ai_t"), R"({"rows":[{"a":10},{"a":20}]})");
  const ToolResult undone = Undo(ran.undo_entry_id);
  EXPECT_TRUE(undone.success) << undone.error->message;
  EXPECT_EQ(Answer("SELECT count(*) AS n FROM ai_t"), R"({"rows":[{"n":0}]})");
  EXPECT_TRUE(Undo(undone.undo_entry_id).success);
  EXPECT_EQ(Answer("SELECT a FROM ai_t"), R"({"rows":[{"a":10},{"a":20}]})");
}

}  // namespace
}  // namespace toolgate::services::core
