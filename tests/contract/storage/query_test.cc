// Meaning of filters, sorts and pages.
#include "gmock/gmock.h"
#include "tests/contract/storage/all_backends.h"
#include "tests/contract/storage/store_fixture.h"

namespace toolgate::storage::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Op = Filter::Op;

class QueryTest : public StoreTest {};

struct FilterCase {
  const char* name;
  const char* data;  // {"f": …} as the block has it.
  Op op;
  Json value;
  bool matches;
};

TEST_P(QueryTest, ComparesAsTheFilterSays) {
  const std::vector<FilterCase> cases = {
      {"equal string", R"({"f":"a"})", Op::kEquals, "a", true},
      {"case matters", R"({"f":"a"})", Op::kEquals, "A", false},
      {"number by value", R"({"f":1.0})", Op::kEquals, 1, true},
      {"number is no string", R"({"f":1})", Op::kEquals, "1", false},
      {"string is no number", R"({"f":"1"})", Op::kEquals, 1, false},
      {"true is not 1", R"({"f":true})", Op::kEquals, 1, false},
      {"true", R"({"f":true})", Op::kEquals, true, true},
      {"false is not true", R"({"f":false})", Op::kEquals, true, false},
      {"false is a value", R"({"f":false})", Op::kEquals, false, true},
      {"beyond doubles", R"({"f":9007199254740993})", Op::kEquals, 9007199254740992, false},
      {"array", R"({"f":[1,"a"]})", Op::kEquals, Json::array({1, "a"}), true},
      {"array order", R"({"f":["a",1]})", Op::kEquals, Json::array({1, "a"}), false},
      {"object in any order", R"({"f":{"a":1,"b":2}})", Op::kEquals, Json({{"b", 2}, {"a", 1}}), true},
      {"null equals nothing", R"({"f":null})", Op::kEquals, nullptr, false},
      {"missing equals nothing", "{}", Op::kEquals, nullptr, false},
      {"unequal", R"({"f":"a"})", Op::kNotEquals, "b", true},
      {"unequal type", R"({"f":1})", Op::kNotEquals, "1", true},
      {"missing is unequal", "{}", Op::kNotEquals, "a", true},
      {"null is unequal", R"({"f":null})", Op::kNotEquals, nullptr, true},
      {"contains", R"({"f":"Hello World"})", Op::kContains, "o wOR", true},
      {"contains folds ASCII only", R"({"f":"ÄPFEL"})", Op::kContains, "äpfel", false},
      {"contains is no pattern", R"({"f":"abc"})", Op::kContains, "a%c", false},
      {"contains nothing", R"({"f":"abc"})", Op::kContains, "", true},
      {"contains wants a string", R"({"f":"a1"})", Op::kContains, 1, false},
      {"element", R"({"f":["x","y"]})", Op::kContains, "y", true},
      {"element as a whole", R"({"f":["xyz"]})", Op::kContains, "y", false},
      {"element by type", R"({"f":[1]})", Op::kContains, "1", false},
      {"missing contains nothing", "{}", Op::kContains, "", false},
      {"greater", R"({"f":2})", Op::kGreaterThan, 1.5, true},
      {"not greater than itself", R"({"f":2})", Op::kGreaterThan, 2, false},
      {"at least itself", R"({"f":2})", Op::kGreaterOrEqual, 2.0, true},
      {"greater date", R"({"f":"2026-03-02"})", Op::kGreaterThan, "2026-03-01", true},
      {"string against number", R"({"f":"9"})", Op::kGreaterThan, 1, false},
      {"number against string", R"({"f":9})", Op::kLessThan, "a", false},
      {"null is not less", R"({"f":null})", Op::kLessThan, 5, false},
      {"missing is not less", "{}", Op::kLessOrEqual, 5, false},
      {"booleans have no order", R"({"f":false})", Op::kLessThan, true, false},
      {"less", R"({"f":-3})", Op::kLessThan, -2, true},
      {"at most", R"({"f":"b"})", Op::kLessOrEqual, "b", true},
      {"byte order", R"({"f":"Z"})", Op::kLessThan, "a", true},
      {"large against small", R"({"f":18446744073709551615})", Op::kGreaterThan, -1, true},
      {"missing is empty", "{}", Op::kIsEmpty, nullptr, true},
      {"null is empty", R"({"f":null})", Op::kIsEmpty, nullptr, true},
      {"empty string", R"({"f":""})", Op::kIsEmpty, nullptr, true},
      {"empty array", R"({"f":[]})", Op::kIsEmpty, nullptr, true},
      {"empty object", R"({"f":{}})", Op::kIsEmpty, nullptr, true},
      {"zero is not empty", R"({"f":0})", Op::kIsEmpty, nullptr, false},
      {"false is not empty", R"({"f":false})", Op::kIsEmpty, nullptr, false},
      {"blank is not empty", R"({"f":" "})", Op::kIsNotEmpty, nullptr, true},
      {"missing is not not empty", "{}", Op::kIsNotEmpty, nullptr, false},
      {"length", R"({"f":"2026-03-02"})", Op::kLengthEquals, 10, true},
      {"length in characters", R"({"f":"äöü"})", Op::kLengthEquals, 3, true},
      {"other length", R"({"f":"abcd"})", Op::kLengthEquals, 3, false},
      {"length of a number", R"({"f":123})", Op::kLengthEquals, 3, false},
      {"has an element", R"({"f":["x","y"]})", Op::kHasElement, "y", true},
      {"has no part of an element", R"({"f":["xyz"]})", Op::kHasElement, "y", false},
      {"a string has no elements", R"({"f":"y"})", Op::kHasElement, "y", false},
      {"false is a scalar", R"({"f":false})", Op::kIsScalar, nullptr, true},
      {"an array is no scalar", R"({"f":["x"]})", Op::kIsScalar, nullptr, false},
      {"missing is no scalar", "{}", Op::kIsScalar, nullptr, false},
      {"label", R"({"f":["x","Work"]})", Op::kHasLabel, "wORK", true},
      {"label beyond ASCII", R"({"f":["ÜBUNG"]})", Op::kHasLabel, "übung", true},
      {"label as a whole", R"({"f":["homework"]})", Op::kHasLabel, "work", false},
      {"label wants its accents", R"({"f":["Ubung"]})", Op::kHasLabel, "Übung", false},
      {"label of a string", R"({"f":"work"})", Op::kHasLabel, "work", false},
      {"label among others", R"({"f":[1,null,["work"],"work"]})", Op::kHasLabel, "Work", true},
      {"nested label", R"({"f":[["work"]]})", Op::kHasLabel, "work", false},
      {"number for a label", R"({"f":["1"]})", Op::kHasLabel, 1, false},
      {"missing has no label", "{}", Op::kHasLabel, "", false},
  };
  for (size_t i = 0; i < cases.size(); ++i) Create("b" + std::to_string(i), "", cases[i].data);
  for (size_t i = 0; i < cases.size(); ++i) {
    const std::string id = "b" + std::to_string(i);
    BlockQuery query;
    query.limit = 1000;
    query.filter = Filter::Compare(Field::Data({"f"}), cases[i].op, cases[i].value);
    const std::vector<std::string> ids = Matching(query);
    EXPECT_EQ(std::count(ids.begin(), ids.end(), id), cases[i].matches ? 1 : 0) << cases[i].name;
    query.filter = Filter::Not(*query.filter);
    const std::vector<std::string> others = Matching(query);
    EXPECT_EQ(std::count(others.begin(), others.end(), id), cases[i].matches ? 0 : 1) << "not " << cases[i].name;
  }
}

