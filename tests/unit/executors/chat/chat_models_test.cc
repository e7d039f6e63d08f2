#include "executors/chat/chat_models.h"

#include <string>
#include <utility>
#include <vector>

#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::executors::chat {
namespace {

using ::testing::HasSubstr;

ChatModels Models(const std::vector<std::string>& names, std::string default_name) {
  std::vector<ConfiguredModel> models;
  for (const std::string& name : names) models.emplace_back().name = name;
  return ChatModels(std::move(models), std::move(default_name));
}

TEST(ChatModelsTest, ARequestWithoutModelGetsTheDefault) {
  EXPECT_EQ((*Models({"one", "two"}, "").Find(""))->name, "one");
  EXPECT_EQ((*Models({"one", "two"}, "two").Find(""))->name, "two");
  EXPECT_EQ((*Models({"one", "two"}, "two").Find("one"))->name, "one");
}

TEST(ChatModelsTest, AnUnknownNameIsRefusedWithThoseThatThereAre) {
  const absl::Status status = Models({"one", "two"}, "").Find("three").status();
  ASSERT_TRUE(GetToolError(status).has_value());
  EXPECT_EQ(GetToolError(status)->code, ErrorCode::kInvalidParams);
  EXPECT_THAT(GetToolError(status)->message, HasSubstr("one, two"));
}

TEST(ChatModelsTest, WithoutAnyItSaysWhatToConfigure) {
  const absl::Status status = Models({}, "").Find("").status();
  ASSERT_TRUE(GetToolError(status).has_value());
  EXPECT_EQ(GetToolError(status)->code, ErrorCode::kNotConfigured);
  EXPECT_THAT(GetToolError(status)->message, HasSubstr("chat.models"));
}

}  // namespace
}  // namespace toolgate::executors::chat
