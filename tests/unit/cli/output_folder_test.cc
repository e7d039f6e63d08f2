#include "cli/output_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cli/document_folder.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "interchange/markdown/export.h"
#include "interchange/markdown/import.h"
#include "tests/support/counting_ids.h"

namespace toolgate::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class OutputFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = ::testing::TempDir() + "/cli_export_XXXXXX";
    base_ = mkdtemp(pattern.data());
    folder_ = base_ + "/notes";
  }
  void TearDown() override { fs::remove_all(base_); }

  // A block as the service sends it.
  static v1::PortableBlock Block(std::string_view id, std::string_view parent, std::string_view type,
                                 const Json& data) {
    v1::PortableBlock block;
    block.set_id(std::string(id));
    block.set_parent_id(std::string(parent));
    block.set_type(std::string(type));
    block.set_data_json(DumpJson(data));
    return block;
  }
  static v1::PortableBlock Page(std::string_view id, std::string_view parent, std::string_view title) {
    return Block(id, parent, "page", {{"title", std::string(title)}});
  }
  static v1::PortableBlock Text(std::string_view id, std::string_view parent, std::string_view content) {
    return Block(id, parent, "paragraph", {{"content", std::string(content)}});
  }

  absl::Status Export(const std::vector<v1::PortableBlock>& blocks, bool force = false) {
    auto created = OutputFolder::Create(folder_, force);
    if (!created.ok()) return created.status();
    output_ = *std::move(created);
    export_ = std::make_unique<interchange::markdown::Export>(
        [&](const std::string& path, std::string_view text) { return output_->Write(path, text); });
    for (const v1::PortableBlock& block : blocks) {
      if (absl::Status status = export_->Add(block); !status.ok()) return status;
    }
    return export_->Finish();
  }

  std::string Read(const std::string& name) {
    std::stringstream text;
    text << std::ifstream(folder_ + "/" + name, std::ios::binary).rdbuf();
    return text.str();
  }
  // Everything below the folder, folders with "/" behind.
  std::vector<std::string> Listing() {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
      names.push_back(fs::relative(entry.path(), folder_).string() + (entry.is_directory() ? "/" : ""));
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  std::string base_;
  std::string folder_;
  std::unique_ptr<OutputFolder> output_;
  std::unique_ptr<interchange::markdown::Export> export_;
};

