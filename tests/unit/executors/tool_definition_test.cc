#include "executors/tool_definition.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::executors {
namespace {

using ::testing::HasSubstr;

Json DefinitionJson() {
  const absl::StatusOr<Json> json = ParseJson(R"({
    "id": "do_it", "name": "Do It", "description": "Does it.", "category": "update", "module": "test",
    "permissions": ["test:do"], "modes": ["image", "search"], "switch": "extras", "confirmation": "conditional",
    "annotations": {"readOnly": false, "destructive": true, "idempotent": true, "openWorld": true, "reversible": false,
                    "remembered": true},
    "timeout": "5s", "limits": [{"audience": "guest", "max": 5, "window": "1h"}, {"max": 7, "window": "24h"}],
    "executor": {"kind": "native"},
    "arguments": {"type": "object", "properties": {
      "plain": {"type": "string"},
      "inner": {"type": "object", "properties": {"x": {"type": "number"}}},
      "free": {"type": "object", "additionalProperties": true},
      "rows": {"type": "array", "items": {"type": "object", "properties": {}}}}},
    "result": {"type": "object", "properties": {}},
    "examples": [{"description": "One", "arguments": {}, "result": {}}]})");
  EXPECT_TRUE(json.ok()) << json.status();
  return *json;
}

TEST(ToolDefinitionTest, ReadsEveryMember) {
  const absl::StatusOr<ToolDefinition> definition = ParseToolDefinition("a.json", DumpJson(DefinitionJson()));
  ASSERT_TRUE(definition.ok()) << definition.status();
  EXPECT_EQ(definition->id, "do_it");
  EXPECT_EQ(definition->display_name, "Do It");
  EXPECT_EQ(definition->description, "Does it.");
  EXPECT_EQ(definition->category, Category::kUpdate);
  EXPECT_EQ(definition->module, "test");
  EXPECT_EQ(definition->permissions, std::vector<std::string>{"test:do"});
  EXPECT_EQ(definition->modes, (std::vector<std::string>{"image", "search"}));
  EXPECT_EQ(definition->confirmation, ConfirmationRule::kConditional);
  EXPECT_FALSE(definition->annotations.read_only);
  EXPECT_TRUE(definition->annotations.destructive);
  EXPECT_TRUE(definition->annotations.idempotent);
  EXPECT_TRUE(definition->annotations.open_world);
  EXPECT_FALSE(definition->annotations.reversible);
  EXPECT_TRUE(definition->annotations.remembered);
  EXPECT_EQ(definition->switch_name, "extras");
  EXPECT_EQ(definition->timeout, absl::Seconds(5));
  ASSERT_EQ(definition->limits.size(), 2u);
  EXPECT_EQ(definition->limits[0].audience, Audience::kGuest);
  EXPECT_EQ(definition->limits[0].max_calls, 5);
  EXPECT_EQ(definition->limits[0].window, absl::Hours(1));
  EXPECT_EQ(definition->limits[1].audience, Audience::kAny);
  EXPECT_EQ(definition->examples.size(), 1u);
  EXPECT_TRUE(definition->examples[0].setup.is_array());
}

TEST(ToolDefinitionTest, InternalToolsNeedNoPermissionsAndNoExamples) {
  Json file = DefinitionJson();
  file["permissions"] = Json::array();
  file["examples"] = Json::array();
  EXPECT_FALSE(ParseToolDefinition("a.json", DumpJson(file)).ok());
  file["executor"]["internal"] = true;
  const absl::StatusOr<ToolDefinition> definition = ParseToolDefinition("a.json", DumpJson(file));
  ASSERT_TRUE(definition.ok()) << definition.status();
  EXPECT_TRUE(definition->internal);
  EXPECT_FALSE(definition->inline_reads);
}

