#include "executors/workspace/get_block.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/fibers/cancellation.h"
#include "tests/support/workspace_fixture.h"

namespace toolgate::executors::workspace {
namespace {

using testing::FailsWith;
using testing::WorkspaceTest;

class GetBlockTest : public WorkspaceTest {};

TEST_F(GetBlockTest, NestsChildrenToTheDepth) {
  const std::string page = Create("page", "", R"({"title": "P"})");
  const std::string list = Create("bulleted_list_item", page, R"({"content": "1"})");
  const std::string inner = Create("bulleted_list_item", list, R"({"content": "2"})");
  const std::string deepest = Create("bulleted_list_item", inner, R"({"content": "3"})");
  const auto get = [&](const std::string& more) {
    Json arguments = Parse(more);
    arguments["blockId"] = page;
    return Do("get_block", arguments);
  };
  Json result = get("{}");
  EXPECT_EQ(result["block"]["id"], page);
  EXPECT_TRUE(result["block"]["parentId"].is_null());
  ASSERT_EQ(result["children"].size(), 1u);
  EXPECT_FALSE(result["children"][0].contains("children"));
  result = get(R"({"depth": 2})");
  EXPECT_EQ(result["children"][0]["children"][0]["id"], inner);
  EXPECT_FALSE(result["children"][0]["children"][0].contains("children"));
  result = get(R"({"depth": 5})");
  EXPECT_EQ(result["children"][0]["children"][0]["children"][0]["id"], deepest);
  EXPECT_EQ(result["children"][0]["children"][0]["children"][0]["children"], Json::array());
  EXPECT_EQ(get(R"({"depth": 0})")["children"], Json::array());
  EXPECT_EQ(get(R"({"includeChildren": false, "depth": 3})")["children"], Json::array());
  EXPECT_FALSE(result.contains("truncated"));
}

TEST_F(GetBlockTest, CutsWhatIsTooMuchAndSaysSo) {
  const std::string page = Create("page", "", R"({"title": "P"})");
  const std::string first = Create("paragraph", page, R"({"content": "x"})");
  const fibers::Cancellation cancellation;
  ASSERT_EQ(harness_.store().Commit(
                {"test", "ann", "bulk", harness_.clock().Now()}, storage::CommitMode::kDurable, cancellation,
                [&](storage::Transaction& transaction) {
                  for (int64_t i = 0; i < kMaxBlocksOfGetBlock; ++i) {
                    const auto block = transaction.CreateBlock(
                        {"", "paragraph", i < 10 ? first : page, R"({"content":"x"})", std::nullopt});
                    if (!block.ok()) return block.status();
                  }
                  return absl::OkStatus();
                }),
            absl::OkStatus());
  const Json result = Do("get_block", {{"blockId", page}, {"depth", 2}});
  EXPECT_EQ(result["truncated"], true);
  size_t blocks = result["children"].size();
  for (const Json& child : result["children"]) blocks += child["children"].size();
  EXPECT_EQ(blocks, static_cast<size_t>(kMaxBlocksOfGetBlock));
  EXPECT_FALSE(Do("get_block", {{"blockId", page}, {"depth", 1}}).contains("truncated"));
}

TEST_F(GetBlockTest, CutsWhatIsTooLongAndSaysSo) {
  const std::string page = Create("page", "", R"({"title": "P"})");
  constexpr size_t kLength = 900'000;
  const std::string data = absl::StrCat(R"({"content":")", std::string(kLength, 'x'), R"("})");
  const fibers::Cancellation cancellation;
  ASSERT_EQ(harness_.store().Commit(
                {"test", "ann", "bulk", harness_.clock().Now()}, storage::CommitMode::kDurable, cancellation,
                [&](storage::Transaction& transaction) {
                  for (int i = 0; i < 30; ++i) {
                    const auto block = transaction.CreateBlock({"", "paragraph", page, data, std::nullopt});
                    if (!block.ok()) return block.status();
                  }
                  return absl::OkStatus();
                }),
            absl::OkStatus());
  const Json result = Do("get_block", {{"blockId", page}, {"depth", 1}});
  EXPECT_EQ(result["truncated"], true);
  EXPECT_EQ(result["children"].size(), kMaxBytesOfGetBlock / kLength + 1) << "it ends with the one that is too much";
}

TEST_F(GetBlockTest, RefusesWhatCannotBe) {
  EXPECT_THAT(Call("get_block", {{"blockId", "nowhere"}}), FailsWith(ErrorCode::kNotFound, "nowhere", ""));
  EXPECT_THAT(Call("get_block", {{"blockId", "x"}, {"depth", 6}}), FailsWith(ErrorCode::kInvalidParams, "", "/depth"));
  EXPECT_THAT(Call("get_block", {{"blockId", 5}}), FailsWith(ErrorCode::kInvalidParams, "", "/blockId"));
  EXPECT_THAT(Call("get_block", Json::object()), FailsWith(ErrorCode::kInvalidParams, "", ""));
}

TEST_F(GetBlockTest, SeesNothingOfAnotherWorkspace) {
  const std::string page = Create("page", "", R"({"title": "P"})");
  harness_.caller().workspace_id = "other";
  EXPECT_THAT(Call("get_block", {{"blockId", page}}), FailsWith(ErrorCode::kNotFound, page, ""));
}

}  // namespace
}  // namespace toolgate::executors::workspace
