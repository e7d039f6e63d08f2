#include "services/api/tool_api.h"

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "tests/support/test_tools.h"
#include "tests/unit/services/api/api_fixture.h"

namespace toolgate::services::api {
namespace {

using testing::CodeOf;
using ::testing::ElementsAre;

constexpr char kPage[] = R"({"type":"page","data":{"title":"Plans"}})";

class ToolApiTest : public ApiFixture {
 protected:
  absl::StatusOr<v1::ListToolsResponse> List(const v1::ListToolsRequest& request) {
    v1::ListToolsResponse response;
    RETURN_IF_ERROR(ListTools(Known(Rpc::kListTools), request, response, cancellation_));
    return response;
  }
  static std::vector<std::string> IdsOf(const v1::ListToolsResponse& response) {
    std::vector<std::string> ids;
    for (const v1::Tool& tool : response.tools()) ids.push_back(tool.id());
    return ids;
  }
  bool AtOnce(const std::string& tool, const std::string& key = "",
              v1::ResultFormat format = v1::RESULT_FORMAT_UNSPECIFIED) {
    auto request = As<v1::ExecuteRequest>();
    request.set_tool_id(tool);
    request.set_idempotency_key(key);
    request.set_result_format(format);
    return AnswersAtOnce(Known(Rpc::kExecute), request);
  }
};

// A client that takes so many events and leaves.
class ApiEvents final : public EventWriter {
 public:
  explicit ApiEvents(size_t taken) : taken_(taken) {}
  void Write(const v1::ExecuteStreamResponse& event) override {
    if (events_.size() < taken_) events_.push_back(event);
  }
  void WriteProgress(const v1::ExecuteStreamResponse& event) override { Write(event); }
  absl::Status WriteOutput(const v1::ExecuteStreamResponse& event, const fibers::Cancellation&) override {
    Write(event);
    return absl::OkStatus();
  }
  const std::vector<v1::ExecuteStreamResponse>& events() const { return events_; }

