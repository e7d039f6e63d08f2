// Searches find what the index has not read yet, as they would if it had, and do not write for it.
#include "storage/sqlite/search_tail.h"

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "common/fibers/cancellation.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "storage/query.h"
#include "storage/sqlite/sqlite_store.h"
#include "storage/sqlite/word_completions.h"
#include "tests/support/fake_clock.h"
#include "tests/support/sqlite_test_store.h"
#include "tests/support/store_options.h"
#include "tests/support/temp_dir.h"

namespace toolgate::storage::sqlite {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class SearchTailTest : public ::testing::Test {
 protected:
  SearchTailTest() {
    SqliteStore::Options options = testing::StoreOptions();
    options.data_dir = dir_.path() + "/data";
    options.clock = &clock_;
    options.background = false;
    auto store = testing::SqliteTestStore::Create(options);
    EXPECT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
  }

  void Change(std::string_view workspace, absl::FunctionRef<absl::Status(Transaction&)> body) {
    const WriteContext context{std::string(workspace), "alice", absl::StrCat("change-", ++changes_), clock_.Now()};
    const absl::Status status = store_->Commit(context, CommitMode::kDurable, never_, body);
    ASSERT_TRUE(status.ok()) << status;
  }
  void Put(std::string_view id, std::string_view title, std::string_view body = "", std::string_view workspace = "w") {
    Change(workspace, [&](Transaction& transaction) {
      return transaction
          .CreateBlock({.id = std::string(id),
                        .type = "text",
                        .parent_id = "",
                        .data = absl::StrCat(R"({"title":")", std::string(title), R"(","notes":[")", std::string(body),
                                             R"("]})"),
                        .position = {}})
          .status();
    });
  }
  void Rewrite(std::string_view id, std::string_view title) {
    Change("w", [&](Transaction& transaction) {
      return transaction.UpdateBlock(id, absl::StrCat(R"({"title":")", std::string(title), R"("})")).status();
    });
  }
  void Delete(std::string_view id) {
    Change("w", [&](Transaction& transaction) { return transaction.DeleteBlock(id, Children::kDelete).status(); });
  }
  void BringIndexUpToDate() { ASSERT_TRUE(store_->Maintain().ok()); }

  SearchPage Search(SearchQuery query, std::string_view workspace = "w") {
    SearchPage found;
    const absl::Status status = store_->Read(workspace, [&](ReadView& view) -> absl::Status {
      absl::StatusOr<SearchPage> page = view.Search(query);
      if (!page.ok()) return page.status();
      found = *std::move(page);
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_LE(found.hits.size(), static_cast<size_t>(found.total));
    return found;
  }
  std::vector<std::string> Find(std::string_view text, std::string_view workspace = "w") {
    SearchQuery query;
    query.text = std::string(text);
    std::vector<std::string> ids;
    for (const SearchHit& hit : Search(query, workspace).hits) ids.push_back(hit.block.id);
    return ids;
  }
  // Runs `search` before and after the index has read everything; the first must not write.
  void Twice(absl::FunctionRef<void()> search) {
    const uint64_t commits = store_->commits();
    {
      SCOPED_TRACE("the index is behind");
      search();
    }
    EXPECT_EQ(store_->commits(), commits) << "a search of a short tail writes nothing";
    BringIndexUpToDate();
    EXPECT_GT(store_->commits(), commits) << "there was a tail";
    SCOPED_TRACE("the index is up to date");
    search();
  }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  fibers::Cancellation never_;
  int changes_ = 0;
  std::unique_ptr<testing::SqliteTestStore> store_;
};

TEST_F(SearchTailTest, ABeginningStandsForEachWordThatHasIt) {
  for (const char* word : {"work", "worked", "works", "worm", "wor"}) Put(word, absl::StrCat("some ", word));
  Put("theirs", "some working", "", "another");
  BringIndexUpToDate();
  EXPECT_THAT(Find("some work"), UnorderedElementsAre("work", "worked", "works"));
  EXPECT_THAT(Find("wor"), UnorderedElementsAre("work", "worked", "works", "worm", "wor"));
  EXPECT_THAT(Find("worki"), IsEmpty());
  EXPECT_THAT(Find("worki", "another"), ElementsAre("theirs"));
  EXPECT_THAT(Find("work some"), ElementsAre("work")) << "only the last word is a beginning";
  Delete("worked");
  BringIndexUpToDate();
  EXPECT_THAT(Find("worke"), IsEmpty());
}

TEST_F(SearchTailTest, ABeginningOfMoreWordsThanASearchTakesFindsTheFirst) {
  std::string words;
  for (size_t i = 0; i < kMaxCompletions + 10; ++i) absl::StrAppend(&words, "number", 1000 + i, " ");
  Put("all", words);
  Put("last", "number9999");
  BringIndexUpToDate();
  SearchQuery query;
  query.text = "number";
  const SearchPage page = Search(query);
  ASSERT_EQ(page.hits.size(), 1u);
  EXPECT_EQ(page.hits[0].block.id, "all");
  EXPECT_TRUE(page.total_is_lower_bound);
  EXPECT_THAT(Find("number9"), ElementsAre("last"));
}

TEST_F(SearchTailTest, NewBlocksAreFoundByWordsAndByTheBeginningOfTheLast) {
  Put("a", "Blue walrus", "sleeps on ice");
  Put("b", "walrusses", "blue");
  Put("c", "seal", "walrus");
  Twice([&] {
    EXPECT_THAT(Find("walr"), UnorderedElementsAre("a", "b", "c"));
    EXPECT_THAT(Find("walrus blue"), ElementsAre("a")) << "only the last word is a beginning";
    EXPECT_THAT(Find("blue walrus"), UnorderedElementsAre("a", "b"));
    EXPECT_THAT(Find("ice walrus"), ElementsAre("a"));
    EXPECT_THAT(Find("alrus"), IsEmpty());
  });
}

TEST_F(SearchTailTest, WordsAreFoldedAsTheIndexFoldsThem) {
  Put("a", "CAFÉ Zürich", "naïve");
  Put("b", "Ελλάδα Москва", "東京");
  Twice([&] {
    EXPECT_THAT(Find("cafe zurich"), ElementsAre("a"));
    EXPECT_THAT(Find("NAIVE"), ElementsAre("a"));
    EXPECT_THAT(Find("москва"), ElementsAre("b"));
    EXPECT_THAT(Find("東京"), ElementsAre("b"));
  });
}

TEST_F(SearchTailTest, AChangedBlockIsFoundByItsNewWordsAlone) {
  Put("a", "walrus");
  Put("b", "walrus");
  BringIndexUpToDate();
  Rewrite("a", "penguin");
  Twice([&] {
    EXPECT_THAT(Find("walrus"), ElementsAre("b"));
    EXPECT_THAT(Find("penguin"), ElementsAre("a"));
  });
}

TEST_F(SearchTailTest, ADeletedBlockIsNotFound) {
  Put("a", "walrus");
  Put("b", "walrus");
  BringIndexUpToDate();
  Delete("a");
  Twice([&] { EXPECT_THAT(Find("walrus"), ElementsAre("b")); });
}

TEST_F(SearchTailTest, OtherWorkspacesAreNotFoundAndDoNotCount) {
  Put("a", "walrus");
  for (size_t i = 0; i < 2 * kMaxTailBlocks; ++i) Put(absl::StrCat("v", i), "walrus", "", "v");
  Twice([&] { EXPECT_THAT(Find("walrus"), ElementsAre("a")); });
}

TEST_F(SearchTailTest, TheTailIsRankedAmongTheOthers) {
  // Rare enough that each word weighs, in a title more than in a text, in a short block more than in a long one.
  for (int i = 0; i < 50; ++i) Put(absl::StrCat("other", i), "seal", "ice and snow and more of both");
  Put("long", "ice", "walrus and many other animals that live in the north, and what they eat there in winter");
  Put("title", "walrus");
  BringIndexUpToDate();
  Put("often", "walrus walrus", "walrus");
  Put("text", "ice", "walrus");
  Twice([&] { EXPECT_THAT(Find("walrus"), ElementsAre("often", "title", "text", "long")); });
}

TEST_F(SearchTailTest, ScoresOfTheTailAreThoseOfTheIndex) {
  for (int i = 0; i < 400; ++i) Put(absl::StrCat("other", i), "seal", "ice and snow");
  Put("last", "ice", "a tusk that no walrus has any more, for it is in a museum now, behind glass");
  BringIndexUpToDate();
  Put("best", "walrus", "tusk");
  Put("second", "ice", "walrus and tusk and more");
  SearchQuery query;
  query.text = "walrus tusk";
  std::vector<double> scores;
  Twice([&] {
    const SearchPage page = Search(query);
    ASSERT_EQ(page.hits.size(), 3u);
    EXPECT_EQ(page.hits[0].block.id, "best");
    EXPECT_EQ(page.hits[0].score, 1);
    scores.push_back(page.hits[1].score);
  });
  ASSERT_EQ(scores.size(), 2u);
  EXPECT_NEAR(scores[0], scores[1], 0.1);
  EXPECT_LT(scores[0], 0.9);
}

TEST_F(SearchTailTest, FiltersHoldInTheTail) {
  Put("page", "walrus");
  BringIndexUpToDate();
  Change("w", [&](Transaction& transaction) {
    return transaction
        .CreateBlock(
            {.id = "below", .type = "note", .parent_id = "page", .data = R"({"title":"walrus"})", .position = {}})
        .status();
  });
  Put("beside", "walrus");
  Twice([&] {
    SearchQuery query;
    query.text = "walrus";
    query.ancestor_id = "page";
    EXPECT_EQ(Search(query).total, 1);
    query.ancestor_id.reset();
    query.types = {"text"};
    EXPECT_EQ(Search(query).total, 2);
    query.types.clear();
    query.filter = Filter::Compare({Field::Kind::kType}, Filter::Op::kEquals, "note");
    EXPECT_EQ(Search(query).total, 1);
    query.filter.reset();
    query.limit = 1;
    query.offset = 2;
    const SearchPage last = Search(query);
    EXPECT_EQ(last.total, 3);
    EXPECT_EQ(last.hits.size(), 1u);
  });
}

TEST_F(SearchTailTest, ASortedAnswerIsSortedThroughout) {
  Put("b", "walrus b");
  BringIndexUpToDate();
  Put("c", "walrus c");
  Put("a", "walrus a");
  SearchQuery query;
  query.text = "walrus";
  query.sort = {{Field::Data({"title"}), false}};
  std::vector<std::string> ids;
  for (const SearchHit& hit : Search(query).hits) ids.push_back(hit.block.id);
  EXPECT_THAT(ids, ElementsAre("a", "b", "c"));
}

TEST_F(SearchTailTest, ALongTailIsReadIntoTheIndexFirst) {
  for (size_t i = 0; i <= kMaxTailBlocks; ++i) Put(absl::StrCat("b", i), "walrus");
  const uint64_t commits = store_->commits();
  SearchQuery query;
  query.text = "walrus";
  EXPECT_EQ(Search(query).total, static_cast<int64_t>(kMaxTailBlocks) + 1);
  EXPECT_EQ(store_->commits(), commits + 1);
  Put("one more", "walrus");
  EXPECT_EQ(Search(query).total, static_cast<int64_t>(kMaxTailBlocks) + 2);
  EXPECT_EQ(store_->commits(), commits + 2) << "that of the block alone";
}

TEST_F(SearchTailTest, FewButLongTextsAreReadIntoTheIndexFirst) {
  Put("long", "walrus", std::string(static_cast<size_t>(kMaxTailBytes), 'x'));
  const uint64_t commits = store_->commits();
  EXPECT_THAT(Find("walrus"), ElementsAre("long"));
  EXPECT_EQ(store_->commits(), commits + 1);
}

TEST_F(SearchTailTest, ATransactionFindsItsOwnChanges) {
  Put("a", "walrus");
  BringIndexUpToDate();
  int64_t found = 0;
  Change("w", [&](Transaction& transaction) -> absl::Status {
    if (auto changed = transaction.UpdateBlock("a", R"({"title":"seal"})"); !changed.ok()) return changed.status();
    if (auto made = transaction.CreateBlock({"b", "text", "", R"({"title":"walrus"})", {}}); !made.ok()) {
      return made.status();
    }
    SearchQuery query;
    query.text = "walrus";
    const absl::StatusOr<SearchPage> page = transaction.Search(query);
    if (!page.ok()) return page.status();
    found = page->total;
    return absl::OkStatus();
  });
  EXPECT_EQ(found, 1);
}

}  // namespace
}  // namespace toolgate::storage::sqlite
