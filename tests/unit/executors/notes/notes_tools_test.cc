// notes_search, notes_create, notes_update and notes_delete.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "tests/support/workspace_fixture.h"

namespace toolgate::executors::notes {
namespace {

using storage::CommitMode;
using testing::FailsWith;
using ::testing::UnorderedElementsAre;
using testing::WorkspaceTest;
using Titles = std::vector<std::string>;

class NotesTest : public WorkspaceTest {
 protected:
  // Returns the id. A millisecond passes, so that notes have an order in time.
  std::string Note(const std::string& arguments) {
    harness_.clock().Advance(absl::Milliseconds(1));
    return Do("notes_create", Parse(arguments)).value("noteId", "");
  }
  std::string Titled(const std::string& title, const std::string& parent = "") {
    Json arguments = {{"title", title}};
    if (!parent.empty()) arguments["parentId"] = parent;
    return Note(DumpJson(arguments));
  }
  Titles Find(const Json& arguments) { return Pluck(Do("notes_search", arguments)["notes"], "title"); }
};

TEST_F(NotesTest, ANewNoteHasWhatItWasGiven) {
  const std::string page = Create("page", "", R"({"title": "Home"})");
  const Json created = Do("notes_create", {{"title", "Bread"},
                                           {"body", "# Dough\n\n*Rest* it."},
                                           {"parentId", page},
                                           {"tags", {" Baking ", "", "BAKING", "weekend"}}});
  const Json expected = {{"id", created["noteId"]},
                         {"title", "Bread"},
                         {"body", "# Dough\n\n*Rest* it."},
                         {"parentId", page},
                         {"tags", {"Baking", "weekend"}},
                         {"eventLinks", Json::array()},
                         {"createdAt", "2026-03-02T09:00:00.000Z"},
                         {"updatedAt", "2026-03-02T09:00:00.000Z"}};
  EXPECT_EQ(created["note"], expected);
  EXPECT_EQ(Do("notes_search", Json::object())["notes"][0], expected);
  EXPECT_EQ(harness_.description(), "Created note \"Bread\"");
}

TEST_F(NotesTest, ATitleIsEnough) {
  const Json note =
      Do("notes_create", {{"title", "Bread"}, {"body", ""}, {"parentId", ""}, {"tags", Json::array()}})["note"];
  EXPECT_EQ(note["body"], "");
  EXPECT_EQ(note["parentId"], nullptr);
  EXPECT_EQ(note["tags"], Json::array());
  EXPECT_EQ(harness_.Data(note.value("id", "")), Json({{"title", "Bread"}})) << "nothing empty is stored";
}

TEST_F(NotesTest, CreateRefusesWhatCannotBe) {
  const std::string before = harness_.Snapshot();
  const auto create = [&](const std::string& arguments) { return Call("notes_create", Parse(arguments)); };
  EXPECT_THAT(create("{}"), FailsWith(ErrorCode::kInvalidParams, "", ""));
  EXPECT_THAT(create(R"({"title": ""})"), FailsWith(ErrorCode::kInvalidParams, "", "/title"));
  EXPECT_THAT(create(R"({"title": 7})"), FailsWith(ErrorCode::kInvalidParams, "", "/title"));
  EXPECT_THAT(Call("notes_create", {{"title", std::string(501, 'x')}}),
              FailsWith(ErrorCode::kInvalidParams, "", "/title"));
  EXPECT_THAT(Call("notes_create", {{"title", "x"}, {"body", std::string(100'001, 'x')}}),
              FailsWith(ErrorCode::kInvalidParams, "", "/body"));
  EXPECT_THAT(create(R"({"title": "a\nb"})"), FailsWith(ErrorCode::kInvalidParams, "on one line", "/title"));
  EXPECT_THAT(create(R"({"title": "x", "tags": "a"})"), FailsWith(ErrorCode::kInvalidParams, "", "/tags"));
  EXPECT_THAT(create(R"({"title": "x", "tags": [1]})"), FailsWith(ErrorCode::kInvalidParams, "", "/tags/0"));
  EXPECT_THAT(create(R"({"title": "x", "tags": ["a\nb"]})"),
              FailsWith(ErrorCode::kInvalidParams, "strings of one line", "/tags"));
  EXPECT_THAT(create(R"({"title": "x", "mood": "good"})"), FailsWith(ErrorCode::kInvalidParams, "", "/mood"));
  EXPECT_THAT(create(R"({"title": "x", "parentId": "nowhere"})"), FailsWith(ErrorCode::kNotFound, "nowhere", ""));
  EXPECT_EQ(harness_.Snapshot(), before);
  const std::string todo = Create("todo", "", R"({"content": "x"})");
  EXPECT_THAT(Call("notes_create", {{"title", "x"}, {"parentId", todo}}),
              FailsWith(ErrorCode::kInvalidParams, "is a todo; parentId must name a note or page", "/parentId"));
}

TEST_F(NotesTest, WithoutArgumentsAllAreListedTheNewestFirst) {
  EXPECT_EQ(Do("notes_search", Json::object()), Parse(R"({"notes": [], "totalCount": 0})"));
  const std::string first = Titled("first");
  Titled("second", first);
  Titled("third");
  Create("page", "", R"({"title": "no note"})");
  EXPECT_EQ(Find(Json::object()), (Titles{"third", "second", "first"}));
  EXPECT_EQ(Find({{"q", ""}, {"tag", ""}, {"parentId", ""}}), (Titles{"third", "second", "first"}))
      << "empty is not given";
}

TEST_F(NotesTest, QFindsByWordsBestFirstWithASnippet) {
  Note(R"({"title": "Soup", "body": "Serve it with bread."})");
  Note(R"({"title": "Bread", "body": "Flour."})");
  Note(R"({"title": "Oven", "tags": ["bread"]})");
  Create("page", "", R"({"title": "Bread"})");
  const Json result = Do("notes_search", {{"q", "bread"}});
  EXPECT_EQ(result["totalCount"], 3);
  EXPECT_EQ(result["notes"][0]["title"], "Bread");
  EXPECT_EQ(result["notes"][0]["score"], 1.0);
  EXPECT_EQ(result["notes"][0]["snippet"], "Flour.") << "the hit is in the title";
  EXPECT_THAT(Find({{"q", "bread"}}), UnorderedElementsAre("Bread", "Soup", "Oven"));
  EXPECT_EQ(Find({{"q", "SERVE bre"}}), Titles{"Soup"});
  EXPECT_EQ(Find({{"q", "serve flour"}}), Titles{});
  EXPECT_EQ(Find({{"q", "!?"}}), Titles{});
  EXPECT_FALSE(Do("notes_search", Json::object())["notes"][0].contains("score"));
}

TEST_F(NotesTest, TagsMatchAsAWholeWithoutRegardToCase) {
  Note(R"({"title": "a", "tags": ["Work", "x"]})");
  Note(R"({"title": "b", "tags": ["work out"]})");
  Note(R"({"title": "c", "tags": ["ÜBUNG"]})");
  Note(R"({"title": "d", "body": "work"})");
  EXPECT_EQ(Find({{"tag", "wORK"}}), Titles{"a"});
  EXPECT_EQ(Find({{"tag", "übung"}}), Titles{"c"});
  EXPECT_EQ(Find({{"tag", "wor"}}), Titles{});
}

TEST_F(NotesTest, ParentIdFindsDirectChildrenAndConditionsCombine) {
  const std::string page = Create("page", "", R"({"title": "Home"})");
  const std::string top = Titled("top", page);
  const std::string child = Note(R"({"title": "child", "body": "salt", "tags": ["a"], "parentId": ")" + top + "\"}");
  Note(R"({"title": "sibling", "body": "salt", "parentId": ")" + top + "\"}");
  Note(R"({"title": "grandchild", "body": "salt", "tags": ["a"], "parentId": ")" + child + "\"}");
  EXPECT_EQ(Find({{"parentId", page}}), Titles{"top"});
  EXPECT_EQ(Find({{"parentId", top}}), (Titles{"sibling", "child"}));
  EXPECT_THAT(Find({{"parentId", top}, {"q", "salt"}}), UnorderedElementsAre("sibling", "child"));
  EXPECT_EQ(Find({{"parentId", top}, {"q", "salt"}, {"tag", "A"}}), Titles{"child"});
  EXPECT_EQ(Find({{"parentId", top}, {"q", "pepper"}}), Titles{});
  EXPECT_THAT(Call("notes_search", {{"parentId", "nowhere"}}), FailsWith(ErrorCode::kNotFound, "nowhere", ""));
  const std::string todo = Create("todo", "", R"({"content": "x"})");
  EXPECT_THAT(Call("notes_search", {{"parentId", todo}}),
              FailsWith(ErrorCode::kInvalidParams, "note or page", "/parentId"));
  EXPECT_THAT(Call("notes_search", {{"limit", 5}}), FailsWith(ErrorCode::kInvalidParams, "", "/limit"));
}

TEST_F(NotesTest, LongBodiesAreCutInListsAndWholeAlone) {
  const std::string body(60'000, 'x');
  Note(DumpJson({{"title", "a"}, {"body", body}}));
  EXPECT_EQ(Do("notes_search", Json::object())["notes"][0]["body"], body);
  Note(DumpJson({{"title", "b"}, {"body", body}}));
  const Json two = Do("notes_search", Json::object());
  for (const Json& note : two["notes"]) {
    EXPECT_EQ(note["bodyTruncated"], true);
    EXPECT_EQ(note["body"].get<std::string>(), std::string(50'000, 'x') + "…");
  }
}

TEST_F(NotesTest, AListHasABoundAndTotalCountGoesBeyond) {
  const fibers::Cancellation cancellation;
  const storage::WriteContext context{"test", "ann", "many", harness_.clock().Now()};
  ASSERT_TRUE(harness_.store()
                  .Commit(context, CommitMode::kDurable, cancellation,
                          [&](storage::Transaction& transaction) {
                            for (int i = 0; i < 1'005; ++i) {
                              const auto block = transaction.CreateBlock({"", "note", "", R"({"title":"x"})", {}});
                              if (!block.ok()) return block.status();
                            }
                            return absl::OkStatus();
                          })
                  .ok());
  const Json all = Do("notes_search", Json::object());
  EXPECT_EQ(all["notes"].size(), 1'000u);
  EXPECT_EQ(all["totalCount"], 1'005);
}

TEST_F(NotesTest, UpdateChangesOnlyWhatIsGiven) {
  const std::string note = Note(R"({"title": "Bread", "body": "Flour", "tags": ["a", "b"]})");
  harness_.clock().Advance(absl::Seconds(1));
  const auto update = [&](const std::string& more) {
    return Do("notes_update", Parse(R"({"noteId": ")" + note + "\", " + more + "}"))["note"];
  };
  Json now = update(R"("title": "Rye")");
  EXPECT_EQ(now["title"], "Rye");
  EXPECT_EQ(now["body"], "Flour");
  EXPECT_EQ(now["tags"], Json({"a", "b"}));
  EXPECT_EQ(now["updatedAt"], "2026-03-02T09:00:01.001Z");
  EXPECT_EQ(now["createdAt"], "2026-03-02T09:00:00.001Z");
  EXPECT_EQ(harness_.description(), "Updated note \"Rye\"");
  EXPECT_EQ(update(R"("tags": ["c", " C", "d "])")["tags"], Json({"c", "d"}));
  EXPECT_EQ(update(R"("body": "Water")")["body"], "Water");
  now = update(R"("body": "", "tags": [])");
  EXPECT_EQ(now["body"], "");
  EXPECT_EQ(now["tags"], Json::array());
  EXPECT_EQ(harness_.Data(note), Json({{"title", "Rye"}}));
}

TEST_F(NotesTest, ParentIdMovesANoteWithAllBelowIt) {
  const std::string page = Create("page", "", R"({"title": "Home"})");
  const std::string a = Titled("a");
  const std::string b = Titled("b", a);
  const std::string c = Titled("c", b);
  const auto move = [&](const std::string& note, const Json& parent) {
    return Call("notes_update", {{"noteId", note}, {"parentId", parent}});
  };
  EXPECT_EQ(move(b, page)->at("note")["parentId"], page);
  EXPECT_EQ(harness_.Block(c).parent_id, b);
  EXPECT_EQ(move(b, nullptr)->at("note")["parentId"], nullptr);
  EXPECT_EQ(harness_.Block(b).parent_id, "");
  EXPECT_THAT(move(b, c), FailsWith(ErrorCode::kConflict, "below itself", ""));
  EXPECT_THAT(move(b, b), FailsWith(ErrorCode::kConflict, "below itself", ""));
  EXPECT_THAT(move(b, "nowhere"), FailsWith(ErrorCode::kNotFound, "nowhere", ""));
  EXPECT_THAT(move(b, ""), FailsWith(ErrorCode::kInvalidParams, "", "/parentId"));
  const std::string todo = Create("todo", "", R"({"content": "x"})");
  EXPECT_THAT(move(b, todo), FailsWith(ErrorCode::kInvalidParams, "note or page", "/parentId"));
}

TEST_F(NotesTest, ANoteThatStaysWhereItIsKeepsItsPlace) {
  const std::string top = Titled("top");
  const std::string first = Titled("first", top);
  Titled("second", top);
  const std::string before = harness_.Snapshot();
  Do("notes_update", {{"noteId", first}, {"parentId", top}});
  EXPECT_EQ(harness_.Snapshot(), before);
}

TEST_F(NotesTest, UpdateRefusesWhatCannotBe) {
  const std::string note = Titled("a");
  EXPECT_THAT(Call("notes_update", {{"noteId", note}}),
              FailsWith(ErrorCode::kMissingRequired, "title, body, parentId, tags and eventLinks", ""));
  EXPECT_THAT(Call("notes_update", Json::object()), FailsWith(ErrorCode::kInvalidParams, "", ""));
  EXPECT_THAT(Call("notes_update", {{"noteId", note}, {"title", ""}}),
              FailsWith(ErrorCode::kInvalidParams, "", "/title"));
  EXPECT_THAT(Call("notes_update", {{"noteId", note}, {"title", nullptr}}),
              FailsWith(ErrorCode::kMissingRequired, "title, body, parentId, tags and eventLinks", ""));
  EXPECT_THAT(Call("notes_update", {{"noteId", note}, {"title", "a\nb"}}),
              FailsWith(ErrorCode::kInvalidParams, "on one line", "/title"));
  EXPECT_THAT(Call("notes_update", {{"noteId", "nowhere"}, {"title", "x"}}),
              FailsWith(ErrorCode::kNotFound, "nowhere", ""));
  const std::string page = Create("page", "", R"({"title": "Home"})");
  EXPECT_THAT(Call("notes_update", {{"noteId", page}, {"title", "x"}}),
              FailsWith(ErrorCode::kInvalidParams, "is a page; noteId must name a note", "/noteId"));
}

TEST_F(NotesTest, DeletionSaysHowManyGoAndUndoBringsThemBack) {
  const std::string top = Titled("top");
  const std::string child = Titled("child", top);
  Titled("grandchild", child);
  Create("paragraph", child, R"({"content": "text"})");
  const auto preview = harness_.PreviewOf("notes_delete", {{"noteId", top}});
  ASSERT_TRUE(preview.ok()) << preview.status();
  EXPECT_TRUE(preview->needs_confirmation);
  EXPECT_EQ(preview->summary, "Delete note \"top\" and the 3 blocks below it");
  EXPECT_EQ(preview->undo_summary, "Undo brings everything back.");
  EXPECT_EQ(preview->affected_block_ids.size(), 4u);
  const std::string before = harness_.Snapshot();
  EXPECT_EQ(Do("notes_delete", {{"noteId", top}}), Parse(R"({"success": true, "deletedCount": 4})"));
  EXPECT_EQ(harness_.description(), "Deleted note \"top\" and the 3 blocks below it");
  EXPECT_EQ(Find(Json::object()), Titles{});
  ASSERT_EQ(harness_.Revert(harness_.changes()).status(), absl::OkStatus());
  EXPECT_EQ(harness_.Snapshot(), before);
}

TEST_F(NotesTest, DeleteRefusesWhatIsNoNote) {
  const std::string page = Create("page", "", R"({"title": "Home"})");
  EXPECT_THAT(Call("notes_delete", {{"noteId", page}}), FailsWith(ErrorCode::kInvalidParams, "is a page", "/noteId"));
  EXPECT_THAT(harness_.PreviewOf("notes_delete", {{"noteId", page}}),
              FailsWith(ErrorCode::kInvalidParams, "is a page", "/noteId"));
  EXPECT_THAT(Call("notes_delete", {{"noteId", "nowhere"}}), FailsWith(ErrorCode::kNotFound, "nowhere", ""));
}

TEST_F(NotesTest, UndoTakesBackACreationAndAnUpdate) {
  const std::string page = Create("page", "", R"({"title": "Home"})");
  const std::string empty = harness_.Snapshot();
  const std::string note = Titled("a");
  const auto creation = harness_.changes();
  const std::string created = harness_.Snapshot();
  Do("notes_update", {{"noteId", note}, {"title", "b"}, {"parentId", page}, {"tags", {"t"}}});
  ASSERT_EQ(harness_.Revert(harness_.changes()).status(), absl::OkStatus());
  EXPECT_EQ(harness_.Snapshot(), created);
  ASSERT_EQ(harness_.Revert(creation).status(), absl::OkStatus());
  EXPECT_EQ(harness_.Snapshot(), empty);
}

TEST_F(NotesTest, ADryRunAnswersAndChangesNothing) {
  const std::string note = Titled("a");
  const std::string before = harness_.Snapshot();
  const auto dry = [&](const char* tool, const Json& arguments) {
    const auto result = harness_.Call(tool, arguments, CommitMode::kDryRun);
    EXPECT_TRUE(result.ok()) << result.status();
    EXPECT_FALSE(harness_.changes().empty());
    return result.ok() ? *result : Json();
  };
  EXPECT_EQ(dry("notes_create", {{"title", "b"}})["note"]["title"], "b");
  EXPECT_EQ(dry("notes_update", {{"noteId", note}, {"title", "c"}})["note"]["title"], "c");
  EXPECT_EQ(dry("notes_delete", {{"noteId", note}})["deletedCount"], 1);
  EXPECT_EQ(harness_.Snapshot(), before);
}

TEST_F(NotesTest, EventLinksAreCheckedAndLinked) {
  const std::string event = Create("calendar_event", "", R"({"title": "Review", "date": "2026-03-05"})");
  const Json created = Do("notes_create", {{"title", "a"}, {"eventLinks", Json::array({event})}})["note"];
  const std::string note = created.value("id", "");
  EXPECT_EQ(created["eventLinks"], Json::array({event}));
  EXPECT_EQ(Do("items_list_links", {{"itemId", event}})["totalCount"], 1);
  EXPECT_THAT(Call("notes_update", {{"noteId", note}, {"eventLinks", Json::array({note})}}),
              FailsWith(ErrorCode::kInvalidParams, "no calendar event", "/eventLinks/0"));
  const std::string before = harness_.Snapshot();
  EXPECT_EQ(Do("notes_update", {{"noteId", note}, {"eventLinks", Json::array()}})["note"]["eventLinks"], Json::array());
  EXPECT_EQ(Do("items_list_links", {{"itemId", event}})["totalCount"], 0);
  ASSERT_EQ(harness_.Revert(harness_.changes()).status(), absl::OkStatus());
  EXPECT_EQ(harness_.Snapshot(), before);
}

TEST_F(NotesTest, OtherToolsFindNotes) {
  const std::string note = Note(R"({"title": "Bread", "body": "Rest the dough", "tags": ["weekend"]})");
  for (const char* words : {"bread", "dough", "weekend"}) {
    const Json found = Do("search_workspace", {{"query", words}, {"blockTypes", {"note"}}});
    ASSERT_EQ(found["totalCount"], 1) << words;
    EXPECT_EQ(found["results"][0]["blockId"], note);
    EXPECT_EQ(found["results"][0]["content"], "Bread\nRest the dough");
  }
  EXPECT_EQ(Do("get_block", {{"blockId", note}})["block"]["data"]["tags"], Json({"weekend"}));
  const std::string other = Create("note", "", R"({"title": "Soup", "tags": ["Weekend"]})");
  EXPECT_THAT(Find({{"tag", "weekend"}}), UnorderedElementsAre("Bread", "Soup")) << "create_block makes notes too";
}

}  // namespace
}  // namespace toolgate::executors::notes
