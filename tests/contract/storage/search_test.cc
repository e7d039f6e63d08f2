// Full-text search.
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "tests/contract/storage/all_backends.h"
#include "tests/contract/storage/store_fixture.h"

namespace toolgate::storage::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class SearchTest : public StoreTest {
 protected:
  std::vector<std::string> HitsOf(const SearchQuery& query) {
    std::vector<std::string> ids;
    EXPECT_TRUE(Read([&](ReadView& view) {
                  const auto page = view.Search(query);
                  if (!page.ok()) return page.status();
                  for (const SearchHit& hit : page->hits) ids.push_back(hit.block.id);
                  return absl::OkStatus();
                }).ok());
    return ids;
  }
};

TEST_P(SearchTest, FindsWhatWasCommittedBefore) {
  Create("a", "", R"({"title":"Quarterly report"})");
  EXPECT_THAT(Hits("report"), ElementsAre("a"));
  Create("b", "", R"({"title":"Another report"})");
  EXPECT_THAT(Hits("report"), UnorderedElementsAre("a", "b"));
}

TEST_P(SearchTest, SeesChangesAndDeletionsAtOnce) {
  Create("a", "", R"({"title":"walrus"})");
  ASSERT_THAT(Hits("walrus"), ElementsAre("a"));
  Change("c", [](Transaction& t) { return t.UpdateBlock("a", R"({"title":"heron"})").status(); });
  EXPECT_THAT(Hits("walrus"), IsEmpty());
  EXPECT_THAT(Hits("heron"), ElementsAre("a"));
  const auto changes = Change("d", [](Transaction& t) { return t.DeleteBlock("a", Children::kDelete).status(); });
  EXPECT_THAT(Hits("heron"), IsEmpty());
  ASSERT_TRUE(Commit([&](Transaction& t) { return t.Revert(changes); }).ok());
  EXPECT_THAT(Hits("heron"), ElementsAre("a"));
}

TEST_P(SearchTest, FailedAndDryTransactionsLeaveNoTrace) {
  Create("a", "", R"({"title":"heron"})");
  const auto write = [](Transaction& t) -> absl::Status {
    EXPECT_TRUE(t.UpdateBlock("a", R"({"title":"walrus"})").ok());
    SearchQuery query;
    query.text = "walrus";
    EXPECT_EQ(t.Search(query)->total, 1);
    return absl::OkStatus();
  };
  ASSERT_TRUE(store_->Commit(Context(), CommitMode::kDryRun, never_, write).ok());
  EXPECT_EQ(CodeOf(Commit([&](Transaction& t) {
              EXPECT_TRUE(write(t).ok());
              return MakeError(ErrorCode::kConflict, "no");
            })),
            "CONFLICT");
  EXPECT_THAT(Hits("walrus"), IsEmpty());
  EXPECT_THAT(Hits("heron"), ElementsAre("a"));
}

TEST_P(SearchTest, ASearchInANestedBodyThatFailsTakesNothingFromTheIndex) {
  // The search reads the changes of this transaction and of earlier ones, and this reading is rolled back with the
  // body.
  ASSERT_TRUE(Commit([&](Transaction& t) -> absl::Status {
                EXPECT_TRUE(t.CreateBlock({"a", "page", "", R"({"title":"heron"})", {}}).ok());
                EXPECT_FALSE(t.Nested([&]() -> absl::Status {
                                SearchQuery query;
                                query.text = "heron";
                                EXPECT_EQ(t.Search(query)->total, 1);
                                return absl::AbortedError("no");
                              }).ok());
                return t.UpdateBlock("a", R"({"title":"walrus"})").status();
              }).ok());
  EXPECT_THAT(Hits("heron"), IsEmpty());
  EXPECT_THAT(Hits("walrus"), ElementsAre("a"));
  Create("b", "", R"({"title":"walrus"})");
  EXPECT_THAT(Hits("walrus"), UnorderedElementsAre("a", "b"));
}

TEST_P(SearchTest, AllWordsMustOccurAndTheLastMayBeABeginning) {
  Create("a", "", R"({"title":"Review pull request"})");
  Create("b", "", R"({"title":"Review budget"})");
  EXPECT_THAT(Hits("review request"), ElementsAre("a"));
  EXPECT_THAT(Hits("review bud"), ElementsAre("b"));
  EXPECT_THAT(Hits("rev budget"), IsEmpty());
  EXPECT_THAT(Hits("budget REVIEW"), ElementsAre("b"));
}

