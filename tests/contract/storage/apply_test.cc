// Changes of a dry run, made in a transaction that is committed.
#include <random>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "tests/contract/storage/all_backends.h"
#include "tests/contract/storage/store_fixture.h"

namespace toolgate::storage::testing {
namespace {

using ::testing::ElementsAre;

class ApplyTest : public StoreTest {
 protected:
  // The changes of `body` in a dry run.
  Changes Try(absl::FunctionRef<absl::Status(Transaction&)> body) {
    Changes changes;
    const absl::Status tried =
        store_->Commit(Context("tried"), CommitMode::kDryRun, never_, [&](Transaction& tx) -> absl::Status {
          if (const absl::Status status = body(tx); !status.ok()) return status;
          changes = tx.changes();
          text_ = TextOf(tx);
          return absl::OkStatus();
        });
    EXPECT_TRUE(tried.ok()) << tried;
    return changes;
  }
  absl::Status Apply(const Changes& changes) {
    return Commit(Context("tried"), [&](Transaction& tx) -> absl::Status {
      if (const absl::Status status = tx.Apply(changes); !status.ok()) return status;
      applied_ = tx.changes();
      return absl::OkStatus();
    });
  }
  void ExpectOutOfDate(const Changes& changes) {
    const std::string before = Text();
    const absl::Status status = Apply(changes);
    EXPECT_TRUE(absl::IsAborted(status)) << status;
    EXPECT_FALSE(GetToolError(status).has_value());
    EXPECT_EQ(Text(), before);
  }

  // Every block and link, byte for byte.
  static std::string TextOf(ReadView& view) {
    std::string text;
    Append(view, "", text);
    return text;
  }
  std::string Text() {
    std::string text;
    EXPECT_TRUE(Read([&](ReadView& view) {
                  text = TextOf(view);
                  return absl::OkStatus();
                }).ok());
    return text;
  }
  static void Append(ReadView& view, const std::string& parent, std::string& text) {
    const auto children = view.ListChildren(parent, 1000);
    ASSERT_TRUE(children.ok()) << children.status();
    for (const Block& block : *children) {
      absl::StrAppend(&text, block.id, " ", block.type, " in ", block.parent_id, " at ", block.rank, " v",
                      block.version, " ", block.data, " ", block.change_id, " ", block.created_by, " ",
                      block.updated_by, " ");
      absl::StrAppend(&text, absl::ToUnixMicros(block.created_at), " ", absl::ToUnixMicros(block.updated_at), "\n");
      const auto links = view.ListLinks(block.id, 1000);
      ASSERT_TRUE(links.ok()) << links.status();
      for (const Link& link : *links) {
        absl::StrAppend(&text, "  ", link.from_id, " ", link.relation, " ", link.to_id, " ", link.change_id, "\n");
      }
      Append(view, block.id, text);
    }
  }

