// The order of the steps, audit of every call, idempotency, dry run and budgets, over gRPC.
#include <array>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/core/core.h"
#include "tests/support/test_server.h"

namespace toolgate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::TestServer;

// A reordering is a security hole that compiles.
TEST(PipelineOrderTest, IsTheOneThatSecurityNeeds) {
  EXPECT_THAT(
      services::core::Core::StepNames(),
      ElementsAre("safe_errors", "authenticate", "resolve", "injection_defence", "param_validation", "authorization",
                  "idempotency", "rate_limit", "confirmation", "execution_tracking", "execute"));
}

// Each request violates the steps from one on to the last; the first of them must refuse it.
TEST(PipelineOrderTest, TheFirstStepThatObjectsRefuses) {
  TestServer server([](config::v1::Config& config) {
    auto& reader = (*config.mutable_identity()->mutable_roles())["guest"];
    reader.clear_permissions();
    reader.add_permissions("block:create");
    auto& window = *(*config.mutable_rate_limiting()->mutable_tools())["create_block"].add_windows();
    window.set_audience("any");
    window.set_max_calls(1);
    window.mutable_window()->set_seconds(3600);
  });
  auto request = TestServer::Request("no_such_tool", R"({"evil":1})");
  request.mutable_caller()->set_time_zone("Mars/Olympus");
  request.mutable_caller()->set_is_guest(true);
  server.Refused(request, "INVALID_PARAMS");
  request.mutable_caller()->clear_time_zone();
  server.Refused(request, "UNKNOWN_TOOL");
  request.set_tool_id("delete_block");
  request.mutable_caller()->set_mode_hint("no such mode");
  server.Refused(request, "INVALID_PARAMS");
  request.mutable_caller()->clear_mode_hint();
  server.Refused(request, "INVALID_PARAMS");
  request.set_arguments_json(R"({"blockId":"b"})");
  server.Refused(request, "FORBIDDEN");

  std::vector<std::string> refused_by;
  for (const v1::AuditEntry& entry : server.Audit()) refused_by.push_back(entry.refused_by());
  // Newest first. A refusal before authentication belongs to no workspace's log.
  EXPECT_THAT(refused_by, ElementsAre("authorization", "param_validation", "injection_defence", "resolve"));
}

TEST(AuditTest, EveryCallLeavesExactlyOneEntryAndTheChainHolds) {
  TestServer server;
  server.RunTool("create_block", R"({"type":"page","data":{"title":"A"}})");
  server.RunTool("search_workspace", R"({"query":"A"})");
  server.Refused(TestServer::Request("get_block", "{}"), "MISSING_REQUIRED");
  v1::ExecuteResponse response;
  ASSERT_TRUE(server.Execute(TestServer::Request("get_block", R"({"blockId":"nope"})"), response).ok());
  EXPECT_EQ(response.result().error().code(), "NOT_FOUND");
  std::vector<std::string> outcomes;
  for (const v1::AuditEntry& entry : server.Audit()) outcomes.push_back(entry.outcome());
  EXPECT_THAT(outcomes, ElementsAre("NOT_FOUND", "MISSING_REQUIRED", "OK", "OK"));
  const auto report = server.VerifyChain();
  EXPECT_TRUE(report.valid()) << report.DebugString();
  EXPECT_EQ(report.last_sequence(), 4);
}

TEST(AuditTest, MasksPersonalDataAndSecretsInParameters) {
  TestServer server;
  server.RunTool("create_block",
                 R"({"type":"paragraph","data":{"content":"mail jane.doe@example.com, key AKIAIOSFODNN7EXAMPLE"}})");
  const auto entries = server.Audit();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_THAT(entries[0].params_json(), ::testing::Not(HasSubstr("jane.doe")));
  EXPECT_THAT(entries[0].params_json(), ::testing::Not(HasSubstr("AKIAIOSFODNN7EXAMPLE")));
}

