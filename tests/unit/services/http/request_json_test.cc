#include "services/http/request_json.h"

#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "toolgate/v1/audit_service.pb.h"
#include "toolgate/v1/instruction_service.pb.h"

namespace toolgate::services::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

RequestParts BodyOf(std::string_view body) {
  RequestParts parts;
  parts.takes_body = true;
  parts.body = body;
  return parts;
}

RequestParts CallOf(std::string_view body, std::string tool = "get_block") {
  RequestParts parts = BodyOf(body);
  parts.field = "tool_id";
  parts.value = std::move(tool);
  return parts;
}

TEST(RequestJsonTest, ReadsACallWithItsArgumentsAsTheyAreWritten) {
  v1::ExecuteRequest request;
  const absl::Status status = ReadExecuteRequest(
      CallOf(R"({"arguments":{"z":9007199254740993,"a":1.50,"n":null},"caller":{"userId":"ann","is_guest":true},)"
             R"("budget":{"maxCalls":"3","maxExecutionTime":"1.5s"},"resultFormat":"RESULT_FORMAT_MCP"})"),
      request);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(request.tool_id(), "get_block");
  EXPECT_EQ(request.arguments_json(), R"({"z":9007199254740993,"a":1.5,"n":null})");
  EXPECT_EQ(request.caller().user_id(), "ann");
  EXPECT_TRUE(request.caller().is_guest());
  EXPECT_EQ(request.budget().max_calls(), 3);
  EXPECT_EQ(request.budget().max_execution_time().nanos(), 500'000'000);
  EXPECT_EQ(request.result_format(), v1::RESULT_FORMAT_MCP);
}

TEST(RequestJsonTest, TakesArgumentsAsTextAndNoneAtAll) {
  v1::ExecuteRequest text;
  ASSERT_TRUE(ReadExecuteRequest(CallOf(R"({"argumentsJson":"{\"a\":1}"})"), text).ok());
  EXPECT_EQ(text.arguments_json(), "{\"a\":1}");
  v1::ExecuteRequest none;
  ASSERT_TRUE(ReadExecuteRequest(CallOf("", "browser.search"), none).ok());
  EXPECT_EQ(none.tool_id(), "browser.search");
  EXPECT_EQ(none.input_case(), v1::ExecuteRequest::INPUT_NOT_SET);
}

TEST(RequestJsonTest, TakesThePathsFieldInTheBodyIfItIsTheSame) {
  v1::ExecuteRequest request;
  EXPECT_TRUE(ReadExecuteRequest(CallOf(R"({"toolId":"get_block"})"), request).ok());
  const absl::Status status = ReadExecuteRequest(CallOf(R"({"tool_id":"delete_block"})"), request);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.ToString(), HasSubstr("another tool_id than the path"));
}

RequestParts BodyWith(const JsonLimits& limits, std::string_view body, api::InputBudget* budget = nullptr) {
  RequestParts parts = CallOf(body);
  parts.limits = limits;
  if (budget != nullptr) parts.room = api::InputBudget::Lease(*budget);
  return parts;
}

TEST(RequestJsonTest, ABodyHasTheBoundsOfArgumentsAndSomethingAround) {
  v1::ExecuteRequest request;
  const JsonLimits limits{.max_depth = 2, .max_keys = 10, .max_values = 10};
  const auto body_of = [](size_t values) {
    std::string body = R"({"arguments":{"x":[0)";
    for (size_t i = 1; i < values; ++i) body += ",0";
    return body + "]}}";
  };
  const size_t most = limits.max_values + kEnvelope.max_values;
  EXPECT_TRUE(ReadExecuteRequest(BodyWith(limits, body_of(most - 3)), request).ok());
  const absl::Status status = ReadExecuteRequest(BodyWith(limits, body_of(most - 2)), request);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(status.ToString(), HasSubstr("the body holds too much: more than 1010 values, at byte 20"));
  const std::string deep = R"({"arguments":{"x":[[[[[[[[[]]]]]]]]]}})";
  EXPECT_THAT(ReadExecuteRequest(BodyWith(limits, deep), request).ToString(),
              HasSubstr("nested deeper than 10 levels, at byte 26"));
}

TEST(RequestJsonTest, ATreeNeedsRoom) {
  api::InputBudget budget(1000);
  v1::ExecuteRequest request;
  const std::string small = R"({"arguments":{"x":1}})";
  EXPECT_TRUE(ReadExecuteRequest(BodyWith({}, small, &budget), request).ok());
  const std::string large = R"({"arguments":{"x":")" + std::string(100'000, 'x') + "\"}}";
  const absl::Status status = ReadExecuteRequest(BodyWith({}, large, &budget), request);
  EXPECT_EQ(GetToolError(status)->code, ErrorCode::kOverloaded) << status;
  EXPECT_EQ(budget.taken(), 0) << "the body is gone";
}

