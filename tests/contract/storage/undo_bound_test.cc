// Limits of one change's undo entry, and the measurement of a deletion before it is made.
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "tests/contract/storage/all_backends.h"
#include "tests/contract/storage/store_fixture.h"

namespace toolgate::storage::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Room for ten empty states, or fewer with content.
constexpr int64_t kBound = 10 * kUndoRowBytes;

// A JSON object of that many bytes.
std::string DataOf(int64_t bytes) {
  const std::string_view frame = R"({"t":""})";
  return absl::StrCat(R"({"t":")", std::string(static_cast<size_t>(bytes) - frame.size(), 'x'), R"("})");
}

NewBlock Text(std::string data) {
  NewBlock block;
  block.type = "text";
  block.data = std::move(data);
  return block;
}

int64_t BytesOf(const Changes& changes) {
  int64_t bytes = 0;
  for (const BlockDelta& delta : changes.blocks) bytes += UndoBytes(delta);
  for (const LinkDelta& delta : changes.links) bytes += UndoBytes(delta);
  return bytes;
}

class UndoBoundTest : public StoreTest {
 protected:
  // A page of `children` blocks, each with one below it, of 100 bytes each.
  void MakeTree(int children) {
    Create("page", "", DataOf(100));
    for (int i = 0; i < children; ++i) {
      Create(absl::StrCat("child", i), "page", DataOf(100));
      Create(absl::StrCat("leaf", i), absl::StrCat("child", i), DataOf(100));
    }
  }
  absl::Status Delete(std::string_view id, Children children = Children::kDelete) {
    return Commit([&](Transaction& t) { return t.DeleteBlock(id, children).status(); });
  }
  DeletionSize SizeOfDeletion(std::string_view id, Children children, Measure measure = Measure::kWhole,
                              size_t max_ids = 0) {
    absl::StatusOr<DeletionSize> size;
    const absl::Status status = Read([&](ReadView& view) -> absl::Status {
      const absl::StatusOr<Block> block = view.GetBlock(id);
      if (!block.ok()) return block.status();
      size = view.MeasureDeletion(*block, children, measure, max_ids);
      return size.status();
    });
    EXPECT_TRUE(status.ok()) << status;
    return size.value_or(DeletionSize());
  }
};

TEST_P(UndoBoundTest, ADeletionThatUndoCannotKeepIsRefusedAndChangesNothing) {
  MakeTree(5);  // 11 blocks.
  Reopen(kBound);
  EXPECT_EQ(CodeOf(Delete("page")), "QUOTA_EXCEEDED");
  EXPECT_EQ(FactOf(Delete("page"), "maxUndoBytes"), absl::StrCat(kBound));
  EXPECT_THAT(ChildrenOf("page"), SizeIs(5));
  EXPECT_THAT(ChildrenOf("child4"), SizeIs(1));
  for (int i = 0; i < 5; ++i) EXPECT_EQ(CodeOf(Delete(absl::StrCat("child", i))), "OK");
  EXPECT_EQ(CodeOf(Delete("page")), "OK") << "in smaller parts it goes";
}

TEST_P(UndoBoundTest, ADeletionWhoseChildrenMoveUpIsMeasuredBeforeAndAfter) {
  MakeTree(5);  // The page once, five children twice.
  Reopen(kBound);
  EXPECT_EQ(CodeOf(Delete("page", Children::kMoveToParent)), "QUOTA_EXCEEDED");
  EXPECT_THAT(ChildrenOf("page"), SizeIs(5));
  EXPECT_EQ(CodeOf(Delete("child0", Children::kMoveToParent)), "OK");
}

