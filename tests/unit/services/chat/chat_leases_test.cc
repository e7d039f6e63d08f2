#include "services/chat/chat_leases.h"

#include <optional>
#include <string>
#include <utility>

#include "common/tool_error.h"
#include "coordination/leases/local_leases.h"
#include "gtest/gtest.h"

namespace toolgate::services::chat {
namespace {

std::string RefusalOf(const absl::Status& status) {
  const std::optional<ToolError> error = GetToolError(status);
  if (!error.has_value()) return status.ToString();
  EXPECT_TRUE(error->retryable);
  return std::string(ErrorCodeName(error->code));
}

class ChatLeasesTest : public ::testing::Test {
 protected:
  coordination::leases::LocalLeases leases_;
};

TEST_F(ChatLeasesTest, OneChatAtATimeHasAConversation) {
  ChatLeases chats(10, 10, leases_);
  auto first = chats.Take({"w", "ann", "talk"});
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(RefusalOf(chats.Take({"w", "ann", "talk"}).status()), "CONFLICT");
  EXPECT_TRUE(chats.Take({"w", "bob", "talk"}).ok());
  EXPECT_TRUE(chats.Take({"v", "ann", "talk"}).ok());
  {
    const ChatLeases::Lease moved = *std::move(first);
    EXPECT_EQ(chats.count(), 1u);
  }
  EXPECT_EQ(chats.count(), 0u);
  EXPECT_TRUE(chats.Take({"w", "ann", "talk"}).ok());
}

TEST_F(ChatLeasesTest, AUserHasSoManyChatsAndNoMore) {
  ChatLeases chats(10, 2, leases_);
  const auto one = chats.Take({"w", "ann", "1"});
  const auto two = chats.Take({"w", "ann", "2"});
  EXPECT_EQ(RefusalOf(chats.Take({"w", "ann", "3"}).status()), "OVERLOADED");
  EXPECT_TRUE(chats.Take({"w", "bob", "3"}).ok());
}

TEST_F(ChatLeasesTest, AllHaveSoManyChatsAndNoMore) {
  ChatLeases chats(2, 2, leases_);
  const auto one = chats.Take({"w", "ann", "1"});
  const auto two = chats.Take({"w", "bob", "2"});
  EXPECT_EQ(RefusalOf(chats.Take({"w", "carol", "3"}).status()), "OVERLOADED");
}

TEST_F(ChatLeasesTest, AConversationThatAnotherProcessHasCountsAsNoChat) {
  ChatLeases here(2, 2, leases_);
  ChatLeases there(2, 2, leases_);
  const auto lease = there.Take({"w", "ann", "talk"});
  ASSERT_TRUE(lease.ok());
  EXPECT_EQ(RefusalOf(here.Take({"w", "ann", "talk"}).status()), "CONFLICT");
  EXPECT_EQ(here.count(), 0u);
  EXPECT_TRUE(here.Take({"w", "ann", "another"}).ok());
}

}  // namespace
}  // namespace toolgate::services::chat