TEST_P(SearchTest, AWordAskedForAgainAsksForNoMore) {
  Create("a", "", R"({"title":"Review pull request"})");
  Create("b", "", R"({"title":"Reviewer"})");
  EXPECT_THAT(Hits("review request REVIEW"), ElementsAre("a"));
  EXPECT_THAT(Hits("review pull pull pul"), ElementsAre("a"));
  // The last word must match as a whole, since it also occurs before.
  EXPECT_THAT(Hits("review review"), ElementsAre("a"));
  EXPECT_THAT(Hits("review"), UnorderedElementsAre("a", "b"));
  std::string many = "review";
  for (int i = 0; i < 330; ++i) many += i % 2 == 0 ? " réview" : " Pull";
  EXPECT_THAT(Hits(many), ElementsAre("a"));
}

TEST_P(SearchTest, MoreDifferentWordsThanASearchTakesAreRefused) {
  std::string text = "w1";
  for (size_t i = 2; i <= kMaxSearchWords; ++i) absl::StrAppend(&text, " w", i);
  Create("a", "", absl::StrCat(R"({"title":")", text, R"("})"));
  EXPECT_THAT(Hits(text), ElementsAre("a"));
  const auto search = [](ReadView& view, const std::string& words) {
    SearchQuery query;
    query.text = words;
    return view.Search(query).status();
  };
  EXPECT_TRUE(Read([&](ReadView& view) {
                const auto error = GetToolError(search(view, text + " w0"));
                EXPECT_TRUE(error.has_value());
                if (!error.has_value()) return absl::OkStatus();
                EXPECT_EQ(error->code, ErrorCode::kInvalidParams);
                EXPECT_EQ(error->violations.size(), 1u);
                EXPECT_EQ(error->violations[0].path, "");
                EXPECT_EQ(error->violations[0].found, "33 different words");
                return search(view, text + " w1 w2");
              }).ok());
}

TEST_P(SearchTest, NarrowsToChildrenOfABlock) {
  Create("p", "", R"({"title":"heron"})");
  Create("a", "p", R"({"title":"heron"})");
  Create("b", "a", R"({"title":"heron"})");
  for (const char* text : {"heron", ""}) {
    SearchQuery query;
    query.text = text;
    query.parent_id = "p";
    EXPECT_THAT(HitsOf(query), ElementsAre("a")) << text;
    query.parent_id = "";
    EXPECT_THAT(HitsOf(query), ElementsAre("p")) << text;
  }
}

TEST_P(SearchTest, SortsInsteadOfRankingWhenAsked) {
  Create("a", "", R"({"title":"heron","n":2})");
  Create("b", "", R"({"title":"heron heron heron","n":3})");
  Create("c", "", R"({"body":"far away there was once a heron","n":1})");
  Create("d", "", R"({"body":"heron"})");
  SearchQuery query;
  query.text = "heron";
  query.sort = {{Field::Data({"n"}), true}};
  EXPECT_THAT(HitsOf(query), ElementsAre("b", "a", "c", "d"));
  query.sort = {{Field::Data({"n"}), false}};
  EXPECT_THAT(HitsOf(query), ElementsAre("c", "a", "b", "d"));
  query.offset = 1;
  query.limit = 2;
  EXPECT_THAT(HitsOf(query), ElementsAre("a", "b"));
  query.text = "";
  EXPECT_THAT(HitsOf(query), ElementsAre("a", "b"));
}

TEST_P(SearchTest, TheBestHitHasScoreOneWhateverTheOrder) {
  Create("a", "", R"({"body":"far away there was once a heron","n":1})");
  Create("b", "", R"({"title":"heron","n":2})");
  SearchQuery query;
  query.text = "heron";
  query.sort = {{Field::Data({"n"}), false}};
  ASSERT_TRUE(Read([&](ReadView& view) {
                const auto page = view.Search(query);
                EXPECT_EQ(page->hits.at(1).score, 1.0);
                EXPECT_LT(page->hits.at(0).score, 1.0);
                return page.status();
              }).ok());
}

TEST_P(SearchTest, WordsMayStandInDifferentValues) {
  Create("a", "", R"({"title":"Plan","tags":["alpha",{"deep":"beta"}],"n":7})");
  EXPECT_THAT(Hits("plan alpha beta"), ElementsAre("a"));
  EXPECT_THAT(Hits("tags"), IsEmpty()) << "keys are not text";
}

TEST_P(SearchTest, DiacriticsAndCaseDoNotMatter) {
  Create("a", "", R"({"title":"Café Übermut"})");
  EXPECT_THAT(Hits("cafe"), ElementsAre("a"));
  EXPECT_THAT(Hits("ÜBERMUT"), ElementsAre("a"));
}

