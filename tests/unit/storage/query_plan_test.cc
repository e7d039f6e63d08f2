#include "storage/query_plan.h"

#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "storage/declared_fields.h"

namespace toolgate::storage {
namespace {

using Op = Filter::Op;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::string Open(std::string_view data) { return std::string(data); }

const DeclaredFields& PlannedFields() {
  using Kind = DeclaredField::Kind;
  static const auto* const fields = new DeclaredFields(
      {{"todo",
        "task",
        {{Kind::kValue, {"due"}, nullptr},
         {Kind::kValue, {"status"}, nullptr},
         {Kind::kDerived, {"open"}, nullptr, Open}}},
       {"card", "task", {{Kind::kValue, {"due"}, nullptr}, {Kind::kDerived, {"open"}, nullptr, Open}}},
       {"note", "note", {{Kind::kLabels, {"tags"}, nullptr}}},
       {"row", "", {{Kind::kMembers, {"values"}, nullptr}}}},
      /*revision=*/1);
  return *fields;
}

Filter Due(Op op, Json value) { return Filter::Compare(Field::Data({"due"}), op, std::move(value)); }

BlockQuery Tasks(Filter filter) {
  BlockQuery query;
  query.types = {"todo", "card"};
  query.filter = std::move(filter);
  return query;
}

IndexRange RangeOf(Filter filter) {
  const QueryIndexes indexes = FindIndexes(PlannedFields(), Tasks(std::move(filter)));
  EXPECT_THAT(indexes.conditions, SizeIs(1));
  if (indexes.conditions.size() != 1) return {};
  EXPECT_THAT(indexes.conditions[0].ranges, SizeIs(1));
  return indexes.conditions[0].ranges.at(0);
}

TEST(QueryPlanTest, TakesWhatAFilterAllowsAFieldAsARange) {
  const IndexRange both = RangeOf(Filter::And({Due(Op::kGreaterOrEqual, "a"), Due(Op::kLessThan, "c")}));
  EXPECT_EQ(both.low, IndexValue("a"));
  EXPECT_EQ(both.high, IndexValue("c"));
  EXPECT_FALSE(both.without_low);
  EXPECT_TRUE(both.without_high);
  const IndexRange either = RangeOf(Filter::Or({Due(Op::kEquals, "m"), Due(Op::kEquals, "b")}));
  EXPECT_EQ(either.low, IndexValue("b"));
  EXPECT_EQ(either.high, IndexValue("m"));
}

TEST(QueryPlanTest, RangesOfADerivedTextAreExact) {
  const Filter open =
      Filter::Compare(Field::Derived("open", Open), Op::kInRanges, Json::array({{"a", "b"}, {"m", "n"}}));
  const QueryIndexes indexes = FindIndexes(PlannedFields(), Tasks(Filter::And({open})));
  ASSERT_THAT(indexes.conditions, SizeIs(1));
  const IndexSlice& slice = indexes.conditions[0];
  EXPECT_EQ(slice.field, "open");
  EXPECT_TRUE(slice.exact);
  ASSERT_THAT(slice.ranges, SizeIs(2));
  EXPECT_EQ(slice.ranges[1].low, IndexValue("m"));
  EXPECT_EQ(slice.ranges[1].high, IndexValue("n"));
  EXPECT_TRUE(slice.ranges[1].without_high);
  const QueryIndexes narrowed = FindIndexes(PlannedFields(), Tasks(Filter::And({open, Due(Op::kEquals, "x")})));
  for (const IndexSlice& condition : narrowed.conditions) EXPECT_FALSE(condition.exact) << condition.field;
  const Filter cut =
      Filter::Compare(Field::Derived("open", Open), Op::kInRanges, Json::array({{"a", std::string(300, 'b')}}));
  EXPECT_FALSE(FindIndexes(PlannedFields(), Tasks(cut)).conditions.at(0).exact);
}

TEST(QueryPlanTest, LargeNumbersShareAPlaceWithTheirNeighbours) {
  const int64_t large = (int64_t{1} << 53) + 1;
  const IndexRange range = RangeOf(Due(Op::kEquals, large));
  EXPECT_LT(std::get<double>(*range.low), static_cast<double>(large));
  EXPECT_GT(std::get<double>(*range.high), static_cast<double>(large));
}

TEST(QueryPlanTest, OnlyARangeThatIsTheWholeQueryIsExact) {
  const auto is_exact = [](const BlockQuery& query) {
    const QueryIndexes indexes = FindIndexes(PlannedFields(), query);
    return !indexes.conditions.empty() && indexes.conditions[0].exact;
  };
  EXPECT_TRUE(is_exact(Tasks(Due(Op::kEquals, "a"))));
  EXPECT_FALSE(is_exact(Tasks(Due(Op::kEquals, 1)))) << "true has the same place";
  EXPECT_TRUE(is_exact(Tasks(Due(Op::kEquals, 7))));
  EXPECT_FALSE(is_exact(Tasks(Due(Op::kLessThan, 7))));
  EXPECT_FALSE(is_exact(Tasks(Due(Op::kEquals, std::string(kMaxIndexedBytes, 'x'))))) << "others begin so too";
  EXPECT_FALSE(is_exact(Tasks(Filter::And({Due(Op::kEquals, "a"), Due(Op::kIsNotEmpty, nullptr)}))));
  BlockQuery cards = Tasks(Due(Op::kEquals, "a"));
  cards.types = {"card"};
  EXPECT_FALSE(is_exact(cards)) << "the scope has todos too";
}

TEST(QueryPlanTest, NothingServesWhatNotAllTypesDeclare) {
  const Filter status = Filter::Compare(Field::Data({"status"}), Op::kEquals, "done");
  EXPECT_THAT(FindIndexes(PlannedFields(), Tasks(status)).conditions, IsEmpty());
  BlockQuery mixed = Tasks(Due(Op::kEquals, "a"));
  mixed.types = {"todo", "note"};
  EXPECT_THAT(FindIndexes(PlannedFields(), mixed).conditions, IsEmpty());
  mixed.types = {"todo", "page"};
  EXPECT_THAT(FindIndexes(PlannedFields(), mixed).conditions, IsEmpty());
  EXPECT_THAT(FindIndexes(PlannedFields(), Tasks(Filter::Not(Due(Op::kEquals, "a")))).conditions, IsEmpty());
  BlockQuery below = Tasks(Due(Op::kEquals, "a"));
  below.ancestor_id = "board";
  EXPECT_THAT(FindIndexes(PlannedFields(), below).conditions, IsEmpty());
}

TEST(QueryPlanTest, RowsOfAParentAreAScope) {
  BlockQuery query;
  query.types = {"row"};
  query.filter = Filter::Compare(Field::Data({"values", "n"}), Op::kGreaterThan, 3);
  EXPECT_THAT(FindIndexes(PlannedFields(), query).conditions, IsEmpty());
  query.parent_id = "base";
  const QueryIndexes indexes = FindIndexes(PlannedFields(), query);
  ASSERT_THAT(indexes.conditions, SizeIs(1));
  EXPECT_EQ(indexes.conditions[0].scope, "/base");
}

class ChoiceTest : public ::testing::Test {
 protected:
  QueryPlan Plan(const BlockQuery& query) {
    return PlanQuery(FindIndexes(PlannedFields(), query),
                     [this](const IndexSlice& slice, int64_t limit) -> absl::StatusOr<int64_t> {
                       return std::min(limit, rows_[slice.field]);
                     })
        .value();
  }

