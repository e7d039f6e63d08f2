#include "cli/document_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "interchange/markdown/import.h"
#include "tests/support/counting_ids.h"
#include "tests/support/source_dir.h"

namespace toolgate::cli {
namespace {

namespace fs = std::filesystem;
using interchange::markdown::Import;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "type<parent {data}" for each block, with the original ids.
std::vector<std::string> Shown(const std::vector<v1::PortableBlock>& blocks) {
  std::vector<std::string> lines;
  for (const v1::PortableBlock& block : blocks) {
    lines.push_back(absl::StrCat(block.id(), " ", block.type(), "<", block.parent_id(), " ", block.data_json()));
  }
  return lines;
}

std::vector<v1::PortableBlock> All(interchange::BlockSource& source) {
  std::vector<v1::PortableBlock> blocks;
  v1::PortableBlock block;
  while (*source.Next(block)) blocks.push_back(block);
  return blocks;
}

TEST(DocumentFolderOpenTest, AFolderBecomesPagesInTheOrderOfNames) {
  testing::CountingIds ids;
  const auto documents = DocumentFolder::Open(SourceDir() + "/tests/unit/cli/data/notes");
  ASSERT_TRUE(documents.ok()) << documents.status();
  Import source(**documents, absl::UnixEpoch(), ids);
  EXPECT_THAT(
      Shown(All(source)),
      ElementsAre(
          R"(id1 page< {"title":"notes"})", R"(id2 page<id1 {"title":"The guide","tags":["intro","how to"]})",
          R"(id3 paragraph<id2 {"content":"Some *words* and a [link](https://example.org/a_b), on two lines. snake_case stays."})",
          R"(id4 heading<id2 {"content":"Lists","level":2})", R"(id5 bulleted_list_item<id2 {"content":"one"})",
          R"(id6 bulleted_list_item<id5 {"content":"nested"})", R"(id7 bulleted_list_item<id2 {"content":"two"})",
          R"(id8 paragraph<id7 {"content":"more of two"})", R"(id9 numbered_list_item<id2 {"content":"third"})",
          R"(id10 numbered_list_item<id2 {"content":"fourth"})", R"(id11 quote<id2 {"content":"quoted"})",
          R"(id12 bulleted_list_item<id11 {"content":"in it"})",
          R"(id13 code<id2 {"language":"cpp","content":"int main() {}"})",
          R"(id14 table<id2 {"header":["a","b"],"rows":[["1","`x`"]]})", R"(id15 divider<id2 {})",
          R"(id16 page<id1 {"title":"plans"})", R"(id17 page<id16 {"title":"tasks"})",
          R"(id18 todo<id17 {"content":"buy milk","completed":false})",
          R"(id19 todo<id17 {"content":"done","completed":true})",
          R"(id20 todo<id19 {"content":"below","completed":false})"));
  EXPECT_THAT(source.Warnings(), IsEmpty());
  EXPECT_EQ(source.Place(), "plans/tasks.markdown");
  EXPECT_EQ(source.Fraction(), 1);
}

class DocumentFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "/cli_markdown_XXXXXX";
    base_ = mkdtemp(pattern.data());
    folder_ = base_ + "/notes";
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(base_); }

  void Write(const std::string& name, const std::string& text) { std::ofstream(folder_ + "/" + name) << text; }
  std::unique_ptr<Import> Open(const std::string& path) {
    auto documents = DocumentFolder::Open(path);
    EXPECT_TRUE(documents.ok()) << documents.status();
    documents_ = *std::move(documents);
    return std::make_unique<Import>(*documents_, absl::UnixEpoch(), ids_);
  }