TEST_P(SearchTest, TextIsNeverQuerySyntax) {
  Create("a", "", R"({"title":"alpha and beta OR near"})");
  for (const char* text :
       {"\"", "\"alpha", "alpha\"", "alpha*", "(alpha", "alpha)", "title:alpha", "-alpha", "alpha^2",
        "NEAR(alpha beta)", "alpha AND", "{title}:alpha", "'; DROP TABLE blocks; --", "alpha + beta"}) {
    Search(text);  // The fixture expects it not to fail.
  }
  EXPECT_THAT(Hits("\"alpha\" (beta)"), ElementsAre("a"));
  EXPECT_THAT(Hits("alpha NOT beta"), IsEmpty());
  EXPECT_THAT(Hits("alpha and beta or"), ElementsAre("a"));
  EXPECT_THAT(Hits("!!! --"), IsEmpty());
}

TEST_P(SearchTest, BetterHitsComeFirstAndTheBestHasScoreOne) {
  Create("body", "", R"({"title":"Other things","notes":"a walrus among many words that are not about it at all"})");
  Create("title", "", R"({"title":"Walrus"})");
  const SearchPage page = Search("walrus");
  ASSERT_EQ(page.hits.size(), 2u);
  EXPECT_EQ(page.hits[0].block.id, "title");
  EXPECT_DOUBLE_EQ(page.hits[0].score, 1.0);
  EXPECT_GT(page.hits[1].score, 0.0);
  EXPECT_LT(page.hits[1].score, 1.0);
}

TEST_P(SearchTest, NarrowsByTypeAncestorAndFilter) {
  Create("p", "", "{}", "page");
  Create("a", "p", R"({"title":"walrus","n":1})", "todo");
  Create("b", "p", R"({"title":"walrus","n":2})", "text");
  Create("c", "", R"({"title":"walrus","n":2})", "todo");
  const auto hits = [&](const SearchQuery& query) {
    std::vector<std::string> ids;
    EXPECT_TRUE(Read([&](ReadView& view) {
                  const auto page = view.Search(query);
                  for (const SearchHit& hit : page->hits) ids.push_back(hit.block.id);
                  return page.status();
                }).ok());
    return ids;
  };
  for (const char* text : {"walrus", ""}) {
    SearchQuery query;
    query.text = text;
    query.types = {"todo"};
    EXPECT_THAT(hits(query), UnorderedElementsAre("a", "c")) << text;
    query.ancestor_id = "p";
    EXPECT_THAT(hits(query), ElementsAre("a")) << text;
    query.types = {"todo", "text"};
    query.ancestor_id = std::nullopt;
    query.filter = Filter::Compare(Field::Data({"n"}), Filter::Op::kEquals, 2);
    EXPECT_THAT(hits(query), UnorderedElementsAre("b", "c")) << text;
  }
}

TEST_P(SearchTest, EmptyTextAnswersTheNewestFirst) {
  for (const char* id : {"c", "a", "b"}) {
    Create(id);
    clock_.Advance(absl::Seconds(1));
  }
  EXPECT_THAT(Hits(""), ElementsAre("b", "a", "c"));
  EXPECT_THAT(Hits(" \t\n"), ElementsAre("b", "a", "c"));
}

TEST_P(SearchTest, PagesOverAllHits) {
  for (int i = 0; i < 25; ++i) Create("b" + std::to_string(i), "", R"({"title":"walrus"})");
  std::vector<std::string> ids;
  for (int offset = 0; offset < 30; offset += 10) {
    SearchQuery query;
    query.text = "walrus";
    query.offset = offset;
    EXPECT_TRUE(Read([&](ReadView& view) {
                  const auto page = view.Search(query);
                  EXPECT_EQ(page->total, 25);
                  for (const SearchHit& hit : page->hits) ids.push_back(hit.block.id);
                  return page.status();
                }).ok());
  }
  EXPECT_EQ(ids.size(), 25u);
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(std::unique(ids.begin(), ids.end()), ids.end());
}

TEST_P(SearchTest, SeesOneWorkspaceOnly) {
  Create("a", "", R"({"title":"walrus"})");
  EXPECT_THAT(Hits("walrus", "other"), IsEmpty());
  EXPECT_THAT(Hits("", "other"), IsEmpty());
  EXPECT_THAT(Hits("w1"), IsEmpty()) << "how a workspace is marked is not text";
}

INSTANTIATE_TEST_SUITE_P(Stores, SearchTest, AllBackends(), BackendName);

}  // namespace
}  // namespace toolgate::storage::testing
