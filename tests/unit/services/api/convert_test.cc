#include "services/api/convert.h"

#include <string>
#include <utility>
#include <vector>

#include "common/message_bounds.h"
#include "gtest/gtest.h"
#include "tests/support/test_tools.h"

namespace toolgate::services::api {
namespace {

storage::Block BlockOf(size_t bytes, int number = 0) {
  storage::Block block;
  block.id = "b" + std::to_string(number);
  block.type = "text";
  block.data = std::string(bytes, 'x');
  return block;
}

TEST(FilledCallTest, AnEmptyTextIsReadAsNoArguments) {
  v1::ExecuteRequest request;
  security::ToolCall call;
  request.set_arguments_json("");
  FillCall(request, call);
  EXPECT_EQ(call.arguments_text, "");
  EXPECT_TRUE(call.malformed.ok());
  request.set_arguments_json(" ");
  FillCall(request, call);
  EXPECT_EQ(call.arguments_text, " ") << "not empty, and for the parser to refuse";
}

class FilledResultTest : public ::testing::Test {
 protected:
  v1::ToolResult Fill(security::ToolResult result) {
    v1::ToolResult out;
    FillResult(*call_, std::move(result), out);
    return out;
  }

  const executors::Tool tool_ = testing::MakeTool("tool", 0);
  const std::unique_ptr<security::ToolCall> call_ = testing::MakeCall(tool_);
};

TEST_F(FilledResultTest, LeavesOutTheDataOfWhatHasNoRoomAndKeepsWhatHas) {
  security::ToolResult result = testing::Success();
  auto& blocks = result.changes.blocks;
  blocks.push_back({BlockOf(kMaxChangesBytes - 100, 0), std::nullopt});
  blocks.push_back({BlockOf(60, 1), BlockOf(60, 1)});
  blocks.push_back({std::nullopt, BlockOf(100, 2)});
  blocks.push_back({std::nullopt, BlockOf(1, 3)});
  const v1::ToolResult out = Fill(std::move(result));
  ASSERT_EQ(out.changes_size(), 4);
  EXPECT_FALSE(out.changes(0).data_omitted());
  EXPECT_EQ(out.changes(0).before_json().size(), kMaxChangesBytes - 100);
  EXPECT_TRUE(out.changes(1).data_omitted()) << "before and after together are too long";
  EXPECT_EQ(out.changes(1).before_json() + out.changes(1).after_json(), "");
  EXPECT_EQ(out.changes(1).kind(), v1::BlockChange::KIND_UPDATED);
  EXPECT_EQ(out.changes(1).block_id(), "b1");
  EXPECT_FALSE(out.changes(2).data_omitted()) << "exactly what is left";
  EXPECT_EQ(out.changes(2).after_json().size(), 100u);
  EXPECT_TRUE(out.changes(3).data_omitted());
  EXPECT_EQ(out.changes_omitted(), 0);
}

TEST_F(FilledResultTest, BlocksAndLinksHaveAHundredRowsTogether) {
  security::ToolResult result = testing::Success();
  for (int i = 0; i < 70; ++i) result.changes.blocks.push_back({std::nullopt, BlockOf(1, i)});
  for (int i = 0; i < 50; ++i) result.changes.links.push_back({std::nullopt, storage::Link()});
  const v1::ToolResult out = Fill(std::move(result));
  EXPECT_EQ(out.changes_size(), 70);
  EXPECT_EQ(out.link_changes_size(), 30);
  EXPECT_EQ(out.changes_omitted(), 20);
}

TEST_F(FilledResultTest, CountsTheBlocksThatItDoesNotName) {
  security::ToolResult result = testing::Success();
  result.affected_block_ids.assign(kMaxShownBlocks, "b");
  EXPECT_EQ(Fill(result).affected_blocks_omitted(), 0);
  result.affected_block_ids.emplace_back("b");
  result.affected_blocks_omitted = 5;
  EXPECT_EQ(Fill(result).affected_block_ids_size(), static_cast<int>(kMaxShownBlocks));
  EXPECT_EQ(Fill(result).affected_blocks_omitted(), 6) << "with those that were not stored";
}

TEST_F(FilledResultTest, CountsTheFindingsThatItDoesNotShow) {
  call_->state.findings.resize(kMaxShownFindings + 3);
  const v1::ToolResult out = Fill(testing::Success());
  EXPECT_EQ(out.injection_findings_size(), static_cast<int>(kMaxShownFindings));
  EXPECT_EQ(out.injection_findings_omitted(), 3);
}

TEST(FilledUndoEntryTest, CountsTheBlocksThatItDoesNotName) {
  storage::UndoEntry entry;
  entry.affected_block_ids.assign(kMaxShownBlocks + 7, "b");
  v1::UndoEntry out;
  FillUndoEntry(entry, out);
  EXPECT_EQ(out.affected_block_ids_size(), static_cast<int>(kMaxShownBlocks));
  EXPECT_EQ(out.affected_blocks_omitted(), 7);
}

TEST(FilledRefusalTest, HasTheErrorTheLayerAndNothingOfATool) {
  security::ToolCall call;
  call.arrived = absl::FromUnixSeconds(1000);
  call.audit_entry_id = "entry";
  call.state.refused_by = "param_validation";
  call.dry_run = true;
  call.state.findings.emplace_back().rule_id = "rule";
  ToolError error;
  error.code = ErrorCode::kInvalidParams;
  error.message = "no";
  v1::ToolResult out;
  FillRefusal(call, error, absl::FromUnixSeconds(1002), out);
  EXPECT_FALSE(out.success());
  EXPECT_EQ(out.error().code(), "INVALID_PARAMS");
  EXPECT_EQ(out.error().message(), "no");
  EXPECT_EQ(out.refused_by(), "param_validation");
  EXPECT_EQ(out.audit_entry_id(), "entry");
  EXPECT_TRUE(out.dry_run());
  EXPECT_EQ(out.started_at().seconds(), 1000);
  EXPECT_EQ(out.duration().seconds(), 2);
  EXPECT_EQ(out.injection_findings_size(), 0) << "a status does not show them either";
}

}  // namespace
}  // namespace toolgate::services::api
