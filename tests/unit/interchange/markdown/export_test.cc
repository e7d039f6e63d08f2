#include "interchange/markdown/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/json.h"

namespace toolgate::interchange::markdown {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

v1::PortableBlock Block(std::string_view id, std::string_view parent, std::string_view type, const Json& data) {
  v1::PortableBlock block;
  block.set_id(std::string(id));
  block.set_parent_id(std::string(parent));
  block.set_type(std::string(type));
  block.set_data_json(DumpJson(data));
  return block;
}

v1::PortableBlock Page(std::string_view id, std::string_view parent, std::string_view title) {
  return Block(id, parent, "page", {{"title", std::string(title)}});
}

class ExportTest : public ::testing::Test {
 protected:
  absl::Status Write(const std::vector<v1::PortableBlock>& blocks) {
    for (const v1::PortableBlock& block : blocks) {
      if (absl::Status status = export_.Add(block); !status.ok()) return status;
    }
    return export_.Finish();
  }

  std::vector<std::pair<std::string, std::string>> files_;
  size_t room_ = 1'000;
  Export export_{[this](const std::string& path, std::string_view text) -> absl::Status {
    if (files_.size() == room_) return absl::ResourceExhaustedError("the disk is full");
    files_.emplace_back(path, text);
    return absl::OkStatus();
  }};
};

TEST_F(ExportTest, GivesADocumentAwayOnceTheLastBlockBelowItWasSeen) {
  ASSERT_TRUE(export_.Add(Page("1", "", "A")).ok());
  ASSERT_TRUE(export_.Add(Page("2", "1", "B")).ok());
  EXPECT_THAT(files_, IsEmpty());
  ASSERT_TRUE(export_.Add(Block("3", "1", "paragraph", {{"content", "text"}})).ok());
  EXPECT_THAT(files_, ElementsAre(Pair("A/B.md", "# B\n")));
  ASSERT_TRUE(export_.Add(Page("4", "", "a")).ok());
  ASSERT_TRUE(export_.Finish().ok());
  EXPECT_THAT(files_, ElementsAre(Pair("A/B.md", "# B\n"), Pair("A.md", "# A\n\ntext\n"), Pair("a 2.md", "# a\n")));
  EXPECT_EQ(export_.files(), 3);
}

TEST_F(ExportTest, NoPathLeadsOut) {
  ASSERT_TRUE(Write({Page("1", "", "../up"), Page("2", "1", "/etc/x"), Page("3", "2", "..")}).ok());
  EXPECT_THAT(files_, ElementsAre(Pair("-up/-etc-x/Untitled.md", "# ..\n"), Pair("-up/-etc-x.md", "# /etc/x\n"),
                                  Pair("-up.md", "# ../up\n")));
}

TEST_F(ExportTest, EndsWithTheSinksError) {
  room_ = 1;
  EXPECT_EQ(Write({Page("1", "", "A"), Page("2", "", "B"), Page("3", "", "C")}),
            absl::ResourceExhaustedError("the disk is full"));
  EXPECT_EQ(export_.files(), 1);
  EXPECT_EQ(export_.latest_file(), "A.md");
}

TEST_F(ExportTest, WarnsOfADocumentThatAnImportDoesNotTake) {
  std::vector<v1::PortableBlock> blocks = {Page("1", "", "A")};
  for (int i = 0; i < 110; ++i) {
    blocks.push_back(Block(absl::StrCat("b", i), "1", "code", {{"content", std::string(100'000, 'x')}}));
  }
  ASSERT_TRUE(Write(blocks).ok());
  EXPECT_THAT(export_.warnings(), ElementsAre(HasSubstr("A.md: larger than")));
}

TEST_F(ExportTest, DataThatIsNoJsonIsNamed) {
  v1::PortableBlock block = Page("b1", "", "x");
  block.set_data_json("{");
  const absl::Status status = Write({block});
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("block b1"));
}

}  // namespace
}  // namespace toolgate::interchange::markdown