TEST(ToolDefinitionTest, AnEventIsMadeOfMembersOfTheResult) {
  struct Event {
    std::string name;
    ResultEvent event;
    std::string needed;
  };
  const std::vector<Event> events = {
      {"artifact_complete", ResultEvent::kArtifactComplete, R"({"artifactCode":{},"type":{}})"},
      {"image_complete", ResultEvent::kImageComplete, R"({"imageUrl":{}})"},
      {"image_complete", ResultEvent::kImageComplete, R"({"imageData":{}})"},
      {"web_search", ResultEvent::kWebSearch, R"({"query":{},"sources":{}})"}};
  for (const Event& each : events) {
    SCOPED_TRACE(each.name);
    Json file = DefinitionJson();
    EXPECT_EQ(ParseToolDefinition("a.json", DumpJson(file))->result_event, ResultEvent::kNone);
    file["event"] = each.name;
    EXPECT_FALSE(ParseToolDefinition("a.json", DumpJson(file)).ok());
    file["result"]["properties"] = *ParseJson(each.needed);
    const absl::StatusOr<ToolDefinition> definition = ParseToolDefinition("a.json", DumpJson(file));
    ASSERT_TRUE(definition.ok()) << definition.status();
    EXPECT_EQ(definition->result_event, each.event);
    EXPECT_EQ(ResultEventName(definition->result_event), each.name);
  }
}

TEST(ToolDefinitionTest, ClosesObjectsThatSayNothing) {
  const absl::StatusOr<ToolDefinition> definition = ParseToolDefinition("a.json", DumpJson(DefinitionJson()));
  ASSERT_TRUE(definition.ok()) << definition.status();
  const Json& schema = definition->argument_schema;
  EXPECT_EQ(schema["additionalProperties"], false);
  EXPECT_EQ(schema["properties"]["inner"]["additionalProperties"], false);
  EXPECT_EQ(schema["properties"]["free"]["additionalProperties"], true);
  EXPECT_EQ(schema["properties"]["rows"]["items"]["additionalProperties"], false);
  EXPECT_FALSE(schema["properties"]["plain"].contains("additionalProperties"));
  EXPECT_FALSE(definition->result_schema.contains("additionalProperties"));
}

struct BadRow {
  std::string name;
  std::string pointer;  // Place of `value`.
  std::string value;    // JSON; empty: the member is removed.
  std::string problem;
};

class BadDefinitionTest : public ::testing::TestWithParam<BadRow> {};

TEST_P(BadDefinitionTest, IsRefusedWithItsPlace) {
  Json file = DefinitionJson();
  const Json::json_pointer pointer(GetParam().pointer);
  if (GetParam().value.empty()) {
    file[pointer.parent_pointer()].erase(pointer.back());
  } else {
    file[pointer] = *ParseJson(GetParam().value);
  }
  const absl::StatusOr<ToolDefinition> definition = ParseToolDefinition("tools/a.json", DumpJson(file));
  ASSERT_EQ(definition.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(definition.status().message()), HasSubstr("tools/a.json"));
  EXPECT_THAT(std::string(definition.status().message()), HasSubstr(GetParam().problem));
}