TEST(LongResultTest, IsReadOnOverTheWireToItsEnd) {
  TestServer server(
      [](config::v1::Config& config) { config.mutable_execution_tracking()->set_max_result_bytes(4096); });
  std::string text;
  for (int i = 0; i < 2000; ++i) text += absl::StrCat("Zeile ", i, " „zitiert“\n");
  const v1::ToolResult first = server.Run(
      TestServer::Request("create_block", DumpJson(Json{{"type", "paragraph"}, {"data", {{"content", text}}}})));
  EXPECT_TRUE(first.truncated());
  auto whole = ParseJson(first.data_json())->at("head").get<std::string>();
  int parts = 0;
  for (std::string next = first.continuation(); !next.empty(); ++parts) {
    grpc::ClientContext context;
    v1::ReadResultRequest request;
    *request.mutable_caller() = TestServer::Request("", "").caller();
    request.set_continuation(next);
    v1::ReadResultResponse response;
    const grpc::Status status = server.tools().ReadResult(&context, request, &response);
    ASSERT_TRUE(status.ok() && response.result().success()) << status.error_message() << response.DebugString();
    whole += ParseJson(response.result().data_json())->at("text").get<std::string>();
    next = response.result().continuation();
  }
  EXPECT_GT(parts, 5);
  EXPECT_EQ(ParseJson(whole)->at("block")["data"]["content"], text);
  EXPECT_EQ(server.Audit().front().tool_id(), "read_result") << "every part is audited";
}

// A step's result is not cut: later steps use it, and the whole can be read to its end.
TEST(LongResultTest, OfAStepIsWholeInsideOfItsAutomation) {
  TestServer server(
      [](config::v1::Config& config) { config.mutable_execution_tracking()->set_max_result_bytes(4096); });
  const std::string page = server.RunTool("create_block", R"({"type":"page","data":{"title":"Long"}})")["blockId"];
  server.RunTool(
      "create_block",
      DumpJson(Json{{"type", "paragraph"}, {"parentId", page}, {"data", {{"content", std::string(9000, 'x')}}}}));
  const Json steps = Json::array(
      {{{"tool", "get_block"}, {"arguments", {{"blockId", page}, {"includeChildren", true}}}},
       {{"tool", "create_block"},
        {"arguments",
         {{"type", "paragraph"}, {"parentId", "{{steps.0.block.id}}"}, {"data", {{"content", "below"}}}}}}});
  const std::string automation = server.RunTool(
      "create_block", DumpJson(Json{{"type", "automation"}, {"data", {{"title", "A"}, {"steps", steps}}}}))["blockId"];
  auto request = TestServer::Request("trigger_automation", DumpJson(Json{{"automationId", automation}}));
  v1::ExecuteResponse asked;
  ASSERT_TRUE(server.Execute(request, asked).ok());
  request.set_confirmation_token(asked.confirmation_request().token());
  const v1::ToolResult ran = server.Run(request);
  ASSERT_TRUE(ran.success()) << ran.DebugString();
  EXPECT_TRUE(ran.truncated());
  EXPECT_NE(ran.continuation(), "");
}

TEST(IdempotencyTest, ARepeatAnswersTheStoredOutcomeAndRunsNothing) {
  TestServer server;
  auto request = TestServer::Request("create_block", R"({"type":"page","data":{"title":"Once"}})");
  request.set_idempotency_key("k1");
  const v1::ToolResult first = server.Run(request);
  const v1::ToolResult second = server.Run(request);
  EXPECT_FALSE(first.replayed());
  EXPECT_TRUE(second.replayed());
  EXPECT_EQ(first.data_json(), second.data_json());
  EXPECT_EQ(first.audit_entry_id(), second.audit_entry_id());
  EXPECT_EQ(server.RunTool("search_workspace", R"({"query":"Once"})")["totalCount"], 1);
}

TEST(IdempotencyTest, AFailedOutcomeIsRepeatedToo) {
  TestServer server;
  auto request = TestServer::Request("create_block", R"({"type":"page","parentId":"later","data":{"title":"x"}})");
  request.set_idempotency_key("k");
  v1::ExecuteResponse first, second;
  ASSERT_TRUE(server.Execute(request, first).ok());
  EXPECT_EQ(first.result().error().code(), "NOT_FOUND");
  ASSERT_TRUE(server.Execute(request, second).ok());
  EXPECT_TRUE(second.result().replayed());
  EXPECT_EQ(second.result().error().code(), "NOT_FOUND");
}

TEST(IdempotencyTest, ARefusedCallStoresNothing) {
  TestServer server;
  auto request = TestServer::Request("create_block", R"({"type":"page","data":{"title":7}})");
  request.set_idempotency_key("k");
  v1::ExecuteResponse response;
  const grpc::Status status = server.Execute(TestServer::Request("create_block", R"({"typ":"page"})"), response);
  EXPECT_FALSE(status.ok());
  auto good = TestServer::Request("create_block", R"({"type":"page","data":{"title":"Good"}})");
  good.set_idempotency_key("k");
  EXPECT_FALSE(server.Run(good).replayed());
}

