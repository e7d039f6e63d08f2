#include "services/chat/chat_places.h"

#include <optional>
#include <string>
#include <utility>

#include "common/tool_error.h"
#include "gtest/gtest.h"

namespace toolgate::services::chat {
namespace {

std::string RefusalOf(const absl::Status& status) {
  const std::optional<ToolError> error = GetToolError(status);
  if (!error.has_value()) return status.ToString();
  EXPECT_TRUE(error->retryable);
  return std::string(ErrorCodeName(error->code));
}

TEST(ChatPlacesTest, OneChatAtATimeHasAConversation) {
  ChatPlaces places(10, 10);
  auto first = places.Enter({"w", "ann", "talk"});
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(RefusalOf(places.Enter({"w", "ann", "talk"}).status()), "CONFLICT");
  EXPECT_TRUE(places.Enter({"w", "bob", "talk"}).ok());
  EXPECT_TRUE(places.Enter({"v", "ann", "talk"}).ok());
  {
    const ChatPlaces::Place moved = *std::move(first);
    EXPECT_EQ(places.count(), 1u);
  }
  EXPECT_EQ(places.count(), 0u);
  EXPECT_TRUE(places.Enter({"w", "ann", "talk"}).ok());
}

TEST(ChatPlacesTest, AUserHasSoManyChatsAndNoMore) {
  ChatPlaces places(10, 2);
  const auto one = places.Enter({"w", "ann", "1"});
  const auto two = places.Enter({"w", "ann", "2"});
  EXPECT_EQ(RefusalOf(places.Enter({"w", "ann", "3"}).status()), "OVERLOADED");
  EXPECT_TRUE(places.Enter({"w", "bob", "3"}).ok());
}

TEST(ChatPlacesTest, AllHaveSoManyChatsAndNoMore) {
  ChatPlaces places(2, 2);
  const auto one = places.Enter({"w", "ann", "1"});
  const auto two = places.Enter({"w", "bob", "2"});
  EXPECT_EQ(RefusalOf(places.Enter({"w", "carol", "3"}).status()), "OVERLOADED");
}

}  // namespace
}  // namespace toolgate::services::chat