INSTANTIATE_TEST_SUITE_P(
    Members, BadDefinitionTest,
    ::testing::ValuesIn(std::vector<BadRow>{
        {"UnknownMember", "/permision", R"(["a:b"])", "/permision is not a member"},
        {"UnknownAnnotation", "/annotations/safe", "true", "/annotations/safe"},
        {"UnknownLimitMember", "/limits/0/per", R"("1h")", "/limits/0/per"},
        {"UnknownExampleMember", "/examples/0/output", "{}", "/examples/0/output"},
        {"NoId", "/id", "", "/id is missing"},
        {"BadId", "/id", R"("do it")", "/id must be"},
        {"NoDescription", "/description", "", "/description is missing"},
        {"EmptyName", "/name", R"("")", "/name must be"},
        {"UnknownCategory", "/category", R"("write")", "read, create, update, delete, execute"},
        {"UnknownEvent", "/event", R"("artifact")", "artifact_complete, image_complete, web_search"},
        {"EventWithoutItsMembers", "/event", R"("web_search")", "/result/properties must have \"query\" and"},
        {"UnknownMode", "/modes", R"(["chat"])", "/modes must hold some of artifact, image, search"},
        {"ModesThatAreNoList", "/modes", R"("search")", "/modes must be an array"},
        {"UnknownRule", "/confirmation", R"("sometimes")", "never, always, conditional"},
        {"NoPermissions", "/permissions", "[]", "/permissions"},
        {"PermissionWithoutColon", "/permissions/0", R"("admin")", "domain:action"},
        {"AnnotationOfWrongType", "/annotations/readOnly", R"("no")", "/annotations/readOnly must be"},
        {"ReadOnlyAndDestructive", "/annotations/readOnly", "true", "at once"},
        {"ReadOnlyAndRemembered", "/annotations", R"({"readOnly": true, "remembered": true})", "leaves nothing behind"},
        {"EmptySwitch", "/switch", R"("")", "/switch must be a string that is not empty"},
        {"TimeoutWithoutUnit", "/timeout", R"("5")", "/timeout must be a duration"},
        {"TimeoutZero", "/timeout", R"("0s")", "/timeout must be a duration"},
        {"LimitOfZero", "/limits/0/max", "0", "/limits/0/max must be"},
        {"LimitWithFraction", "/limits/0/max", "1.5", "/limits/0/max must be"},
        {"LimitWithoutWindow", "/limits/1/window", "", "/limits/1/window is missing"},
        {"UnknownAudience", "/limits/0/audience", R"("all")", "any, user, guest"},
        {"UnknownExecutor", "/executor/kind", R"("ftp")",
         "/executor/kind must be one of native, http, grpc, mcp, process"},
        {"ExecutorWithMore", "/executor/url", R"("x")",
         "/executor/url is not a member of the format; known: kind, provider"},
        {"InternalOfWrongType", "/executor/internal", R"("yes")", "/executor/internal must be true or false"},
        {"ProviderWithABlank", "/executor/provider", R"("my search")", "/executor/provider must be a name"},
        {"TokensOfWrongType", "/executor/tokensPerCall", "-1", "/executor/tokensPerCall must be a whole number"},
        {"NativeWithUndo", "/executor/undo", R"({"tool": "x", "arguments": {}})", "/executor/undo is not a member"},
        {"HttpWithoutUrl", "/executor", R"({"kind": "http", "provider": "p", "method": "GET"})",
         "/executor/url is missing"},
        {"HttpMethod", "/executor", R"({"kind": "http", "provider": "p", "method": "get", "url": "https://a/"})",
         "/executor/method must be one of GET, POST"},
        {"HttpUrl", "/executor", R"({"kind": "http", "provider": "p", "method": "GET", "url": "ftp://a/"})",
         "/executor/url must be an address"},
        {"HttpHostFromArguments", "/executor",
         R"({"kind": "http", "provider": "p", "method": "GET", "url": "https://{host}/x"})",
         "/executor/url must name its host itself"},
        {"HttpPassword", "/executor", R"({"kind": "http", "provider": "p", "method": "GET", "url": "https://u:p@a/x"})",
         "/executor/url must name its host itself"},
        {"HttpSecretHeader", "/executor",
         R"({"kind": "http", "provider": "p", "method": "GET", "url": "https://a/", "headers": {"Authorization": "Bearer x"}})",
         "/executor/headers/Authorization is a secret"},
        {"HttpWithoutProvider", "/executor", R"({"kind": "http", "method": "GET", "url": "https://a/"})",
         "/executor must name a \"provider\""},
        {"HttpInline", "/executor",
         R"({"kind": "http", "provider": "p", "method": "GET", "url": "https://a/", "inline": true})",
         "/executor/inline is not a member"},
        {"GrpcMethod", "/executor", R"({"kind": "grpc", "provider": "p", "target": "a:1", "method": "Do"})",
         "/executor/method must be of the form"},
        {"McpDigest", "/executor",
         R"({"kind": "mcp", "provider": "p", "server": "s", "tool": "t", "digest": "sha256:00"})",
         "/executor/digest must be"},
        {"McpWithoutServer", "/executor", R"({"kind": "mcp", "provider": "p", "tool": "t", "digest": "x"})",
         "/executor/server is missing"},
        {"ProcessByName", "/executor", R"({"kind": "process", "command": ["ls"]})", "/executor/command must be"},
        {"ProcessAsText", "/executor", R"({"kind": "process", "command": "/bin/ls -l"})", "/executor/command must be"},
        {"UndoWithoutTool", "/executor", R"({"kind": "process", "command": ["/x"], "undo": {"arguments": {}}})",
         "/executor/undo/tool is missing"},
        {"UndoOfWrongArguments", "/executor",
         R"({"kind": "process", "command": ["/x"], "undo": {"tool": "x", "arguments": []}})",
         "/executor/undo/arguments must be an object"},
        {"ArgumentsNoObject", "/arguments/type", R"("array")", "/arguments must be"},
        {"NoResult", "/result", "", "/result is missing"},
        {"NoExamples", "/examples", "[]", "/examples must be"},
        {"ExampleWithoutResult", "/examples/0/result", "", "/examples/0/result is missing"},
    }),
    [](const auto& test) { return test.param.name; });

