// Input that must be refused with a clear error, leaving the store unchanged.
#include <limits>
#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"
#include "services/api/page_token.h"
#include "tests/support/test_server.h"
#include "toolgate/v1/admin_service.grpc.pb.h"
#include "toolgate/v1/chat_service.grpc.pb.h"

namespace toolgate {
namespace {

using ::testing::HasSubstr;
using testing::TestServer;

struct BadCall {
  std::string_view name;
  std::string_view tool;
  std::string arguments;
  std::string_view reason;
  std::string_view says;
};

class BadArgumentsTest : public ::testing::TestWithParam<BadCall> {};

TEST_P(BadArgumentsTest, IsRefusedAndChangesNothing) {
  TestServer server;
  const BadCall& bad = GetParam();
  const grpc::Status status = server.Refused(TestServer::Request(bad.tool, bad.arguments), bad.reason);
  EXPECT_THAT(status.error_message(), HasSubstr(std::string(bad.says)));
  if (bad.arguments.find('\xC3') == std::string::npos) {
    EXPECT_NE(testing::ErrorInfoOf(status).metadata().at("layer"), "");
  }
  EXPECT_EQ(server.RunTool("search_workspace", R"({"query":"canary"})")["totalCount"], 0);
  EXPECT_EQ(server.Undo().error().code(), "NOTHING_TO_UNDO");
}

INSTANTIATE_TEST_SUITE_P(
    Table, BadArgumentsTest,
    ::testing::Values(
        BadCall{"MalformedJson", "create_block", R"({"type":"page",)", "INVALID_PARAMS", "JSON"},
        BadCall{"EmptyText", "create_block", "", "MISSING_REQUIRED", "type"},
        BadCall{"BlankText", "create_block", " ", "INVALID_PARAMS", "JSON"},
        BadCall{"NullText", "create_block", "null", "INVALID_PARAMS", "object"},
        BadCall{"RequiredNull", "create_block", R"({"type":null})", "INVALID_PARAMS", "/type"},
        BadCall{"NotAnObject", "create_block", "[]", "INVALID_PARAMS", "object"},
        BadCall{"TwoValues", "create_block", "{} {}", "INVALID_PARAMS", "JSON"},
        BadCall{"DuplicateKey", "create_block", R"({"type":"page","type":"todo","data":{}})", "INVALID_PARAMS",
                "twice"},
        BadCall{"UnknownTool", "create_blok", "{}", "UNKNOWN_TOOL", "create_block"},
        BadCall{"UnknownProperty", "create_block", R"({"type":"page","data":{"title":"canary"},"parentID":"x"})",
                "INVALID_PARAMS", "parentId"},
        BadCall{"WrongType", "create_block", R"({"type":7,"data":{"title":"canary"}})", "INVALID_PARAMS", "/type"},
        BadCall{"NotInTheEnum", "create_block", R"({"type":"pages","data":{"title":"canary"}})", "INVALID_PARAMS",
                "/type"},
        BadCall{"MissingField", "create_block", R"({"type":"page"})", "MISSING_REQUIRED", "data"},
        BadCall{"OverTheMaximum", "list_tasks", R"({"limit":101})", "INVALID_PARAMS", "100"},
        BadCall{"PrototypeKey", "create_block", R"({"type":"page","data":{"title":"canary","__proto__":{}}})",
                "INVALID_PARAMS", "__proto__"},
        BadCall{"DepthBomb", "create_block",
                R"({"type":"page","data":)" + std::string(5000, '[') + std::string(5000, ']') + "}", "INVALID_PARAMS",
                "deep"},
        BadCall{"InvalidUtf8", "create_block", "{\"type\":\"page\",\"data\":{\"title\":\"\xC3\x28 canary\"}}",
                "INVALID_PARAMS", "UTF-8"},
        BadCall{"HugeNumber", "list_tasks", R"({"limit":1e999})", "INVALID_PARAMS", "number"},
        BadCall{"NoSuchDay", "create_task", R"({"title":"canary","dueDate":"2026-02-30"})", "INVALID_PARAMS",
                "at \"/dueDate\": expected YYYY-MM-DD, an RFC 3339 date-time, or words such as today, tomorrow"},
        BadCall{"NoSuchWord", "journal_create", R"({"title":"canary","date":"next blursday"})", "INVALID_PARAMS",
                "at \"/date\": expected YYYY-MM-DD"},
        BadCall{"BadDate", "list_tasks", R"({"dueBefore":"soon-ish"})", "INVALID_PARAMS",
                "at \"/dueBefore\": expected YYYY-MM-DD"}),
    [](const auto& tested) { return std::string(tested.param.name); });

struct FailingCall {
  std::string_view name;
  std::string_view tool;
  std::string arguments;
  std::string_view code;
};

class FailingToolTest : public ::testing::TestWithParam<FailingCall> {};

TEST_P(FailingToolTest, RanAndFailedAndChangedNothing) {
  TestServer server;
  const std::string parent = server.RunTool("create_block", R"({"type":"page","data":{"title":"P"}})")["blockId"];
  v1::ExecuteResponse response;
  const auto request = TestServer::Request(GetParam().tool, GetParam().arguments);
  ASSERT_TRUE(server.Execute(request, response).ok());
  EXPECT_FALSE(response.result().success());
  EXPECT_EQ(response.result().error().code(), GetParam().code) << response.DebugString();
  EXPECT_EQ(server.RunTool("search_workspace", R"({"query":"canary"})")["totalCount"], 0);
}

INSTANTIATE_TEST_SUITE_P(
    Table, FailingToolTest,
    ::testing::Values(FailingCall{"MissingBlock", "get_block", R"({"blockId":"nope"})", "NOT_FOUND"},
                      FailingCall{"MissingParent", "create_block",
                                  R"({"type":"page","parentId":"nope","data":{"title":"canary"}})", "NOT_FOUND"},
                      FailingCall{"UnknownDataField", "create_block", R"({"type":"page","data":{"titel":"canary"}})",
                                  "INVALID_PARAMS"},
                      FailingCall{"MissingBlockToUpdate", "update_block",
                                  R"({"blockId":"nope","data":{"title":"canary"}})", "NOT_FOUND"},
                      FailingCall{"MissingBlockToDelete", "delete_block", R"({"blockId":"nope"})", "NOT_FOUND"},
                      FailingCall{"MissingDatabase", "query_database", R"({"databaseId":"nope"})", "NOT_FOUND"}),
    [](const auto& tested) { return std::string(tested.param.name); });

google::rpc::BadRequest BadRequestOf(const grpc::Status& status) {
  google::rpc::Status rich;
  google::rpc::BadRequest bad;
  rich.ParseFromString(status.error_details());
  for (const auto& detail : rich.details()) detail.UnpackTo(&bad);
  return bad;
}

grpc::Status ListTools(TestServer& server, const v1::ListToolsRequest& request) {
  grpc::ClientContext context;
  v1::ListToolsResponse response;
  return server.tools().ListTools(&context, request, &response);
}

TEST(BadRequestTest, AModuleThatIsNoneIsToldTheModules) {
  TestServer server;
  v1::ListToolsRequest request;
  *request.mutable_caller() = TestServer::Request("get_block", "{}").caller();
  request.add_modules("kanbann");
  const grpc::Status status = ListTools(server, request);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(),
            "modules names none of the modules, which are calendar, journal, kanban, links, memory, notes, overview, "
            "workspace; did you mean kanban?");
  request.set_modules(0, "kanban");
  EXPECT_TRUE(ListTools(server, request).ok());
}

TEST(BadRequestTest, APageOfAnotherListingIsToldWhatWouldBeRight) {
  TestServer server;
  v1::ListToolsRequest request;
  *request.mutable_caller() = TestServer::Request("get_block", "{}").caller();
  request.set_page_size(1);
  grpc::ClientContext context;
  v1::ListToolsResponse response;
  ASSERT_TRUE(server.tools().ListTools(&context, request, &response).ok());
  request.set_page_token(response.next_page_token());
  request.add_modules("kanban");
  EXPECT_EQ(BadRequestOf(ListTools(server, request)).field_violations(0).description(),
            "consistency: expected the next_page_token of a listing with the same filters");
}

TEST(BadRequestTest, APageOfTheAuditLogIsANumber) {
  TestServer server;
  v1::SearchEntriesRequest request;
  *request.mutable_caller() = TestServer::Request("get_block", "{}").caller();
  request.set_page_token(services::api::MakePageToken("nowhere", request.SerializeAsString()));
  grpc::ClientContext context;
  v1::SearchEntriesResponse response;
  const grpc::Status status = server.audit().SearchEntries(&context, request, &response);
  EXPECT_EQ(testing::ErrorInfoOf(status).reason(), "INVALID_PARAMS");
  EXPECT_EQ(BadRequestOf(status).field_violations(0).description(),
            "format: expected the next_page_token of the page before");
}

TEST(BadRequestTest, TextToFindInTheAuditLogIsShort) {
  TestServer server;
  v1::SearchEntriesRequest request;
  *request.mutable_caller() = TestServer::Request("get_block", "{}").caller();
  request.set_text(std::string(256, 'x'));
  v1::SearchEntriesResponse response;
  {
    grpc::ClientContext context;
    EXPECT_TRUE(server.audit().SearchEntries(&context, request, &response).ok());
  }
  request.set_text(std::string(257, 'x'));
  grpc::ClientContext context;
  const grpc::Status status = server.audit().SearchEntries(&context, request, &response);
  EXPECT_EQ(testing::ErrorInfoOf(status).reason(), "INVALID_PARAMS");
  EXPECT_EQ(BadRequestOf(status).field_violations(0).field(), "text");
}

TEST(BadRequestTest, AnAuditEntryHasAnId) {
  TestServer server;
  v1::GetEntryRequest request;
  *request.mutable_caller() = TestServer::Request("get_block", "{}").caller();
  grpc::ClientContext context;
  v1::GetEntryResponse response;
  const grpc::Status status = server.audit().GetEntry(&context, request, &response);
  EXPECT_EQ(testing::ErrorInfoOf(status).reason(), "MISSING_REQUIRED");
  EXPECT_EQ(BadRequestOf(status).field_violations(0).field(), "entry_id");
}

TEST(BadRequestTest, ATooLongIdempotencyKeyIsToldTheLength) {
  TestServer server;
  auto request = TestServer::Request("list_tasks", "{}");
  request.set_idempotency_key(std::string(300, 'k'));
  EXPECT_EQ(BadRequestOf(server.Refused(request, "INVALID_PARAMS")).field_violations(0).description(),
            "idempotency: expected at most 255 characters");
}

TEST(BadRequestTest, AResultFormatThatIsNoneIsRefused) {
  TestServer server;
  auto request = TestServer::Request("create_block", R"({"type":"page","data":{"title":"canary"}})");
  request.set_result_format(static_cast<v1::ResultFormat>(99));
  EXPECT_EQ(BadRequestOf(server.Refused(request, "INVALID_PARAMS")).field_violations(0).field(), "result_format");
  v1::ExecuteStreamRequest stream_request;
  *stream_request.mutable_request() = request;
  grpc::ClientContext context;
  const auto reader = server.tools().ExecuteStream(&context, stream_request);
  v1::ExecuteStreamResponse event;
  EXPECT_FALSE(reader->Read(&event));
  EXPECT_EQ(testing::ErrorInfoOf(reader->Finish()).reason(), "INVALID_PARAMS");
  EXPECT_EQ(server.RunTool("search_workspace", R"({"query":"canary"})")["totalCount"], 0);
}

TEST(BadRequestTest, WhatIsNotServedIsToldInWords) {
  TestServer server;
  const auto channel = grpc::CreateChannel(server.application().address(), grpc::InsecureChannelCredentials());
  grpc::ClientContext context;
  v1::ReloadCatalogResponse reloaded;
  const grpc::Status reload = v1::AdminService::NewStub(channel)->ReloadCatalog(&context, {}, &reloaded);
  EXPECT_EQ(reload.error_code(), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(testing::ErrorInfoOf(reload).reason(), "NOT_CONFIGURED");
  EXPECT_THAT(reload.error_message(), HasSubstr("nothing to reload"));
  grpc::ClientContext chat_context;
  v1::ChatRequest message;
  message.set_message("Hi");
  const grpc::Status unconfigured = v1::ChatService::NewStub(channel)->Chat(&chat_context, message)->Finish();
  EXPECT_EQ(unconfigured.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(testing::ErrorInfoOf(unconfigured).reason(), "NOT_CONFIGURED");
  EXPECT_THAT(unconfigured.error_message(), HasSubstr("chat.models"));
}

TEST(BadMessageTest, AHundredMegabytesAreRefused) {
  TestServer server;
  grpc::ChannelArguments arguments;
  arguments.SetMaxSendMessageSize(-1);
  auto channel =
      grpc::CreateCustomChannel(server.application().address(), grpc::InsecureChannelCredentials(), arguments);
  auto stub = v1::ToolService::NewStub(channel);
  const auto request = TestServer::Request("create_block", std::string(100 << 20, 'x'));
  v1::ExecuteResponse response;
  grpc::ClientContext context;
  const grpc::Status status = stub->Execute(&context, request, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED) << status.error_message();
  server.RunTool("list_tasks", "{}");
}

TEST(BadMessageTest, CompressionIsNotImplemented) {
  TestServer server;
  for (const grpc_compression_algorithm algorithm : {GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE}) {
    grpc::ClientContext context;
    context.set_compression_algorithm(algorithm);
    v1::ExecuteResponse response;
    const auto request = TestServer::Request("search_workspace", R"({"query":")" + std::string(1000, 'x') + "\"}");
    EXPECT_EQ(server.tools().Execute(&context, request, &response).error_code(), grpc::StatusCode::UNIMPLEMENTED);
  }
  server.RunTool("list_tasks", "{}");
}

TEST(BadMessageTest, AMebibyteOfArgumentsIsTheMost) {
  TestServer server;
  const std::string arguments = R"({"type":"page","data":{"title":")" + std::string(1 << 20, 'x') + "\"}}";
  server.Refused(TestServer::Request("create_block", arguments), "INVALID_PARAMS");
}

TEST(BadClaimTest, NamesTheField) {
  TestServer server;
  auto request = TestServer::Request("list_tasks", "{}");
  request.mutable_caller()->set_workspace_id("a b");
  EXPECT_THAT(server.Refused(request, "INVALID_PARAMS").error_message(), HasSubstr("workspace_id"));
  request = TestServer::Request("list_tasks", "{}");
  request.mutable_caller()->set_user_id(std::string(129, 'u'));
  EXPECT_THAT(server.Refused(request, "INVALID_PARAMS").error_message(), HasSubstr("user_id"));
  request = TestServer::Request("list_tasks", "{}");
  request.set_idempotency_key(std::string(256, 'k'));
  EXPECT_THAT(server.Refused(request, "INVALID_PARAMS").error_message(), HasSubstr("255"));
  request = TestServer::Request("list_tasks", "{}");
  request.mutable_budget()->set_max_calls(-1);
  EXPECT_THAT(server.Refused(request, "INVALID_PARAMS").error_message(), HasSubstr("negative"));
}

TEST(BadClaimTest, IsAuditedLikeAnyRefusal) {
  TestServer server;
  auto request = TestServer::Request("list_tasks", "{}");
  request.set_request_id(std::string(129, 'r'));
  server.Refused(request, "INVALID_PARAMS");
  const std::vector<v1::AuditEntry> entries = server.Audit({});
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].outcome(), "INVALID_PARAMS");
  EXPECT_EQ(entries[0].refused_by(), "resolve");
  EXPECT_EQ(entries[0].tool_id(), "list_tasks");
}