TEST(IdempotencyTest, TheSameKeyWithOtherArgumentsIsRefused) {
  TestServer server;
  auto request = TestServer::Request("create_block", R"({"type":"page","data":{"title":"A"}})");
  request.set_idempotency_key("k");
  server.Run(request);
  request.set_arguments_json(R"({"type":"page","data":{"title":"B"}})");
  server.Refused(request, "INVALID_PARAMS");
  EXPECT_EQ(server.RunTool("search_workspace", R"({"query":"B"})")["totalCount"], 0);
}

TEST(IdempotencyTest, ConcurrentRepeatsRunOnce) {
  TestServer server;
  std::vector<std::thread> threads;
  std::vector<v1::ExecuteResponse> responses(16);
  for (auto& response : responses) {
    threads.emplace_back([&] {
      auto request = TestServer::Request("create_block", R"({"type":"page","data":{"title":"Raced"}})");
      request.set_idempotency_key("race");
      EXPECT_TRUE(server.Execute(request, response).ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  int fresh = 0;
  for (const auto& response : responses) {
    EXPECT_EQ(response.result().data_json(), responses[0].result().data_json());
    if (!response.result().replayed()) ++fresh;
  }
  EXPECT_EQ(fresh, 1);
  EXPECT_EQ(server.RunTool("search_workspace", R"({"query":"Raced"})")["totalCount"], 1);
}

TEST(DryRunTest, AnswersWhatWouldChangeAndLeavesNoTraceButItsAuditEntry) {
  TestServer server;
  auto request = TestServer::Request("create_task", R"({"title":"Imagined","subtasks":[{"title":"Part"}]})");
  request.set_dry_run(true);
  request.set_idempotency_key("dry");
  const v1::ToolResult result = server.Run(request);
  EXPECT_TRUE(result.dry_run());
  EXPECT_EQ(result.changes_size(), 2);
  EXPECT_EQ(result.changes(0).kind(), v1::BlockChange::KIND_CREATED);
  EXPECT_EQ(result.undo_entry_id(), "");
  EXPECT_EQ(server.RunTool("list_tasks", "{}")["totalCount"], 0);
  EXPECT_EQ(server.Undo().error().code(), "NOTHING_TO_UNDO");
  request.set_dry_run(false);
  EXPECT_FALSE(server.Run(request).replayed());
  bool audited = false;
  for (const v1::AuditEntry& entry : server.Audit()) audited |= entry.dry_run();
  EXPECT_TRUE(audited);
}

TEST(DryRunTest, OfADeletionNeedsNoConfirmation) {
  TestServer server;
  const std::string id = server.RunTool("create_block", R"({"type":"page","data":{"title":"A"}})")["blockId"];
  auto request = TestServer::Request("delete_block", DumpJson(Json{{"blockId", id}}));
  request.set_dry_run(true);
  const v1::ToolResult result = server.Run(request);
  EXPECT_EQ(result.changes_size(), 1);
  EXPECT_EQ(result.changes(0).kind(), v1::BlockChange::KIND_DELETED);
  server.RunTool("get_block", DumpJson(Json{{"blockId", id}}));
}

TEST(BudgetTest, AtMostTenCallsOfOneRequest) {
  TestServer server;
  auto request = TestServer::Request("list_tasks", "{}");
  request.set_request_id("turn-1");
  for (int i = 0; i < 10; ++i) server.Run(request);
  const grpc::Status status = server.Refused(request, "QUOTA_EXCEEDED");
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  request.set_request_id("turn-2");
  server.Run(request);
}

TEST(BudgetTest, ARequestMayOnlyTightenIt) {
  TestServer server;
  auto request = TestServer::Request("list_tasks", "{}");
  request.set_request_id("turn");
  request.mutable_budget()->set_max_calls(2);
  server.Run(request);
  server.Run(request);
  server.Refused(request, "QUOTA_EXCEEDED");
  auto wide = TestServer::Request("list_tasks", "{}");
  wide.set_request_id("wide");
  wide.mutable_budget()->set_max_calls(1000);
  for (int i = 0; i < 10; ++i) server.Run(wide);
  server.Refused(wide, "QUOTA_EXCEEDED");
}

TEST(AutomationTest, StepsRunThroughThePipelineAndUndoAsOne) {
  TestServer server;
  const Json automation = server.RunTool("create_block", R"({"type":"automation","data":{"title":"Setup","steps":[
      {"tool":"create_block","arguments":{"type":"page","data":{"title":"{{context.name}}"}}},
      {"tool":"create_task","arguments":{"title":"Read {{context.name}}"}}]}})");
  const std::string arguments =
      DumpJson(Json{{"automationId", automation["blockId"]}, {"context", {{"name", "Handbook"}}}});
  auto request = TestServer::Request("trigger_automation", arguments);
  v1::ExecuteResponse asked;
  ASSERT_TRUE(server.Execute(request, asked).ok());
  ASSERT_TRUE(asked.has_confirmation_request()) << asked.DebugString();
  request.set_confirmation_token(asked.confirmation_request().token());
  const v1::ToolResult result = server.Run(request);
  EXPECT_EQ(result.affected_block_ids_size(), 2);
  EXPECT_EQ(server.RunTool("search_workspace", R"({"query":"Handbook"})")["totalCount"], 2);
  // Each step's entry names the blocks that the step touched, and is found by them.
  for (const std::string& id : result.affected_block_ids()) {
    v1::SearchEntriesRequest search;
    search.set_block_id(id);
    std::vector<std::string> calls;
    for (const v1::AuditEntry& entry : server.Audit(search)) {
      if (entry.parent_call_id().empty()) continue;
      EXPECT_THAT(entry.affected_block_ids(), ::testing::ElementsAre(id));
      calls.push_back(entry.tool_id());
    }
    EXPECT_THAT(calls, ::testing::ElementsAre(id == result.affected_block_ids(0) ? "create_block" : "create_task"));
  }
  EXPECT_TRUE(server.Undo(result.undo_entry_id()).success());
  EXPECT_EQ(server.RunTool("search_workspace", R"({"query":"Handbook"})")["totalCount"], 0);
}

TEST(AutomationTest, AFailingStepTakesAllBack) {
  TestServer server;
  const Json automation = server.RunTool("create_block", R"({"type":"automation","data":{"title":"Broken","steps":[
      {"tool":"create_block","arguments":{"type":"page","data":{"title":"Halfway"}}},
      {"tool":"update_block","arguments":{"blockId":"missing","data":{"title":"x"}}}]}})");
  auto request = TestServer::Request("trigger_automation", DumpJson(Json{{"automationId", automation["blockId"]}}));
  v1::ExecuteResponse response;
  ASSERT_TRUE(server.Execute(request, response).ok());
  request.set_confirmation_token(response.confirmation_request().token());
  ASSERT_TRUE(server.Execute(request, response).ok());
  EXPECT_FALSE(response.result().success());
  EXPECT_EQ(server.RunTool("search_workspace", R"({"query":"Halfway","blockTypes":["page"]})")["totalCount"], 0);
}

