// A random sequence of updates and deletions agrees with a model that keeps an explicit list of occurrences.
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/dates.h"
#include "tests/support/calendar_fixture.h"

namespace toolgate::executors::calendar {
namespace {

struct Fields {
  std::string title;
  std::string time;
  std::string status;
};

struct ModelOccurrence {
  Fields fields;
  absl::CivilDay date;
};

// A series as its list of occurrences, by original day.
struct ModelSeries {
  std::string id;
  Fields fields;  // New changes are compared with these.
  absl::CivilDay start;
  std::map<absl::CivilDay, ModelOccurrence> occurrences;
};

struct ModelChange {
  std::optional<std::string> title, time, status;
  std::optional<absl::CivilDay> date;
};

void Apply(const ModelChange& change, Fields& fields) {
  fields.title = change.title.value_or(fields.title);
  fields.time = change.time.value_or(fields.time);
  fields.status = change.status.value_or(fields.status);
}

void ChangeAll(ModelSeries& series, std::optional<absl::CivilDay> day, const ModelChange& change) {
  int64_t days = 0;
  if (change.date.has_value())
    days = *change.date - (day.has_value() ? series.occurrences.at(*day).date : series.start);
  const Fields before = series.fields;
  std::map<absl::CivilDay, ModelOccurrence> moved;
  for (auto [original, occurrence] : series.occurrences) {
    const bool addressed = original == day;
    ModelChange own = change;
    if (!addressed && occurrence.fields.title != before.title) own.title.reset();
    if (!addressed && occurrence.fields.time != before.time) own.time.reset();
    if (!addressed && occurrence.fields.status != before.status) own.status.reset();
    Apply(own, occurrence.fields);
    occurrence.date += days;
    moved.emplace(original + days, occurrence);
  }
  series.occurrences = std::move(moved);
  series.start += days;
  Apply(change, series.fields);
}

class CalendarModelTest : public CalendarTest, public ::testing::WithParamInterface<int> {
 protected:
  int Pick(size_t count) { return static_cast<int>(random_() % count); }

  void Begin(const std::string& rule) {
    const std::string date = "2026-03-03";
    const Json result =
        Do("calendar_create_event", {{"title", "t0"}, {"date", date}, {"time", "09:00"}, {"recurrence", rule}});
    ModelSeries series;
    series.id = result.value("eventId", "");
    series.fields = {"t0", "09:00", "pending"};
    series.start = DayOf(result["event"].value("date", ""));
    const Json list = List(kAlways);
    for (const Json& event : list["events"]) {
      if (event["seriesId"] != series.id) continue;
      const absl::CivilDay day = DayOf(event.value("date", ""));
      series.occurrences[day] = {series.fields, day};
    }
    ASSERT_FALSE(series.occurrences.empty()) << rule;
    series_.push_back(std::move(series));
  }

  static absl::CivilDay DayOf(const std::string& text) { return ParseStoredDate(text)->day; }

  Texts Expected() const {
    std::multimap<std::string, std::string> rows;
    for (const ModelSeries& series : series_) {
      for (const auto& [day, one] : series.occurrences) {
        rows.emplace(absl::StrCat(FormatDay(one.date), one.fields.time.empty() ? "" : " ", one.fields.time),
                     absl::StrCat(series.id, "@", FormatDay(day), " ", one.fields.title, " ", one.fields.status));
      }
    }
    Texts sorted;
    for (const auto& [when, what] : rows) sorted.push_back(absl::StrCat(when, " ", what));
    std::sort(sorted.begin(), sorted.end());
    return sorted;
  }

  Texts Listed() {
    Texts rows;
    const Json list = List(kAlways);
    for (const Json& event : list["events"]) {
      rows.push_back(absl::StrCat(event.value("date", ""), event.contains("time") ? " " : "", event.value("time", ""),
                                  " ", event.value("eventId", ""), " ", event.value("title", ""), " ",
                                  event.value("status", "")));
    }
    std::sort(rows.begin(), rows.end());
    return rows;
  }

  ModelChange RandomChange(absl::CivilDay near, Json& arguments) {
    ModelChange change;
    while (arguments.empty()) {
      if (Pick(3) == 0) arguments["title"] = *(change.title = absl::StrCat("t", Pick(4)));
      if (Pick(3) == 0) arguments["time"] = *(change.time = Pick(3) == 0 ? "" : absl::StrCat("1", Pick(4), ":00"));
      if (Pick(3) == 0) arguments["status"] = *(change.status = Pick(2) == 0 ? "done" : "pending");
      if (Pick(3) == 0) arguments["date"] = FormatDay(*(change.date = near + (Pick(9) - 4)));
    }
    return change;
  }

