#include "executors/blocks/declared_fields.h"

#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/civil_time.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/event_data.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::executors::blocks {
namespace {

using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::IsEmpty;
using ::testing::NotNull;
using ::testing::Pair;

// From and to, in days after 2026-03-01.
std::vector<std::pair<int64_t, int64_t>> DaysOf(std::string_view data) {
  std::vector<storage::DaySpan> spans;
  EventDays(data, spans);
  std::vector<std::pair<int64_t, int64_t>> days;
  days.reserve(spans.size());
  const int64_t first = absl::CivilDay(2026, 3, 1) - absl::CivilDay(1970, 1, 1);
  for (const storage::DaySpan& span : spans) days.emplace_back(span.first - first, span.last - first);
  return days;
}

TEST(EventDaysTest, AreThoseOfAllOccurrences) {
  EXPECT_THAT(DaysOf(R"({"date":"2026-03-02"})"), ElementsAre(Pair(1, 1)));
  EXPECT_THAT(DaysOf(R"({"date":"2026-03-02","endDate":"2026-03-05"})"), ElementsAre(Pair(1, 4)));
  EXPECT_THAT(
      DaysOf(
          R"({"date":"2026-03-02","endDate":"2026-03-05","recurrence":"RRULE:FREQ=DAILY","recurrenceEnd":"2026-03-11"})"),
      ElementsAre(Pair(1, 13)))
      << "the last one may last beyond the rule's end";
  EXPECT_THAT(DaysOf(R"({"date":"2026-03-02","recurrence":"RRULE:FREQ=DAILY"})"), ElementsAre(Pair(1, Gt(1'000'000))));
}

TEST(EventDaysTest, AChangedOccurrenceIsKnownWhereItWas) {
  EXPECT_THAT(DaysOf(R"({"date":"2026-03-02","recurrenceId":"2026-03-31"})"),
              ElementsAre(Pair(1, 1), Pair(30, 30 + kMaxSeriesSpanDays)));
}

TEST(EventDaysTest, OfWhatIsNoEventThereAreNone) {
  for (const char* data : {"", "[]", "{}", R"({"date":"soon"})", R"({"date":7})"}) EXPECT_THAT(DaysOf(data), IsEmpty());
}

TEST(OpenDueTest, IsOfTasksThatAreNotDone) {
  EXPECT_EQ(OpenDue(R"({"dueDate":"2026-03-02","status":"todo"})"), "d2026-03-02");
  EXPECT_EQ(OpenDue(R"({"dueDate":"2026-03-02"})"), "d2026-03-02");
  EXPECT_EQ(OpenDue(R"({"dueDate":"2026-03-02T10:00:00Z","status":"in_progress"})"), "i2026-03-02T10:00:00Z");
  for (const char* data : {"", "[]", "{}", R"({"status":"todo"})", R"({"dueDate":7})", R"({"dueDate":"soon"})",
                           R"({"dueDate":"2026-03-02","status":"done"})"}) {
    EXPECT_EQ(OpenDue(data), "") << data;
  }
}

TEST(BlockFieldsTest, NameTypesAndFieldsThatThereAre) {
  for (const std::string_view name : {kTodo, kCard, kBoard, kEvent, kNote, kJournalEntry, kRow}) {
    const BlockType* type = FindBlockType(name);
    ASSERT_THAT(type, NotNull()) << name;
    const storage::DeclaredType* declared = BlockFields().Find(name);
    ASSERT_THAT(declared, NotNull()) << name;
    for (const storage::DeclaredField& field : declared->fields) {
      using Kind = storage::DeclaredField::Kind;
      if (field.kind == Kind::kSpans || field.kind == Kind::kDerived) continue;
      EXPECT_THAT(type->FindField(field.path.at(0)), NotNull()) << name << " " << field.path[0];
    }
  }
}

}  // namespace
}  // namespace toolgate::executors::blocks
