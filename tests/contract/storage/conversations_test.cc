// Conversations, their messages and artifacts.
#include "gmock/gmock.h"
#include "tests/contract/storage/all_backends.h"
#include "tests/contract/storage/store_fixture.h"

namespace toolgate::storage::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ConversationsTest : public StoreTest {
 protected:
  absl::Status Put(std::string_view id, std::string_view title = "Title", std::string_view pause = "",
                   std::string_view user = "alice", std::string_view workspace = "w") {
    Conversation conversation;
    conversation.id = id;
    conversation.user_id = user;
    conversation.title = title;
    conversation.pause = pause;
    return Commit(Context("c", workspace), [&](Transaction& t) { return t.PutConversation(conversation); });
  }
  absl::Status Append(std::string_view conversation, int64_t number, std::string_view id, std::string_view bytes = "b",
                      std::string_view user = "alice", std::string_view workspace = "w") {
    return Commit(Context("c", workspace), [&](Transaction& t) {
      return t.AppendMessage(user, conversation, {number, std::string(id), clock_.Now(), std::string(bytes)});
    });
  }
  absl::Status PutArtifact(std::string_view conversation, const StoredArtifact& artifact,
                           std::string_view user = "alice") {
    return Commit([&](Transaction& t) { return t.PutArtifact(user, conversation, artifact); });
  }
  std::optional<Conversation> FindConversation(std::string_view id, std::string_view user = "alice",
                                               std::string_view workspace = "w") {
    std::optional<Conversation> found;
    EXPECT_TRUE(Read(
                    [&](ReadView& view) {
                      const auto read = view.FindConversation(user, id);
                      if (read.ok()) found = *read;
                      return read.status();
                    },
                    workspace)
                    .ok());
    return found;
  }
  std::vector<Conversation> List(int64_t limit = 10, const ConversationPlace& after = {},
                                 std::string_view user = "alice") {
    std::vector<Conversation> rows;
    EXPECT_TRUE(Read([&](ReadView& view) {
                  const auto read = view.ListConversations(user, limit, after);
                  if (read.ok()) rows = *read;
                  return read.status();
                }).ok());
    return rows;
  }
  std::vector<std::string> ListedIds(int64_t limit = 10, const ConversationPlace& after = {},
                                     std::string_view user = "alice") {
    std::vector<std::string> ids;
    for (const Conversation& row : List(limit, after, user)) ids.push_back(row.id);
    return ids;
  }
  std::vector<std::string> MessageIds(std::string_view conversation, const MessageQuery& query,
                                      std::string_view user = "alice", std::string_view workspace = "w") {
    std::vector<std::string> ids;
    EXPECT_TRUE(Read(
                    [&](ReadView& view) {
                      const auto read = view.ListMessages(user, conversation, query);
                      for (const StoredMessage& message : *read) ids.push_back(message.id);
                      return read.status();
                    },
                    workspace)
                    .ok());
    return ids;
  }
  std::vector<std::string> ArtifactsOf(std::string_view conversation, int64_t first, int64_t last,
                                       std::string_view user = "alice") {
    std::vector<std::string> bytes;
    EXPECT_TRUE(Read([&](ReadView& view) {
                  const auto read = view.ListArtifacts(user, conversation, first, last);
                  for (const StoredArtifact& artifact : *read) bytes.push_back(artifact.bytes);
                  return read.status();
                }).ok());
    return bytes;
  }
  static MessageQuery All() { return {.limit = 100, .max_bytes = 1000}; }
};

TEST_P(ConversationsTest, ConversationKeepsEverything) {
  const absl::Time begun = clock_.Now();
  ASSERT_TRUE(Put("talk", "Hello", std::string("\0\1", 2)).ok());
  const std::optional<Conversation> found = FindConversation("talk");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->id, "talk");
  EXPECT_EQ(found->user_id, "alice");
  EXPECT_EQ(found->title, "Hello");
  EXPECT_EQ(found->pause, std::string("\0\1", 2));
  EXPECT_EQ(found->message_count, 0);
  EXPECT_EQ(found->created_at, begun);
  EXPECT_EQ(found->updated_at, begun);
}