struct ShapeRow {
  std::string name;
  std::string executor;
  ExecutorKind kind;
  std::string provider;
};

class ExecutorShapeTest : public ::testing::TestWithParam<ShapeRow> {};

TEST_P(ExecutorShapeTest, IsKnownToTheFormat) {
  Json file = DefinitionJson();
  file["executor"] = *ParseJson(GetParam().executor);
  const absl::StatusOr<ToolDefinition> definition = ParseToolDefinition("a.json", DumpJson(file));
  ASSERT_TRUE(definition.ok()) << definition.status();
  EXPECT_EQ(definition->kind, GetParam().kind);
  EXPECT_EQ(definition->provider, GetParam().provider);
  EXPECT_EQ(definition->executor, file["executor"]);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, ExecutorShapeTest,
    ::testing::ValuesIn(std::vector<ShapeRow>{
        {"Native", R"({"kind": "native", "inline": true})", ExecutorKind::kNative, ""},
        {"NativeWithProvider", R"({"kind": "native", "provider": "search", "tokensPerCall": 500})",
         ExecutorKind::kNative, "search"},
        {"Http",
         R"({"kind": "http", "provider": "crm", "method": "POST", "url": "https://crm.example.com/contacts/{id}?full=1",
            "headers": {"Accept": "application/json"}, "credentials": "crm-key",
            "undo": {"tool": "delete_contact", "arguments": {"id": "{{result.id}}"}}})",
         ExecutorKind::kHttp, "crm"},
        {"Grpc",
         R"({"kind": "grpc", "provider": "billing", "target": "dns:///billing:443", "method": "pkg.Billing/Charge"})",
         ExecutorKind::kGrpc, "billing"},
        {"Mcp",
         R"({"kind": "mcp", "provider": "wiki", "server": "wiki", "tool": "read page", "digest": "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"})",
         ExecutorKind::kMcp, "wiki"},
        {"Process", R"({"kind": "process", "command": ["/usr/bin/pandoc", "-t", "html"]})", ExecutorKind::kProcess, ""},
    }),
    [](const auto& test) { return test.param.name; });

TEST(ToolDefinitionTest, ARemoteExecutorSaysWhatItMeansForThePolicies) {
  Json file = DefinitionJson();
  file["executor"] = *ParseJson(R"({"kind": "http", "provider": "p", "method": "GET", "url": "https://a/x"})");
  file["annotations"]["openWorld"] = false;
  EXPECT_THAT(std::string(ParseToolDefinition("a.json", DumpJson(file)).status().message()),
              HasSubstr("/annotations must say openWorld: true"));
  file["annotations"]["openWorld"] = true;
  file["annotations"]["reversible"] = true;
  EXPECT_THAT(std::string(ParseToolDefinition("a.json", DumpJson(file)).status().message()),
              HasSubstr("/annotations must say reversible: false, or the executor must name an \"undo\""));
  file["executor"]["undo"] = {{"tool", "undo_it"}, {"arguments", Json::object()}};
  EXPECT_TRUE(ParseToolDefinition("a.json", DumpJson(file)).ok());
}

TEST(ToolDefinitionTest, RefusesWhatIsNotJson) {
  EXPECT_EQ(ParseToolDefinition("a.json", "{").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ParseToolDefinition("a.json", "[]").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ParseToolDefinition("a.json", R"({"id":"a","id":"b"})").status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace toolgate::executors
