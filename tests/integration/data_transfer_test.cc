// Another workspace can import an export: blocks and the links between them.
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "storage/sqlite/connection.h"
#include "tests/support/test_server.h"

namespace toolgate::testing {
namespace {

using ::testing::ElementsAre;

class DataTransferTest : public ::testing::Test {
 protected:
  explicit DataTransferTest(std::function<void(config::v1::Config&)> adjust = nullptr)
      : server_(std::move(adjust)), data_(v1::DataService::NewStub(server_.channel())) {}

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
  // "FORBIDDEN", "OK": outcomes of the actions of this name, the last one first, once there are `count`.
  std::vector<std::string> Outcomes(const std::string& action, size_t count) {
    v1::SearchEntriesRequest search;
    search.mutable_caller()->set_workspace_id("w");
    search.mutable_caller()->set_user_id("ann");
    search.set_tool_id(action);
    std::vector<std::string> outcomes;
    const absl::Time give_up = absl::Now() + absl::Seconds(30);
    while (outcomes.size() < count && absl::Now() < give_up) {
      grpc::ClientContext context;
      v1::SearchEntriesResponse found;
      EXPECT_TRUE(v1::AuditService::NewStub(server_.channel())->SearchEntries(&context, search, &found).ok());
      outcomes.clear();
      for (const v1::AuditEntry& entry : found.entries()) outcomes.push_back(entry.outcome());
    }
    return outcomes;
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
  // The note names an event that comes later; the page's link points back.
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

TEST_F(DataTransferTest, WideAndHeavyPagesAreExportedInOrder) {
  std::vector<v1::PortableBlock> blocks;
  std::string order;
  const auto add = [&](const std::string& id, const std::string& parent) {
    const std::string body(parent.empty() ? 0 : 9'000, 'x');
    blocks.push_back(parent.empty()
                         ? Block(id, "page", absl::StrCat(R"({"title":")", id, R"("})"))
                         : Block(id, "note", absl::StrCat(R"({"title":")", id, R"(","body":")", body, R"("})")));
    blocks.back().set_parent_id(parent);
    absl::StrAppend(&order, id, " ");
  };
  for (int i = 0; i < 20; ++i) {
    add(absl::StrCat("page", i), "");
    for (int k = 0; k < (i == 3 ? 40 : 1); ++k) add(absl::StrCat("below", i, "-", k), absl::StrCat("page", i));
  }
  ASSERT_TRUE(Import("w", blocks).ok());
  std::string exported;
  for (const v1::PortableBlock& block : Export("w")) absl::StrAppend(&exported, block.id(), " ");
  EXPECT_EQ(exported, order);
}

TEST_F(DataTransferTest, PagesNestedDeeperThanAnyStackAreExported) {
  ASSERT_TRUE(Import("w", {Block("p0", "page", R"({"title":"P"})")}).ok());
  constexpr int kDepth = 20'000;
  server_.Stop();
  {
    const auto store = storage::sqlite::Connection::Open(server_.data_dir() + "/toolgate.db", {});
    ASSERT_TRUE(store.ok()) << store.status();
    const std::string nest = absl::StrCat(
        "WITH RECURSIVE level(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM level WHERE n < ", kDepth,
        ") INSERT INTO blocks SELECT row + n, workspace, 'p' || n, type, 'p' || (n - 1), rank, 1, change_id, "
        "created_by, updated_by, created_at, updated_at, data FROM blocks, level WHERE id = 'p0'");
    const absl::Status nested = (*store)->Execute(nest.c_str());
    ASSERT_TRUE(nested.ok()) << nested;
  }
  server_.Start();
  data_ = v1::DataService::NewStub(server_.channel());
  const std::vector<v1::PortableBlock> blocks = Export("w");
  ASSERT_EQ(blocks.size(), kDepth + 1u);
  EXPECT_EQ(blocks.back().id(), absl::StrCat("p", kDepth));
  EXPECT_EQ(blocks.back().parent_id(), absl::StrCat("p", kDepth - 1));
}

class FewReadersTest : public DataTransferTest {
 protected:
  FewReadersTest()
      : DataTransferTest(
            [](config::v1::Config& config) { config.mutable_storage()->mutable_sqlite()->set_readers(2); }) {}
};

TEST_F(FewReadersTest, ClientsThatDoNotTakeTheirExportsHoldUpNoRead) {
  // Far more than the transport buffers for a client that reads nothing.
  const std::string text(50'000, 'x');
  for (int batch = 0; batch < 8; ++batch) {
    std::vector<v1::PortableBlock> blocks;
    for (int i = 0; i < 40; ++i) {
      blocks.push_back(Block(absl::StrCat("b", batch, "-", i), "paragraph", DumpJson({{"content", text}})));
    }
    const grpc::Status imported = Import("w", blocks);
    ASSERT_TRUE(imported.ok()) << imported.error_message();
  }
  struct StalledExport {
    grpc::ClientContext context;
    std::unique_ptr<grpc::ClientReader<v1::ExportBlocksResponse>> reader;
  };
  v1::ExportBlocksRequest request;
  request.mutable_caller()->set_workspace_id("w");
  request.mutable_caller()->set_user_id("ann");
  std::vector<StalledExport> exports(2);
  for (StalledExport& stalled : exports) {
    stalled.reader = data_->ExportBlocks(&stalled.context, request);
    v1::ExportBlocksResponse first;
    ASSERT_TRUE(stalled.reader->Read(&first));
  }
  // More than gRPC has threads.
  std::vector<std::thread> callers;
  for (int i = 0; i < 6; ++i) {
    callers.emplace_back([&] {
      grpc::ClientContext context;
      context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
      v1::ExecuteResponse response;
      const grpc::Status status =
          server_.tools().Execute(&context, TestServer::Request("get_block", R"({"blockId":"b0-0"})"), &response);
      EXPECT_TRUE(status.ok()) << status.error_message();
      EXPECT_TRUE(response.result().success());
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (StalledExport& stalled : exports) {
    stalled.context.TryCancel();
    stalled.reader->Finish();
  }
}

TEST_F(DataTransferTest, LinkToNothingIsRefusedWithItsBlock) {
  v1::PortableBlock page = Block("page", "page", R"({"title":"P"})");
  AddLink("page", "nobody", "blocks", page);
  const grpc::Status status = Import("w", {Block("a", "page", R"({"title":"A"})"), page});
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(status.error_message(), ::testing::HasSubstr("block 2 (id \"page\")"));
  EXPECT_TRUE(Export("w").empty()) << "a batch commits as a whole";
}

TEST_F(DataTransferTest, AnIdIsNoLongerThanToolsCanName) {
  EXPECT_TRUE(Import("w", {Block(std::string(128, 'i'), "page", R"({"title":"P"})")}).ok());
  const grpc::Status status = Import("w", {Block(std::string(129, 'i'), "page", R"({"title":"P"})")});
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), ::testing::HasSubstr("an id is one line of at most 128 characters"));
  EXPECT_EQ(Export("w").size(), 1u);
}

TEST_F(DataTransferTest, WhatFailsOrIsRefusedIsAuditedAsWell) {
  v1::ExportBlocksRequest request;
  request.mutable_caller()->set_workspace_id("w");
  request.mutable_caller()->set_is_guest(true);
  const auto run = [&] {
    grpc::ClientContext context;
    const auto reader = data_->ExportBlocks(&context, request);
    v1::ExportBlocksResponse response;
    while (reader->Read(&response)) {
    }
    return reader->Finish().error_code();
  };
  EXPECT_EQ(run(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_THAT(Outcomes("data.export", 1), ElementsAre("FORBIDDEN"));
  request.mutable_caller()->set_is_guest(false);
  request.mutable_caller()->set_user_id("ann");
  request.set_root_id("nothing");
  EXPECT_EQ(run(), grpc::StatusCode::NOT_FOUND);
  EXPECT_THAT(Outcomes("data.export", 2), ElementsAre("NOT_FOUND", "FORBIDDEN"));
  EXPECT_FALSE(Import("w", {Block("a", "nonsense", "{}")}).ok());
  EXPECT_THAT(Outcomes("data.import", 1), ElementsAre("INVALID_PARAMS"));
  EXPECT_TRUE(Import("w", {Block("a", "page", R"({"title":"A"})")}).ok());
  EXPECT_THAT(Outcomes("data.import", 2), ElementsAre("OK", "INVALID_PARAMS"));
}

TEST_F(DataTransferTest, ADeletionOfMoreBlocksThanAnEntryNamesIsFoundByItsPage) {
  std::vector<v1::PortableBlock> blocks = {Block("top", "page", R"({"title":"Top"})")};
  for (int i = 0; i < 1200; ++i) {
    blocks.push_back(Block(absl::StrCat("child", i), "paragraph", R"({"content":"x"})"));
    blocks.back().set_parent_id("top");
  }
  ASSERT_TRUE(Import("w", blocks).ok());
  auto request = TestServer::Request("delete_block", R"({"blockId":"top"})");
  request.mutable_caller()->set_workspace_id("w");
  request.mutable_caller()->set_user_id("ann");
  v1::ExecuteResponse response;
  ASSERT_TRUE(server_.Execute(request, response).ok());
  request.set_confirmation_token(response.confirmation_request().token());
  ASSERT_TRUE(server_.Execute(request, response).ok());
  ASSERT_TRUE(response.result().success()) << response.DebugString().substr(0, 1000);
  v1::SearchEntriesRequest search;
  *search.mutable_caller() = request.caller();
  search.set_block_id("top");
  v1::SearchEntriesResponse found;
  grpc::ClientContext context;
  ASSERT_TRUE(v1::AuditService::NewStub(server_.channel())->SearchEntries(&context, search, &found).ok());
  ASSERT_EQ(found.entries_size(), 1);
  EXPECT_EQ(found.entries(0).tool_id(), "delete_block");
}

}  // namespace
}  // namespace toolgate::testing
