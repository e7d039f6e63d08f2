#include "storage/index_entries.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::storage {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const DeclaredFields& EntryFields() {
  using Kind = DeclaredField::Kind;
  static const auto* const fields = new DeclaredFields({{"todo", "task", {{Kind::kValue, {"due"}, nullptr}}},
                                                        {"note", "note", {{Kind::kLabels, {"tags"}, nullptr}}},
                                                        {"row", "", {{Kind::kMembers, {"values"}, nullptr}}}},
                                                       /*revision=*/1);
  return *fields;
}

Block BlockWith(std::string type, std::string data) {
  Block block;
  block.id = "id";
  block.type = std::move(type);
  block.parent_id = "base";
  block.rank = "a0";
  block.data = std::move(data);
  block.created_at = absl::FromUnixMicros(5);
  return block;
}

TEST(IndexEntriesTest, AScopeOfTypesHasTheTimeOfCreation) {
  const std::vector<IndexEntry> entries = IndexEntriesOf(EntryFields(), BlockWith("todo", R"({"due":"2026"})"));
  ASSERT_THAT(entries, SizeIs(2));
  EXPECT_EQ(entries[0], (IndexEntry{"task", "due", "2026", int64_t{5}}));
  EXPECT_EQ(entries[1], (IndexEntry{"task", std::string(kCreatedAtField), int64_t{5}, int64_t{5}}));
}

TEST(IndexEntriesTest, WithoutAValueThereIsNoRow) {
  for (const char* data : {"{}", R"({"due":null})", R"({"due":["2026"]})", R"({"due":{}})"}) {
    EXPECT_THAT(IndexEntriesOf(EntryFields(), BlockWith("todo", data)), SizeIs(1)) << data;
  }
  EXPECT_THAT(IndexEntriesOf(EntryFields(), BlockWith("paragraph", "{}")), IsEmpty());
}

TEST(IndexEntriesTest, LabelsAreAlikeWithoutRegardToCase) {
  const std::vector<IndexEntry> entries =
      IndexEntriesOf(EntryFields(), BlockWith("note", R"({"tags":["Ü","ü","x",1]})"));
  EXPECT_EQ(std::count_if(entries.begin(), entries.end(),
                          [](const IndexEntry& entry) { return entry.field == LabelFieldName({"tags"}); }),
            2);
}

TEST(IndexEntriesTest, MembersHaveNamesThatNoOtherHas) {
  const std::vector<IndexEntry> entries =
      IndexEntriesOf(EntryFields(), BlockWith("row", R"({"values":{"a/~element":1,"a":["x"],"b":true}})"));
  EXPECT_THAT(entries, Contains(IndexEntry{"/base", ValueFieldName({"values", "a/~element"}), int64_t{1}, "a0"}));
  EXPECT_THAT(entries, Contains(IndexEntry{"/base", ElementFieldName({"values", "a"}), "x", "a0"}));
  EXPECT_THAT(entries, Contains(IndexEntry{"/base", BooleanFieldName({"values", "b"}), int64_t{1}, "a0"}));
  EXPECT_THAT(entries, Contains(IndexEntry{"/base", std::string(kAllField), int64_t{0}, "a0"}));
  EXPECT_NE(ValueFieldName({"values", "a/~element"}), ElementFieldName({"values", "a"}));
}

TEST(IndexEntriesTest, AChangeHasOnlyWhatDiffers) {
  const Block before = BlockWith("todo", R"({"due":"2026","text":"a"})");
  Block after = before;
  after.data = R"({"due":"2026","text":"b"})";
  EXPECT_TRUE(IndexChangeOf(EntryFields(), &before, &after).empty());
  after.data = R"({"due":"2027"})";
  const IndexChange change = IndexChangeOf(EntryFields(), &before, &after);
  EXPECT_THAT(change.erased, SizeIs(1));
  EXPECT_THAT(change.added, SizeIs(1));
}

TEST(PiecesTest, SpansThatShareADayShareAPiece) {
  const auto meets = [](const DaySpan& span, const DaySpan& wanted) {
    const std::vector<int64_t> pieces = PiecesOf(span);
    const std::vector<PieceRange> ranges = PiecesNear(wanted);
    return std::any_of(pieces.begin(), pieces.end(), [&](int64_t piece) {
      return std::any_of(ranges.begin(), ranges.end(),
                         [&](const PieceRange& range) { return range.first <= piece && piece <= range.last; });
    });
  };
  for (int64_t first = -70; first < 70; first += 7) {
    for (int64_t length = 0; length < 300; length += 13) {
      EXPECT_LE(PiecesOf({first, first + length}).size(), 2u);
      EXPECT_TRUE(meets({first, first + length}, {first + length, first + length}));
      EXPECT_TRUE(meets({first, first + length}, {first - 500, first}));
    }
  }
  EXPECT_TRUE(meets({0, 100'000'000}, {20'000, 20'000})) << "without an end";
  EXPECT_FALSE(meets({0, 3}, {1000, 1001}));
}

}  // namespace
}  // namespace toolgate::storage
