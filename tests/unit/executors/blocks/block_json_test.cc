#include "executors/blocks/block_json.h"

#include <string>

#include "common/json.h"
#include "gtest/gtest.h"

namespace toolgate::executors::blocks {
namespace {

storage::Block Sample() {
  storage::Block block;
  block.id = "b1";
  block.type = "page";
  block.parent_id = "p\"1";
  block.data = R"({"title":"T"})";
  block.version = 3;
  block.created_by = "ann";
  block.updated_by = "bob\n";
  block.created_at = absl::FromUnixMillis(1772442000123);
  block.updated_at = absl::FromUnixSeconds(951782400);  // 2000-02-29
  return block;
}

TEST(BlockJsonTest, WritesEveryField) {
  std::string out;
  AppendBlock(Sample(), out);
  EXPECT_EQ(out, R"({"id":"b1","type":"page","parentId":"p\"1","data":{"title":"T"},"version":3,)"
                 R"("createdAt":"2026-03-02T09:00:00.123Z","createdBy":"ann","updatedAt":"2000-02-29T00:00:00.000Z",)"
                 R"("updatedBy":"bob\n"})");
}

TEST(BlockJsonTest, RootHasNoParentAndOpenBlocksTakeMore) {
  storage::Block block = Sample();
  block.parent_id.clear();
  std::string out = "[";
  AppendOpenBlock(block, 7, out);
  out += "}]";
  const absl::StatusOr<Json> json = ParseJson(out);
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_TRUE((*json)[0]["parentId"].is_null());
  EXPECT_EQ((*json)[0]["position"], 7);
}

}  // namespace
}  // namespace toolgate::executors::blocks