TEST_P(QueryTest, AndOrNotCombine) {
  Create("a", "", R"({"x":1,"y":1})");
  Create("b", "", R"({"x":1,"y":2})");
  Create("c", "", R"({"x":2,"y":2})");
  const Filter x1 = Filter::Compare(Field::Data({"x"}), Op::kEquals, 1);
  const Filter y2 = Filter::Compare(Field::Data({"y"}), Op::kEquals, 2);
  BlockQuery query;
  query.filter = Filter::And({x1, y2});
  EXPECT_THAT(Matching(query), ElementsAre("b"));
  query.filter = Filter::Or({Filter::Not(x1), Filter::Not(y2)});
  EXPECT_THAT(Matching(query), ElementsAre("a", "c"));
  query.filter = Filter::And({});
  EXPECT_THAT(Matching(query), ElementsAre("a", "b", "c"));
  query.filter = Filter::Or({});
  EXPECT_THAT(Matching(query), IsEmpty());
}

TEST_P(QueryTest, PathsMayHoldAnyKey) {
  const std::vector<std::string> keys = {"a.b", "a\"b", "$", "", "0", "ключ", "a[0]", "a\\b", "' OR 1=1 --"};
  for (size_t i = 0; i < keys.size(); ++i) {
    Create("b" + std::to_string(i), "", DumpJson(Json({{"p", {{keys[i], "yes"}}}})));
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    BlockQuery query;
    query.filter = Filter::Compare(Field::Data({"p", keys[i]}), Op::kEquals, "yes");
    EXPECT_THAT(Matching(query), ElementsAre("b" + std::to_string(i))) << keys[i];
  }
}

