#include "security/execution_tracking/result_cap.h"

#include <string>

#include "common/json.h"
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

struct TextRow {
  const char* name;
  std::string unit;
  size_t slack;  // The cut result may be shorter than the bound by less than this.
};

class CutResultTest : public ::testing::TestWithParam<TextRow> {};

TEST_P(CutResultTest, IsValidJsonWithinTheBoundAndItsHeadIsAPrefix) {
  const std::string whole = Repeat(GetParam().unit, 3000);
  for (size_t bound = kMinResultBytes; bound < kMinResultBytes + 20; ++bound) {
    const std::string cut = CutResult(whole, bound, "");
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

INSTANTIATE_TEST_SUITE_P(Texts, CutResultTest,
                         ::testing::Values(TextRow{"Ascii", "abc", 2}, TextRow{"Quotes", "\"\\", 3},
                                           TextRow{"TwoBytes", "é", 3}, TextRow{"ThreeBytes", "€", 4},
                                           TextRow{"FourBytes", "😀", 5}, TextRow{"Mixed", "a😀\"é", 5}),
                         [](const auto& row) { return row.param.name; });

TEST(ResultCapTest, ControlAndIllFormedBytesStayWithinTheBound) {
  for (const std::string& unit : {std::string("\x01"), std::string("\n"), std::string("\xff"), std::string("\xe2\x82"),
                                  std::string("\xf0\x9f")}) {
    const std::string cut = CutResult(Repeat(unit, 3000), kMinResultBytes, "");
    EXPECT_LE(cut.size(), kMinResultBytes);
    EXPECT_TRUE(ParseJson(cut).ok());
  }
}

TEST(ResultCapTest, NamesTheContinuation) {
  const std::string token(kMaxContinuationBytes, 'c');
  const std::string cut = CutResult(Repeat("x", 3000), kMinResultBytes, token);
  EXPECT_LE(cut.size(), kMinResultBytes);
  EXPECT_EQ((*ParseJson(cut))["continuation"], token);
}

class FakeKeeper final : public ResultKeeper {
 public:
  absl::StatusOr<std::string> Keep(const ToolCall&, std::string_view data_json) override {
    kept = data_json;
    return answer;
  }
  absl::StatusOr<std::string> answer = std::string("token-1");
  std::string kept;
};

ToolResult Capped(const ResultCap& cap, std::string_view data_json) {
  const ToolCall call;
  ToolResult result = testing::Success(data_json);
  cap.Apply(call, result);
  return result;
}

TEST(ResultCapTest, CutsALongResult) {
  const ResultCap cap(kMinResultBytes);
  const std::string whole = DumpJson(Json{{"text", std::string(5000, 'x')}});
  const ToolResult result = Capped(cap, whole);
  EXPECT_TRUE(result.truncated);
  EXPECT_LE(result.data_json.size(), kMinResultBytes);
  const Json cut = *ParseJson(result.data_json);
  EXPECT_EQ(cut["totalBytes"], whole.size());
  EXPECT_THAT(cut["head"].get<std::string>(), ::testing::StartsWith("{\"text\":\"xxx"));
  EXPECT_FALSE(cut.contains("continuation"));
  const std::string fits = DumpJson(Json(std::string(kMinResultBytes - 2, 'x')));
  const ToolResult untouched = Capped(cap, fits);
  EXPECT_FALSE(untouched.truncated);
  EXPECT_EQ(untouched.data_json, fits);
}

TEST(ResultCapTest, AKeeperOffersTheRest) {
  FakeKeeper keeper;
  const ResultCap cap(kMinResultBytes, &keeper);
  const std::string whole = DumpJson(Json(std::string(5000, 'x')));
  EXPECT_EQ((*ParseJson(Capped(cap, whole).data_json))["continuation"], "token-1");
  EXPECT_EQ(keeper.kept, whole);
  keeper.answer = absl::UnavailableError("full");
  const ToolResult result = Capped(cap, whole);
  EXPECT_TRUE(result.truncated);
  EXPECT_FALSE(ParseJson(result.data_json)->contains("continuation"));
}

}  // namespace
}  // namespace toolgate::security::execution_tracking