TEST(RequestJsonTest, NamesWhatIsWrongAndWhere) {
  const struct {
    std::string name;
    std::string_view body;
    std::string_view expected;
  } rows[] = {
      {"no JSON", "tool", "the body is not JSON: line 1, column"},
      {"cut off", "{\"caller\":\n {\"user_id\"", "line 2, column"},
      {"a comma too many", "{\"caller\":{},}", "line 1, column"},
      {"a comment", "{} // x", "line 1, column"},
      {"not UTF-8", "{\"request_id\":\"\xff\"}", "the body is not JSON"},
      {"a list", "[]", "no object"},
      {"a word", "\"x\"", "no object"},
      {"a key twice", R"({"request_id":"a","request_id":"b"})", "request_id"},
      {"both names of a field", R"({"request_id":"a","requestId":"b"})", "/requestId: field given twice"},
      {"an unknown field", R"({"requestid":"a"})", "/requestid: unknown field, expected request_id"},
      {"an unknown field within another", R"({"caller":{"user":"a"}})", "/caller/user: unknown field"},
      {"an unknown field unlike any", R"({"zzzzzz":1})", "one of tool_id, arguments_json, arguments, caller"},
      {"a prototype", R"({"__proto__":{}})", "/__proto__: unknown field"},
      {"a number for a text", R"({"request_id":7})", "/request_id: type, expected a text, found a number"},
      {"a text for an object", R"({"caller":"ann"})", "/caller: type, expected an object of toolgate.v1.Caller"},
      {"a list for an object", R"({"arguments":[1]})", "/arguments: type"},
      {"a text for a switch", R"({"dry_run":"yes"})", "/dry_run: type, expected true or false, found a text"},
      {"a number for a switch", R"({"dry_run":1})", "/dry_run: type"},
      {"a fraction for a whole number", R"({"budget":{"max_calls":1.5}})", "/budget/max_calls: type"},
      {"a number out of range", R"({"budget":{"max_calls":3000000000}})", "from -2147483648 to 2147483647"},
      {"a word for a number", R"({"budget":{"max_calls":"many"}})", "/budget/max_calls: type"},
      {"a wrong duration", R"({"budget":{"max_execution_time":"soon"}})",
       "/budget/max_execution_time: format, expected a text like \"30s\", found a text"},
      {"a number for a duration", R"({"budget":{"max_execution_time":30}})", "found a number"},
      {"an unknown enum", R"({"result_format":"XML"})", "RESULT_FORMAT_TOOL_RESULT_XML"},
      {"two fields of one choice", R"({"arguments":{},"arguments_json":"{}"})", "only one field of input"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    v1::ExecuteRequest request;
    const absl::Status status = ReadExecuteRequest(CallOf(row.body), request);
    const auto error = GetToolError(status);
    ASSERT_TRUE(error.has_value()) << status;
    EXPECT_EQ(error->code, ErrorCode::kInvalidParams);
    EXPECT_THAT(error->message, HasSubstr(row.expected));
  }
}

TEST(RequestJsonTest, ListsEveryViolationWithoutValues) {
  v1::ExecuteRequest request;
  const absl::Status status =
      ReadExecuteRequest(CallOf(R"({"a/b":1,"dry_run":"hunter2","caller":{"user_id":["hunter2"]}})"), request);
  const auto error = GetToolError(status);
  ASSERT_TRUE(error.has_value());
  ASSERT_EQ(error->violations.size(), 3u);
  EXPECT_EQ(error->violations[0].path, "/a~1b");
  EXPECT_EQ(error->violations[1].path, "/dry_run");
  EXPECT_EQ(error->violations[2].path, "/caller/user_id");
  EXPECT_THAT(status.ToString(), Not(HasSubstr("hunter2")));
}

TEST(RequestJsonTest, TakesNullForAFieldThatIsNotSet) {
  v1::ExecuteRequest request;
  EXPECT_TRUE(ReadExecuteRequest(CallOf(R"({"caller":null,"arguments":null,"dry_run":null})"), request).ok());
  EXPECT_FALSE(request.has_caller());
}

TEST(RequestJsonTest, TellsAnEmptyTextFromNone) {
  v1::UpdateInstructionRequest request;
  ASSERT_TRUE(ReadRequest(BodyOf(R"({"memory":"","memoryEnabled":false})"), request).ok());
  EXPECT_TRUE(request.has_memory());
  EXPECT_TRUE(request.has_memory_enabled());
  EXPECT_FALSE(request.has_core_instruction());
}

TEST(RequestJsonTest, ReadsAQueryWithItsTypes) {
  const auto ask = [](std::string_view query) {
    RequestParts parts;
    parts.query = query;
    return parts;
  };
  const std::string_view query = "page_size=7&success=true&start_time=2026-03-02T09:00:00Z&caller.workspace_id=w";
  v1::SearchEntriesRequest request;
  const absl::Status status = ReadRequest(ask(query), request);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(request.page_size(), 7);
  EXPECT_TRUE(request.success());
  EXPECT_EQ(request.start_time().seconds(), 1772442000);
  EXPECT_EQ(request.caller().workspace_id(), "w");
  EXPECT_THAT(ReadRequest(ask("page_size=many"), request).ToString(),
              HasSubstr("/page_size: type, expected a whole number"));
}

TEST(RequestJsonTest, TakesFieldsFromOnePlace) {
  RequestParts parts = BodyOf("{}");
  parts.query = "page_size=7";
  v1::SearchEntriesRequest request;
  EXPECT_THAT(ReadRequest(std::move(parts), request).ToString(), HasSubstr("in the body, and none in the query"));
}

TEST(RequestJsonTest, TakesArgumentsAsDeepAsLayer2May) {
  const auto nested = [](int depth) {
    return BodyWith({.max_depth = 112},
                    absl::StrCat("{\"arguments\":{\"a\":", std::string(depth, '['), std::string(depth, ']'), "}}"));
  };
  v1::ExecuteRequest request;
  EXPECT_TRUE(ReadExecuteRequest(nested(112), request).ok());
  EXPECT_FALSE(ReadExecuteRequest(nested(200), request).ok());
}

}  // namespace
}  // namespace toolgate::services::http
