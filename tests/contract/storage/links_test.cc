// Links between blocks, and their fate when blocks are deleted and restored.
#include "gmock/gmock.h"
#include "tests/contract/storage/all_backends.h"
#include "tests/contract/storage/store_fixture.h"

namespace toolgate::storage::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class LinksTest : public StoreTest {
 protected:
  LinksTest() {
    for (const char* id : {"a", "b", "c"}) Create(id);
  }

  Changes Link(std::string_view from, std::string_view to, std::string_view relation = "references",
               std::string_view change_id = "link") {
    return Change(change_id, [&](Transaction& t) { return t.CreateLink(from, to, relation).status(); });
  }
  absl::Status TryLink(std::string_view from, std::string_view to, std::string_view relation = "references") {
    return Commit([&](Transaction& t) { return t.CreateLink(from, to, relation).status(); });
  }
  Changes Delete(std::string_view id) {
    return Change("delete", [&](Transaction& t) { return t.DeleteBlock(id, Children::kDelete).status(); });
  }
  absl::Status Revert(const Changes& changes) {
    return Commit(Context("undo"), [&](Transaction& t) {
      const absl::Status status = t.Revert(changes);
      undone_ = t.changes();
      return status;
    });
  }
  // "a references b" for each, in the order of the answer.
  std::vector<std::string> LinksOf(std::string_view id, int64_t limit = 100, std::string_view workspace = "w") {
    std::vector<std::string> rows;
    EXPECT_TRUE(Read(
                    [&](ReadView& view) {
                      const auto links = view.ListLinks(id, limit);
                      for (const auto& link : *links)
                        rows.push_back(link.from_id + " " + link.relation + " " + link.to_id);
                      return links.status();
                    },
                    workspace)
                    .ok());
    return rows;
  }

  Changes undone_;
};

TEST_P(LinksTest, BothEndsListALink) {
  Link("b", "a");
  Link("a", "c", "blocks");
  Link("a", "b", "blocks");
  EXPECT_THAT(LinksOf("a"), ElementsAre("a blocks b", "b references a", "a blocks c"));
  EXPECT_THAT(LinksOf("c"), ElementsAre("a blocks c"));
  EXPECT_THAT(LinksOf("a", 2), ElementsAre("a blocks b", "b references a"));
  EXPECT_THAT(LinksOf("a", 100, "other"), IsEmpty());
}

TEST_P(LinksTest, LinkToItselfIsListedOnce) {
  Link("a", "a");
  EXPECT_THAT(LinksOf("a"), ElementsAre("a references a"));
}

TEST_P(LinksTest, LinkRemembersWhoMadeIt) {
  Link("a", "b", "blocks", "the-change");
  EXPECT_TRUE(Read([&](ReadView& view) {
                const auto link = view.FindLink("a", "b", "blocks");
                EXPECT_EQ((*link)->created_by, "alice");
                EXPECT_EQ((*link)->change_id, "the-change");
                EXPECT_EQ((*link)->created_at, clock_.Now());
                EXPECT_FALSE(view.FindLink("b", "a", "blocks")->has_value());
                return absl::OkStatus();
              }).ok());
}

TEST_P(LinksTest, SecondLinkOfARelationIsAConflict) {
  Link("a", "b");
  EXPECT_EQ(CodeOf(TryLink("a", "b")), "CONFLICT");
  EXPECT_EQ(CodeOf(TryLink("b", "a")), "OK");
  EXPECT_EQ(CodeOf(TryLink("a", "b", "blocks")), "OK");
}

TEST_P(LinksTest, MissingEndAndMissingLinkAreNotFound) {
  EXPECT_EQ(CodeOf(TryLink("a", "nobody")), "NOT_FOUND");
  EXPECT_EQ(CodeOf(TryLink("nobody", "a")), "NOT_FOUND");
  EXPECT_EQ(CodeOf(Commit([](Transaction& t) { return t.DeleteLink("a", "b", "references"); })), "NOT_FOUND");
}

TEST_P(LinksTest, RelationNeedsAName) {
  EXPECT_EQ(CodeOf(TryLink("a", "b", "")), "INVALID_PARAMS");
  EXPECT_EQ(CodeOf(TryLink("a", "b", std::string(65, 'x'))), "INVALID_PARAMS");
  EXPECT_EQ(CodeOf(TryLink("a", "b", std::string(64, 'x'))), "OK");
}

