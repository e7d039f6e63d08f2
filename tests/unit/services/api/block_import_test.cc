#include "services/api/block_import.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "services/api/data_api.h"
#include "tests/support/test_tools.h"
#include "tests/unit/services/api/api_fixture.h"

namespace toolgate::services::api {
namespace {

using testing::CodeOf;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class BlockImportTest : public ApiFixture {
 protected:
  static v1::ImportBlocksRequest Batch(const std::vector<std::string>& ids, const std::string& type = "page") {
    auto batch = As<v1::ImportBlocksRequest>();
    for (const std::string& id : ids) {
      v1::PortableBlock& block = *batch.add_blocks();
      block.set_id(id);
      block.set_type(type);
      block.set_data_json(R"({"title":"Plans"})");
    }
    return batch;
  }
  std::vector<std::string> Exported() {
    std::vector<std::string> ids;
    const absl::Status status = ExportBlocks(Known(Rpc::kExportBlocks), As<v1::ExportBlocksRequest>(), cancellation_,
                                             [&](const v1::ExportBlocksResponse& message) {
                                               for (const v1::PortableBlock& block : message.blocks())
                                                 ids.push_back(block.id());
                                               return true;
                                             });
    EXPECT_TRUE(status.ok()) << status;
    return ids;
  }

  BlockImport import_{Known(Rpc::kImportBlocks)};
  v1::ImportBlocksResponse report_;
};

TEST_F(BlockImportTest, ReportsHowManyBlocksCameSoFar) {
  ASSERT_TRUE(import_.Take(Batch({"a", "b"}), report_, cancellation_).ok());
  EXPECT_EQ(report_.imported(), 2);
  ASSERT_TRUE(import_.Take(Batch({"c"}), report_, cancellation_).ok());
  EXPECT_EQ(report_.imported(), 3);
  EXPECT_THAT(Exported(), UnorderedElementsAre("a", "b", "c"));
}

TEST_F(BlockImportTest, AFailureNamesTheRowOfTheWholeImportAndLeavesTheBatchesBefore) {
  ASSERT_TRUE(import_.Take(Batch({"a", "b"}), report_, cancellation_).ok());
  const absl::Status failed = import_.Take(Batch({"c"}, "no such type"), report_, cancellation_);
  EXPECT_FALSE(failed.ok());
  EXPECT_THAT(std::string(failed.message()), HasSubstr("block 3 (id \"c\")"));
  EXPECT_THAT(Exported(), UnorderedElementsAre("a", "b"));
}

TEST_F(BlockImportTest, ABatchThatCouldNotBeReadIsRefusedAsItIs) {
  const absl::Status lost = MakeError(ErrorCode::kInvalidParams, "the message is not well-formed");
  EXPECT_EQ(CodeOf(import_.Fail({}, lost)), ErrorCode::kInvalidParams) << "nobody is known yet";
  ASSERT_TRUE(import_.Take(Batch({"a"}), report_, cancellation_).ok());
  EXPECT_EQ(CodeOf(import_.Fail({}, lost)), ErrorCode::kInvalidParams);
}

TEST_F(BlockImportTest, AnExportEndsWhenItsClientIsGone) {
  ASSERT_TRUE(import_.Take(Batch({"a"}), report_, cancellation_).ok());
  EXPECT_EQ(CodeOf(ExportBlocks(Known(Rpc::kExportBlocks), As<v1::ExportBlocksRequest>(), cancellation_,
                                [](const v1::ExportBlocksResponse&) { return false; })),
            ErrorCode::kCancelled);
}

}  // namespace
}  // namespace toolgate::services::api