  testing::CountingIds ids_;
  std::unique_ptr<DocumentFolder> documents_;
  std::string base_;
  std::string folder_;
};

TEST_F(DocumentFolderTest, WhatIsPassedOverIsNamed) {
  Write("good.md", "good");
  Write("latin1.md", "gr\xFC\xDF");
  Write("large.md", std::string(Import::kMaxBytes + 1, 'x'));
  Write("readme.txt", "silent");
  std::ofstream(base_ + "/outside.md") << "secret";
  fs::create_symlink(base_ + "/outside.md", folder_ + "/link_out.md");
  fs::create_symlink("good.md", folder_ + "/link_in.md");
  fs::create_symlink("nowhere.md", folder_ + "/link_dead.md");
  fs::create_directory_symlink(".", folder_ + "/loop");
  mkfifo((folder_ + "/pipe.md").c_str(), 0600);
  fs::create_directory(folder_ + "/.git");
  Write(".git/config.md", "silent");
  const auto source = Open(folder_);
  EXPECT_THAT(Shown(All(*source)),
              ElementsAre(R"(id1 page< {"title":"notes"})", R"(id2 page<id1 {"title":"good"})",
                          R"(id3 paragraph<id2 {"content":"good"})", R"(id4 page<id1 {"title":"link_in"})",
                          R"(id5 paragraph<id4 {"content":"good"})"));
  EXPECT_THAT(source->Warnings(),
              ElementsAre("large.md: larger than 10 MiB", "link_dead.md: a symbolic link that leads nowhere",
                          "link_out.md: a symbolic link out of the folder", "loop: a symbolic link to a folder",
                          "pipe.md: not a regular file", "latin1.md: not UTF-8"));
}

TEST_F(DocumentFolderTest, ASiblingWithTheSameBeginningIsOutside) {
  fs::create_directory(base_ + "/notes2");
  std::ofstream(base_ + "/notes2/x.md") << "secret";
  fs::create_symlink(base_ + "/notes2/x.md", folder_ + "/x.md");
  EXPECT_THAT(All(*Open(folder_)), IsEmpty());
}

TEST_F(DocumentFolderTest, OneFileBecomesOnePageAtTheRoot) {
  Write("one.MD", "text");
  EXPECT_THAT(Shown(All(*Open(folder_ + "/one.MD"))),
              ElementsAre(R"(id1 page< {"title":"one"})", R"(id2 paragraph<id1 {"content":"text"})"));
}

TEST_F(DocumentFolderTest, AFolderWithoutMarkdownIsNothing) {
  Write("readme.txt", "x");
  EXPECT_THAT(All(*Open(folder_)), IsEmpty());
}

TEST_F(DocumentFolderTest, AFileWithANameThatIsNoTextIsPassedOver) {
  Write("caf\xE9.md", "x");
  const auto source = Open(folder_);
  EXPECT_THAT(All(*source), IsEmpty());
  EXPECT_EQ(source->Warnings().size(), 1u);
  const auto alone = Open(folder_ + "/caf\xE9.md");
  EXPECT_THAT(All(*alone), IsEmpty());
  EXPECT_THAT(alone->Warnings(), ElementsAre("caf\xE9.md: its name is not UTF-8"));
}

TEST_F(DocumentFolderTest, AFolderBesideADocumentIsItsOwn) {
  fs::create_directories(folder_ + "/a/b");
  fs::create_directories(folder_ + "/a/sub");
  fs::create_directory(folder_ + "/empty");
  Write("a.md", "first");
  Write("a/b.markdown", "");
  Write("a/b/c.md", "");
  Write("a/sub/d.md", "");
  Write("a1.md", "");
  Write("empty.md", "");
  EXPECT_THAT(
      Shown(All(*Open(folder_))),
      ElementsAre(R"(id1 page< {"title":"notes"})", R"(id2 page<id1 {"title":"a"})",
                  R"(id3 paragraph<id2 {"content":"first"})", R"(id4 page<id2 {"title":"b"})",
                  R"(id5 page<id4 {"title":"c"})", R"(id6 page<id2 {"title":"sub"})", R"(id7 page<id6 {"title":"d"})",
                  R"(id8 page<id1 {"title":"a1"})", R"(id9 page<id1 {"title":"empty"})"));
}

TEST_F(DocumentFolderTest, AFolderKeepsItsPageWhenItsDocumentCannotBeRead) {
  fs::create_directory(folder_ + "/a");
  fs::create_directory(folder_ + "/b");
  Write("a.md", "\xFF");
  Write("a/x.md", "");
  Write("b.md", std::string(Import::kMaxBytes + 1, 'x'));
  Write("b/y.md", "");
  const auto source = Open(folder_);
  EXPECT_THAT(Shown(All(*source)), ElementsAre(R"(id1 page< {"title":"notes"})", R"(id2 page<id1 {"title":"a"})",
                                               R"(id3 page<id2 {"title":"x"})", R"(id4 page<id1 {"title":"b"})",
                                               R"(id5 page<id4 {"title":"y"})"));
  EXPECT_THAT(source->Warnings(), ElementsAre("b.md: larger than 10 MiB", "a.md: not UTF-8"));
}

TEST_F(DocumentFolderTest, TheFolderOfADocumentIsNotFollowedOutside) {
  fs::create_directory(base_ + "/outside");
  std::ofstream(base_ + "/outside/x.md") << "secret";
  fs::create_directory_symlink(base_ + "/outside", folder_ + "/a");
  Write("a.md", "");
  const auto source = Open(folder_);
  EXPECT_THAT(Shown(All(*source)), ElementsAre(R"(id1 page< {"title":"notes"})", R"(id2 page<id1 {"title":"a"})"));
  EXPECT_THAT(source->Warnings(), ElementsAre("a: a symbolic link out of the folder"));
}

TEST(DocumentFolderOpenTest, WhatIsNotThereIsSaid) {
  EXPECT_EQ(DocumentFolder::Open("/nonexistent/notes").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace toolgate::cli