TEST_P(UndoBoundTest, NothingElseMayOutgrowAnEntryEither) {
  const std::string large = DataOf(kBound);
  const std::string half = DataOf(kBound / 2);
  Create("small");
  Create("half", "", half);
  struct Row {
    const char* name;
    std::function<absl::Status(Transaction&)> body;
  };
  const std::vector<Row> rows = {
      {"creation", [&](Transaction& t) { return t.CreateBlock(Text(large)).status(); }},
      {"update", [&](Transaction& t) { return t.UpdateBlock("half", DataOf(kBound / 2 + 1)).status(); }},
      {"move", [](Transaction& t) { return t.MoveBlock("half", "small", std::nullopt).status(); }},
      {"document", [&](Transaction& t) { return t.ChangeDocument("kind", "name", large); }},
      {"effect",
       [&](Transaction& t) {
         return t.RecordEffect({"sql", large});
       }},
      {"links",
       [](Transaction& t) {
         absl::Status status;
         for (int i = 0; i <= kBound / kUndoRowBytes && status.ok(); ++i) {
           status = t.CreateLink("small", "half", absl::StrCat("r", i)).status();
         }
         return status;
       }},
      {"many blocks", [](Transaction& t) {
         absl::Status status;
         for (int i = 0; i <= kBound / kUndoRowBytes && status.ok(); ++i) {
           status = t.CreateBlock(Text("{}")).status();
         }
         return status;
       }}};
  for (const Row& row : rows) EXPECT_TRUE(store_->Commit(Context(), CommitMode::kDryRun, never_, row.body).ok());
  Reopen(kBound);
  for (const Row& row : rows) EXPECT_EQ(CodeOf(Commit(row.body)), "QUOTA_EXCEEDED") << row.name;
  EXPECT_THAT(ChildrenOf(""), ElementsAre("small", "half"));
}

TEST_P(UndoBoundTest, ATransactionMayBeLimitedToSomeChanges) {
  MakeTree(5);
  struct Row {
    const char* name;
    const char* code;
    std::function<absl::Status(Transaction&)> body;
  };
  const std::vector<Row> rows = {
      {"large deletion", "QUOTA_EXCEEDED",
       [](Transaction& t) { return t.DeleteBlock("page", Children::kDelete).status(); }},
      {"many children that move up", "QUOTA_EXCEEDED",
       [](Transaction& t) { return t.DeleteBlock("page", Children::kMoveToParent).status(); }},
      {"small deletion", "OK", [](Transaction& t) { return t.DeleteBlock("child0", Children::kDelete).status(); }},
      {"two small deletions", "QUOTA_EXCEEDED",
       [](Transaction& t) {
         const absl::Status first = t.DeleteBlock("child0", Children::kDelete).status();
         return first.ok() ? t.DeleteBlock("child1", Children::kDelete).status() : first;
       }},
      {"many creations, also of an undo", "QUOTA_EXCEEDED", [](Transaction& t) {
         t.LiftUndoBound();
         absl::Status status;
         for (int i = 0; i < 4 && status.ok(); ++i) status = t.CreateBlock(Text("{}")).status();
         return status;
       }}};
  for (const Row& row : rows) {
    const absl::Status status = store_->Commit(Context(), CommitMode::kDryRun, never_, [&](Transaction& t) {
      t.LimitChanges(3);
      return row.body(t);
    });
    EXPECT_EQ(CodeOf(status), row.code) << row.name;
    if (!status.ok()) {
      EXPECT_EQ(FactOf(status, "maxChanges"), "3") << row.name;
    }
  }
}

TEST_P(UndoBoundTest, AllOfATransactionCountsTogether) {
  Reopen(kBound);
  const auto create = [](Transaction& t) { return t.CreateBlock(Text(DataOf(kBound / 2 - kUndoRowBytes))).status(); };
  EXPECT_EQ(CodeOf(Commit([&](Transaction& t) {
              const absl::Status first = create(t);
              return first.ok() ? create(t) : first;
            })),
            "OK");
  EXPECT_EQ(CodeOf(Commit([&](Transaction& t) {
              absl::Status status;
              for (int i = 0; i < 3 && status.ok(); ++i) status = create(t);
              return status;
            })),
            "QUOTA_EXCEEDED");
}

TEST_P(UndoBoundTest, WhatWasTakenBackCountsNoMore) {
  Reopen(kBound);
  const absl::Status status = Commit([](Transaction& t) {
    for (int i = 0; i < 5; ++i) {
      const absl::Status taken_back = t.Nested([&]() -> absl::Status {
        for (const absl::Status& made :
             {t.CreateBlock(Text(DataOf(kBound / 8))).status(), t.RecordEffect({"sql", DataOf(kBound / 8)}),
              t.ChangeDocument("kind", "name", DataOf(kBound / 8))}) {
          EXPECT_TRUE(made.ok()) << made;
        }
        return absl::CancelledError("taken back");
      });
      EXPECT_TRUE(absl::IsCancelled(taken_back)) << taken_back;
    }
    return t.CreateBlock(Text(DataOf(kBound / 2))).status();
  });
  EXPECT_EQ(CodeOf(status), "OK");
}