  // Makes one call of the tools, and the same on the model.
  void Step() {
    const size_t which = static_cast<size_t>(Pick(series_.size()));
    ModelSeries& series = series_[which];
    auto chosen = series.occurrences.begin();
    std::advance(chosen, Pick(series.occurrences.size()));
    std::optional<absl::CivilDay> addressed;
    if (Pick(5) != 0) addressed = chosen->first;
    static const std::vector<std::string> kScopes = {"", "this", "this_and_following", "all"};
    std::string scope = kScopes[static_cast<size_t>(Pick(4))];
    Json arguments = Json::object();
    const bool deletes = Pick(5) == 0 && (scope != "all" || Pick(4) == 0);
    ModelChange change;
    if (!deletes) change = RandomChange(chosen->second.date, arguments);
    arguments["eventId"] = addressed.has_value() ? At(series.id, FormatDay(*addressed)) : series.id;
    if (!scope.empty()) arguments["scope"] = scope;
    story_ += DumpJson(arguments) + (deletes ? " deleted\n" : "\n");
    const auto result = Call(deletes ? "calendar_delete_event" : "calendar_update_event", arguments);
    if (scope.empty()) scope = addressed.has_value() ? "this" : "all";
    const absl::CivilDay day = addressed.value_or(series.occurrences.begin()->first);
    if (scope == "this_and_following" && (!addressed.has_value() || day == series.occurrences.begin()->first)) {
      scope = "all";
    }
    if (!result.ok()) {
      // The only permitted refusal is of a date that no rule can move to.
      ASSERT_THAT(result, testing::FailsWith(ErrorCode::kInvalidParams, "as a whole", "/date")) << story_;
      ASSERT_TRUE(change.date.has_value() && scope != "this") << story_;
      ++refused_;
      return;
    }
    changes_.push_back(harness_.changes());
    if (deletes) {
      DeleteFrom(which, scope, day);
    } else if (scope == "this") {
      ModelOccurrence& one = series.occurrences.at(day);
      Apply(change, one.fields);
      one.date = change.date.value_or(one.date);
    } else if (scope == "all") {
      ChangeAll(series, addressed, change);
    } else {
      ModelSeries rest = series;
      rest.id = (*result)["event"].value("seriesId", "");
      rest.start = day;
      rest.occurrences.erase(rest.occurrences.begin(), rest.occurrences.lower_bound(day));
      series.occurrences.erase(series.occurrences.lower_bound(day), series.occurrences.end());
      ChangeAll(rest, day, change);
      series_.push_back(std::move(rest));
    }
  }

  void DeleteFrom(size_t which, const std::string& scope, absl::CivilDay day) {
    auto& occurrences = series_[which].occurrences;
    if (scope == "this") occurrences.erase(day);
    if (scope == "this_and_following") occurrences.erase(occurrences.lower_bound(day), occurrences.end());
    if (scope == "all" || occurrences.empty()) series_.erase(series_.begin() + static_cast<ptrdiff_t>(which));
  }

  static constexpr char kAlways[] = R"({"dateFrom": "2024-01-01", "dateTo": "2029-12-31", "limit": 500})";

  std::mt19937 random_{static_cast<unsigned>(GetParam())};
  std::vector<ModelSeries> series_;
  std::vector<storage::Changes> changes_;
  std::string story_;
  int refused_ = 0;
};

TEST_P(CalendarModelTest, AgreesWithAListOfOccurrences) {
  const std::string empty = harness_.Snapshot();
  static const std::vector<std::string> kRules = {
      "FREQ=DAILY;COUNT=12",
      "FREQ=DAILY;INTERVAL=3;UNTIL=20260420",
      "FREQ=WEEKLY;BYDAY=MO,WE,FR;COUNT=10",
      "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;UNTIL=20260601",
      "FREQ=MONTHLY;COUNT=8",
      "FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20261231",
      "FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=6",
      "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=6",
      "FREQ=YEARLY;COUNT=3",
  };
  Begin(kRules[static_cast<size_t>(GetParam()) % kRules.size()]);
  changes_.push_back(harness_.changes());
  for (int step = 0; step < 25 && !series_.empty(); ++step) {
    Step();
    ASSERT_FALSE(HasFatalFailure());
    ASSERT_EQ(Listed(), Expected()) << "after\n" << story_;
  }
  EXPECT_LT(refused_, 20) << "most steps must change something";
  // Everything can be taken back, one by one.
  while (!changes_.empty()) {
    ASSERT_TRUE(harness_.Revert(changes_.back()).ok()) << story_;
    changes_.pop_back();
  }
  EXPECT_EQ(harness_.Snapshot(), empty);
}

INSTANTIATE_TEST_SUITE_P(Seeds, CalendarModelTest, ::testing::Range(0, 45));

}  // namespace
}  // namespace toolgate::executors::calendar
