#include "interchange/jsonl/line_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

namespace toolgate::interchange::jsonl {
namespace {

using ::testing::HasSubstr;

TEST(LineReaderTest, CountsLinesAndBytes) {
  std::istringstream in("a\r\n\nlast");
  LineReader reader(in, 100);
  std::vector<std::string> lines;
  while (*reader.Next()) lines.emplace_back(reader.line());
  EXPECT_THAT(lines, ::testing::ElementsAre("a", "", "last"));
  EXPECT_EQ(reader.number(), 3);
  EXPECT_EQ(reader.offset(), 8);
}

TEST(LineReaderTest, RefusesALineBeyondTheBound) {
  std::istringstream in("ok\n" + std::string(5 << 20, 'x'));
  LineReader reader(in, 1 << 20);
  ASSERT_TRUE(*reader.Next());
  const absl::StatusOr<bool> more = reader.Next();
  EXPECT_EQ(more.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(more.status().message()), HasSubstr("line 2 is longer than 1 MiB"));
}

}  // namespace
}  // namespace toolgate::interchange::jsonl
