#include "cli/load/profile/template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "common/json.h"

namespace toolgate::cli::load::profile {
namespace {

using ::testing::HasSubstr;

absl::StatusOr<size_t> FindPages(std::string_view name) {
  if (name == "pages") return size_t{0};
  return absl::InvalidArgumentError("no such pool");
}

std::string Expanded(const std::string& text, int64_t call = 7, Pools* pools = nullptr) {
  const auto parsed = Template::Parse(text, FindPages);
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  if (!parsed.ok()) return "";
  schedule::Random random(1, static_cast<uint64_t>(call));
  Pools none(1);
  std::string out;
  const TemplateInput input{random, pools == nullptr ? none : *pools, call, "run-1", "acme",
                            "ann",  absl::CivilDay(2026, 2, 27)};
  return parsed->Expand(input, out) ? out : "(empty pool)";
}

TEST(TemplateTest, PlaceholdersStandInStringsAndForValues) {
  EXPECT_EQ(Expanded(R"({"a": {{sequence}}, "b": "n{{sequence}}"})"), R"({"a": 7, "b": "n7"})");
  EXPECT_EQ(Expanded(R"({"a": "{{run}}/{{workspace}}/{{user}}"})"), R"({"a": "run-1/acme/ann"})");
  EXPECT_EQ(Expanded(R"({"a": {{choice true}}, "{{choice key}}": 1})"), R"({"a": true, "key": 1})");
  EXPECT_EQ(Expanded("{}"), "{}");
  EXPECT_EQ(Expanded(R"({"a": {"b": 1}})"), R"({"a": {"b": 1}})");
}

TEST(TemplateTest, NumbersStayWithinTheirBounds) {
  std::set<int64_t> seen;
  for (int64_t call = 0; call < 1000; ++call) {
    const auto json = ParseJson(Expanded(R"({"n": {{integer -2 2}}})", call));
    ASSERT_TRUE(json.ok());
    seen.insert((*json)["n"].get<int64_t>());
  }
  EXPECT_EQ(seen, (std::set<int64_t>{-2, -1, 0, 1, 2}));
  EXPECT_EQ(Expanded(R"({"n": {{integer 5 5}}})"), R"({"n": 5})");
}

TEST(TemplateTest, DatesCountFromToday) {
  EXPECT_EQ(Expanded(R"({"d": "{{date 0}}"})"), R"({"d": "2026-02-27"})");
  EXPECT_EQ(Expanded(R"({"d": "{{date 2}}"})"), R"({"d": "2026-03-01"})");
  EXPECT_EQ(Expanded(R"({"d": "{{date -58}}"})"), R"({"d": "2025-12-31"})");
}

TEST(TemplateTest, ChoicesMayHaveBlanksAndAreEscaped) {
  EXPECT_EQ(Expanded(R"({"a": "{{choice 'two words'}}"})"), R"({"a": "two words"})");
  EXPECT_EQ(Expanded(R"({"a": "{{choice say"hi"}}"})"), R"({"a": "say\"hi\""})");
}

TEST(TemplateTest, IdsComeFromTheirPool) {
  schedule::Random random(1);
  Pools pools(1);
  pools.Add(0, "b1", random);
  EXPECT_EQ(Expanded(R"({"id": "{{id pages}}"})", 0, &pools), R"({"id": "b1"})");
  EXPECT_EQ(Expanded(R"({"id": "{{take pages}}"})", 0, &pools), R"({"id": "b1"})");
  EXPECT_EQ(Expanded(R"({"id": "{{id pages last}}"})", 0, &pools), "(empty pool)");
}

TEST(TemplateTest, ACallRepeatsItsTextWhateverRanBefore) {
  const std::string text = R"({"a": "{{uuid}} {{words 3 9}} {{text 20}} {{zipf a b c}}"})";
  EXPECT_EQ(Expanded(text, 41), Expanded(text, 41));
  EXPECT_NE(Expanded(text, 41), Expanded(text, 42));
}

TEST(TemplateTest, RefusesMistakesAndNamesThem) {
  struct Row {
    const char* text;
    const char* part;
  };
  const Row rows[] = {
      {R"({"a": "{{nonsense}}"})", "placeholder {{nonsense}}: unknown; there are sequence"},
      {R"({"a": {{integer 1}}})", "needs two whole numbers"},
      {R"({"a": {{integer 5 1}}})", "the smaller one first"},
      {R"({"a": {{integer 1 x}}})", "needs whole numbers"},
      {R"({"a": "{{words 0}}"})", "must be from 1"},
      {R"({"a": "{{uuid 3}}"})", "takes nothing"},
      {R"({"a": "{{choice}}"})", "needs words"},
      {R"({"a": "{{choice 'x}}"})", "apostrophe"},
      {R"({"a": "{{id nowhere}}"})", "no such pool"},
      {R"({"a": "{{id pages first}}"})", "write {{id POOL}}"},
      {R"({"a": "{{id}}"})", "write {{id POOL}}"},
      {R"({"a": "{{uuid"})", "without \"}}\""},
      {R"({"a": {{uuid}}})", "no JSON"},
      {R"({"a": {{choice 1 x}}})", "no JSON"},
      {"[1]", "no object"},
      {"", "no JSON"},
      {R"({"a": })", "no JSON"},
  };
  for (const Row& row : rows) {
    const auto parsed = Template::Parse(row.text, FindPages);
    ASSERT_FALSE(parsed.ok()) << row.text;
    EXPECT_THAT(std::string(parsed.status().message()), HasSubstr(row.part)) << row.text;
  }
}

TEST(TemplateTest, KnowsWhetherItIsConstant) {
  EXPECT_TRUE(Template::Parse(R"({"a": 1})", FindPages)->constant());
  EXPECT_FALSE(Template::Parse(R"({"a": {{sequence}}})", FindPages)->constant());
}

}  // namespace
}  // namespace toolgate::cli::load::profile