// Allows writing blocks, but not assigning tasks.
void MayNotAssign(config::v1::Config& config) {
  auto& role = (*config.mutable_identity()->mutable_roles())["developer"];
  role.clear_permissions();
  for (const char* permission : {"block:*", "task:create", "automation:*", "confirmation:decide"}) {
    role.add_permissions(permission);
  }
}

TEST(PermissionOfArgumentsTest, AssigningNeedsItsPermissionByWhateverTool) {
  TestServer server(MayNotAssign);
  const std::string id = server.RunTool("create_block", R"({"type":"todo","data":{"content":"A"}})")["blockId"];
  for (const auto& [tool, arguments] : std::vector<std::pair<const char*, std::string>>{
           {"create_task", R"({"title":"A","assignedTo":"bob"})"},
           {"create_block", R"({"type":"todo","data":{"content":"A","assignedTo":"bob"}})"},
           {"update_block", R"({"blockId":")" + id + R"(","data":{"assignedTo":"bob"}})"},
           {"update_block", R"({"blockId":")" + id + R"(","data":{"assignedTo":null}})"}}) {
    const grpc::Status status = server.Refused(TestServer::Request(tool, arguments), "FORBIDDEN");
    EXPECT_THAT(status.error_message(), HasSubstr("task:assign")) << tool << arguments;
  }
  server.RunTool("update_block", R"({"blockId":")" + id + R"(","data":{"content":"B"}})");
}

TEST(PermissionOfArgumentsTest, AStepOfAnAutomationNeedsItToo) {
  TestServer server(MayNotAssign);
  const Json automation = server.RunTool("create_block", R"({"type":"automation","data":{"title":"Assign","steps":[
      {"tool":"create_block","arguments":{"type":"todo","data":{"content":"Stolen","assignedTo":"{{context.who}}"}}}]}})");
  auto request = TestServer::Request(
      "trigger_automation", DumpJson(Json{{"automationId", automation["blockId"]}, {"context", {{"who", "bob"}}}}));
  v1::ExecuteResponse response;
  ASSERT_TRUE(server.Execute(request, response).ok());
  request.set_confirmation_token(response.confirmation_request().token());
  ASSERT_TRUE(server.Execute(request, response).ok());
  EXPECT_EQ(response.result().error().code(), "FORBIDDEN") << response.DebugString();
  EXPECT_THAT(response.result().error().message(), HasSubstr("task:assign"));
  EXPECT_EQ(server.RunTool("search_workspace", R"({"query":"Stolen","blockTypes":["todo"]})")["totalCount"], 0);
}