  std::map<std::string, int64_t> rows_;
};

TEST_F(ChoiceTest, SortsFewAndFollowsTheOrderOfMany) {
  BlockQuery query = Tasks(Due(Op::kEquals, "a"));
  query.sort = {{{Field::Kind::kCreatedAt}}};
  rows_["due"] = kFewRows;
  QueryPlan plan = Plan(query);
  EXPECT_EQ(plan.source, QueryPlan::Source::kCondition);
  EXPECT_EQ(plan.slice.field, "due");
  rows_["due"] = kFewRows + 1;
  plan = Plan(query);
  EXPECT_EQ(plan.source, QueryPlan::Source::kOrder);
  EXPECT_EQ(plan.slice.field, kCreatedAtField);
  ASSERT_TRUE(plan.condition.has_value());
  EXPECT_EQ(plan.condition->field, "due");
  query.sort.clear();
  EXPECT_EQ(Plan(query).source, QueryPlan::Source::kCondition);
}

TEST_F(ChoiceTest, TheOrderOfAFieldThatIsFilteredBeginsWithinItsRange) {
  BlockQuery query = Tasks(Due(Op::kGreaterOrEqual, "m"));
  query.sort = {{Field::Data({"due"})}};
  rows_["due"] = 1'000'000;
  const QueryPlan plan = Plan(query);
  EXPECT_EQ(plan.source, QueryPlan::Source::kOrder);
  ASSERT_THAT(plan.slice.ranges, SizeIs(1));
  EXPECT_EQ(plan.slice.ranges[0].low, IndexValue("m"));
}

}  // namespace
}  // namespace toolgate::storage