TEST_P(QueryTest, ValuesAreNeverPartOfAStatement) {
  Create("a", "", R"({"f":"x'; DROP TABLE blocks; --"})");
  BlockQuery query;
  query.types = {"text'--"};
  EXPECT_THAT(Matching(query), IsEmpty());
  query.types = {};
  query.filter = Filter::Compare(Field::Data({"f"}), Op::kEquals, "x'; DROP TABLE blocks; --");
  EXPECT_THAT(Matching(query), ElementsAre("a"));
}

TEST_P(QueryTest, FiltersLookAtColumnsToo) {
  Create("a", "", "{}", "todo");
  clock_.Advance(absl::Hours(1));
  Create("b", "a", "{}", "text");
  const auto matching = [&](Field::Kind kind, Op op, Json value) {
    BlockQuery query;
    Field field;
    field.kind = kind;
    query.filter = Filter::Compare(field, op, std::move(value));
    return Matching(query);
  };
  EXPECT_THAT(matching(Field::Kind::kType, Op::kEquals, "todo"), ElementsAre("a"));
  EXPECT_THAT(matching(Field::Kind::kParent, Op::kEquals, "a"), ElementsAre("b"));
  EXPECT_THAT(matching(Field::Kind::kParent, Op::kIsEmpty, nullptr), ElementsAre("a"));
  EXPECT_THAT(matching(Field::Kind::kCreatedBy, Op::kContains, "LIC"), ElementsAre("a", "b"));
  EXPECT_THAT(matching(Field::Kind::kUpdatedBy, Op::kNotEquals, "alice"), IsEmpty());
  // 09:00 and 10:00 UTC, written in another zone.
  EXPECT_THAT(matching(Field::Kind::kCreatedAt, Op::kGreaterThan, "2026-03-02T10:30:00+01:00"), ElementsAre("b"));
  EXPECT_THAT(matching(Field::Kind::kUpdatedAt, Op::kLessOrEqual, "2026-03-02T09:00:00Z"), ElementsAre("a"));
  EXPECT_THAT(matching(Field::Kind::kCreatedAt, Op::kLessThan, "tomorrow"), IsEmpty());
}

TEST_P(QueryTest, TypesParentAndAncestorNarrow) {
  Create("a", "", "{}", "page");
  Create("b", "a", "{}", "todo");
  Create("c", "b", "{}", "text");
  Create("d", "", "{}", "todo");
  BlockQuery query;
  query.types = {"todo"};
  EXPECT_THAT(Matching(query), ElementsAre("b", "d"));
  query.types = {"todo", "text"};
  EXPECT_THAT(Matching(query), ElementsAre("b", "c", "d"));
  query.ancestor_id = "a";
  EXPECT_THAT(Matching(query), ElementsAre("b", "c"));
  query.parent_id = "b";
  EXPECT_THAT(Matching(query), ElementsAre("c"));
  query = {};
  query.parent_id = "";
  EXPECT_THAT(Matching(query), ElementsAre("a", "d"));
  query = {};
  query.ancestor_id = "";
  EXPECT_THAT(Matching(query), ElementsAre("a", "b", "c", "d"));
  query.ancestor_id = "ghost";
  EXPECT_THAT(Matching(query), IsEmpty());
}

TEST_P(QueryTest, SortsByFieldsWithMissingValuesLast) {
  Create("a", "", R"({"n":2})");
  Create("b", "", "{}");
  Create("c", "", R"({"n":10})");
  Create("d", "", R"({"n":null})");
  Create("e", "", R"({"n":2,"m":1})");
  BlockQuery query;
  query.sort = {{Field::Data({"n"}), false}};
  EXPECT_THAT(Matching(query), ElementsAre("a", "e", "c", "b", "d"));
  query.sort = {{Field::Data({"n"}), true}};
  EXPECT_THAT(Matching(query), ElementsAre("c", "a", "e", "b", "d"));
  query.sort = {{Field::Data({"n"}), false}, {Field::Data({"m"}), true}};
  EXPECT_THAT(Matching(query), ElementsAre("e", "a", "c", "b", "d"));
}

TEST_P(QueryTest, WithoutASortChildrenComeInSiblingOrderAndOthersById) {
  for (const char* id : {"c", "a", "b"}) Create(id);
  BlockQuery query;
  EXPECT_THAT(Matching(query), ElementsAre("a", "b", "c"));
  query.parent_id = "";
  EXPECT_THAT(Matching(query), ElementsAre("c", "a", "b"));
}

TEST_P(QueryTest, PagesAndCounts) {
  for (const char* id : {"a", "b", "c", "d", "e"}) Create(id);
  ASSERT_TRUE(Read([](ReadView& view) {
                BlockQuery query;
                query.limit = 2;
                query.offset = 3;
                query.count_total = true;
                const auto page = view.FindBlocks(query);
                EXPECT_THAT(IdsOf(page->blocks), ElementsAre("d", "e"));
                EXPECT_EQ(page->total, 5);
                query.limit = 0;
                EXPECT_EQ(view.FindBlocks(query)->total, 5);
                EXPECT_THAT(view.FindBlocks(query)->blocks, IsEmpty());
                return absl::OkStatus();
              }).ok());
}

TEST_P(QueryTest, SeesOneWorkspaceOnly) {
  Create("a");
  EXPECT_THAT(Matching({}, "other"), IsEmpty());
  BlockQuery below;
  below.ancestor_id = "";
  EXPECT_THAT(Matching(below, "other"), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Stores, QueryTest, AllBackends(), BackendName);

}  // namespace
}  // namespace toolgate::storage::testing