TEST(IsolationTest, WorkspacesDoNotSeeEachOther) {
  TestServer server;
  const std::string id = server.RunTool("create_block", R"({"type":"page","data":{"title":"Mine"}})")["blockId"];
  auto foreign = TestServer::Request("get_block", DumpJson(Json{{"blockId", id}}));
  foreign.mutable_caller()->set_workspace_id("other");
  v1::ExecuteResponse response;
  ASSERT_TRUE(server.Execute(foreign, response).ok());
  EXPECT_EQ(response.result().error().code(), "NOT_FOUND");
}

TEST(GuestTest, MayReadButNotWrite) {
  TestServer server;
  auto request = TestServer::Request("create_block", R"({"type":"page","data":{"title":"A"}})");
  request.mutable_caller()->set_is_guest(true);
  EXPECT_EQ(server.Refused(request, "FORBIDDEN").error_code(), grpc::StatusCode::PERMISSION_DENIED);
  auto read = TestServer::Request("list_tasks", "{}");
  read.mutable_caller()->set_is_guest(true);
  server.Run(read);
}

TEST(TraceTest, KeepsTheTraceOfTheCaller) {
  TestServer server;
  grpc::ClientContext context;
  context.AddMetadata("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  v1::ExecuteResponse response;
  ASSERT_TRUE(server.tools().Execute(&context, TestServer::Request("list_tasks", "{}"), &response).ok());
  const auto entries = server.Audit();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].trace_id(), "0af7651916cd43dd8448eb211c80319c");
}

TEST(StreamTest, TellsTheCallTheStartAndTheResult) {
  TestServer server;
  v1::ExecuteStreamRequest request;
  *request.mutable_request() = TestServer::Request("list_tasks", "{}");
  grpc::ClientContext context;
  auto stream = server.tools().ExecuteStream(&context, request);
  v1::ExecuteStreamResponse event;
  ASSERT_TRUE(stream->Read(&event));
  EXPECT_EQ(event.tool_call_start().tool_name(), "list_tasks");
  EXPECT_EQ(event.tool_call_start().arguments_json(), R"({"limit":20})");
  ASSERT_TRUE(stream->Read(&event));
  EXPECT_EQ(event.started().tool_id(), "list_tasks");
  ASSERT_TRUE(stream->Read(&event));
  EXPECT_TRUE(event.tool_result().success());
  ASSERT_TRUE(stream->Read(&event));
  EXPECT_TRUE(event.response().result().success());
  EXPECT_FALSE(stream->Read(&event));
  EXPECT_TRUE(stream->Finish().ok());
}

// The subject of the question could not be read, so the tool never ran.
TEST(IdempotencyTest, AFailureBeforeTheToolRanIsStoredAsWell) {
  TestServer server;
  struct Case {
    std::string tool;
    std::string arguments;
    std::string others;
  };
  const std::vector<Case> cases = {
      {"update_block", R"({"blockId":"none","data":{"title":"A"}})", R"({"blockId":"none","data":{"title":"B"}})"},
      {"delete_block", R"({"blockId":"none"})", R"({"blockId":"other"})"},
      {"db_query", R"({"sql":"SELECT nonsense FROM nowhere"})", R"({"sql":"SELECT 1"})"}};
  for (const Case& each : cases) {
    SCOPED_TRACE(each.tool);
    auto request = TestServer::Request(each.tool, each.arguments);
    request.set_idempotency_key("key of " + each.tool);
    const auto run = [&] {
      v1::ExecuteResponse response;
      EXPECT_TRUE(server.Execute(request, response).ok());
      return response.result();
    };
    const v1::ToolResult first = run();
    EXPECT_FALSE(first.success());
    EXPECT_FALSE(first.replayed());
    const v1::ToolResult again = run();
    EXPECT_TRUE(again.replayed());
    EXPECT_EQ(again.error().code(), first.error().code());
    EXPECT_EQ(again.error().message(), first.error().message());
    request.set_arguments_json(each.others);
    server.Refused(request, "INVALID_PARAMS");
  }
}

}  // namespace
}  // namespace toolgate