 private:
  const size_t taken_;
  std::vector<v1::ExecuteStreamResponse> events_;
};

TEST_F(ToolApiTest, ListToolsGoesPageByPage) {
  auto request = As<v1::ListToolsRequest>();
  request.set_page_size(200);
  const auto all = List(request);
  ASSERT_TRUE(all.ok()) << all.status();
  ASSERT_GT(all->tools_size(), 14);
  EXPECT_EQ(all->next_page_token(), "");
  request.set_page_size(7);
  std::vector<std::string> ids;
  do {
    const auto page = List(request);
    ASSERT_TRUE(page.ok()) << page.status();
    ASSERT_LE(page->tools_size(), 7);
    for (const std::string& id : IdsOf(*page)) ids.push_back(id);
    request.set_page_token(page->next_page_token());
  } while (!request.page_token().empty());
  EXPECT_EQ(ids, IdsOf(*all));
}

TEST_F(ToolApiTest, ToolsThatTheServiceCannotRunAreNotListed) {
  auto request = As<v1::ListToolsRequest>();
  request.set_page_size(200);
  const auto all = List(request);
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_THAT(IdsOf(*all), ::testing::Not(::testing::Contains("Read"))) << "no directory is configured";
  request.add_modules("files");
  EXPECT_EQ(CodeOf(List(request).status()), ErrorCode::kInvalidParams);
}

TEST_F(ToolApiTest, APageTokenFitsNoOtherListing) {
  auto request = As<v1::ListToolsRequest>();
  request.set_page_size(1);
  const auto first = List(request);
  ASSERT_TRUE(first.ok()) << first.status();
  request.set_page_token(first->next_page_token());
  request.add_modules("calendar");
  EXPECT_EQ(CodeOf(List(request).status()), ErrorCode::kInvalidParams);
}

TEST_F(ToolApiTest, OnlyPointReadsAndRefusalsAnswerAtOnce) {
  EXPECT_TRUE(AtOnce("get_block"));
  EXPECT_TRUE(AtOnce("no_such_tool"));
  EXPECT_TRUE(AtOnce("create_block", "", static_cast<v1::ResultFormat>(1000)));
  EXPECT_FALSE(AtOnce("create_block"));
  EXPECT_FALSE(AtOnce("get_block", "key")) << "the outcome is stored";
}

TEST_F(ToolApiTest, APointReadAnswersAtOnceWhatExecuteAnswers) {
  const auto made = RunTool("create_block", kPage);
  ASSERT_TRUE(made.ok()) << made.status();
  const std::string id = ParseJson(made->result().data_json()).value()["blockId"];
  const std::string arguments = DumpJson(Json{{"blockId", id}});
  auto request = As<v1::ExecuteRequest>();
  request.set_tool_id("get_block");
  request.set_arguments_json(arguments);
  v1::ExecuteResponse at_once;
  ASSERT_TRUE(ExecuteAtOnce(Known(Rpc::kExecute), request, at_once).ok());
  EXPECT_TRUE(at_once.result().success());
  EXPECT_EQ(at_once.result().data_json(), RunTool("get_block", arguments)->result().data_json());
}

TEST_F(ToolApiTest, AFormOfResultsThatThereIsNotIsRefused) {
  auto request = As<v1::ExecuteRequest>();
  request.set_tool_id("get_block");
  request.set_result_format(static_cast<v1::ResultFormat>(1000));
  v1::ExecuteResponse response;
  EXPECT_EQ(CodeOf(Execute(Known(Rpc::kExecute), request, response, cancellation_)), ErrorCode::kInvalidParams);
}

// The names of the events that a call sends, in their order.
std::vector<std::string> NamesOf(const std::vector<v1::ExecuteStreamResponse>& events) {
  std::vector<std::string> names;
  for (const auto& event : events) {
    const auto* const descriptor = event.GetDescriptor();
    names.push_back(event.GetReflection()->GetOneofFieldDescriptor(event, descriptor->oneof_decl(0))->name());
  }
  return names;
}

TEST_F(ToolApiTest, AStreamTellsOfTheCallOfTheStartAndOfTheEnd) {
  v1::ExecuteStreamRequest stream;
  *stream.mutable_request() = As<v1::ExecuteRequest>();
  stream.mutable_request()->set_tool_id("create_block");
  stream.mutable_request()->set_arguments_json(R"({"type":"page","data":{"title":"Mail ann@example.com"}})");
  stream.mutable_request()->set_tool_call_id("call_1");
  ApiEvents client(/*taken=*/10);
  ASSERT_TRUE(ExecuteStream(Known(Rpc::kExecuteStream), stream, cancellation_, client).ok());
  const auto& events = client.events();
  ASSERT_THAT(NamesOf(events), ElementsAre("tool_call_start", "started", "tool_result", "response"));
  EXPECT_EQ(events[0].tool_call_start().tool_name(), "create_block");
  EXPECT_EQ(events[0].tool_call_start().tool_call_id(), "call_1");
  EXPECT_EQ(events[0].tool_call_start().arguments_json(), R"({"type":"page","data":{"title":"Mail [masked:email]"}})");
  EXPECT_FALSE(events[0].tool_call_start().arguments_truncated());
  EXPECT_EQ(events[1].started().tool_id(), "create_block");
  EXPECT_FALSE(events[1].started().call_id().empty());
  EXPECT_EQ(events[2].tool_result().tool_name(), "create_block");
  EXPECT_TRUE(events[2].tool_result().success());
  EXPECT_EQ(events[2].tool_result().tool_call_id(), "call_1");
  EXPECT_TRUE(events[3].response().result().success());
}

TEST_F(ToolApiTest, LongArgumentsAreCutInAStream) {
  v1::ExecuteStreamRequest stream;
  *stream.mutable_request() = As<v1::ExecuteRequest>();
  stream.mutable_request()->set_tool_id("create_block");
  std::string words;
  while (words.size() < 8000) words += "word ";
  stream.mutable_request()->set_arguments_json(DumpJson(Json{{"type", "paragraph"}, {"data", {{"content", words}}}}));
  ApiEvents client(/*taken=*/1);
  static_cast<void>(ExecuteStream(Known(Rpc::kExecuteStream), stream, cancellation_, client));
  ASSERT_THAT(NamesOf(client.events()), ElementsAre("tool_call_start"));
  EXPECT_TRUE(client.events()[0].tool_call_start().arguments_truncated());
  EXPECT_LE(client.events()[0].tool_call_start().arguments_json().size(), 4096u + std::string_view("…").size());
}

struct StreamedRefusal {
  std::string name;
  std::string tool;
  std::string arguments;
};

class StreamedRefusalTest : public ToolApiTest, public ::testing::WithParamInterface<StreamedRefusal> {};

TEST_P(StreamedRefusalTest, IsNoEventOrAResponseAlone) {
  v1::ExecuteStreamRequest stream;
  *stream.mutable_request() = As<v1::ExecuteRequest>();
  stream.mutable_request()->set_tool_id(GetParam().tool);
  stream.mutable_request()->set_arguments_json(GetParam().arguments);
  ApiEvents refused(/*taken=*/10);
  EXPECT_FALSE(ExecuteStream(Known(Rpc::kExecuteStream), stream, cancellation_, refused).ok());
  EXPECT_TRUE(refused.events().empty());
  stream.mutable_request()->set_refusals(v1::REFUSAL_FORM_RESULT);
  ApiEvents answered(/*taken=*/10);
  EXPECT_TRUE(ExecuteStream(Known(Rpc::kExecuteStream), stream, cancellation_, answered).ok());
  ASSERT_THAT(NamesOf(answered.events()), ElementsAre("response"));
  EXPECT_FALSE(answered.events().back().response().result().refused_by().empty());
}

INSTANTIATE_TEST_SUITE_P(Refusals, StreamedRefusalTest,
                         ::testing::ValuesIn(std::vector<StreamedRefusal>{
                             {"NoSuchTool", "no_such_tool", "{}"},
                             {"ArgumentsThatAreNoJson", "get_block", "{"},
                             {"ArgumentsThatAreNotValid", "get_block", "{}"}}),
                         [](const auto& info) { return info.param.name; });

TEST_F(ToolApiTest, AQuestionIsAResponseAlone) {
  const auto made = RunTool("create_block", kPage);
  ASSERT_TRUE(made.ok());
  v1::ExecuteStreamRequest stream;
  *stream.mutable_request() = As<v1::ExecuteRequest>();
  stream.mutable_request()->set_tool_id("delete_block");
  stream.mutable_request()->set_arguments_json(
      DumpJson(Json{{"blockId", ParseJson(made->result().data_json()).value()["block"]["id"]}}));
  ApiEvents client(/*taken=*/10);
  ASSERT_TRUE(ExecuteStream(Known(Rpc::kExecuteStream), stream, cancellation_, client).ok());
  EXPECT_THAT(NamesOf(client.events()), ElementsAre("response"));
  EXPECT_TRUE(client.events().back().response().has_confirmation_request());
}

TEST_F(ToolApiTest, AReplayedCallHasAStartAndAnEndButDoesNotRun) {
  v1::ExecuteStreamRequest stream;
  *stream.mutable_request() = As<v1::ExecuteRequest>();
  stream.mutable_request()->set_tool_id("create_block");
  stream.mutable_request()->set_arguments_json(kPage);
  stream.mutable_request()->set_idempotency_key("k");
  ApiEvents first(/*taken=*/10);
  ASSERT_TRUE(ExecuteStream(Known(Rpc::kExecuteStream), stream, cancellation_, first).ok());
  ApiEvents second(/*taken=*/10);
  ASSERT_TRUE(ExecuteStream(Known(Rpc::kExecuteStream), stream, cancellation_, second).ok());
  ASSERT_THAT(NamesOf(second.events()), ElementsAre("tool_call_start", "tool_result", "response"));
  EXPECT_TRUE(second.events()[1].tool_result().replayed());
}

TEST_F(ToolApiTest, AStreamWhoseClientIsGoneComesToItsEnd) {
  v1::ExecuteStreamRequest stream;
  *stream.mutable_request() = As<v1::ExecuteRequest>();
  stream.mutable_request()->set_tool_id("create_block");
  stream.mutable_request()->set_arguments_json(kPage);
  ApiEvents client(/*taken=*/0);
  EXPECT_TRUE(ExecuteStream(Known(Rpc::kExecuteStream), stream, cancellation_, client).ok());
  v1::ListUndoEntriesResponse undo;
  ASSERT_TRUE(
      ListUndoEntries(Known(Rpc::kListUndoEntries), As<v1::ListUndoEntriesRequest>(), undo, cancellation_).ok());
  EXPECT_EQ(undo.entries_size(), 1);
}

TEST_F(ToolApiTest, AnUndoIsAnEntryOfItsOwn) {
  const auto made = RunTool("create_block", kPage);
  ASSERT_TRUE(made.ok()) << made.status();
  v1::UndoResponse undone;
  ASSERT_TRUE(Undo(Known(Rpc::kUndo), As<v1::UndoRequest>(), undone, cancellation_).ok());
  EXPECT_TRUE(undone.result().success()) << undone.ShortDebugString();
  v1::ListUndoEntriesResponse listed;
  ASSERT_TRUE(
      ListUndoEntries(Known(Rpc::kListUndoEntries), As<v1::ListUndoEntriesRequest>(), listed, cancellation_).ok());
  std::vector<std::string> undoes;
  for (const v1::UndoEntry& entry : listed.entries()) undoes.push_back(entry.undoes_entry_id());
  EXPECT_THAT(undoes, ElementsAre(made->result().undo_entry_id(), ""));
}

TEST_F(ToolApiTest, UndoEntriesAreTheCallersOwn) {
  ASSERT_TRUE(RunTool("create_block", kPage).ok());
  v1::ListUndoEntriesResponse listed;
  ASSERT_TRUE(
      ListUndoEntries(Known(Rpc::kListUndoEntries), As<v1::ListUndoEntriesRequest>("bob"), listed, cancellation_).ok());
  EXPECT_EQ(listed.entries_size(), 0);
}

}  // namespace
}  // namespace toolgate::services::api
