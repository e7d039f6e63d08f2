#include "interchange/jsonl/block_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace toolgate::interchange::jsonl {
namespace {

using ::testing::HasSubstr;

struct LineRow {
  const char* name;
  const char* line;
  const char* problem;
};

class BadBlockLineTest : public ::testing::TestWithParam<LineRow> {};

TEST_P(BadBlockLineTest, SaysWhatIsWrong) {
  const absl::StatusOr<v1::PortableBlock> block = ParseBlockLine(GetParam().line);
  EXPECT_EQ(block.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(block.status().message()), HasSubstr(GetParam().problem));
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BadBlockLineTest,
    ::testing::Values(LineRow{"NoJson", "{type}", ""}, LineRow{"NoObject", "[]", "one JSON object"},
                      LineRow{"NoType", R"({"data":{}})", "\"type\" is missing"},
                      LineRow{"NoData", R"({"type":"page"})", "\"data\" is missing"},
                      LineRow{"DataNoObject", R"({"type":"page","data":[]})", "must be an object"},
                      LineRow{"TypeNoString", R"({"type":1,"data":{}})", "\"type\" must be a string"},
                      LineRow{"UnknownKey", R"({"type":"page","data":{},"x":1})", "unknown key \"x\""},
                      LineRow{"LinksNoArray", R"({"type":"page","data":{},"links":{}})", "\"links\" must be an array"},
                      LineRow{"LinkOfNoRelation", R"({"type":"page","data":{},"links":[{"fromId":"a","toId":"b"}]})",
                              "needs fromId, toId and relation"},
                      LineRow{"LinkUnknownKey", R"({"type":"page","data":{},"links":[{"from":"a"}]})",
                              "unknown key \"from\""},
                      LineRow{"KeyTwice", R"({"type":"page","type":"todo","data":{}})", "twice"}),
    [](const auto& row) { return row.param.name; });

TEST(BlockLineTest, TakesEveryMember) {
  const absl::StatusOr<v1::PortableBlock> block =
      ParseBlockLine(R"({"id":"a","type":"page","parentId":null,"data":{ "title" : "x" }})");
  ASSERT_TRUE(block.ok());
  EXPECT_EQ(block->id(), "a");
  EXPECT_EQ(block->parent_id(), "");
  EXPECT_EQ(block->data_json(), "{\"title\":\"x\"}");
}

TEST(BlockLineTest, LinksAreReadAsTheyAreWritten) {
  const std::string line =
      R"({"id":"a","type":"page","data":{},"links":[{"fromId":"b","toId":"a","relation":"blocks"}]})"
      "\n";
  const absl::StatusOr<v1::PortableBlock> block = ParseBlockLine(line);
  ASSERT_TRUE(block.ok()) << block.status();
  EXPECT_EQ(block->links(0).from_id(), "b");
  EXPECT_EQ(FormatBlockLine(*block), line);
}

}  // namespace
}  // namespace toolgate::interchange::jsonl