TEST_F(OutputFolderTest, DocumentsBelowADocumentLieInItsFolder) {
  ASSERT_TRUE(
      Export({Page("1", "", "Plans"), Text("2", "1", "first"), Page("3", "1", "Spring"), Text("4", "3", "in it"),
              Block("5", "3", "note", {{"title", "N"}, {"body", "b"}}), Text("6", "1", "second"),
              Text("7", "", "loose"), Page("8", "7", "Below loose"), Page("9", "", "plans")})
          .ok());
  EXPECT_THAT(Listing(), ElementsAre("Loose blocks.md", "Loose blocks/", "Loose blocks/Below loose.md", "Plans.md",
                                     "Plans/", "Plans/Spring.md", "Plans/Spring/", "Plans/Spring/N.md", "plans 2.md"));
  EXPECT_EQ(Read("Plans.md"), "# Plans\n\nfirst\n\nsecond\n");
  EXPECT_EQ(Read("Plans/Spring.md"), "# Spring\n\nin it\n");
  EXPECT_EQ(Read("Plans/Spring/N.md"), "# N\n\nb\n");
  EXPECT_EQ(Read("Loose blocks.md"), "# Loose blocks\n\nloose\n");
  EXPECT_EQ(export_->files(), 6);
  EXPECT_EQ(fs::status(folder_ + "/Plans.md").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(fs::status(folder_ + "/Plans").permissions(), fs::perms::owner_all);
}

TEST_F(OutputFolderTest, ImportGivesThePagesBack) {
  ASSERT_TRUE(Export({Page("1", "", "A/b *c*"), Text("2", "1", "x"), Page("3", "1", "D"), Page("4", "3", "E.md"),
                      Page("5", "4", "F"), Page("6", "", "A")})
                  .ok());
  testing::CountingIds ids;
  const auto documents = DocumentFolder::Open(folder_);
  ASSERT_TRUE(documents.ok());
  interchange::markdown::Import source(**documents, absl::UnixEpoch(), ids);
  std::vector<std::string> shown;
  v1::PortableBlock block;
  while (*source.Next(block)) {
    shown.push_back(absl::StrCat(block.id(), " ", block.type(), "<", block.parent_id(), " ", block.data_json()));
  }
  EXPECT_THAT(shown, ElementsAre(R"(id1 page< {"title":"notes"})", R"(id2 page<id1 {"title":"A/b *c*"})",
                                 R"(id3 paragraph<id2 {"content":"x"})", R"(id4 page<id2 {"title":"D"})",
                                 R"(id5 page<id4 {"title":"E.md"})", R"(id6 page<id5 {"title":"F"})",
                                 R"(id7 page<id1 {"title":"A"})"));
  EXPECT_THAT(source.Warnings(), IsEmpty());
}

TEST_F(OutputFolderTest, NothingIsWrittenOutside) {
  ASSERT_TRUE(Export({Page("1", "", "../up"), Page("2", "1", "/etc/x"), Page("3", "2", "..")}).ok());
  EXPECT_THAT(Listing(), ElementsAre("-up.md", "-up/", "-up/-etc-x.md", "-up/-etc-x/", "-up/-etc-x/Untitled.md"));
  EXPECT_EQ(std::distance(fs::directory_iterator(base_), fs::directory_iterator()), 1);
}

TEST_F(OutputFolderTest, LinksInTheFolderAreNotFollowed) {
  fs::create_directory(folder_);
  fs::create_directory(base_ + "/outside");
  std::ofstream(base_ + "/outside/file") << "precious";
  fs::create_directory_symlink(base_ + "/outside", folder_ + "/A");
  fs::create_symlink(base_ + "/outside/file", folder_ + "/B.md");
  EXPECT_TRUE(Export({Page("1", "", "B")}, true).ok());
  const absl::Status status = Export({Page("1", "", "A"), Page("2", "1", "C")}, true);
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot create the folder " + folder_ + "/A"));
  EXPECT_EQ(status.message().find("File exists"), status.message().rfind("File exists"));
  EXPECT_EQ(std::distance(fs::directory_iterator(base_ + "/outside"), fs::directory_iterator()), 1);
  EXPECT_EQ(fs::file_size(base_ + "/outside/file"), 8u);
  EXPECT_FALSE(fs::is_symlink(folder_ + "/B.md"));
}

TEST_F(OutputFolderTest, AFolderWithAnythingInItNeedsForce) {
  fs::create_directory(folder_);
  EXPECT_TRUE(Export({}).ok());
  std::ofstream(folder_ + "/A.md") << "old";
  std::ofstream(folder_ + "/kept.txt") << "kept";
  EXPECT_EQ(Export({Page("1", "", "A")}).code(), absl::StatusCode::kAlreadyExists);
  EXPECT_EQ(Read("A.md"), "old");
  EXPECT_TRUE(Export({Page("1", "", "A")}, true).ok());
  EXPECT_EQ(Read("A.md"), "# A\n");
  EXPECT_EQ(Read("kept.txt"), "kept");
}

TEST_F(OutputFolderTest, AFileIsNoFolder) {
  std::ofstream(folder_) << "x";
  EXPECT_EQ(Export({}, true).code(), absl::StatusCode::kAlreadyExists);
}

TEST_F(OutputFolderTest, AFailureLeavesWhatIsWrittenAndNamesTheFile) {
  fs::create_directories(folder_ + "/B.md/in the way");
  const absl::Status status = Export({Page("1", "", "A"), Page("2", "", "B"), Page("3", "", "C")}, true);
  EXPECT_THAT(std::string(status.message()), HasSubstr("/B.md"));
  EXPECT_THAT(Listing(), ElementsAre("A.md", "B.md/", "B.md/in the way/"));
  EXPECT_EQ(export_->latest_file(), "A.md");
}

TEST_F(OutputFolderTest, DeepDocumentsLieSideBySide) {
  std::vector<v1::PortableBlock> blocks;
  blocks.reserve(40);
  for (int i = 0; i < 40; ++i) {
    blocks.push_back(Page(absl::StrCat(i), i == 0 ? "" : absl::StrCat(i - 1), std::string(120, 'x')));
  }
  ASSERT_TRUE(Export(blocks).ok());
  EXPECT_EQ(export_->files(), 40);
}

}  // namespace
}  // namespace toolgate::cli
