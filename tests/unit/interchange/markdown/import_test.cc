#include "interchange/markdown/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/counting_ids.h"

namespace toolgate::interchange::markdown {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Documents by path, in memory.
class MemoryTree final : public DocumentTree {
 public:
  explicit MemoryTree(std::map<std::string, std::string> documents, std::optional<std::string> title = "notes")
      : documents_(std::move(documents)), title_(std::move(title)) {}

  std::optional<std::string> Title() const override { return title_; }

  Listing List(const std::string& folder) override {
    Listing listing;
    std::set<std::string> folders;
    const std::string prefix = folder.empty() ? "" : folder + "/";
    for (const auto& [path, text] : documents_) {
      if (path.compare(0, prefix.size(), prefix) != 0) continue;
      const std::string rest = path.substr(prefix.size());
      const size_t slash = rest.find('/');
      if (slash == std::string::npos) {
        listing.entries.push_back({.name = rest, .bytes = static_cast<int64_t>(text.size())});
      } else if (folders.insert(rest.substr(0, slash)).second) {
        listing.entries.push_back({.name = rest.substr(0, slash), .is_folder = true});
      }
    }
    return listing;
  }

  absl::StatusOr<std::string> Read(const std::string& document) override {
    const std::string& text = documents_.at(document);
    if (text == "unreadable") return absl::PermissionDeniedError("cannot be read");
    return text;
  }

 private:
  const std::map<std::string, std::string> documents_;
  const std::optional<std::string> title_;
};

// "id type<parent {data}" for each block.
std::vector<std::string> All(Import& source) {
  std::vector<std::string> lines;
  v1::PortableBlock block;
  while (*source.Next(block)) {
    lines.push_back(absl::StrCat(block.id(), " ", block.type(), "<", block.parent_id(), " ", block.data_json()));
  }
  return lines;
}

class ImportTest : public ::testing::Test {
 protected:
  Import Of(MemoryTree& tree) { return Import(tree, absl::UnixEpoch(), ids_); }

  testing::CountingIds ids_;
};

TEST_F(ImportTest, FoldersAndDocumentsBecomePagesInTheOrderOfNames) {
  MemoryTree tree({{"b.md", "text"}, {"a/c.markdown", ""}, {"a b.md", ""}});
  Import source = Of(tree);
  EXPECT_LT(source.Fraction(), 1);
  EXPECT_THAT(All(source), ElementsAre(R"(id1 page< {"title":"notes"})", R"(id2 page<id1 {"title":"a"})",
                                       R"(id3 page<id2 {"title":"c"})", R"(id4 page<id1 {"title":"a b"})",
                                       R"(id5 page<id1 {"title":"b"})", R"(id6 paragraph<id5 {"content":"text"})"));
  EXPECT_EQ(source.Place(), "b.md");
  EXPECT_EQ(source.Fraction(), 1);
}

TEST_F(ImportTest, ATreeWithoutATitleHasNoPageOfItsOwn) {
  MemoryTree tree({{"a.md", ""}, {"a/b.md", ""}, {"c.md", ""}}, std::nullopt);
  Import source = Of(tree);
  EXPECT_THAT(All(source),
              ElementsAre(R"(id1 page< {"title":"a"})", R"(id2 page<id1 {"title":"b"})", R"(id3 page< {"title":"c"})"));
}

TEST_F(ImportTest, ATreeWithoutDocumentsIsNothing) {
  MemoryTree tree({});
  Import source = Of(tree);
  EXPECT_THAT(All(source), IsEmpty());
}

TEST_F(ImportTest, AFolderBelongsToOneDocument) {
  MemoryTree tree({{"a.markdown", ""}, {"a.md", ""}, {"a/b.md", ""}});
  Import source = Of(tree);
  EXPECT_THAT(All(source), ElementsAre(R"(id1 page< {"title":"notes"})", R"(id2 page<id1 {"title":"a"})",
                                       R"(id3 page<id2 {"title":"b"})", R"(id4 page<id1 {"title":"a"})"));
}

TEST_F(ImportTest, ADocumentThatIsPassedOverIsNamedAndKeepsTheOthers) {
  MemoryTree tree(
      {{"a.md", "\xFF"}, {"b.md", std::string(Import::kMaxBytes + 1, 'x')}, {"c.md", "unreadable"}, {"c/d.md", ""}});
  Import source = Of(tree);
  EXPECT_THAT(All(source), ElementsAre(R"(id1 page< {"title":"notes"})", R"(id2 page<id1 {"title":"c"})",
                                       R"(id3 page<id2 {"title":"d"})"));
  EXPECT_THAT(source.Warnings(), ElementsAre("a.md: not UTF-8", "b.md: larger than 10 MiB", "c.md: cannot be read"));
}

TEST_F(ImportTest, FoldersAreFollowedToADepth) {
  std::string folder;
  for (int i = 0; i < 70; ++i) folder += "f/";
  MemoryTree tree({{"a.md", ""}, {folder + "deep.md", ""}});
  Import source = Of(tree);
  EXPECT_THAT(All(source), ElementsAre(R"(id1 page< {"title":"notes"})", R"(id2 page<id1 {"title":"a"})"));
  ASSERT_EQ(source.Warnings().size(), 1u);
  EXPECT_EQ(source.Warnings()[0].substr(129), ": nested too deep");
}

}  // namespace
}  // namespace toolgate::interchange::markdown
