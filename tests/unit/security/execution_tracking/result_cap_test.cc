#include "security/execution_tracking/result_cap.h"

#include <string>

#include "common/json.h"
#include "executors/continuation.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/test_tools.h"

namespace toolgate::security::execution_tracking {
namespace {

std::string Repeat(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

ToolResult Cut(std::string_view data, size_t bound, std::string_view kept_id = "") {
  ToolResult result = testing::Success(data);
  ResultCap(bound).Cut(result, kept_id);
  return result;
}

struct TextRow {
  const char* name;
  std::string unit;
  size_t slack;  // Upper limit of the difference between the limit and the cut size.
};

class CutResultTest : public ::testing::TestWithParam<TextRow> {};

TEST_P(CutResultTest, IsValidJsonWithinTheBoundAndItsHeadIsAPrefix) {
  const std::string whole = Repeat(GetParam().unit, 3000);
  for (size_t bound = kMinResultBytes; bound < kMinResultBytes + 20; ++bound) {
    const std::string cut = Cut(whole, bound).data_json;
    EXPECT_LE(cut.size(), bound);
    EXPECT_GT(cut.size() + GetParam().slack, bound);
    const absl::StatusOr<Json> json = ParseJson(cut);
    ASSERT_TRUE(json.ok()) << json.status();
    EXPECT_EQ((*json)["truncated"], true);
    EXPECT_EQ((*json)["totalBytes"], whole.size());
    EXPECT_FALSE(json->contains("continuation"));
    const auto head = (*json)["head"].get<std::string>();
    EXPECT_EQ(whole.compare(0, head.size(), head), 0);
  }
}

TEST_P(CutResultTest, TheContinuationIsWhereTheHeadEnds) {
  const std::string whole = Repeat(GetParam().unit, 3000);
  const ToolResult cut = Cut(whole, kMinResultBytes, "kept");
  EXPECT_LE(cut.data_json.size(), kMinResultBytes);
  const Json json = ParseJson(cut.data_json).value();
  EXPECT_EQ(json["continuation"], cut.continuation);
  const auto place = executors::Continuation::Parse(cut.continuation);
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(place->id, "kept");
  EXPECT_EQ(static_cast<size_t>(place->offset), json["head"].get<std::string>().size());
}

INSTANTIATE_TEST_SUITE_P(Texts, CutResultTest,
                         ::testing::Values(TextRow{"Ascii", "abc", 2}, TextRow{"Quotes", "\"\\", 3},
                                           TextRow{"TwoBytes", "é", 3}, TextRow{"ThreeBytes", "€", 4},
                                           TextRow{"FourBytes", "😀", 5}, TextRow{"Mixed", "a😀\"é", 5}),
                         [](const auto& row) { return row.param.name; });

TEST(ResultCapTest, ControlAndIllFormedBytesStayWithinTheBound) {
  for (const std::string& unit : {std::string("\x01"), std::string("\n"), std::string("\xff"), std::string("\xe2\x82"),
                                  std::string("\xf0\x9f")}) {
    const std::string cut = Cut(Repeat(unit, 3000), kMinResultBytes).data_json;
    EXPECT_LE(cut.size(), kMinResultBytes);
    EXPECT_TRUE(ParseJson(cut).ok());
  }
}

TEST(ResultCapTest, ALongResultExceedsItAndOneThatJustFitsDoesNot) {
  const ResultCap cap(kMinResultBytes);
  EXPECT_FALSE(cap.Exceeds(testing::Success(std::string(kMinResultBytes, 'x'))));
  EXPECT_TRUE(cap.Exceeds(testing::Success(std::string(kMinResultBytes + 1, 'x'))));
}

TEST(ResultCapTest, ACutResultSaysSo) {
  const std::string whole = DumpJson(Json{{"text", std::string(5000, 'x')}});
  const ToolResult result = Cut(whole, kMinResultBytes);
  EXPECT_TRUE(result.truncated);
  EXPECT_EQ(result.continuation, "");
  const Json cut = *ParseJson(result.data_json);
  EXPECT_EQ(cut["totalBytes"], whole.size());
  EXPECT_THAT(cut["head"].get<std::string>(), ::testing::StartsWith("{\"text\":\"xxx"));
}

TEST(ResultCapTest, ACutResultThatIsCutFurtherIsAsOneThatWasCutToThatAtOnce) {
  const std::string whole = DumpJson(Json{{"text", Repeat("\"é ", 2000)}});
  for (const std::string_view kept_id : {"kept", ""}) {
    ToolResult twice = Cut(whole, 4000, kept_id);
    ResultCap::CutFurtherTo(1500, twice);
    const ToolResult once = Cut(whole, 1500, kept_id);
    EXPECT_EQ(twice.data_json, once.data_json);
    EXPECT_EQ(twice.continuation, once.continuation);
    EXPECT_TRUE(twice.truncated);
  }
}

TEST(ResultCapTest, WithoutRoomForTextTheFrameIsLeft) {
  ToolResult result = Cut(std::string(5000, 'x'), kMinResultBytes, "kept");
  ResultCap::CutFurtherTo(1, result);
  EXPECT_EQ(result.data_json, R"({"truncated":true,"totalBytes":5000,"head":"","continuation":"kept.0"})");
  EXPECT_EQ(result.continuation, "kept.0");
}

}  // namespace
}  // namespace toolgate::security::execution_tracking