  std::string text_;  // At the end of the dry run.
  Changes applied_;
};

TEST_P(ApplyTest, EndsInTheRowsOfTheDryRun) {
  Create("a");
  Create("b", "a");
  clock_.Advance(absl::Seconds(1));
  const Changes changes = Try([](Transaction& tx) -> absl::Status {
    EXPECT_TRUE(tx.UpdateBlock("a", R"({"n":1})").ok());
    EXPECT_TRUE(tx.UpdateBlock("a", R"({"n":2})").ok());
    EXPECT_TRUE(tx.CreateBlock({"c", "text", "a", "{}", 0}).ok());
    EXPECT_TRUE(tx.CreateLink("c", "a", "refers_to").ok());
    EXPECT_TRUE(tx.MoveBlock("b", "c", std::nullopt).ok());
    return tx.ChangeDocument("memory", "alice", "{}");
  });
  clock_.Advance(absl::Seconds(1));
  ASSERT_TRUE(Apply(changes).ok());
  EXPECT_EQ(Text(), text_);
  EXPECT_EQ(applied_.blocks.size(), changes.blocks.size());
  EXPECT_EQ(applied_.links.size(), 1u);
  EXPECT_EQ(applied_.documents.size(), 1u);
  // It is undone like any other change.
  ASSERT_TRUE(Commit(Context("undo"), [&](Transaction& tx) { return tx.Revert(applied_); }).ok());
  EXPECT_EQ(Find("c"), std::nullopt);
  EXPECT_THAT(ChildrenOf("a"), ElementsAre("b"));
}

TEST_P(ApplyTest, IsOutOfDateWhenSomethingItChangedHasChanged) {
  Create("a");
  Create("b");
  const Changes update = Try([](Transaction& tx) { return tx.UpdateBlock("a", R"({"n":1})").status(); });
  const Changes deletion = Try([](Transaction& tx) { return tx.DeleteBlock("a", Children::kDelete).status(); });
  const Changes move = Try([](Transaction& tx) { return tx.MoveBlock("a", "b", 0).status(); });
  const Changes link = Try([](Transaction& tx) { return tx.CreateLink("a", "b", "refers_to").status(); });
  const Changes document = Try([](Transaction& tx) { return tx.ChangeDocument("memory", "alice", "{}"); });
  Change("other", [](Transaction& tx) -> absl::Status {
    EXPECT_TRUE(tx.UpdateBlock("a", R"({"n":3})").ok());
    EXPECT_TRUE(tx.CreateLink("a", "b", "refers_to").ok());
    return tx.ChangeDocument("memory", "alice", R"({"other":true})");
  });
  ExpectOutOfDate(update);
  ExpectOutOfDate(deletion);
  ExpectOutOfDate(move);
  ExpectOutOfDate(link);
  ExpectOutOfDate(document);
}

TEST_P(ApplyTest, IsOutOfDateWhenItsSurroundingsHaveChanged) {
  for (const char* id : {"a", "b", "c", "d"}) Create(id);
  const Changes below = Try([](Transaction& tx) { return tx.CreateBlock({"x", "text", "a", "{}", 0}).status(); });
  const Changes last = Try([](Transaction& tx) { return tx.CreateBlock({"y", "text", "", "{}", {}}).status(); });
  const Changes gone = Try([](Transaction& tx) { return tx.DeleteBlock("b", Children::kDelete).status(); });
  const Changes into = Try([](Transaction& tx) { return tx.MoveBlock("c", "d", 0).status(); });
  Change("other", [](Transaction& tx) -> absl::Status {
    EXPECT_TRUE(tx.DeleteBlock("a", Children::kDelete).ok());        // The parent of x,
    EXPECT_TRUE(tx.CreateBlock({"e", "text", "", "{}", {}}).ok());   // in the place of y,
    EXPECT_TRUE(tx.CreateBlock({"f", "text", "b", "{}", {}}).ok());  // in what was deleted,
    return tx.MoveBlock("d", "c", 0).status();                       // and a circle.
  });
  ExpectOutOfDate(below);
  ExpectOutOfDate(last);
  ExpectOutOfDate(gone);
  ExpectOutOfDate(into);
}

TEST_P(ApplyTest, RandomChangesEndInTheRowsOfTheDryRun) {
  std::mt19937 random(11);
  const auto any = [&](ReadView& view) -> std::string {
    BlockQuery query;
    query.limit = 1000;
    const auto page = view.FindBlocks(query);
    if (!page.ok() || page->blocks.empty() || random() % 6 == 0) return "";
    return page->blocks[random() % page->blocks.size()].id;
  };
  int number = 0;
  for (int round = 0; round < 60; ++round) {
    clock_.Advance(absl::Seconds(1));
    const Changes changes = Try([&](Transaction& tx) -> absl::Status {
      for (unsigned step = 0; step < 1 + random() % 8; ++step) {
        const std::string id = any(tx);
        const std::string other = any(tx);
        const std::optional<int64_t> position = random() % 2 == 0 ? std::nullopt : std::optional<int64_t>(random() % 4);
        // Some are refused, and change nothing.
        const absl::Status changed = tx.Nested([&]() -> absl::Status {
          switch (random() % 6) {
            case 0:
              return tx.UpdateBlock(id, absl::StrCat(R"({"n":)", random() % 100, "}")).status();
            case 1:
              return tx.MoveBlock(id, other, position).status();
            case 2:
              return tx.CreateLink(id, other, "refers_to").status();
            case 3:
              if (random() % 3 != 0) return absl::OkStatus();
              return tx.DeleteBlock(id, random() % 2 == 0 ? Children::kDelete : Children::kMoveToParent).status();
            default:
              return tx.CreateBlock({absl::StrCat("n", ++number), "text", other, "{}", position}).status();
          }
        });
        EXPECT_TRUE(changed.ok() || GetToolError(changed).has_value()) << changed;
      }
      return absl::OkStatus();
    });
    const absl::Status applied = Apply(changes);
    ASSERT_TRUE(applied.ok()) << applied << " in round " << round;
    ASSERT_EQ(Text(), text_) << "in round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(Stores, ApplyTest, AllBackends(), BackendName);

}  // namespace
}  // namespace toolgate::storage::testing
