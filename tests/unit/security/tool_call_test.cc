#include "security/tool_call.h"

#include <string>

#include "absl/strings/escaping.h"
#include "gtest/gtest.h"

namespace toolgate::security {
namespace {

TEST(ToolCallTest, ArgumentsChangeUntilTheyAreFrozen) {
  ToolCall call;
  call.SetArguments(Json{{"a", 1}});
  call.mutable_arguments()["b"] = 2;
  EXPECT_EQ(DumpJson(call.arguments()), R"({"a":1,"b":2})");
  EXPECT_FALSE(call.frozen());
  call.FreezeArguments();
  EXPECT_TRUE(call.frozen());
}

TEST(ToolCallDeathTest, StopsTheProcessWhenFrozenArgumentsWouldChange) {
  ToolCall call;
  call.FreezeArguments();
  EXPECT_DEATH(call.mutable_arguments()["a"] = 1, "after they were validated");
}

TEST(ToolCallDeathTest, StopsTheProcessWhenADigestWouldNotHold) {
  ToolCall call;
  EXPECT_DEATH(static_cast<void>(call.arguments_digest()), "before they were validated");
}

std::string DigestOf(const std::string& tool_id, const char* arguments) {
  ToolCall call;
  call.tool_id = tool_id;
  call.SetArguments(Json::parse(arguments));
  call.FreezeArguments();
  return absl::BytesToHexString(call.arguments_digest());
}

TEST(ToolCallTest, DigestsToolAndCanonicalArguments) {
  // printf 'get_block\n{"a":1,"b":[true]}' | sha256sum
  EXPECT_EQ(DigestOf("get_block", R"({"b":[true],"a":1.0})"),
            "e1b10dd7f14ac3d59987fbe48963b5ee1a08ce1a864a7ffdbeb2eb18680bf0f4");
  EXPECT_EQ(DigestOf("get_block", R"({"a":1,"b":[true]})"), DigestOf("get_block", R"({"b":[true],"a":1})"));
  EXPECT_NE(DigestOf("get_block", "{}"), DigestOf("delete_block", "{}"));
  EXPECT_NE(DigestOf("get_block", "{}"), DigestOf("get_block", R"({"a":1})"));
}

}  // namespace
}  // namespace toolgate::security
