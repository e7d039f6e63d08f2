// Memory of the deletion of much, of its undo and of its redo: each state of a block is held once, however many look at
// it, and an undo entry is never held as one text.
#include <grpcpp/grpcpp.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/memory_growth.h"
#include "tests/support/test_server.h"

namespace toolgate {
namespace {

using testing::GrowthMib;
using testing::TestServer;

constexpr int kBlocks = 96;
constexpr size_t kBytes = 1'000'000;
// Size of all blocks together.
constexpr int64_t kHeldMib = kBlocks * kBytes >> 20;
// Twice that, as one more copy would take, is too much; the rest is for SQLite, the search index and the allocator.
constexpr int64_t kMaxMib = kHeldMib * 17 / 10;

class UndoMemoryTest : public ::testing::Test {
 protected:
  UndoMemoryTest()
      : server_([](config::v1::Config& config) {
          (*config.mutable_identity()->mutable_roles())["developer"].add_auto_approve("delete_block");
        }) {
    Import("top", "", R"({"title":"Top"})");
    const std::string data = DumpJson(Json{{"title", "P"}, {"meta", {{"long", std::string(kBytes, 'x')}}}});
    for (int i = 0; i < kBlocks; ++i) Import(absl::StrCat("below-", i), "top", data);
  }

  void Import(const std::string& id, const std::string& parent, const std::string& data) {
    v1::ImportBlocksRequest request;
    request.mutable_caller()->set_workspace_id("w");
    request.mutable_caller()->set_user_id("ann");
    v1::PortableBlock& block = *request.add_blocks();
    block.set_id(id);
    block.set_type("page");
    block.set_parent_id(parent);
    block.set_data_json(data);
    grpc::ClientContext context;
    const auto stream = v1::DataService::NewStub(server_.channel())->ImportBlocks(&context);
    stream->Write(request);
    stream->WritesDone();
    v1::ImportBlocksResponse response;
    while (stream->Read(&response)) {
    }
    const grpc::Status status = stream->Finish();
    EXPECT_TRUE(status.ok()) << status.error_message();
  }
  bool Exists(const std::string& id) {
    v1::ExecuteResponse response;
    return server_.Execute(TestServer::Request("get_block", absl::StrCat(R"({"blockId":")", id, "\"}")), response)
               .ok() &&
           response.result().success();
  }

  TestServer server_;
};

TEST_F(UndoMemoryTest, EachStateIsHeldOnce) {
  const int64_t deleted = GrowthMib(
      [&] { server_.Run(TestServer::Request("delete_block", R"({"blockId":"top","deleteChildren":true})")); });
  EXPECT_LT(deleted, kMaxMib);
  EXPECT_FALSE(Exists("below-7"));
  v1::ToolResult undo;
  const int64_t undone = GrowthMib([&] { undo = server_.Undo(); });
  EXPECT_LT(undone, kMaxMib);
  ASSERT_TRUE(undo.success()) << undo.error().message();
  EXPECT_TRUE(Exists("below-7"));
  v1::ToolResult redo;
  const int64_t redone = GrowthMib([&] { redo = server_.Undo(undo.undo_entry_id()); });
  EXPECT_LT(redone, kMaxMib);
  ASSERT_TRUE(redo.success()) << redo.error().message();
  EXPECT_FALSE(Exists("below-7"));
}

}  // namespace
}  // namespace toolgate
