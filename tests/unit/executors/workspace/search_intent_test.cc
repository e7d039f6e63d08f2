#include "executors/workspace/search_intent.h"

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "gtest/gtest.h"

namespace toolgate::executors::workspace {
namespace {

struct IntentRow {
  std::string name;
  std::string query;
  std::string text;  // Words that remain to be searched.
  bool filtered = true;
};

class SearchIntentTest : public ::testing::TestWithParam<IntentRow> {};

TEST_P(SearchIntentTest, LeavesTheOtherWords) {
  const SearchIntent intent =
      ParseSearchIntent(GetParam().query, {absl::FromUnixSeconds(1772442000), absl::UTCTimeZone(), "ann"});
  EXPECT_EQ(intent.text, GetParam().text);
  EXPECT_EQ(intent.filter.has_value(), GetParam().filtered);
  EXPECT_EQ(intent.types.empty(), !GetParam().filtered);
}

INSTANTIATE_TEST_SUITE_P(Queries, SearchIntentTest,
                         ::testing::ValuesIn(std::vector<IntentRow>{
                             {"Overdue", "overdue tasks", ""},
                             {"OverdueWithWords", "Show me all overdue tasks about the Launch!", "Launch"},
                             {"PastDue", "past due", ""},
                             {"DueWeekday", "cards due next friday", ""},
                             {"DueInDays", "tasks due in 3 days: report", "report"},
                             {"DueBeforeDate", "tasks due before 2026-04-01", ""},
                             {"DueByTime", "due by tomorrow at 5pm", ""},
                             {"Priority", "high priority tasks: bugs", "bugs"},
                             {"PriorityReversed", "priority: low", ""},
                             {"PriorityWithDash", "critical-priority tasks", ""},
                             {"Assigned", "tasks assigned to Bob", ""},
                             {"Mine", "my tasks", ""},
                             {"MineAndMore", "my overdue high priority tasks about taxes", "taxes"},
                             {"MineAsAWord", "high priority tasks for my boss", "boss"},
                             {"EitherDate", "due today or next week", ""},
                             {"OrAmongWords", "overdue tasks about rent or food", "rent food"},
                             {"NotDone", "todos not done", ""},
                             {"InProgress", "in progress cards", ""},
                             {"NotMine", "tasks not assigned to me", ""},
                             {"NotYetDone", "todos that aren't marked done about taxes", "taxes"},
                             {"WithoutPriority", "tasks without high priority", ""},
                             {"NotAsAWord", "overdue tasks not billed", "not billed"},
                             {"IntentAmongWords", "overdue invoices", "overdue invoices", false},
                             {"DueAmongWords", "due tomorrow: the report", "due tomorrow: the report", false},
                             {"NegatedAmongWords", "not overdue invoices", "not overdue invoices", false},
                             {"PlainWords", "the quarterly report", "the quarterly report", false},
                             {"DoneWithoutTasks", "well done steak", "well done steak", false},
                             {"DueAsAWord", "due diligence", "due diligence", false},
                             {"PriorityAsAWord", "our first priority", "our first priority", false},
                             {"AssignedAsAWord", "assigned to", "assigned to", false},
                             {"HighAsAWord", "high mountains", "high mountains", false},
                             {"Nothing", "", "", false},
                             {"OnlyPunctuation", "?!", "?!", false},
                         }),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace toolgate::executors::workspace