TEST_P(UndoBoundTest, ABlockThatIsWrittenAgainCountsOnce) {
  Create("a", "", DataOf(kBound / 4));
  Reopen(kBound);
  EXPECT_EQ(CodeOf(Commit([](Transaction& t) {
              absl::Status status;
              for (int i = 0; i < 10 && status.ok(); ++i) status = t.UpdateBlock("a", DataOf(kBound / 4 + i)).status();
              return status;
            })),
            "OK");
}

TEST_P(UndoBoundTest, AChangeThatFillsTheBoundCanBeUndoneAndRedone) {
  const int64_t bytes = kBound - kUndoRowBytes;
  Create("a", "", DataOf(bytes));
  Reopen(kBound);
  const Changes deleted =
      Change("delete", [](Transaction& t) { return t.DeleteBlock("a", Children::kDelete).status(); });
  EXPECT_EQ(BytesOf(deleted), kBound);
  const Changes undone = Change("undo", [&](Transaction& t) { return t.Revert(deleted); });
  EXPECT_EQ(Find("a")->data.size(), static_cast<size_t>(bytes));
  Change("redo", [&](Transaction& t) { return t.Revert(undone); });
  EXPECT_EQ(Find("a"), std::nullopt);
}

TEST_P(UndoBoundTest, AnEntryOfAnEarlierReleaseThatIsLongerCanStillBeTakenBack) {
  MakeTree(20);
  const Changes deleted =
      Change("delete", [](Transaction& t) { return t.DeleteBlock("page", Children::kDelete).status(); });
  Reopen(kBound);
  ASSERT_GT(BytesOf(deleted), kBound);
  Change("undo", [&](Transaction& t) { return t.Revert(deleted); });
  EXPECT_THAT(ChildrenOf("page"), SizeIs(20));
}

TEST_P(UndoBoundTest, AMeasuredDeletionIsAsLargeAsTheOneMade) {
  MakeTree(3);
  Create("beside");
  for (const auto& [children, blocks] : {std::pair(Children::kMoveToParent, 3), std::pair(Children::kDelete, 6)}) {
    const DeletionSize size = SizeOfDeletion("page", children);
    EXPECT_EQ(size.blocks, blocks);
    EXPECT_TRUE(size.counted_out);
    EXPECT_TRUE(size.fits());
    EXPECT_EQ(size.max_undo_bytes, kMaxUndoBytes);
    Changes changes;
    EXPECT_TRUE(store_
                    ->Commit(Context(), CommitMode::kDryRun, never_,
                             [&, children = children](Transaction& t) {
                               const absl::Status status = t.DeleteBlock("page", children).status();
                               changes = t.changes();
                               return status;
                             })
                    .ok());
    EXPECT_EQ(size.undo_bytes, BytesOf(changes));
  }
}

TEST_P(UndoBoundTest, AMeasureCountsBytesAndNotCharacters) {
  Create("page");
  Create("a", "page", R"({"t":"日本語"})");
  Create("b", "page", "{}");
  EXPECT_EQ(SizeOfDeletion("page", Children::kDelete).undo_bytes, 3 * kUndoRowBytes + 2 + 17 + 2);
}

TEST_P(UndoBoundTest, AMeasureNamesTheFirstBlocksTopDown) {
  MakeTree(2);
  EXPECT_THAT(SizeOfDeletion("page", Children::kDelete, Measure::kWhole, 3).ids,
              ElementsAre("child0", "child1", "leaf0"));
  EXPECT_THAT(SizeOfDeletion("page", Children::kMoveToParent, Measure::kWhole, 3).ids, ElementsAre("child0", "child1"));
  EXPECT_THAT(SizeOfDeletion("leaf0", Children::kDelete, Measure::kWhole, 3).ids, IsEmpty());
}

TEST_P(UndoBoundTest, AMeasureMayEndWhenThereIsTooMuch) {
  MakeTree(20);
  Reopen(kBound);
  const DeletionSize whole = SizeOfDeletion("page", Children::kDelete);
  EXPECT_EQ(whole.blocks, 40);
  EXPECT_TRUE(whole.counted_out);
  EXPECT_FALSE(whole.fits());
  const DeletionSize part = SizeOfDeletion("page", Children::kDelete, Measure::kUntilTooMuch);
  EXPECT_LT(part.blocks, 11);
  EXPECT_FALSE(part.counted_out);
  EXPECT_FALSE(part.fits());
}

INSTANTIATE_TEST_SUITE_P(Stores, UndoBoundTest, AllBackends(), BackendName);

}  // namespace
}  // namespace toolgate::storage::testing
