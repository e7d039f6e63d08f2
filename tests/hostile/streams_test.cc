// Clients that hold back: their acknowledgement of SETTINGS, or their reading; and dry runs of large changes.
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/api/transfer_slots.h"
#include "services/grpc/acceptor/settings_gate.h"
#include "tests/support/fetch_metrics.h"
#include "tests/support/leaping_clock.h"
#include "tests/support/raw_http2.h"
#include "tests/support/test_server.h"

namespace toolgate {
namespace {

using services::api::TransferSlots;
using services::grpc::acceptor::SettingsGate;
using testing::Acknowledgement;
using testing::FetchMetrics;
using testing::Frame;
using testing::FrameOf;
using ::testing::HasSubstr;
using testing::IndexedHeader;
using testing::kEndHeaders;
using testing::kHttp2Preface;
using testing::LeapingClock;
using testing::PseudoHeaders;
using testing::RawHttp2;
using testing::References;
using testing::TestServer;

// ---- Acknowledgements of SETTINGS -----------------------------------------------------------------------------------

class SettingsTest : public ::testing::Test {
 protected:
  static constexpr int kMaxStreams = 10;

  SettingsTest()
      : server_(
            [](config::v1::Config& config) { config.mutable_server()->set_max_streams_per_connection(kMaxStreams); }) {}

  int Port() {
    const std::string address = server_.application().address();
    return std::stoi(address.substr(address.rfind(':') + 1));
  }
  // A request whose headers have some 300,000 bytes when decoded.
  static std::string LongHeaders(uint32_t stream) {
    return FrameOf(Frame::kHeaders, kEndHeaders, stream,
                   PseudoHeaders() + IndexedHeader("x-a", std::string(3900, 'v')) + References(75));
  }
  static std::string ManyStreams(int count) {
    std::string frames;
    for (int i = 0; i < count; ++i) frames += FrameOf(Frame::kHeaders, kEndHeaders, 2 * i + 1, PseudoHeaders());
    return frames;
  }
  static std::string FirstPacket() {
    return std::string(kHttp2Preface) + FrameOf(Frame::kSettings, 0, 0) + Acknowledgement();
  }
  // The service answers an ordinary client.
  void ExpectServes() { server_.RunTool("list_tasks", "{}"); }

  TestServer server_;
};

TEST_F(SettingsTest, ACommonClientIsServed) {
  RawHttp2 client(Port());
  ASSERT_TRUE(client.Open());
  ASSERT_TRUE(client.Await(Frame::kSettings));
  ASSERT_TRUE(client.Send(Acknowledgement() + FrameOf(Frame::kPing, 0, 0, "12345678")));
  ASSERT_TRUE(client.Await(Frame::kSettings)) << "gRPC's own";
  EXPECT_TRUE(client.Await(Frame::kPing));
  ExpectServes();
}

TEST_F(SettingsTest, WithoutAnAcknowledgementAClientMaySendLittle) {
  RawHttp2 headers(Port());
  ASSERT_TRUE(headers.Open());
  for (uint32_t stream = 1; stream < 2000 && headers.Send(LongHeaders(stream)); stream += 2) {
  }
  EXPECT_TRUE(headers.AwaitEnd());
  RawHttp2 streams(Port());
  ASSERT_TRUE(streams.Open());
  streams.Send(ManyStreams(kMaxStreams + 1));
  EXPECT_TRUE(streams.AwaitEnd());
  ExpectServes();
}

TEST_F(SettingsTest, AnAcknowledgementThatComesBeforeTheSettingsBindsAllTheSame) {
  for (int i = 0; i < 20; ++i) {
    RawHttp2 headers(Port());
    headers.Send(FirstPacket() + LongHeaders(1));
    EXPECT_TRUE(headers.AwaitEnd()) << i;
    RawHttp2 streams(Port());
    streams.Send(FirstPacket() + ManyStreams(kMaxStreams * 3));
    EXPECT_TRUE(streams.AwaitEnd()) << i;
  }
  ExpectServes();
}

TEST_F(SettingsTest, ClientsThatSayNothingKeepNobodyOut) {
  std::vector<std::unique_ptr<RawHttp2>> idle;
  for (size_t i = 0; i < SettingsGate::kMaxWaiting + 10; ++i) {
    idle.push_back(std::make_unique<RawHttp2>(Port()));
    if (i % 2 == 0) idle.back()->Open();
  }
  EXPECT_TRUE(idle.front()->AwaitEnd());
  ExpectServes();
}

// ---- Streams that nobody reads --------------------------------------------------------------------------------------

class TransferTest : public ::testing::Test {
 protected:
  static constexpr int kBlocks = 40;

