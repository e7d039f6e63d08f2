#include "services/rendering/result_events.h"

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/json.h"
#include "common/proto_time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::services::rendering {
namespace {

using ::testing::SizeIs;

executors::ToolDefinition DefinitionWith(executors::ResultEvent event) {
  executors::ToolDefinition definition;
  definition.id = "show_it";
  definition.result_event = event;
  return definition;
}

security::ToolResult Good(std::string data_json) {
  security::ToolResult result;
  result.success = true;
  result.data_json = std::move(data_json);
  return result;
}

template <typename Event>
Event Expect(executors::ResultEvent event, std::string data_json) {
  const auto made = EventOf(DefinitionWith(event), Good(std::move(data_json)));
  const auto* found = made.has_value() ? std::get_if<Event>(&*made) : nullptr;
  EXPECT_NE(found, nullptr);
  return found == nullptr ? Event() : *found;
}

TEST(ResultEventTest, AnArtifactHasItsCodeItsTypeAndItsTitle) {
  const auto artifact = Expect<v1::ArtifactComplete>(
      executors::ResultEvent::kArtifactComplete,
      R"({"artifactCode":"<b>\u00e9</b>","type":"html","title":"Bold","valid":true,"notes":[1]})");
  EXPECT_EQ(artifact.artifact_code(), "<b>é</b>");
  EXPECT_EQ(artifact.type(), "html");
  EXPECT_EQ(artifact.title(), "Bold");
}

TEST(ResultEventTest, AnImageHasItsAddressAndItsSize) {
  const auto image = Expect<v1::ImageComplete>(
      executors::ResultEvent::kImageComplete,
      R"({"imageUrl":"https://store/i.png","mediaType":"image/png","width":1024,"height":768})");
  EXPECT_EQ(image.image_url(), "https://store/i.png");
  EXPECT_EQ(image.media_type(), "image/png");
  EXPECT_EQ(image.width(), 1024);
  EXPECT_EQ(image.height(), 768);
  EXPECT_EQ(image.image_data(), "");
}

TEST(ResultEventTest, AnImagesBytesAreDecoded) {
  struct Row {
    std::string name;
    std::string data;
    std::string bytes;
    std::string media_type;
  };
  const std::vector<Row> rows = {
      {"Base64", R"({"imageData":"AAH/","mediaType":"image/webp"})", std::string("\0\1\xff", 3), "image/webp"},
      {"ADataUrl", R"({"imageData":"data:image/png;base64,AAH/"})", std::string("\0\1\xff", 3), "image/png"},
      {"ADataUrlWithParameters", R"({"imageData":"data:image/svg+xml;charset=utf-8;base64,PHN2Zy8+"})", "<svg/>",
       "image/svg+xml"},
      {"TheMemberCountsBeforeTheUrl", R"({"imageData":"data:image/png;base64,PHN2Zy8+","mediaType":"image/gif"})",
       "<svg/>", "image/gif"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const auto image = Expect<v1::ImageComplete>(executors::ResultEvent::kImageComplete, row.data);
    EXPECT_EQ(image.image_data(), row.bytes);
    EXPECT_EQ(image.media_type(), row.media_type);
  }
}

TEST(ResultEventTest, ASearchHasItsQueryAndItsSources) {
  const auto search = Expect<v1::WebSearch>(
      executors::ResultEvent::kWebSearch,
      R"({"query":"tea","sources":[{"title":"Tea","url":"https://a.example/","snippet":"Leaves","score":0.9},
                                   {"url":"http://b.example/"}]})");
  EXPECT_EQ(search.query(), "tea");
  ASSERT_THAT(search.sources(), SizeIs(2));
  EXPECT_EQ(search.sources(0).title(), "Tea");
  EXPECT_EQ(search.sources(0).url(), "https://a.example/");
  EXPECT_EQ(search.sources(0).snippet(), "Leaves");
  EXPECT_EQ(search.sources(1).title(), "");
  EXPECT_EQ(search.sources(1).url(), "http://b.example/");
}

TEST(ResultEventTest, ASearchThatFoundNothingIsShown) {
  const auto search = Expect<v1::WebSearch>(executors::ResultEvent::kWebSearch, R"({"query":"tea","sources":[]})");
  EXPECT_THAT(search.sources(), SizeIs(0));
}

TEST(ResultEventTest, OnlyWebAddressesBecomeLinks) {
  Json sources = Json::array();
  for (const char* url : {"javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "", " https://a", "//a"}) {
    sources.push_back({{"title", "bad"}, {"url", url}});
  }
  sources.push_back("https://no.object");
  sources.push_back({{"title", "good"}, {"url", "HTTPS://a.example"}});
  const auto search = Expect<v1::WebSearch>(executors::ResultEvent::kWebSearch,
                                            DumpJson(Json{{"query", "q"}, {"sources", std::move(sources)}}));
  ASSERT_THAT(search.sources(), SizeIs(1));
  EXPECT_EQ(search.sources(0).title(), "good");
}

TEST(ResultEventTest, ASearchShowsAtMostFiftySources) {
  Json sources = Json::array();
  for (int i = 0; i < 51; ++i) sources.push_back({{"url", "https://a.example"}});
  EXPECT_THAT(Expect<v1::WebSearch>(executors::ResultEvent::kWebSearch,
                                    DumpJson(Json{{"query", "q"}, {"sources", std::move(sources)}}))
                  .sources(),
              SizeIs(50));
}

struct NoEventCase {
  std::string name;
  executors::ResultEvent event;
  std::string data;
};

class NoResultEventTest : public ::testing::TestWithParam<NoEventCase> {};

TEST_P(NoResultEventTest, IsMadeOfDataThatLacksItsFields) {
  EXPECT_FALSE(EventOf(DefinitionWith(GetParam().event), Good(GetParam().data)).has_value());
}

INSTANTIATE_TEST_SUITE_P(
    Data, NoResultEventTest,
    ::testing::ValuesIn(std::vector<NoEventCase>{
        {"NoneIsNamed", executors::ResultEvent::kNone, R"({"artifactCode":"a","type":"html"})"},
        {"NoCode", executors::ResultEvent::kArtifactComplete, R"({"artifactCode":"","type":"html"})"},
        {"NoType", executors::ResultEvent::kArtifactComplete, R"({"artifactCode":"a"})"},
        {"CodeOfAnotherKind", executors::ResultEvent::kArtifactComplete, R"({"artifactCode":["a"],"type":"html"})"},
        {"NoImage", executors::ResultEvent::kImageComplete, R"({"width":1})"},
        {"AnImageThatIsAScript", executors::ResultEvent::kImageComplete, R"x({"imageUrl":"javascript:alert(1)"})x"},
        {"BytesThatAreNoBase64", executors::ResultEvent::kImageComplete, R"({"imageData":"%%%"})"},
        {"ADataUrlWithoutBase64", executors::ResultEvent::kImageComplete, R"({"imageData":"data:image/svg+xml,AAAA"})"},
        {"NoQuery", executors::ResultEvent::kWebSearch, R"({"sources":[]})"},
        {"NoSources", executors::ResultEvent::kWebSearch, R"({"query":"q"})"},
        {"SourcesOfAnotherKind", executors::ResultEvent::kWebSearch, R"({"query":"q","sources":{}})"},
        {"NoObject", executors::ResultEvent::kWebSearch, "[]"},
        {"NoData", executors::ResultEvent::kWebSearch, ""},
        {"NoJson", executors::ResultEvent::kWebSearch, "{"},
    }),
    [](const auto& info) { return info.param.name; });

TEST(ResultEventTest, OnlyAWholeResultOfACallThatRanMakesOne) {
  const auto definition = DefinitionWith(executors::ResultEvent::kArtifactComplete);
  const security::ToolResult good = Good(R"({"artifactCode":"a","type":"html"})");
  EXPECT_TRUE(EventOf(definition, good).has_value());
  security::ToolResult failed = good;
  failed.success = false;
  EXPECT_FALSE(EventOf(definition, failed).has_value());
  security::ToolResult dry_run = good;
  dry_run.dry_run = true;
  EXPECT_FALSE(EventOf(definition, dry_run).has_value());
  security::ToolResult truncated = good;
  truncated.truncated = true;
  EXPECT_FALSE(EventOf(definition, truncated).has_value());
  security::ToolResult question = good;
  question.confirmation.emplace();
  EXPECT_FALSE(EventOf(definition, question).has_value());
}

TEST(ResultEventTest, AnAnswerMakesTheSameEventAsItsResult) {
  const auto definition = DefinitionWith(executors::ResultEvent::kArtifactComplete);
  v1::ToolResult answer;
  answer.set_success(true);
  answer.set_data_json(R"({"artifactCode":"a","type":"html"})");
  const auto made = EventOf(definition, answer);
  ASSERT_TRUE(made.has_value());
  EXPECT_EQ(std::get<v1::ArtifactComplete>(*made).artifact_code(), "a");
  for (const auto set : {&v1::ToolResult::set_dry_run, &v1::ToolResult::set_truncated}) {
    v1::ToolResult other = answer;
    (other.*set)(true);
    EXPECT_FALSE(EventOf(definition, other).has_value());
  }
  answer.set_success(false);
  EXPECT_FALSE(EventOf(definition, answer).has_value());
}

TEST(ResultEventTest, EachKindHasItsFieldInAStream) {
  v1::ExecuteStreamResponse out;
  SetEvent(v1::ArtifactComplete(), out);
  EXPECT_TRUE(out.has_artifact_complete());
  SetEvent(v1::ImageComplete(), out);
  EXPECT_TRUE(out.has_image_complete());
  SetEvent(v1::WebSearch(), out);
  EXPECT_TRUE(out.has_web_search());
}

TEST(ToolCallResultTest, TellsHowTheCallEnded) {
  const auto definition = DefinitionWith(executors::ResultEvent::kNone);
  v1::ToolResult result;
  result.set_success(true);
  result.set_replayed(true);
  SetProtoDuration(absl::Microseconds(1'234'567), *result.mutable_duration());
  const v1::ToolCallResult good = ToolCallResultOf(definition, "call_1", result);
  EXPECT_EQ(good.tool_name(), "show_it");
  EXPECT_TRUE(good.success());
  EXPECT_EQ(good.latency_ms(), 1234);
  EXPECT_EQ(good.tool_call_id(), "call_1");
  EXPECT_FALSE(good.has_error());
  EXPECT_TRUE(good.replayed());
  result.set_success(false);
  result.mutable_error()->set_code("NOT_FOUND");
  EXPECT_EQ(ToolCallResultOf(definition, "", result).error().code(), "NOT_FOUND");
}

}  // namespace
}  // namespace toolgate::services::rendering