TEST_P(ConversationsTest, PutReplacesTitleAndPauseAndKeepsTheRest) {
  const absl::Time begun = clock_.Now();
  ASSERT_TRUE(Put("talk", "Hello", "waits").ok());
  ASSERT_TRUE(Append("talk", 0, "m0").ok());
  clock_.Advance(absl::Seconds(5));
  ASSERT_TRUE(Put("talk", "Good bye").ok());
  const std::optional<Conversation> found = FindConversation("talk");
  EXPECT_EQ(found->title, "Good bye");
  EXPECT_EQ(found->pause, "");
  EXPECT_EQ(found->message_count, 1);
  EXPECT_EQ(found->created_at, begun);
  EXPECT_EQ(found->updated_at, clock_.Now());
}

TEST_P(ConversationsTest, BelongsToItsUserAndWorkspace) {
  ASSERT_TRUE(Put("talk", "Alice's").ok());
  ASSERT_TRUE(Put("talk", "Bob's", "", "bob").ok());
  ASSERT_TRUE(Put("talk", "Elsewhere", "", "alice", "other").ok());
  ASSERT_TRUE(Append("talk", 0, "m", "b", "bob").ok());
  EXPECT_EQ(FindConversation("talk")->title, "Alice's");
  EXPECT_EQ(FindConversation("talk", "bob")->title, "Bob's");
  EXPECT_EQ(FindConversation("talk", "alice", "other")->title, "Elsewhere");
  EXPECT_FALSE(FindConversation("talk", "carol").has_value());
  EXPECT_FALSE(FindConversation("talk", "alice", "none").has_value());
  EXPECT_THAT(MessageIds("talk", All()), IsEmpty());
  EXPECT_THAT(MessageIds("talk", All(), "bob"), ElementsAre("m"));
  EXPECT_THAT(MessageIds("talk", All(), "bob", "other"), IsEmpty());
  EXPECT_EQ(CodeOf(Append("talk", 0, "m", "b", "carol")), "NOT_FOUND");
}

TEST_P(ConversationsTest, AreListedByTheirLastChange) {
  for (const char* id : {"a", "b", "c"}) {
    ASSERT_TRUE(Put(id).ok());
    clock_.Advance(absl::Seconds(1));
  }
  ASSERT_TRUE(Append("a", 0, "m").ok());
  ASSERT_TRUE(Put("of-bob", "", "", "bob").ok());
  EXPECT_THAT(ListedIds(), ElementsAre("a", "c", "b"));
  const std::vector<Conversation> page = List(2);
  ASSERT_EQ(page.size(), 2u);
  EXPECT_THAT(ListedIds(2, {page.back().updated_at, page.back().id}), ElementsAre("b"));
}

TEST_P(ConversationsTest, ThoseThatChangedAtOnceAreListedOnceEach) {
  for (const char* id : {"a", "b", "c"}) ASSERT_TRUE(Put(id).ok());
  const std::vector<Conversation> page = List(1);
  EXPECT_EQ(page.front().id, "c");
  EXPECT_THAT(ListedIds(10, {page.front().updated_at, page.front().id}), ElementsAre("b", "a"));
}

TEST_P(ConversationsTest, MessagesAreReadFromEitherEndAndWithinBounds) {
  ASSERT_TRUE(Put("talk").ok());
  for (int64_t i = 0; i < 5; ++i)
    ASSERT_TRUE(Append("talk", i, std::string(1, static_cast<char>('a' + i)), "0123456789").ok());
  EXPECT_THAT(MessageIds("talk", All()), ElementsAre("a", "b", "c", "d", "e"));
  EXPECT_THAT(MessageIds("talk", {.from = 1, .before = 4, .limit = 2, .max_bytes = 100}), ElementsAre("b", "c"));
  EXPECT_THAT(MessageIds("talk", {.newest_first = true, .limit = 9, .max_bytes = 25}), ElementsAre("e", "d"));
  EXPECT_THAT(MessageIds("talk", {.newest_first = true, .limit = 9, .max_bytes = 5}), ElementsAre("e"));
}

TEST_P(ConversationsTest, MessageKeepsEverything) {
  ASSERT_TRUE(Put("talk").ok());
  ASSERT_TRUE(Append("talk", 0, "m", std::string("\0\377", 2)).ok());
  Reopen();
  ASSERT_TRUE(Read([&](ReadView& view) {
                const auto messages = view.ListMessages("alice", "talk", All());
                EXPECT_TRUE(messages.ok() && messages->size() == 1);
                EXPECT_EQ(messages->front().number, 0);
                EXPECT_EQ(messages->front().id, "m");
                EXPECT_EQ(messages->front().created_at, clock_.Now());
                EXPECT_EQ(messages->front().bytes, std::string("\0\377", 2));
                return absl::OkStatus();
              }).ok());
}