TEST_P(LinksTest, DeletedBlockTakesItsLinksAlongAndBringsThemBack) {
  Create("below", "a");
  Link("below", "b");
  Link("c", "a", "blocks");
  Link("b", "c");
  const Changes deletion = Delete("a");
  EXPECT_EQ(deletion.blocks.size(), 2u);
  EXPECT_EQ(deletion.links.size(), 2u);
  EXPECT_THAT(AffectedBlocks(deletion), ElementsAre("below", "a", "b", "c"));
  EXPECT_THAT(LinksOf("b"), ElementsAre("b references c"));
  EXPECT_THAT(LinksOf("c"), ElementsAre("b references c"));

  ASSERT_TRUE(Revert(deletion).ok());
  EXPECT_THAT(LinksOf("below"), ElementsAre("below references b"));
  EXPECT_THAT(LinksOf("a"), ElementsAre("c blocks a"));
  ASSERT_TRUE(Revert(undone_).ok());
  EXPECT_THAT(LinksOf("b"), ElementsAre("b references c"));
}

TEST_P(LinksTest, LinkIsTakenBackAndRedone) {
  const Changes made = Link("a", "b");
  ASSERT_TRUE(Revert(made).ok());
  EXPECT_THAT(LinksOf("a"), IsEmpty());
  ASSERT_TRUE(Revert(undone_).ok());
  EXPECT_THAT(LinksOf("a"), ElementsAre("a references b"));
  // The link is the original one, so that its own undo works again.
  EXPECT_TRUE(Revert(made).ok());
}

TEST_P(LinksTest, UndoOfALinkThatWentMeanwhileIsAConflict) {
  const Changes made = Link("a", "b");
  const Changes removed = Change("remove", [](Transaction& t) { return t.DeleteLink("a", "b", "references"); });
  EXPECT_EQ(CodeOf(Revert(made)), "CONFLICT");
  Link("a", "b", "references", "again");
  EXPECT_EQ(CodeOf(Revert(made)), "CONFLICT");
  EXPECT_EQ(CodeOf(Revert(removed)), "CONFLICT");
  EXPECT_THAT(LinksOf("a"), ElementsAre("a references b"));
}

TEST_P(LinksTest, UndoOfACreationThatSomebodyLinkedSinceIsAConflict) {
  const Changes created = Change("c", [](Transaction& t) {
    return t.CreateBlock({.id = "new", .type = "text", .parent_id = "", .data = "{}", .position = std::nullopt})
        .status();
  });
  const Changes linked = Link("a", "new", "blocks", "theirs");
  const absl::Status status = Commit(Context("undo"), [&](Transaction& t) { return t.Revert(created); });
  EXPECT_EQ(CodeOf(status), "CONFLICT");
  EXPECT_EQ(FactOf(status, "changeId"), "theirs");
  ASSERT_TRUE(Revert(linked).ok());
  EXPECT_TRUE(Revert(created).ok());
}

TEST_P(LinksTest, UndoOfARemovalIsAConflictWhenAnEndIsGone) {
  Link("a", "b");
  const Changes removed = Change("remove", [](Transaction& t) { return t.DeleteLink("a", "b", "references"); });
  Delete("b");
  EXPECT_EQ(CodeOf(Revert(removed)), "CONFLICT");
  EXPECT_THAT(LinksOf("a"), IsEmpty());
}

TEST_P(LinksTest, BlockAndItsLinkOfOneChangeGoTogether) {
  const Changes both = Change("c", [](Transaction& t) {
    const auto block =
        t.CreateBlock({.id = "new", .type = "text", .parent_id = "", .data = "{}", .position = std::nullopt});
    return block.ok() ? t.CreateLink("new", "a", "references").status() : block.status();
  });
  ASSERT_TRUE(Revert(both).ok());
  EXPECT_THAT(LinksOf("a"), IsEmpty());
  ASSERT_TRUE(Revert(undone_).ok());
  EXPECT_THAT(LinksOf("a"), ElementsAre("new references a"));
}

TEST_P(LinksTest, FailedNestedBodyLeavesNoLink) {
  const Changes changes = Change("c", [](Transaction& t) {
    EXPECT_FALSE(t.Nested([&] {
                    EXPECT_TRUE(t.CreateLink("a", "b", "references").ok());
                    return absl::CancelledError("no");
                  }).ok());
    return absl::OkStatus();
  });
  EXPECT_TRUE(changes.empty());
  EXPECT_THAT(LinksOf("a"), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Stores, LinksTest, AllBackends(), BackendName);

}  // namespace
}  // namespace toolgate::storage::testing
