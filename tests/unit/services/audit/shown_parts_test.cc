#include "services/audit/shown_parts.h"

#include "absl/strings/str_cat.h"
#include "common/message_bounds.h"
#include "gtest/gtest.h"
#include "tests/support/test_tools.h"

namespace toolgate::services::audit {
namespace {

TEST(ShownBlocksTest, NamesAllWhereThereIsRoomInTheirOrder) {
  const executors::Tool tool = testing::MakeTool("tool", 0);
  const auto call = testing::MakeCall(tool);
  call->SetArguments({{"blockId", "b"}});
  EXPECT_EQ(ShownBlocks(*call, {"a", "b"}), (std::vector<std::string>{"a", "b"}));
}

TEST(ShownBlocksTest, NamesTheArgumentsBlocksFirstWhereThereIsNot) {
  const executors::Tool tool = testing::MakeTool("tool", 0);
  const auto call = testing::MakeCall(tool);
  call->SetArguments({{"number", 1}, {"blockId", "last"}});
  std::vector<std::string> ids;
  for (size_t i = 0; i < kMaxShownBlocks; ++i) ids.push_back(absl::StrCat("b", i));
  ids.emplace_back("last");
  const std::vector<std::string> shown = ShownBlocks(*call, ids);
  ASSERT_EQ(shown.size(), kMaxShownBlocks);
  EXPECT_EQ(shown[0], "last");
  EXPECT_EQ(shown[1], "b0");
  EXPECT_EQ(shown.back(), absl::StrCat("b", kMaxShownBlocks - 2));
}

}  // namespace
}  // namespace toolgate::services::audit
