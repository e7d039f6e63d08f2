#include "storage/undo_bound.h"

#include "absl/strings/str_cat.h"
#include "common/tool_error.h"
#include "gtest/gtest.h"
#include "storage/change_bound.h"
#include "tests/support/test_tools.h"

namespace toolgate::storage {
namespace {

TEST(FormatBytesTest, RoundsToATenthOfTheLargestUnit) {
  EXPECT_EQ(FormatBytes(0), "0 bytes");
  EXPECT_EQ(FormatBytes(1), "1 byte");
  EXPECT_EQ(FormatBytes(1023), "1023 bytes");
  EXPECT_EQ(FormatBytes(1024), "1 KiB");
  EXPECT_EQ(FormatBytes(1536), "1.5 KiB");
  EXPECT_EQ(FormatBytes(kMaxUndoBytes), "256 MiB");
  EXPECT_EQ(FormatBytes(int64_t{2300} << 20), "2.2 GiB");
  EXPECT_EQ(FormatBytes(int64_t{5000} << 40), "5000 TiB");
}

TEST(CheckUndoFitsTest, SaysTheSizeTheBoundAndWhatToDo) {
  Block block;
  block.id = "page";
  DeletionSize size;
  size.blocks = 23'000;
  size.undo_bytes = int64_t{2300} << 20;
  size.max_undo_bytes = kMaxUndoBytes;
  const std::optional<ToolError> error = GetToolError(CheckUndoFits(size, block));
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kQuotaExceeded);
  EXPECT_FALSE(error->retryable);
  EXPECT_EQ(
      error->message,
      "deleting block page with the 23000 blocks below it cannot be undone as one change: undo would have to keep "
      "2.2 GiB, and keeps 256 MiB at most; delete what is below it first, in smaller parts");
  size.counted_out = false;
  EXPECT_NE(GetToolError(CheckUndoFits(size, block))->message.find("with more than 23000 blocks"), std::string::npos);
  size.undo_bytes = kMaxUndoBytes;
  EXPECT_TRUE(CheckUndoFits(size, block).ok());
}

TEST(CheckChangeFitsTest, BoundsTheBlocksOfADeletion) {
  Block block;
  block.id = "page";
  DeletionSize size;
  size.blocks = kMaxChangedThings - 1;
  EXPECT_TRUE(CheckChangeFits(size, block).ok()) << "with the block itself, as many as one change may touch";
  size.blocks = kMaxChangedThings;
  size.undo_bytes = 1;
  size.max_undo_bytes = kMaxUndoBytes;
  const std::optional<ToolError> error = GetToolError(CheckUndoFits(size, block));
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kQuotaExceeded);
  EXPECT_FALSE(error->retryable);
  EXPECT_EQ(testing::FactOf(*error, "maxChanges"), absl::StrCat(kMaxChangedThings));
  EXPECT_NE(error->message.find("page"), std::string::npos);
}

}  // namespace
}  // namespace toolgate::storage
