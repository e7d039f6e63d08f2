// Files of pages.
#include "gmock/gmock.h"
#include "tests/contract/storage/all_backends.h"
#include "tests/contract/storage/store_fixture.h"

namespace toolgate::storage::testing {
namespace {

using ::testing::ElementsAre;

class FilesTest : public StoreTest {
 protected:
  absl::Status Write(int64_t page_count, const std::map<int64_t, std::string>& pages, std::string_view change_id = "c",
                     std::string_view workspace = "w") {
    return Commit(Context(change_id, workspace), [&](Transaction& t) { return t.WriteFile("f", page_count, pages); });
  }
  // Its change id and its pages; "none" alone when there is no file.
  std::vector<std::string> Content(std::string_view workspace = "w", std::string_view name = "f") {
    std::vector<std::string> content;
    EXPECT_TRUE(Read(
                    [&](ReadView& view) {
                      const auto head = view.FindFile(name);
                      content = {head->has_value() ? (*head)->change_id : "none"};
                      for (int64_t i = 0; head->has_value() && i < (*head)->page_count; ++i) {
                        content.push_back(*view.ReadFilePage(name, i));
                      }
                      return head.status();
                    },
                    workspace)
                    .ok());
    return content;
  }
};

TEST_P(FilesTest, PagesAreReplacedOneByOne) {
  EXPECT_THAT(Content(), ElementsAre("none"));
  ASSERT_TRUE(Write(2, {{0, std::string("\0one", 4)}, {1, "two"}}, "first").ok());
  EXPECT_THAT(Content(), ElementsAre("first", std::string("\0one", 4), "two"));
  ASSERT_TRUE(Write(3, {{1, "TWO"}, {2, "three"}}, "second").ok());
  EXPECT_THAT(Content(), ElementsAre("second", std::string("\0one", 4), "TWO", "three"));
  Reopen();
  EXPECT_THAT(Content(), ElementsAre("second", std::string("\0one", 4), "TWO", "three"));
}

TEST_P(FilesTest, ShorterFileLosesItsLastPages) {
  ASSERT_TRUE(Write(3, {{0, "one"}, {1, "two"}, {2, "three"}}).ok());
  ASSERT_TRUE(Write(1, {}, "cut").ok());
  EXPECT_THAT(Content(), ElementsAre("cut", "one"));
  ASSERT_TRUE(Write(2, {{1, "new"}}, "grown").ok());
  EXPECT_THAT(Content(), ElementsAre("grown", "one", "new"));
  ASSERT_TRUE(Write(0, {}, "gone").ok());
  EXPECT_THAT(Content(), ElementsAre("none"));
}

TEST_P(FilesTest, PageBeyondTheEndIsRefused) {
  EXPECT_EQ(Write(1, {{0, "one"}, {1, "two"}}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Write(1, {{-1, "one"}}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(Content(), ElementsAre("none"));
}

TEST_P(FilesTest, MissingPageIsDataLoss) {
  ASSERT_TRUE(Write(2, {{0, "one"}}).ok());
  EXPECT_TRUE(Read([](ReadView& view) {
                EXPECT_EQ(view.ReadFilePage("f", 1).status().code(), absl::StatusCode::kDataLoss);
                return absl::OkStatus();
              }).ok());
}

TEST_P(FilesTest, WorkspacesHaveFilesOfTheirOwn) {
  ASSERT_TRUE(Write(1, {{0, "mine"}}).ok());
  ASSERT_TRUE(Write(1, {{0, "theirs"}}, "c", "other").ok());
  EXPECT_THAT(Content(), ElementsAre("c", "mine"));
  EXPECT_THAT(Content("other"), ElementsAre("c", "theirs"));
  EXPECT_THAT(Content("third"), ElementsAre("none"));
  EXPECT_THAT(Content("w", "g"), ElementsAre("none"));
}

TEST_P(FilesTest, FailedBodyAndDryRunWriteNothing) {
  ASSERT_TRUE(Write(1, {{0, "one"}}, "first").ok());
  EXPECT_FALSE(Commit([](Transaction& t) {
                 EXPECT_TRUE(t.WriteFile("f", 1, {{0, "two"}}).ok());
                 EXPECT_EQ(*t.ReadFilePage("f", 0), "two");
                 return absl::CancelledError("no");
               }).ok());
  EXPECT_TRUE(store_
                  ->Commit(Context("dry"), CommitMode::kDryRun, never_,
                           [](Transaction& t) {
                             return t.WriteFile("f", 1, {{0, "three"}});
                           })
                  .ok());
  EXPECT_THAT(Content(), ElementsAre("first", "one"));
}

INSTANTIATE_TEST_SUITE_P(Stores, FilesTest, AllBackends(), BackendName);

}  // namespace
}  // namespace toolgate::storage::testing
