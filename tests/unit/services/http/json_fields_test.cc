#include "services/http/json_fields.h"

#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/json.h"
#include "common/proto_bytes.h"
#include "gmock/gmock.h"
#include "google/protobuf/empty.pb.h"
#include "gtest/gtest.h"
#include "toolgate/v1/audit_service.pb.h"
#include "toolgate/v1/chat_service.pb.h"
#include "toolgate/v1/tool_error.pb.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::services::http {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "PATH: RULE, EXPECTED, FOUND" of each problem.
std::vector<std::string> ProblemsIn(std::string_view json, const google::protobuf::Message& message) {
  const auto value = ParseJson(json);
  EXPECT_TRUE(value.ok()) << value.status();
  std::vector<std::string> problems;
  for (const Violation& row : CheckFields(*value, *message.GetDescriptor())) {
    problems.push_back(absl::StrCat(row.path, ": ", row.rule, ", ", row.expected, ", ", row.found));
  }
  return problems;
}

TEST(JsonFieldsTest, FindsAFieldByBothOfItsNames) {
  const google::protobuf::Descriptor& message = *v1::ExecuteRequest::descriptor();
  const struct {
    std::string_view written;
    std::string_view field;  // Empty: none.
  } rows[] = {
      {"tool_id", "tool_id"},
      {"toolId", "tool_id"},
      {"caller", "caller"},
      {"ToolId", ""},
      {"toolid", ""},
      {"TOOL_ID", ""},
      {"tool-id", ""},
      {"", ""},
      {"1", ""},
      {"toolId.x", ""},
  };
  for (const auto& row : rows) {
    const google::protobuf::FieldDescriptor* field = FieldOf(message, row.written);
    EXPECT_EQ(field == nullptr ? "" : field->name(), row.field) << row.written;
  }
}