  TransferTest()
      : server_([](config::v1::Config& config) { config.mutable_server()->set_worker_threads(1); }, nullptr, clock_),
        data_(v1::DataService::NewStub(grpc::CreateCustomChannel(
            server_.application().address(), grpc::InsecureChannelCredentials(), NarrowWindow()))) {}

  // A client that takes no more than 64 KiB unread.
  static grpc::ChannelArguments NarrowWindow() {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
    arguments.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 65535);
    return arguments;
  }
  // Until so many calls wait aside.
  void AwaitWaiting(size_t count) {
    const std::string line = absl::StrCat("\ntoolgate_waiting_calls ", count, "\n");
    while (FetchMetrics(server_.application().metrics_address()).find(line) == std::string::npos) {
      std::this_thread::yield();
    }
  }

  // More than clients and connections take unread.
  void ImportMuch() {
    grpc::ClientContext context;
    const auto stream = data_->ImportBlocks(&context);
    for (int i = 0; i < kBlocks; ++i) {
      v1::ImportBlocksRequest request;
      FillCaller(*request.mutable_caller());
      v1::PortableBlock& block = *request.add_blocks();
      block.set_type("page");
      block.set_data_json(DumpJson(Json{{"title", "P"}, {"meta", {{"long", std::string(90'000, 'x')}}}}));
      stream->Write(request);
    }
    stream->WritesDone();
    v1::ImportBlocksResponse response;
    while (stream->Read(&response)) {
    }
    const grpc::Status status = stream->Finish();
    ASSERT_TRUE(status.ok()) << status.error_message();
  }
  static void FillCaller(v1::Caller& caller) {
    caller.set_workspace_id("w");
    caller.set_user_id("ann");
  }

  class Export {
   public:
    explicit Export(v1::DataService::Stub& data) {
      v1::ExportBlocksRequest request;
      FillCaller(*request.mutable_caller());
      reader_ = data.ExportBlocks(&context_, request);
    }
    // So that the server has written the first message, and writes the second one.
    bool ReadOne() { return reader_->Read(&response_); }
    int ReadRest() {
      int blocks = response_.blocks_size();
      while (reader_->Read(&response_)) blocks += response_.blocks_size();
      return blocks;
    }
    grpc::Status Finish() { return reader_->Finish(); }
    ~Export() { context_.TryCancel(); }

   private:
    grpc::ClientContext context_;
    std::unique_ptr<grpc::ClientReader<v1::ExportBlocksResponse>> reader_;
    v1::ExportBlocksResponse response_;
  };

  LeapingClock clock_;
  TestServer server_;
  std::unique_ptr<v1::DataService::Stub> data_;
};

TEST_F(TransferTest, ExportsThatNobodyReadsHoldNoWorker) {
  ImportMuch();
  std::vector<std::unique_ptr<Export>> unread;
  for (int i = 0; i < 4; ++i) {
    unread.push_back(std::make_unique<Export>(*data_));
    ASSERT_TRUE(unread.back()->ReadOne());
  }
  AwaitWaiting(unread.size());
  v1::ExecuteResponse response;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
  const grpc::Status status = server_.tools().Execute(
      &context, TestServer::Request("create_block", R"({"type":"page","data":{"title":"Another's"}})"), &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  for (const auto& stream : unread) {
    EXPECT_EQ(stream->ReadRest(), kBlocks) << "as of its beginning";
    EXPECT_TRUE(stream->Finish().ok());
  }
}

TEST_F(TransferTest, AClientThatDoesNotReadIsDropped) {
  ImportMuch();
  Export unread(*data_);
  ASSERT_TRUE(unread.ReadOne());
  AwaitWaiting(1);
  clock_.Leap(absl::Minutes(10));
  AwaitWaiting(0);
  unread.ReadRest();
  EXPECT_NE(unread.Finish().error_code(), grpc::StatusCode::OK);
}

TEST_F(TransferTest, TransfersAreCountedByUser) {
  ImportMuch();
  std::vector<std::unique_ptr<Export>> unread;
  for (size_t i = 0; i < TransferSlots::kMaxTransfersOfUser; ++i) {
    unread.push_back(std::make_unique<Export>(*data_));
    ASSERT_TRUE(unread.back()->ReadOne()) << i;
  }
  AwaitWaiting(unread.size());
  Export one_more(*data_);
  EXPECT_FALSE(one_more.ReadOne());
  const grpc::Status refused = one_more.Finish();
  EXPECT_EQ(testing::ErrorInfoOf(refused).reason(), "OVERLOADED");
  EXPECT_THAT(refused.error_message(), HasSubstr("this user has 16 exports"));
}

// ---- Dry runs of large changes --------------------------------------------------------------------------------------

class DryRunTest : public ::testing::Test {
 protected:
  static constexpr int kBelow = 1500;

  DryRunTest() {
    grpc::ClientContext context;
    v1::ImportBlocksRequest request;
    request.mutable_caller()->set_workspace_id("w");
    request.mutable_caller()->set_user_id("ann");
    for (int i = 0; i <= kBelow; ++i) {
      v1::PortableBlock& block = *request.add_blocks();
      block.set_id(i == 0 ? "top" : absl::StrCat("below-", i));
      block.set_type("page");
      if (i > 0) block.set_parent_id("top");
      block.set_data_json(R"({"title":"P"})");
    }
    const auto stream = v1::DataService::NewStub(server_.channel())->ImportBlocks(&context);
    stream->Write(request);
    stream->WritesDone();
    v1::ImportBlocksResponse response;
    while (stream->Read(&response)) {
    }
    const grpc::Status status = stream->Finish();
    EXPECT_TRUE(status.ok()) << status.error_message();
  }

  v1::ToolResult DryRun(std::string_view tool, const Json& arguments) {
    v1::ExecuteRequest request = TestServer::Request(tool, DumpJson(arguments));
    request.set_dry_run(true);
    v1::ExecuteResponse response;
    const grpc::Status status = server_.Execute(request, response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.result();
  }

  TestServer server_;
};

TEST_F(DryRunTest, ALargeDeletionIsCounted) {
  const v1::ToolResult result = DryRun("delete_block", {{"blockId", "top"}, {"deleteChildren", true}});
  ASSERT_TRUE(result.success()) << result.DebugString();
  EXPECT_EQ(ParseJson(result.data_json())->at("deletedCount"), kBelow + 1);
  EXPECT_EQ(result.changes_size(), 100);
  EXPECT_EQ(result.changes(0).block_id(), "top");
  EXPECT_EQ(result.changes(99).kind(), v1::BlockChange::KIND_DELETED);
  EXPECT_EQ(result.changes(99).before_json(), R"({"title":"P"})");
  EXPECT_EQ(result.changes_omitted(), kBelow + 1 - 100);
  EXPECT_EQ(result.affected_block_ids_size() + result.affected_blocks_omitted(), kBelow + 1);
  EXPECT_TRUE(result.dry_run() && result.can_undo());
  server_.Run(TestServer::Request("get_block", R"({"blockId":"top"})"));
}

TEST_F(DryRunTest, OneThatMustLookAtEachBlockIsRefused) {
  const v1::ToolResult moved = DryRun("delete_block", {{"blockId", "top"}, {"deleteChildren", false}});
  EXPECT_EQ(moved.error().code(), "QUOTA_EXCEEDED") << moved.DebugString();
}

TEST_F(DryRunTest, ASmallOneIsTriedToItsEnd) {
  const v1::ToolResult result = DryRun("delete_block", {{"blockId", "below-1"}, {"deleteChildren", true}});
  ASSERT_TRUE(result.success()) << result.DebugString();
  EXPECT_EQ(result.changes_size(), 1);
  EXPECT_EQ(result.changes_omitted(), 0);
}

TEST_F(DryRunTest, EachIsCharged) {
  Json arguments = {{"blockId", "top"}, {"deleteChildren", true}};
  v1::ExecuteRequest request = TestServer::Request("delete_block", DumpJson(arguments));
  request.set_dry_run(true);
  grpc::Status status;
  for (int i = 0; i < 1000 && status.ok(); ++i) {
    v1::ExecuteResponse response;
    status = server_.Execute(request, response);
  }
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(testing::ErrorInfoOf(status).reason(), "RATE_LIMITED");
}

}  // namespace
}  // namespace toolgate
