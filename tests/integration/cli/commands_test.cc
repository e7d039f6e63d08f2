// The client commands against a fake service, as a person or a script runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "common/json.h"
#include "tests/support/command_run.h"
#include "tests/support/fake_service.h"

namespace toolgate::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class CommandsTest : public ::testing::Test {
 protected:
  CommandOutput Run(std::vector<std::string> arguments, const Surroundings& surroundings = {}) {
    arguments.insert(arguments.end(), {"--address", service_.address(), "--time-zone", "UTC"});
    return RunCommand(arguments, surroundings);
  }
  Json RunJson(std::vector<std::string> arguments) {
    arguments.push_back("--json");
    const CommandOutput output = Run(std::move(arguments));
    absl::StatusOr<Json> value = ParseJson(output.out);
    EXPECT_TRUE(value.ok()) << value.status() << "\n" << output.out << output.err;
    return value.ok() ? *value : Json();
  }

  static v1::ExecuteResponse Success(const std::string& data) {
    v1::ExecuteResponse response;
    response.mutable_result()->set_success(true);
    response.mutable_result()->set_data_json(data);
    return response;
  }
  static v1::ExecuteResponse Question() {
    v1::ExecuteResponse response;
    v1::ConfirmationRequest& request = *response.mutable_confirmation_request();
    request.set_token("tok-1");
    request.set_confirmation_id("conf-1");
    request.set_tool_id("delete_block");
    request.set_summary("Delete page \"Plans\"\nAfterwards: Undo brings everything back.\n");
    request.set_undo_summary("Undo brings everything back.");
    request.set_reversible(true);
    request.mutable_expires_at()->set_seconds(1772442300);
    return response;
  }
  static v1::Tool ToolNamed(const std::string& id) {
    v1::Tool tool;
    tool.set_id(id);
    tool.set_description("Makes a task. It can do more.");
    tool.set_category(v1::TOOL_CATEGORY_CREATE);
    tool.set_confirmation(v1::CONFIRMATION_RULE_NEVER);
    tool.set_argument_schema_json(
        R"({"type":"object","properties":{"title":{"type":"string","description":"Its name."},)"
        R"("priority":{"enum":["low","high"],"default":"low"}},"required":["title"]})");
    auto* example = tool.add_examples();
    example->set_description("A first task");
    example->set_arguments_json(R"({"title":"It's \u001b[31m"})");
    return tool;
  }

  FakeService service_;
};

TEST_F(CommandsTest, ToolsListsEveryPage) {
  v1::ListToolsResponse first, second;
  *first.add_tools() = ToolNamed("create_task");
  first.set_next_page_token("2");
  *second.add_tools() = ToolNamed("delete_block");
  service_.tools = {first, second};
  const CommandOutput output = Run({"tools", "--module", "workspace", "--category", "create"});
  EXPECT_EQ(output.code, 0);
  EXPECT_THAT(output.out,
              AllOf(HasSubstr("create_task   create    never     Makes a task.\n"), HasSubstr("delete_block")));
  ASSERT_EQ(service_.tools_requests.size(), 2u);
  EXPECT_EQ(service_.tools_requests[0].modules(0), "workspace");
  EXPECT_EQ(service_.tools_requests[0].categories(0), v1::TOOL_CATEGORY_CREATE);
  EXPECT_EQ(service_.tools_requests[1].page_token(), "2");
}

TEST_F(CommandsTest, ToolsExplainsOneTool) {
  v1::ListToolsResponse page;
  *page.add_tools() = ToolNamed("create_task");
  service_.tools = {page};
  const CommandOutput output = Run({"tools", "create_task"});
  EXPECT_THAT(output.out, HasSubstr("title     string  yes       Its name.\n"));
  EXPECT_THAT(output.out, HasSubstr("One of [\"low\",\"high\"]. Default \"low\"."));
  EXPECT_THAT(output.out, HasSubstr(R"(toolgate call create_task '{"title":"It'\''s \u001b[31m"}')"));
  const CommandOutput unknown = Run({"tools", "create_tsk"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean create_task?"));
}

TEST_F(CommandsTest, ToolsJoinsAProvidersPages) {
  struct Row {
    const char* format;
    v1::CatalogFormat wire;
    const char* first;
    const char* second;
    const char* joined;
  };
  for (const Row& row :
       {Row{"openai", v1::CATALOG_FORMAT_OPENAI, "[{\"a\":1}]", "[{\"b\":2}]", "[{\"a\":1},{\"b\":2}]"},
        Row{"gemini", v1::CATALOG_FORMAT_GEMINI, "{\"functionDeclarations\":[1]}", "{\"functionDeclarations\":[2]}",
            "{\"functionDeclarations\":[1,2]}"},
        Row{"mcp", v1::CATALOG_FORMAT_MCP, "[]", "[3]", "[3]"}}) {
    v1::ListToolsResponse first, second;
    first.set_rendered_json(row.first);
    first.set_next_page_token("2");
    second.set_rendered_json(row.second);
    service_.tools = {first, second};
    EXPECT_EQ(RunJson({"tools", "--format", row.format}), *ParseJson(row.joined)) << row.format;
    EXPECT_EQ(service_.tools_requests.back().format(), row.wire) << row.format;
  }
}

TEST_F(CommandsTest, CallPrintsTheDataAndHowToUndo) {
  v1::ExecuteResponse response = Success(R"({"blockId":"b1","title":"Milk"})");
  response.mutable_result()->set_can_undo(true);
  response.mutable_result()->set_undo_entry_id("u1");
  service_.execute = {response};
  const CommandOutput output = Run({"call", "create_task", R"({"title":"Milk"})", "--idempotency-key", "k",
                                    "--request-id", "r", "--mode-hint", "chat"});
  EXPECT_EQ(output.code, 0);
  EXPECT_EQ(output.out, "{\n  \"blockId\": \"b1\",\n  \"title\": \"Milk\"\n}\n");
  EXPECT_EQ(output.err, "undo with: toolgate undo u1\n");
  const v1::ExecuteRequest& request = service_.execute_requests.at(0);
  EXPECT_EQ(request.tool_id(), "create_task");
  EXPECT_EQ(request.arguments_json(), R"({"title":"Milk"})");
  EXPECT_EQ(request.idempotency_key(), "k");
  EXPECT_EQ(request.request_id(), "r");
  EXPECT_EQ(request.caller().mode_hint(), "chat");
}

v1::ReadResultResponse Part(const Json& data) {
  v1::ReadResultResponse part;
  part.mutable_result()->set_success(true);
  part.mutable_result()->set_data_json(DumpJson(data));
  part.mutable_result()->set_continuation(data.value("continuation", ""));
  return part;
}

v1::ExecuteResponse Cut(v1::ExecuteResponse response, const std::string& head, const std::string& continuation) {
  v1::ToolResult& result = *response.mutable_result();
  result.set_data_json(DumpJson(Json{{"truncated", true}, {"totalBytes", 99}, {"head", head}}));
  result.set_truncated(true);
  result.set_continuation(continuation);
  return response;
}

TEST_F(CommandsTest, CallPutsALongResultTogether) {
  service_.execute = {Cut(Success(""), R"({"rows":[1,)", "kept.11")};
  service_.parts = {Part({{"offset", 11}, {"text", "2,"}, {"continuation", "kept.13"}}),
                    Part({{"offset", 13}, {"text", "3]}"}})};
  const CommandOutput output = Run({"call", "list_tasks", "--workspace", "w"});
  EXPECT_EQ(output.code, 0);
  EXPECT_EQ(ParseJson(output.out).value_or(Json()), *ParseJson(R"({"rows":[1,2,3]})"));
  EXPECT_EQ(output.err, "");
  ASSERT_EQ(service_.part_requests.size(), 2u);
  EXPECT_EQ(service_.part_requests[0].continuation(), "kept.11");
  EXPECT_EQ(service_.part_requests[0].caller().workspace_id(), "w");
  EXPECT_EQ(service_.part_requests[1].continuation(), "kept.13");
  service_.parts = {Part({{"offset", 11}, {"text", "2]}"}})};
  const Json json = RunJson({"call", "list_tasks"});
  EXPECT_EQ(json["data"], *ParseJson(R"({"rows":[1,2]})"));
  EXPECT_EQ(json["truncated"], false);
}

TEST_F(CommandsTest, CallShowsWhatItHasWhenTheRestCannotBeRead) {
  service_.execute = {Cut(Success(""), R"({"rows":[1,)", "kept.11")};
  v1::ReadResultResponse gone;
  gone.mutable_result()->mutable_error()->set_message("it is gone");
  service_.parts = {gone};
  const CommandOutput output = Run({"call", "list_tasks"});
  EXPECT_EQ(output.code, 0);
  EXPECT_THAT(output.out, HasSubstr(R"("head": "{\"rows\":[1,")"));
  EXPECT_THAT(output.err, AllOf(HasSubstr("the rest of the result could not be read: it is gone"),
                                HasSubstr("only its beginning is shown")));
  // A circular answer ends.
  service_.parts = {Part({{"offset", 11}, {"text", ""}, {"continuation", "kept.11"}})};
  EXPECT_THAT(Run({"call", "list_tasks"}).err, HasSubstr("an empty part"));
}

TEST_F(CommandsTest, CallTakesArgumentsFromAnywhere) {
  service_.execute = {Success("{}")};
  const std::string file = ::testing::TempDir() + "/cli_call_arguments.json";
  FILE* out = fopen(file.c_str(), "w");
  fputs("{\"from\":\"file\"}", out);
  fclose(out);
  Run({"call", "t"});
  Run({"call", "t", "{}"});
  Run({"call", "t", "-"}, {.in = "{\"from\":\"stdin\"}\n"});
  Run({"call", "t", "@" + file});
  ASSERT_EQ(service_.execute_requests.size(), 4u);
  EXPECT_EQ(service_.execute_requests[0].arguments_json(), "{}");
  EXPECT_EQ(service_.execute_requests[1].arguments_json(), "{}");
  EXPECT_EQ(service_.execute_requests[2].arguments_json(), "{\"from\":\"stdin\"}\n");
  EXPECT_EQ(service_.execute_requests[3].arguments_json(), "{\"from\":\"file\"}");
  EXPECT_EQ(Run({"call", "t", "@/nonexistent"}).code, 9);
  EXPECT_EQ(Run({"call", "t", "-"}, {.in = std::string(2 << 20, ' ')}).code, 2);
}

TEST_F(CommandsTest, ADryRunShowsWhatWouldChange) {
  v1::ExecuteResponse response = Success("{}");
  response.mutable_result()->set_dry_run(true);
  v1::BlockChange& change = *response.mutable_result()->add_changes();
  change.set_kind(v1::BlockChange::KIND_UPDATED);
  change.set_block_id("b1");
  change.set_block_type("todo");
  change.set_before_json(R"({"content":"old","same":1})");
  change.set_after_json(R"({"content":"new","same":1,"more":true})");
  response.mutable_result()->set_changes_omitted(3);
  service_.execute = {response};
  const CommandOutput output = Run({"call", "update_block", "{}", "--dry-run"});
  EXPECT_TRUE(service_.execute_requests.at(0).dry_run());
  EXPECT_THAT(output.out, HasSubstr("  updated todo b1\n    content: \"old\" → \"new\"\n    more: (absent) → true\n"
                                    "  … and 3 more\n"));
  EXPECT_THAT(output.err, HasSubstr("nothing was committed"));
}

TEST_F(CommandsTest, WhatAnAnswerHadNoRoomForIsShown) {
  v1::ExecuteResponse response = Success("{}");
  v1::ToolResult& result = *response.mutable_result();
  result.set_dry_run(true);
  v1::BlockChange& change = *result.add_changes();
  change.set_kind(v1::BlockChange::KIND_UPDATED);
  change.set_block_id("b1");
  change.set_block_type("table");
  change.set_data_omitted(true);
  result.set_affected_blocks_omitted(7);
  result.add_injection_findings()->set_rule_id("rule");
  result.set_injection_findings_omitted(11);
  service_.execute = {response};
  const CommandOutput output = Run({"call", "update_block", "{}", "--dry-run"});
  EXPECT_THAT(output.out, HasSubstr("  updated table b1\n    (the data was too long for the response)\n"));
  EXPECT_THAT(output.err, HasSubstr("found 12 suspicious passage(s)"));
  const Json json = RunJson({"call", "update_block", "{}", "--dry-run"});
  EXPECT_EQ(json["changes"][0]["dataOmitted"], true);
  EXPECT_EQ(json["affectedBlocksOmitted"], 7);
  EXPECT_EQ(json["injectionFindingsOmitted"], 11);
}

TEST_F(CommandsTest, AToolThatFailedHasItsOwnExitCode) {
  v1::ExecuteResponse response;
  response.mutable_result()->set_audit_entry_id("a1");
  v1::ToolError& error = *response.mutable_result()->mutable_error();
  error.set_code("NOT_FOUND");
  error.set_message("no block b9");
  (*error.mutable_details()->mutable_fields())["blockId"].set_string_value("b9");
  service_.execute = {response};
  const CommandOutput output = Run({"call", "get_block", "{}"});
  EXPECT_EQ(output.code, 1);
  EXPECT_EQ(output.out, "");
  EXPECT_THAT(output.err, AllOf(HasSubstr("NOT_FOUND: no block b9"), HasSubstr("{\"blockId\":\"b9\"}"),
                                HasSubstr("audit entry: a1")));
  const Json json = RunJson({"call", "get_block", "{}"});
  EXPECT_EQ(json["success"], false);
  EXPECT_EQ(json["error"]["code"], "NOT_FOUND");
}

TEST_F(CommandsTest, CallOfAShellCommandEndsAsTheCommandDid) {
  struct Row {
    std::string data;
    int code;
  };
  const Row rows[] = {{R"({"exitCode":0,"stdout":"","stderr":""})", 0},
                      {R"({"exitCode":7,"stdout":"","stderr":""})", 7},
                      {R"({"exitCode":130,"stdout":"","stderr":""})", 130},
                      {R"({"killed":"timeout","stdout":"","stderr":""})", 124},
                      {R"({"killed":"memory","stdout":"","stderr":""})", 137}};
  for (const Row& row : rows) {
    service_.execute = {Success(row.data)};
    EXPECT_EQ(Run({"call", "Bash", R"({"command":"make"})"}).code, row.code) << row.data;
    EXPECT_EQ(Run({"call", "Bash", R"({"command":"make"})", "--json"}).code, row.code) << row.data;
  }
  service_.execute = {Success(R"({"exitCode":7})")};
  EXPECT_EQ(Run({"call", "t"}).code, 0) << "only shell commands have an exit code";
}

TEST_F(CommandsTest, ARefusalNamesItsLayer) {
  service_.status = RichStatus(grpc::StatusCode::PERMISSION_DENIED, "looks hostile", "INJECTION_DETECTED", {},
                               {{"layer", "injection_defence"}});
  const CommandOutput output = Run({"call", "t"});
  EXPECT_EQ(output.code, 3);
  EXPECT_THAT(output.err,
              AllOf(HasSubstr("INJECTION_DETECTED: looks hostile"), HasSubstr("refused by: injection_defence")));
  const CommandOutput json = Run({"call", "t", "--json"});
  EXPECT_EQ(json.out, "");
  EXPECT_EQ((*ParseJson(json.err.substr(0, json.err.size() - 1)))["error"]["layer"], "injection_defence");
}

TEST_F(CommandsTest, WithoutATerminalAQuestionEndsTheCallAndPrintsTheToken) {
  service_.execute = {Question()};
  const CommandOutput output = Run({"call", "delete_block", "{}"});
  EXPECT_EQ(output.code, 4);
  EXPECT_EQ(output.out, "tok-1\n");
  EXPECT_THAT(output.err, AllOf(HasSubstr("Delete page \"Plans\""), HasSubstr("Undo brings everything back."),
                                HasSubstr("Until 2026-03-02 09:05:00"), HasSubstr("--confirmation-token")));
  EXPECT_EQ(RunJson({"call", "delete_block", "{}"})["confirmationRequest"]["token"], "tok-1");
}

TEST_F(CommandsTest, TheTokenOfAnApprovalIsSent) {
  service_.execute = {Success("{}")};
  EXPECT_EQ(Run({"call", "delete_block", "{}", "--confirmation-token", "tok-1"}).code, 0);
  EXPECT_EQ(service_.execute_requests.at(0).confirmation_token(), "tok-1");
}

TEST_F(CommandsTest, ApprovalBeforehandCallsAgainWithTheToken) {
  service_.execute = {Question(), Success(R"({"deleted":1})")};
  const CommandOutput output = Run({"call", "delete_block", R"({"blockId":"b1"})", "--confirm"});
  EXPECT_EQ(output.code, 0);
  ASSERT_EQ(service_.execute_requests.size(), 2u);
  EXPECT_EQ(service_.execute_requests[1].confirmation_token(), "tok-1");
  EXPECT_EQ(service_.execute_requests[1].arguments_json(), service_.execute_requests[0].arguments_json());
}

TEST_F(CommandsTest, WhereADecisionIsNeededAYesGivesItFirst) {
  v1::ExecuteResponse question = Question();
  question.mutable_confirmation_request()->set_needs_decision(true);
  for (const bool at_terminal : {true, false}) {
    service_.decisions.clear();
    service_.execute = {question, Success("{}")};
    std::vector<std::string> command = {"call", "delete_block", "{}"};
    if (!at_terminal) command.emplace_back("--confirm");
    EXPECT_EQ(Run(command, {.in = at_terminal ? "y\n" : "", .at_terminal = at_terminal}).code, 0);
    ASSERT_EQ(service_.decisions.size(), 1u);
    EXPECT_EQ(service_.decisions[0].confirmation_id(), "conf-1");
    EXPECT_TRUE(service_.decisions[0].approve());
  }
  service_.execute = {question};
  EXPECT_THAT(Run({"call", "delete_block", "{}"}).err, HasSubstr("toolgate confirmations approve conf-1"));
}

TEST_F(CommandsTest, APersonAtATerminalIsAsked) {
  service_.execute = {Question(), Success("{}")};
  const CommandOutput output = Run({"call", "delete_block", "{}"}, {.in = "yes\n", .at_terminal = true});
  EXPECT_EQ(output.code, 0);
  EXPECT_THAT(output.err, AllOf(HasSubstr("Delete page \"Plans\""), HasSubstr("Go on? [y/N]")));
  EXPECT_EQ(service_.execute_requests.size(), 2u);
}

TEST_F(CommandsTest, AnythingButYesDeclinesAndTellsTheService) {
  for (const char* answer : {"n\n", "\n", "", "yesterday\n"}) {
    service_.execute = {Question()};
    service_.execute_requests.clear();
    service_.decisions.clear();
    EXPECT_EQ(Run({"call", "delete_block", "{}"}, {.in = answer, .at_terminal = true}).code, 7) << answer;
    EXPECT_EQ(service_.execute_requests.size(), 1u);
    ASSERT_EQ(service_.decisions.size(), 1u);
    EXPECT_EQ(service_.decisions[0].confirmation_id(), "conf-1");
    EXPECT_FALSE(service_.decisions[0].approve());
  }
}

TEST_F(CommandsTest, AQuestionThatChangedIsNotAnsweredTwice) {
  service_.execute = {Question()};
  EXPECT_EQ(Run({"call", "delete_block", "{}", "--confirm"}).code, 4);
  EXPECT_EQ(service_.execute_requests.size(), 2u);
}

TEST_F(CommandsTest, AStreamShowsWhatHappensWhileItRuns) {
  v1::ExecuteStreamResponse started, output, progress, end;
  started.mutable_started()->set_tool_id("Bash");
  started.mutable_started()->set_call_id("c1");
  progress.mutable_progress()->set_message("working");
  progress.mutable_progress()->set_done(1);
  progress.mutable_progress()->set_total(2);
  output.mutable_output()->set_channel("stdout");
  output.mutable_output()->set_chunk("\x1b[31mred\n");
  *end.mutable_response() = Success(R"({"exitCode":0})");
  service_.events = {started, progress, output, end};
  const CommandOutput piped = Run({"call", "Bash", "{}", "--stream"});
  EXPECT_EQ(piped.code, 0);
  EXPECT_EQ(piped.out, "\x1b[31mred\n{\n  \"exitCode\": 0\n}\n");
  EXPECT_THAT(piped.err, AllOf(HasSubstr("started Bash"), Not(HasSubstr("working"))));
  const CommandOutput shown = Run({"call", "Bash", "{}", "--stream"}, {.at_terminal = true});
  EXPECT_THAT(shown.out, HasSubstr("\\u{1b}[31mred\n"));
  EXPECT_THAT(shown.err, HasSubstr("working 1/2"));
  const CommandOutput json = Run({"call", "Bash", "{}", "--stream", "--json"});
  EXPECT_THAT(json.out, AllOf(HasSubstr("{\"event\":\"started\""), HasSubstr("\"chunkBase64\":\"G1szMW1yZWQK\""),
                              HasSubstr("{\"event\":\"response\",\"result\":{\"success\":true")));
}

TEST_F(CommandsTest, AStreamShowsWhatTheResultIs) {
  v1::ExecuteStreamResponse call;
  call.mutable_tool_call_start()->set_tool_name("make");
  call.mutable_tool_call_start()->set_arguments_json(R"({"a":"[masked:email]"})");
  v1::ExecuteStreamResponse ended;
  ended.mutable_tool_result()->set_success(true);
  ended.mutable_tool_result()->set_latency_ms(12);
  v1::ExecuteStreamResponse artifact;
  artifact.mutable_artifact_complete()->set_artifact_code("<b>");
  artifact.mutable_artifact_complete()->set_type("html");
  artifact.mutable_artifact_complete()->set_title("Bold\n\x1b[31m");
  v1::ExecuteStreamResponse stored;
  stored.mutable_image_complete()->set_image_url("https://store.example/i.png");
  stored.mutable_image_complete()->set_media_type("image/png");
  stored.mutable_image_complete()->set_width(640);
  stored.mutable_image_complete()->set_height(480);
  v1::ExecuteStreamResponse sent;
  sent.mutable_image_complete()->set_image_data("PNG");
  v1::ExecuteStreamResponse search;
  search.mutable_web_search()->set_query("tea");
  v1::WebSource& source = *search.mutable_web_search()->add_sources();
  source.set_title("Tea");
  source.set_url("https://tea.example");
  v1::ExecuteStreamResponse end;
  *end.mutable_response() = Success("{}");
  service_.events = {call, ended, artifact, stored, sent, search, end};
  const CommandOutput people = Run({"call", "make", "{}", "--stream"});
  EXPECT_EQ(people.out, "{}\n");
  EXPECT_THAT(
      people.err,
      AllOf(HasSubstr("succeeded after 12 ms\n"), HasSubstr("artifact: html, 3 bytes: Bold"), Not(HasSubstr("\x1b")),
            HasSubstr("image, image/png, 640x480: https://store.example/i.png\n"), HasSubstr("image, 3 bytes\n"),
            HasSubstr("searched the web for tea; sources:\n"), HasSubstr("  https://tea.example Tea\n")));
  const CommandOutput json = Run({"call", "make", "{}", "--stream", "--json"});
  EXPECT_THAT(
      json.out,
      AllOf(HasSubstr(R"({"event":"tool_call_start","toolName":"make","arguments":{"a":"[masked:email]"})"),
            HasSubstr(R"({"event":"tool_result","toolName":"","success":true,"latencyMs":12)"),
            HasSubstr(R"({"event":"artifact_complete","artifactCode":"<b>","type":"html")"),
            HasSubstr(R"("imageDataBase64":"UE5H")"),
            HasSubstr(R"({"event":"web_search","query":"tea","sources":[{"title":"Tea","url":"https://tea.example")")));
}

TEST_F(CommandsTest, CallShowsTheOutputOfAToolBeforeItsData) {
  v1::ExecuteResponse response = Success(R"({"exitCode":0})");
  v1::ToolOutput& out = *response.mutable_result()->add_output();
  out.set_channel("stdout");
  out.set_chunk("\x1b[31mred\n");
  v1::ToolOutput& err = *response.mutable_result()->add_output();
  err.set_channel("stderr");
  err.set_chunk("careful\n");
  response.mutable_result()->set_output_omitted_bytes(7);
  service_.execute = {response};
  const CommandOutput piped = Run({"call", "Bash", "{}"});
  EXPECT_EQ(piped.out, "\x1b[31mred\n{\n  \"exitCode\": 0\n}\n");
  EXPECT_THAT(piped.err, AllOf(HasSubstr("careful\n"), HasSubstr("7 more bytes of output are not shown")));
  EXPECT_THAT(Run({"call", "Bash", "{}"}, {.at_terminal = true}).out, HasSubstr("\\u{1b}[31mred\n"));
  EXPECT_THAT(Run({"call", "Bash", "{}", "--json"}).out,
              AllOf(HasSubstr(R"("chunkBase64":"G1szMW1yZWQK")"), HasSubstr(R"("outputOmittedBytes":7)")));
}

TEST_F(CommandsTest, AStreamWithoutAnEndIsAFault) { EXPECT_EQ(Run({"call", "Bash", "{}", "--stream"}).code, 10); }

TEST_F(CommandsTest, ARenderingIsPrintedInsteadOfTheData) {
  v1::ExecuteResponse response = Success("{\"a\":1}");
  response.mutable_result()->set_rendered_text("<tool_result>\x1b</tool_result>");
  service_.execute = {response};
  EXPECT_EQ(Run({"call", "t", "{}", "--result-format", "xml"}).out, "<tool_result>\x1b</tool_result>\n");
  EXPECT_EQ(service_.execute_requests.at(0).result_format(), v1::RESULT_FORMAT_TOOL_RESULT_XML);
  EXPECT_THAT(Run({"call", "t", "{}", "--result-format", "xml"}, {.at_terminal = true}).out,
              HasSubstr("<tool_result>\\u{1b}</tool_result>"));
}

TEST_F(CommandsTest, UndoNamesTheEntryAndShowsAConflict) {
  service_.undo.mutable_result()->set_success(true);
  service_.undo.mutable_result()->set_data_json(R"({"undoneEntryId":"u1"})");
  EXPECT_EQ(Run({"undo", "u1", "--dry-run", "--idempotency-key", "k"}).code, 0);
  EXPECT_EQ(service_.undo_requests.at(0).entry_id(), "u1");
  EXPECT_TRUE(service_.undo_requests.at(0).dry_run());
  EXPECT_EQ(service_.undo_requests.at(0).idempotency_key(), "k");
  EXPECT_EQ(Run({"undo", "--all-of-request", "turn"}).code, 0);
  EXPECT_EQ(service_.undo_requests.at(1).all_of_request_id(), "turn");
  EXPECT_FALSE(service_.undo_requests.at(1).has_all_of_conversation_id());
  EXPECT_EQ(Run({"undo", "--all-of-conversation", "talk"}).code, 0);
  EXPECT_EQ(service_.undo_requests.at(2).all_of_conversation_id(), "talk");
  EXPECT_EQ(Run({"undo", "u1", "--all-of-request", "turn"}).code, 2) << "one or the other";
  service_.undo.mutable_result()->set_success(false);
  service_.undo.mutable_result()->mutable_error()->set_code("CONFLICT");
  const CommandOutput conflict = Run({"undo"});
  EXPECT_EQ(conflict.code, 1);
  EXPECT_THAT(conflict.err, HasSubstr("CONFLICT"));
}

TEST_F(CommandsTest, HistoryShowsTheStack) {
  v1::ListUndoEntriesResponse first, second;
  v1::UndoEntry& entry = *first.add_entries();
  entry.set_id("u2");
  entry.set_tool_id("undo");
  entry.set_can_undo(true);
  entry.set_undoes_entry_id("u1");
  entry.set_description("Undid \x1b it");
  entry.mutable_created_at()->set_seconds(1772442000);
  first.set_next_page_token("2");
  second.add_entries()->set_id("u1");
  service_.undo_entries = {first, second};
  const CommandOutput output = Run({"history"});
  EXPECT_THAT(output.out, HasSubstr("u2     2026-03-02 09:00:00  undo  yes (redo)  Undid \\u{1b} it\n"));
  EXPECT_THAT(output.out, HasSubstr("u1 "));
  service_.undo_entries = {v1::ListUndoEntriesResponse()};
  EXPECT_EQ(Run({"history"}).out, "nothing to undo\n");
  EXPECT_EQ(RunJson({"history"}), Json({{"entries", Json::array()}}));
}

TEST_F(CommandsTest, AuditSendsEveryFilter) {
  const CommandOutput output = Run({"audit", "--block=b", "--by=u", "--tool=t", "--in-conversation=c", "--request=r",
                                    "--text=milk", "--finding=jailbreak", "--since=2h", "--until=2026-03-02T08:30:00Z",
                                    "--limit=7", "--ai-only", "--failed", "--with-findings"});
  EXPECT_EQ(output.code, 0);
  EXPECT_EQ(output.out, "no entries\n");
  const v1::SearchEntriesRequest& request = service_.audit_requests.at(0);
  EXPECT_EQ(request.block_id(), "b");
  EXPECT_EQ(request.user_id(), "u");
  EXPECT_EQ(request.tool_id(), "t");
  EXPECT_EQ(request.conversation_id(), "c");
  EXPECT_EQ(request.request_id(), "r");
  EXPECT_EQ(request.text(), "milk");
  EXPECT_EQ(request.start_time().seconds(), 1772442000 - 7200);
  EXPECT_EQ(request.end_time().seconds(), 1772442000 - 1800);
  EXPECT_TRUE(request.ai_actions_only());
  EXPECT_TRUE(request.with_findings());
  EXPECT_EQ(request.finding(), "jailbreak");
  EXPECT_TRUE(request.has_success());
  EXPECT_FALSE(request.success());
  EXPECT_EQ(request.page_size(), 7);
}

TEST_F(CommandsTest, AuditPagesToTheLimitAndSaysThatThereIsMore) {
  v1::SearchEntriesResponse page;
  v1::AuditEntry& entry = *page.add_entries();
  entry.set_id("a1");
  entry.set_user_name("Ann");
  entry.set_ai_model("m1");
  entry.set_tool_id("create_task");
  entry.set_outcome("INVALID_PARAMS");
  entry.set_refused_by("param_validation");
  entry.set_params_json("{\"title\":1}");
  v1::AuditEntry flagged = entry;
  flagged.set_id("a2");
  flagged.add_injection_findings()->set_rule_id("override.ignore");
  flagged.add_injection_findings()->set_rule_id("role.chatml");
  flagged.set_injection_findings_omitted(2);
  page.set_next_page_token("more");
  auto second = page;
  *second.mutable_entries(0) = flagged;
  service_.audit = {page, second};
  const CommandOutput output = Run({"audit", "--limit", "2"});
  EXPECT_EQ(service_.audit_requests.size(), 2u);
  EXPECT_THAT(output.out, HasSubstr("Ann (m1)  create_task  INVALID_PARAMS by param_validation  "));
  EXPECT_THAT(output.out, HasSubstr("  a1     {\"title\":1}\n"));
  EXPECT_THAT(output.err, HasSubstr("older entries"));
  EXPECT_THAT(output.out, HasSubstr("INVALID_PARAMS by param_validation (override.ignore and 3 more)  a2"));
  const Json json = RunJson({"audit", "--limit", "1"});
  EXPECT_EQ(json["more"], true);
  EXPECT_EQ(json["entries"][0]["refusedBy"], "param_validation");
}

TEST_F(CommandsTest, AuditShowPrintsAnEntryInFull) {
  service_.entry.set_id("a1");
  service_.entry.set_entry_hash("\x01\xAB");
  EXPECT_THAT(Run({"audit", "show", "a1"}).out, HasSubstr("  \"entryHash\": \"01ab\""));
  EXPECT_EQ(RunJson({"audit", "show", "a1"})["id"], "a1");
}

TEST_F(CommandsTest, AuditVerifyTellsASoundChainFromABrokenOne) {
  service_.chain.set_valid(true);
  service_.chain.set_entries_checked(3);
  service_.chain.set_first_sequence(1);
  service_.chain.set_last_sequence(3);
  service_.chain.set_head_hash("\xAA");
  const CommandOutput sound = Run({"audit", "verify"});
  EXPECT_EQ(sound.code, 0);
  EXPECT_EQ(sound.out, "valid: 3 entries, sequence 1 to 3\nhead: aa\n");
  service_.chain.set_valid(false);
  service_.chain.set_broken_sequence(2);
  service_.chain.set_problem("altered");
  const CommandOutput broken = Run({"audit", "verify"});
  EXPECT_EQ(broken.code, 6);
  EXPECT_THAT(broken.out, HasSubstr("broken at sequence 2: altered"));
  EXPECT_EQ(RunJson({"audit", "verify"})["brokenSequence"], 2);
}

TEST_F(CommandsTest, ConfirmationsAreListedAndDecided) {
  v1::ListConfirmationsResponse page;
  v1::PendingConfirmation& pending = *page.add_confirmations();
  pending.set_confirmation_id("conf-1");
  pending.set_user_id("ann");
  pending.set_tool_id("delete_block");
  pending.set_summary("Delete it\nid: \"1\"\n");
  pending.set_question_digest("abcd");
  pending.mutable_expires_at()->set_seconds(1772442300);
  service_.confirmations = {page};
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"confirmations"}, std::vector<std::string>{"confirmations", "list"}}) {
    EXPECT_THAT(Run(command).out, HasSubstr("conf-1  delete_block  asked by ann, until 2026-03-02 09:05:00\n"
                                            "  Delete it\n  id: \"1\"\n"));
  }
  EXPECT_EQ(Run({"confirmations", "approve", "conf-1"}).out, "approved\n");
  EXPECT_EQ(RunJson({"confirmations", "deny", "conf-1"}), Json({{"confirmationId", "conf-1"}, {"state", "denied"}}));
  ASSERT_EQ(service_.decisions.size(), 2u);
  EXPECT_TRUE(service_.decisions[0].approve());
  EXPECT_EQ(service_.decisions[0].question_digest(), "abcd");
  EXPECT_FALSE(service_.decisions[1].approve());
}

TEST_F(CommandsTest, HealthTellsReadyFromAliveFromUnreachable) {
  using grpc::health::v1::HealthCheckResponse;
  service_.health = {{"", HealthCheckResponse::SERVING}, {"toolgate.v1.ToolService", HealthCheckResponse::SERVING}};
  EXPECT_EQ(Run({"health"}).out, "serving\n");
  EXPECT_EQ(RunJson({"health"}), Json({{"status", "SERVING"}}));
  service_.health["toolgate.v1.ToolService"] = HealthCheckResponse::NOT_SERVING;
  const CommandOutput stopping = Run({"health"});
  EXPECT_EQ(stopping.code, 11);
  EXPECT_EQ(stopping.out, "");
  EXPECT_THAT(stopping.err, HasSubstr("the service answers NOT_SERVING"));
  EXPECT_EQ(Run({"health", "--alive"}).code, 0);
  EXPECT_EQ(RunCommand({"health", "--address", "unix:/nonexistent/toolgate.sock"}).code, 5);
}

}  // namespace
}  // namespace toolgate::cli