// Values that protobuf's own parser takes too.
TEST(JsonFieldsTest, TakesEveryFormOfTheMapping) {
  v1::ExecuteRequest call;
  v1::ChatRequest chat;
  v1::SearchEntriesRequest search;
  v1::InjectionFinding finding;
  v1::ToolError error;
  const struct {
    std::string name;
    google::protobuf::Message& message;
    std::string_view json;
  } rows[] = {
      {"no fields", call, "{}"},
      {"both forms of names", call, R"({"tool_id":"a","requestId":"b"})"},
      {"null for a text", call, R"({"tool_id":null})"},
      {"null for a message", call, R"({"caller":null})"},
      {"null for both fields of a choice", call, R"({"arguments":null,"arguments_json":null})"},
      {"one field of a choice", call, R"({"arguments":null,"arguments_json":"{}"})"},
      {"any object for a struct", call, R"({"arguments":{"a":[1,{"b":null}],"tool_id":true}})"},
      {"a struct within a message", error, R"({"details":{"a":1}})"},
      {"a number", call, R"({"budget":{"max_calls":3}})"},
      {"the digits of a number", call, R"({"budget":{"max_calls":"3"}})"},
      {"a whole number with a point", call, R"({"budget":{"max_calls":3.0}})"},
      {"a whole number with an exponent", call, R"({"budget":{"max_calls":1e3}})"},
      {"the least of 32 bits", call, R"({"budget":{"max_calls":-2147483648}})"},
      {"the most of 32 bits with a point", call, R"({"budget":{"max_calls":2147483647.0}})"},
      {"the most of 64 bits", call, R"({"budget":{"max_tokens":9223372036854775807}})"},
      {"its digits", call, R"({"budget":{"max_tokens":"9223372036854775807"}})"},
      {"the least of 64 bits", call, R"({"budget":{"max_tokens":-9223372036854775808}})"},
      {"a fraction", finding, R"({"weight":0.25})"},
      {"a whole number for a fraction", finding, R"({"weight":1})"},
      {"a switch", call, R"({"dry_run":true})"},
      {"an optional switch", search, R"({"success":false})"},
      {"the name of a choice", call, R"({"result_format":"RESULT_FORMAT_MCP"})"},
      {"the number of a choice", call, R"({"result_format":2})"},
      {"a duration", call, R"({"budget":{"max_execution_time":"1.5s"}})"},
      {"a time", search, R"({"start_time":"2026-03-02T09:00:00Z"})"},
      {"a time with an offset and a fraction", search, R"({"start_time":"2026-03-02T10:00:00.25+01:00"})"},
      {"an empty list", chat, R"({"images":[]})"},
      {"bytes", chat, R"({"images":[{"data":"+/8="}]})"},
      {"bytes in the alphabet of URLs", chat, R"({"images":[{"data":"-_8="}]})"},
      {"no bytes", chat, R"({"images":[{"data":""},{}]})"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_THAT(ProblemsIn(row.json, row.message), IsEmpty());
    const absl::Status parsed = JsonToProto(row.json, {}, row.message);
    EXPECT_TRUE(parsed.ok()) << parsed;
  }
}

TEST(JsonFieldsTest, SaysWhereWhichValueIsExpected) {
  const v1::ExecuteRequest call;
  const v1::ChatRequest chat;
  const v1::SearchEntriesRequest search;
  const v1::InjectionFinding finding;
  const google::protobuf::Empty empty;
  constexpr char k32[] = "a whole number from -2147483648 to 2147483647";
  constexpr char k64[] = "a whole number from -9223372036854775808 to 9223372036854775807";
  const struct {
    const google::protobuf::Message& message;
    std::string_view json;
    std::string problem;
  } rows[] = {
      {call, "[]", ": type, an object of toolgate.v1.ExecuteRequest, a list"},
      {call, "null", ": type, an object of toolgate.v1.ExecuteRequest, null"},
      {call, "7", ": type, an object of toolgate.v1.ExecuteRequest, a number"},
      {call, R"({"caller":true})", "/caller: type, an object of toolgate.v1.Caller, a boolean"},
      {call, R"({"arguments":"{}"})", "/arguments: type, an object of google.protobuf.Struct, a text"},
      {call, R"({"tool_id":["a"]})", "/tool_id: type, a text, a list"},
      {call, R"({"toolid":"a"})", "/toolid: unknown field, tool_id, "},
      {call, R"({"caller":{"a/b~c":1}})",
       "/caller/a~1b~0c: unknown field, one of workspace_id, user_id, user_name, is_guest, conversation_id, "
       "ai_model, mode_hint, time_zone, "},
      {empty, R"({"zzz":1})", "/zzz: unknown field, no fields at all, "},
      {call, R"({"requestId":"a","request_id":"b"})",
       "/request_id: field given twice, one of request_id and requestId, "},
      {call, R"({"arguments":{},"arguments_json":"{}"})", "/arguments_json: choice, only one field of input, "},
      {call, R"({"dry_run":0})", "/dry_run: type, true or false, a number"},
      {call, R"({"dry_run":"true"})", "/dry_run: type, true or false, a text"},
      {call, R"({"budget":{"max_calls":2147483648}})", absl::StrCat("/budget/max_calls: type, ", k32, ", a number")},
      {call, R"({"budget":{"max_calls":2147483648.0}})", absl::StrCat("/budget/max_calls: type, ", k32, ", a number")},
      {call, R"({"budget":{"max_calls":0.5}})", absl::StrCat("/budget/max_calls: type, ", k32, ", a number")},
      {call, R"({"budget":{"max_calls":"1.5"}})", absl::StrCat("/budget/max_calls: type, ", k32, ", a text")},
      {call, R"({"budget":{"max_calls":""}})", absl::StrCat("/budget/max_calls: type, ", k32, ", a text")},
      {call, R"({"budget":{"max_calls":false}})", absl::StrCat("/budget/max_calls: type, ", k32, ", a boolean")},
      {call, R"({"budget":{"max_tokens":9223372036854775808}})",
       absl::StrCat("/budget/max_tokens: type, ", k64, ", a number")},
      {call, R"({"budget":{"max_tokens":9223372036854775808.0}})",
       absl::StrCat("/budget/max_tokens: type, ", k64, ", a number")},
      {finding, R"({"weight":"0.5"})", "/weight: type, a number, a text"},
      {call, R"({"budget":{"max_execution_time":"30"}})",
       "/budget/max_execution_time: format, a text like \"30s\", a text"},
      {call, R"({"budget":{"max_execution_time":{"seconds":30}}})",
       "/budget/max_execution_time: format, a text like \"30s\", an object"},
      {search, R"({"start_time":"yesterday"})", "/start_time: format, a text like \"2026-03-02T09:00:00Z\", a text"},
      {search, R"({"start_time":1772442000})", "/start_time: format, a text like \"2026-03-02T09:00:00Z\", a number"},
      {chat, R"({"images":{}})", "/images: type, a list, an object"},
      {chat, R"({"images":[{},7]})", "/images/1: type, an object of toolgate.v1.ChatImage, a number"},
      {chat, R"({"images":[null]})", "/images/0: type, an object of toolgate.v1.ChatImage, null"},
      {chat, R"({"images":[{"data":"*"}]})", "/images/0/data: format, base64 text, other text"},
      {chat, R"({"images":[{"data":[1]}]})", "/images/0/data: type, base64 text, a list"},
  };
  for (const auto& row : rows) EXPECT_THAT(ProblemsIn(row.json, row.message), ElementsAre(row.problem)) << row.json;
}

TEST(JsonFieldsTest, ListsTheNamesOfAnEnum) {
  const auto problems = CheckFields(Json{{"result_format", "XML"}}, *v1::ExecuteRequest::descriptor());
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].rule, "enum");
  EXPECT_THAT(problems[0].expected, ::testing::StartsWith("one of RESULT_FORMAT_UNSPECIFIED, "));
  EXPECT_EQ(problems[0].found, "a text");
}

TEST(JsonFieldsTest, ListsFiftyProblemsAtMost) {
  Json images = Json::array();
  for (int i = 0; i < 60; ++i) images.push_back(i);
  const auto problems = CheckFields(Json{{"images", images}, {"message", 1}}, *v1::ChatRequest::descriptor());
  ASSERT_EQ(problems.size(), 50u);
  EXPECT_EQ(problems.front().path, "/images/0");
  EXPECT_EQ(problems.back().path, "/images/49");
}

}  // namespace
}  // namespace toolgate::services::http