TEST(StructTest, SaysWhatJsonCannotAndWhere) {
  TestServer server;
  auto request = TestServer::Request("list_tasks", "");
  auto& fields = *request.mutable_arguments()->mutable_fields();
  auto& list = *fields["a/b"].mutable_list_value();
  list.add_values()->set_bool_value(true);
  list.add_values()->set_number_value(std::numeric_limits<double>::quiet_NaN());
  EXPECT_THAT(server.Refused(request, "INVALID_PARAMS").error_message(),
              HasSubstr("/a~1b/1: expected a number of JSON, found NaN"));
  list.mutable_values(1)->set_number_value(-std::numeric_limits<double>::infinity());
  EXPECT_THAT(server.Refused(request, "INVALID_PARAMS").error_message(), HasSubstr("an infinity"));
  fields.clear();
  fields["limit"];
  EXPECT_THAT(server.Refused(request, "INVALID_PARAMS").error_message(), HasSubstr("/limit: expected a value"));
}

TEST(StructTest, IsReadLikeArgumentsJson) {
  TestServer server;
  auto request = TestServer::Request("create_block", "");
  auto& fields = *request.mutable_arguments()->mutable_fields();
  fields["type"].set_string_value("paragraph");
  auto& data = *fields["data"].mutable_struct_value()->mutable_fields();
  data["content"].set_string_value("a \"quoted\"\n\xc3\xa4");
  v1::ExecuteResponse response;
  grpc::ClientContext context;
  const grpc::Status status = v1::ToolService::NewStub(server.channel())->Execute(&context, request, &response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_THAT(response.result().changes(0).after_json(), HasSubstr(R"(a \"quoted\"\nä)"));
  fields.clear();
  fields["limit"].set_number_value(1.5);
  request.set_tool_id("list_tasks");
  EXPECT_THAT(server.Refused(request, "INVALID_PARAMS").error_message(), HasSubstr("limit"));
  fields["limit"].set_number_value(2);
  grpc::ClientContext again;
  EXPECT_TRUE(v1::ToolService::NewStub(server.channel())->Execute(&again, request, &response).ok());
}

TEST(LimitTest, TheFirstCallOverALimitIsToldHowLongToWait) {
  TestServer server([](config::v1::Config& config) {
    auto& window = *(*config.mutable_rate_limiting()->mutable_tools())["list_tasks"].add_windows();
    window.set_audience("user");
    window.set_max_calls(3);
    window.mutable_window()->set_seconds(3600);
  });
  for (int i = 0; i < 3; ++i) server.RunTool("list_tasks", "{}");
  const grpc::Status status = server.Refused(TestServer::Request("list_tasks", "{}"), "RATE_LIMITED");
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  google::rpc::Status details;
  ASSERT_TRUE(details.ParseFromString(status.error_details()));
  google::rpc::RetryInfo retry;
  bool told = false;
  for (const auto& detail : details.details()) told |= detail.UnpackTo(&retry);
  ASSERT_TRUE(told);
  EXPECT_GT(retry.retry_delay().seconds(), 3500);
  EXPECT_LE(retry.retry_delay().seconds(), 3600);
  server.Run(TestServer::Request("list_tasks", "{}", "bob"));
}

TEST(MoveTest, AParentCycleIsAConflict) {
  // Moving is not a tool of the workspace yet; an import may not make a cycle either: a parent must come first.
  TestServer server;
  auto stub = v1::DataService::NewStub(server.channel());
  grpc::ClientContext context;
  auto stream = stub->ImportBlocks(&context);
  v1::ImportBlocksRequest request;
  request.mutable_caller()->set_workspace_id("w");
  auto* a = request.add_blocks();
  a->set_id("a");
  a->set_type("page");
  a->set_parent_id("b");
  a->set_data_json(R"({"title":"canary"})");
  auto* b = request.add_blocks();
  b->set_id("b");
  b->set_type("page");
  b->set_parent_id("a");
  b->set_data_json(R"({"title":"canary"})");
  ASSERT_TRUE(stream->Write(request));
  stream->WritesDone();
  v1::ImportBlocksResponse response;
  EXPECT_FALSE(stream->Read(&response));
  const grpc::Status status = stream->Finish();
  EXPECT_EQ(testing::ErrorInfoOf(status).reason(), "NOT_FOUND");
  EXPECT_THAT(status.error_message(), HasSubstr("block 1"));
  EXPECT_EQ(server.RunTool("search_workspace", R"({"query":"canary"})")["totalCount"], 0);
}

}  // namespace
}  // namespace toolgate
