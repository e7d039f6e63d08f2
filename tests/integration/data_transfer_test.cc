// What an export hands out, another workspace takes in: blocks and the links between them.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "tests/support/test_server.h"

namespace toolgate::testing {
namespace {

using ::testing::ElementsAre;

class DataTransferTest : public ::testing::Test {
 protected:
  DataTransferTest() : data_(v1::DataService::NewStub(server_.channel())) {}

  static v1::PortableBlock Block(std::string_view id, std::string_view type, std::string_view data) {
    v1::PortableBlock block;
    block.set_id(std::string(id));
    block.set_type(std::string(type));
    block.set_data_json(std::string(data));
    return block;
  }
  static void AddLink(std::string_view from, std::string_view to, std::string_view relation, v1::PortableBlock& block) {
    v1::PortableLink& link = *block.add_links();
    link.set_from_id(std::string(from));
    link.set_to_id(std::string(to));
    link.set_relation(std::string(relation));
  }
  grpc::Status Import(const std::string& workspace, const std::vector<v1::PortableBlock>& blocks) {
    grpc::ClientContext context;
    v1::ImportBlocksRequest request;
    request.mutable_caller()->set_workspace_id(workspace);
    request.mutable_caller()->set_user_id("ann");
    for (const v1::PortableBlock& block : blocks) *request.add_blocks() = block;
    const auto stream = data_->ImportBlocks(&context);
    stream->Write(request);
    stream->WritesDone();
    v1::ImportBlocksResponse response;
    while (stream->Read(&response)) {
    }
    return stream->Finish();
  }
  std::vector<v1::PortableBlock> Export(const std::string& workspace, const std::string& root = "") {
    grpc::ClientContext context;
    v1::ExportBlocksRequest request;
    request.mutable_caller()->set_workspace_id(workspace);
    request.mutable_caller()->set_user_id("ann");
    request.set_root_id(root);
    const auto reader = data_->ExportBlocks(&context, request);
    std::vector<v1::PortableBlock> blocks;
    v1::ExportBlocksResponse response;
    while (reader->Read(&response)) blocks.insert(blocks.end(), response.blocks().begin(), response.blocks().end());
    EXPECT_TRUE(reader->Finish().ok());
    return blocks;
  }
  // "note: note references event" for each link, in the order of the export.
  static std::vector<std::string> Links(const std::vector<v1::PortableBlock>& blocks) {
    std::vector<std::string> rows;
    for (const v1::PortableBlock& block : blocks) {
      for (const v1::PortableLink& link : block.links()) {
        rows.push_back(block.id() + ": " + link.from_id() + " " + link.relation() + " " + link.to_id());
      }
    }
    return rows;
  }
  static std::string Text(const std::vector<v1::PortableBlock>& blocks) {
    std::string text;
    for (const v1::PortableBlock& block : blocks) text += block.DebugString();
    return text;
  }

  TestServer server_;
  std::unique_ptr<v1::DataService::Stub> data_;
};

TEST_F(DataTransferTest, LinksGoWithTheirBlocks) {
  // The note names an event that comes later; the page's link leads back.
  const v1::PortableBlock note = Block("note", "note", R"({"title":"N","eventLinks":["event"]})");
  v1::PortableBlock event = Block("event", "calendar_event", R"({"title":"E","date":"2026-03-02"})");
  AddLink("note", "event", "references", event);
  v1::PortableBlock page = Block("page", "page", R"({"title":"P"})");
  AddLink("page", "note", "belongs_to", page);
  AddLink("note", "page", "blocks", page);
  const grpc::Status imported = Import("first", {note, event, page});
  ASSERT_TRUE(imported.ok()) << imported.error_message();

  const std::vector<v1::PortableBlock> blocks = Export("first");
  EXPECT_THAT(Links(blocks),
              ElementsAre("event: note references event", "page: page belongs_to note", "page: note blocks page"));
  ASSERT_TRUE(Import("second", blocks).ok());
  EXPECT_EQ(Text(Export("second")), Text(blocks));
}

TEST_F(DataTransferTest, LinkOutOfWhatIsExportedStays) {
  v1::PortableBlock other = Block("other", "page", R"({"title":"O"})");
  AddLink("page", "other", "blocks", other);
  ASSERT_TRUE(Import("w", {Block("page", "page", R"({"title":"P"})"), other}).ok());
  EXPECT_THAT(Links(Export("w", "page")), ::testing::IsEmpty());
  EXPECT_EQ(Links(Export("w")).size(), 1u);
}

TEST_F(DataTransferTest, LinkToNothingIsRefusedWithItsBlock) {
  v1::PortableBlock page = Block("page", "page", R"({"title":"P"})");
  AddLink("page", "nobody", "blocks", page);
  const grpc::Status status = Import("w", {Block("a", "page", R"({"title":"A"})"), page});
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.error_message(), ::testing::HasSubstr("block 2 (id \"page\")"));
  EXPECT_TRUE(Export("w").empty()) << "a batch commits as a whole";
}

}  // namespace
}  // namespace toolgate::testing
