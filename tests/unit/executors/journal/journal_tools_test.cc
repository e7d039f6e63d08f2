// journal_list, journal_get, journal_create, journal_update and journal_delete.
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "tests/support/workspace_fixture.h"

namespace toolgate::executors::journal {
namespace {

using storage::CommitMode;
using testing::FailsWith;
using testing::WorkspaceTest;
using Titles = std::vector<std::string>;

class JournalTest : public WorkspaceTest {
 protected:
  // Returns the id. A millisecond passes, so that entries have an order in time.
  std::string Entry(const std::string& title, const std::string& date, const std::string& more = "{}") {
    harness_.clock().Advance(absl::Milliseconds(1));
    Json arguments = Parse(more);
    arguments["title"] = title;
    arguments["date"] = date;
    return Do("journal_create", arguments).value("entryId", "");
  }
  Titles List(const Json& arguments) { return Pluck(Do("journal_list", arguments)["entries"], "title"); }
};

TEST_F(JournalTest, ANewEntryHasWhatItWasGiven) {
  const Json created = Do("journal_create", {{"title", "First ride"},
                                             {"date", "2026-03-01"},
                                             {"body", "Along the *river*."},
                                             {"mood", "happy"},
                                             {"tags", {" Bike", "bike", "spring"}}});
  const Json expected = {{"id", created["entryId"]},
                         {"title", "First ride"},
                         {"date", "2026-03-01"},
                         {"body", "Along the *river*."},
                         {"mood", "happy"},
                         {"tags", {"Bike", "spring"}},
                         {"createdAt", "2026-03-02T09:00:00.000Z"},
                         {"updatedAt", "2026-03-02T09:00:00.000Z"}};
  EXPECT_EQ(created["entry"], expected);
  EXPECT_EQ(Do("journal_get", {{"entryId", created["entryId"]}}), Json({{"entry", expected}}));
  EXPECT_EQ(harness_.description(), "Created journal entry \"First ride\" of 2026-03-01");
}

TEST_F(JournalTest, DatesInWordsBecomeDaysOfTheCaller) {
  const auto day_of = [&](const std::string& date) {
    return Do("journal_create", {{"title", "x"}, {"date", date}})["entry"]["date"];
  };
  EXPECT_EQ(day_of("today"), "2026-03-02");
  EXPECT_EQ(day_of("Yesterday"), "2026-03-01");
  EXPECT_EQ(day_of("last friday"), "2026-02-27");
  EXPECT_EQ(day_of("-1w"), "2026-02-23");
  EXPECT_EQ(day_of("2026-03-01T23:30:00-01:00"), "2026-03-02");
  harness_.caller().time_zone = "Pacific/Kiritimati";  // 14 hours ahead: 23:00.
  EXPECT_EQ(day_of("today"), "2026-03-02");
  EXPECT_EQ(day_of("in 2 hours"), "2026-03-03");
  EXPECT_EQ(day_of("2026-03-01T23:30:00-01:00"), "2026-03-02");
}

TEST_F(JournalTest, ADayMayHaveSeveralEntries) {
  Entry("morning", "2026-03-01");
  Entry("evening", "2026-03-01");
  EXPECT_EQ(List({{"date", "2026-03-01"}}), (Titles{"evening", "morning"}));
}

TEST_F(JournalTest, CreateRefusesWhatCannotBe) {
  const auto create = [&](const std::string& arguments) { return Call("journal_create", Parse(arguments)); };
  EXPECT_THAT(create(R"({"title": "x"})"), FailsWith(ErrorCode::kInvalidParams, "", ""));
  EXPECT_THAT(create(R"({"date": "today"})"), FailsWith(ErrorCode::kInvalidParams, "", ""));
  EXPECT_THAT(create(R"({"title": "", "date": "today"})"), FailsWith(ErrorCode::kInvalidParams, "", "/title"));
  EXPECT_THAT(create(R"({"title": "x", "date": ""})"), FailsWith(ErrorCode::kInvalidParams, "", "/date"));
  EXPECT_THAT(create(R"({"title": "x", "date": "soonish!"})"), FailsWith(ErrorCode::kInvalidParams, "", "/date"));
  EXPECT_THAT(create(R"({"title": "x", "date": "2026-02-30"})"), FailsWith(ErrorCode::kInvalidParams, "", "/date"));
  EXPECT_THAT(create(R"({"title": "x", "date": "next blursday"})"), FailsWith(ErrorCode::kInvalidParams, "", "/date"));
  EXPECT_THAT(create(R"({"title": "x", "date": "today", "mood": 3})"),
              FailsWith(ErrorCode::kInvalidParams, "", "/mood"));
  EXPECT_THAT(create(R"({"title": "x", "date": "today", "mood": "a\nb"})"),
              FailsWith(ErrorCode::kInvalidParams, "on one line", "/mood"));
  EXPECT_THAT(Call("journal_create", {{"title", "x"}, {"date", "today"}, {"mood", std::string(65, 'x')}}),
              FailsWith(ErrorCode::kInvalidParams, "", "/mood"));
  EXPECT_THAT(create(R"({"title": "x", "date": "today", "time": "10:00"})"),
              FailsWith(ErrorCode::kInvalidParams, "", "/time"));
  EXPECT_EQ(harness_.Snapshot(), "");
}

TEST_F(JournalTest, TheNewestDayComesFirst) {
  EXPECT_EQ(Do("journal_list", Json::object()), Parse(R"({"entries": [], "totalCount": 0})"));
  Entry("b", "2026-03-01");
  Entry("c", "2026-03-02");
  Entry("a", "2025-12-31");
  Create("note", "", R"({"title": "no entry"})");
  EXPECT_EQ(List(Json::object()), (Titles{"c", "b", "a"}));
  EXPECT_EQ(List({{"q", ""}, {"tag", ""}}), (Titles{"c", "b", "a"})) << "empty is not given";
}

TEST_F(JournalTest, DaysAreIncludedOnBothSides) {
  for (const char* day : {"2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"}) Entry(day, day);
  EXPECT_EQ(List({{"date", "2026-02-28"}}), Titles{"2026-02-28"});
  EXPECT_EQ(List({{"date", "yesterday"}}), Titles{"2026-03-01"});
  EXPECT_EQ(List({{"dateFrom", "2026-03-01"}}), (Titles{"2026-03-02", "2026-03-01"}));
  EXPECT_EQ(List({{"dateTo", "2026-02-28"}}), (Titles{"2026-02-28", "2026-02-27"}));
  EXPECT_EQ(List({{"dateFrom", "2026-02-28"}, {"dateTo", "yesterday"}}), (Titles{"2026-03-01", "2026-02-28"}));
  EXPECT_EQ(List({{"dateFrom", "2026-02-28"}, {"dateTo", "2026-02-28"}}), Titles{"2026-02-28"});
  EXPECT_EQ(List({{"date", "2026-02-27"}, {"dateFrom", "2026-02-28"}}), Titles{}) << "all conditions must hold";
  EXPECT_EQ(List({{"dateFrom", "3 days ago"}}).size(), 4u);
}

TEST_F(JournalTest, ListRefusesWhatIsNoSpan) {
  EXPECT_THAT(Call("journal_list", {{"dateFrom", "2026-03-02"}, {"dateTo", "2026-03-01"}}),
              FailsWith(ErrorCode::kInvalidParams, "dateTo lies before dateFrom", "/dateTo"));
  EXPECT_THAT(Call("journal_list", {{"date", "next blursday"}}), FailsWith(ErrorCode::kInvalidParams, "", "/date"));
  EXPECT_THAT(Call("journal_list", {{"dateTo", "2026-13-01"}}), FailsWith(ErrorCode::kInvalidParams, "", "/dateTo"));
  EXPECT_THAT(Call("journal_list", {{"dateFrom", ""}}), FailsWith(ErrorCode::kInvalidParams, "", "/dateFrom"));
  EXPECT_THAT(Call("journal_list", {{"limit", 3}}), FailsWith(ErrorCode::kInvalidParams, "", "/limit"));
}

TEST_F(JournalTest, QFindsWordsEverywhereInTheOrderOfDays) {
  Entry("River", "2026-02-01", R"({"body": "River, river, river."})");
  Entry("Ride", "2026-03-01", R"({"body": "Along the river to the mill."})");
  Entry("Rain", "2026-02-15", R"({"mood": "calm as a river"})");
  Entry("Rest", "2026-02-20", R"({"tags": ["Riverside", "café"]})");
  EXPECT_EQ(List({{"q", "river"}}), (Titles{"Ride", "Rest", "Rain", "River"}));
  EXPECT_EQ(List({{"q", "MILL along"}}), Titles{"Ride"});
  EXPECT_EQ(List({{"q", "cafe"}}), Titles{"Rest"});
  EXPECT_EQ(List({{"q", "river"}, {"dateTo", "2026-02-15"}}), (Titles{"Rain", "River"}));
  EXPECT_EQ(List({{"q", "absent"}}), Titles{});
}

TEST_F(JournalTest, TagsMatchAsAWholeWithoutRegardToCase) {
  Entry("a", "2026-03-01", R"({"tags": ["Bike", "x"]})");
  Entry("b", "2026-03-02", R"({"tags": ["bikes"]})");
  Entry("c", "2026-02-28", R"({"tags": ["BIKE"], "body": "mill"})");
  EXPECT_EQ(List({{"tag", "bike"}}), (Titles{"a", "c"}));
  EXPECT_EQ(List({{"tag", "bike"}, {"q", "mill"}}), Titles{"c"});
}

TEST_F(JournalTest, LongBodiesAreCutInListsAndWholeInGet) {
  const std::string body(60'000, 'x');
  const std::string entry = Entry("a", "2026-03-01", DumpJson({{"body", body}}));
  Entry("b", "2026-03-01", DumpJson({{"body", body}}));
  const Json listed = Do("journal_list", Json::object());
  for (const Json& row : listed["entries"]) EXPECT_EQ(row["bodyTruncated"], true);
  EXPECT_EQ(Do("journal_get", {{"entryId", entry}})["entry"]["body"], body);
}

TEST_F(JournalTest, UpdateChangesOnlyWhatIsGiven) {
  const std::string entry = Entry("a", "2026-03-01", R"({"body": "b", "mood": "m", "tags": ["t"]})");
  const auto update = [&](const std::string& more) {
    Json arguments = Parse(more);
    arguments["entryId"] = entry;
    return Do("journal_update", arguments)["entry"];
  };
  Json now = update(R"({"title": "A"})");
  EXPECT_EQ(harness_.Data(entry),
            Parse(R"({"title": "A", "body": "b", "date": "2026-03-01", "mood": "m", "tags": ["t"]})"));
  EXPECT_EQ(harness_.description(), "Updated journal entry \"A\" of 2026-03-01");
  EXPECT_EQ(update(R"({"date": "today"})")["date"], "2026-03-02");
  EXPECT_EQ(update(R"({"tags": ["u", "U"]})")["tags"], Json({"u"}));
  now = update(R"({"body": "", "mood": "", "tags": []})");
  EXPECT_EQ(now["body"], "");
  EXPECT_FALSE(now.contains("mood"));
  EXPECT_EQ(harness_.Data(entry), Parse(R"({"title": "A", "date": "2026-03-02"})"));
}

TEST_F(JournalTest, UpdateRefusesWhatCannotBe) {
  const std::string entry = Entry("a", "2026-03-01");
  const std::string before = harness_.Snapshot();
  EXPECT_THAT(Call("journal_update", {{"entryId", entry}}),
              FailsWith(ErrorCode::kMissingRequired, "title, body, date, mood and tags", ""));
  EXPECT_THAT(Call("journal_update", {{"title", "x"}}), FailsWith(ErrorCode::kInvalidParams, "", ""));
  EXPECT_THAT(Call("journal_update", {{"entryId", entry}, {"date", nullptr}}),
              FailsWith(ErrorCode::kMissingRequired, "title, body, date, mood and tags", ""));
  EXPECT_THAT(Call("journal_update", {{"entryId", entry}, {"date", "next blursday"}}),
              FailsWith(ErrorCode::kInvalidParams, "", "/date"));
  EXPECT_THAT(Call("journal_update", {{"entryId", entry}, {"title", ""}}),
              FailsWith(ErrorCode::kInvalidParams, "", "/title"));
  EXPECT_EQ(harness_.Snapshot(), before);
}

TEST_F(JournalTest, IdsThatAreNoEntryAreRefusedByName) {
  const std::string note = Create("note", "", R"({"title": "n"})");
  for (const char* tool : {"journal_get", "journal_update", "journal_delete"}) {
    Json arguments = {{"entryId", note}};
    if (tool == std::string("journal_update")) arguments["title"] = "x";
    EXPECT_THAT(Call(tool, arguments),
                FailsWith(ErrorCode::kInvalidParams, "is a note; entryId must name a journal_entry", "/entryId"));
    arguments["entryId"] = "nowhere";
    EXPECT_THAT(Call(tool, arguments), FailsWith(ErrorCode::kNotFound, "nowhere", ""));
    arguments["entryId"] = "";
    EXPECT_THAT(Call(tool, arguments), FailsWith(ErrorCode::kInvalidParams, "", "/entryId"));
  }
}

TEST_F(JournalTest, DeletionAsksAndUndoBringsTheEntryBack) {
  const std::string entry = Entry("a", "2026-03-01");
  const auto preview = harness_.PreviewOf("journal_delete", {{"entryId", entry}});
  ASSERT_TRUE(preview.ok()) << preview.status();
  EXPECT_EQ(preview->summary, "Delete journal_entry \"a\"");
  EXPECT_EQ(preview->undo_summary, "Undo brings everything back.");
  const std::string before = harness_.Snapshot();
  EXPECT_EQ(Do("journal_delete", {{"entryId", entry}}), Parse(R"({"success": true, "deletedCount": 1})"));
  EXPECT_EQ(harness_.Snapshot(), "");
  ASSERT_EQ(harness_.Revert(harness_.changes()).status(), absl::OkStatus());
  EXPECT_EQ(harness_.Snapshot(), before);
}

TEST_F(JournalTest, UndoTakesBackACreationAndAnUpdate) {
  const std::string entry = Entry("a", "2026-03-01");
  const auto creation = harness_.changes();
  const std::string created = harness_.Snapshot();
  Do("journal_update", {{"entryId", entry}, {"title", "b"}, {"date", "today"}, {"mood", "m"}});
  ASSERT_EQ(harness_.Revert(harness_.changes()).status(), absl::OkStatus());
  EXPECT_EQ(harness_.Snapshot(), created);
  ASSERT_EQ(harness_.Revert(creation).status(), absl::OkStatus());
  EXPECT_EQ(harness_.Snapshot(), "");
}

TEST_F(JournalTest, ADryRunAnswersAndChangesNothing) {
  const std::string entry = Entry("a", "2026-03-01");
  const std::string before = harness_.Snapshot();
  const auto dry = [&](const char* tool, const Json& arguments) {
    const auto result = harness_.Call(tool, arguments, CommitMode::kDryRun);
    EXPECT_TRUE(result.ok()) << result.status();
    EXPECT_FALSE(harness_.changes().empty());
    return result.ok() ? *result : Json();
  };
  EXPECT_EQ(dry("journal_create", {{"title", "b"}, {"date", "today"}})["entry"]["date"], "2026-03-02");
  EXPECT_EQ(dry("journal_update", {{"entryId", entry}, {"mood", "m"}})["entry"]["mood"], "m");
  EXPECT_EQ(dry("journal_delete", {{"entryId", entry}})["deletedCount"], 1);
  EXPECT_EQ(harness_.Snapshot(), before);
}

TEST_F(JournalTest, OtherToolsFindEntries) {
  const std::string entry = Entry("Ride", "2026-03-01", R"({"body": "river", "mood": "happy", "tags": ["bike"]})");
  for (const char* words : {"ride", "river", "happy", "bike"}) {
    const Json found = Do("search_workspace", {{"query", words}, {"blockTypes", {"journal_entry"}}});
    ASSERT_EQ(found["totalCount"], 1) << words;
    EXPECT_EQ(found["results"][0]["blockId"], entry);
  }
  EXPECT_EQ(Do("get_block", {{"blockId", entry}})["block"]["data"]["mood"], "happy");
}

}  // namespace
}  // namespace toolgate::executors::journal