TEST_P(ConversationsTest, OnlyTheNextNumberAndANewIdAreAppended) {
  EXPECT_EQ(CodeOf(Append("talk", 0, "m0")), "NOT_FOUND");
  ASSERT_TRUE(Put("talk").ok());
  EXPECT_EQ(CodeOf(Append("talk", 1, "m1")), "CONFLICT");
  ASSERT_TRUE(Append("talk", 0, "m0").ok());
  EXPECT_EQ(CodeOf(Append("talk", 0, "other")), "CONFLICT");
  EXPECT_EQ(CodeOf(Append("talk", 1, "m0")), "CONFLICT");
  ASSERT_TRUE(Append("talk", 1, "m1").ok());
  EXPECT_EQ(FindConversation("talk")->message_count, 2);
}

TEST_P(ConversationsTest, ArtifactsAreListedByTheirMessages) {
  ASSERT_TRUE(Put("talk").ok());
  EXPECT_EQ(CodeOf(PutArtifact("none", {0, 0, "x"})), "NOT_FOUND");
  EXPECT_EQ(CodeOf(PutArtifact("talk", {0, 0, "x"}, "bob")), "NOT_FOUND");
  ASSERT_TRUE(PutArtifact("talk", {2, 1, "c"}).ok());
  ASSERT_TRUE(PutArtifact("talk", {2, 0, "b"}).ok());
  ASSERT_TRUE(PutArtifact("talk", {0, 0, "a"}).ok());
  EXPECT_EQ(CodeOf(PutArtifact("talk", {0, 0, "x"})), "CONFLICT");
  EXPECT_THAT(ArtifactsOf("talk", 0, 9), ElementsAre("a", "b", "c"));
  EXPECT_THAT(ArtifactsOf("talk", 1, 2), ElementsAre("b", "c"));
  EXPECT_THAT(ArtifactsOf("talk", 0, 9, "bob"), IsEmpty());
}

TEST_P(ConversationsTest, DeletionTakesMessagesAndArtifactsAlong) {
  ASSERT_TRUE(Put("talk").ok());
  ASSERT_TRUE(Put("other").ok());
  ASSERT_TRUE(Append("talk", 0, "m").ok());
  ASSERT_TRUE(Append("other", 0, "kept").ok());
  ASSERT_TRUE(PutArtifact("talk", {0, 0, "x"}).ok());
  const auto remove = [&](std::string_view user) {
    bool deleted = false;
    EXPECT_TRUE(Commit([&](Transaction& t) {
                  const auto result = t.DeleteConversation(user, "talk");
                  deleted = result.ok() && *result;
                  return result.status();
                }).ok());
    return deleted;
  };
  EXPECT_FALSE(remove("bob"));
  EXPECT_TRUE(remove("alice"));
  EXPECT_FALSE(remove("alice"));
  EXPECT_FALSE(FindConversation("talk").has_value());
  EXPECT_THAT(MessageIds("other", All()), ElementsAre("kept"));
  // One of the same name is a new one.
  ASSERT_TRUE(Put("talk").ok());
  EXPECT_THAT(MessageIds("talk", All()), IsEmpty());
  EXPECT_TRUE(PutArtifact("talk", {0, 0, "x"}).ok());
}

TEST_P(ConversationsTest, FailedTransactionLeavesNothing) {
  ASSERT_TRUE(Put("talk").ok());
  const absl::Status status = Commit([&](Transaction& t) -> absl::Status {
    EXPECT_TRUE(t.AppendMessage("alice", "talk", {0, "m", clock_.Now(), "b"}).ok());
    return absl::AbortedError("enough");
  });
  EXPECT_EQ(status.code(), absl::StatusCode::kAborted);
  EXPECT_EQ(FindConversation("talk")->message_count, 0);
  EXPECT_THAT(MessageIds("talk", All()), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Stores, ConversationsTest, AllBackends(), BackendName);

}  // namespace
}  // namespace toolgate::storage::testing
