#include "services/chat/conversation_log.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/ids.h"
#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "storage/store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_store.h"
#include "tests/support/tool_matchers.h"

namespace toolgate::services::chat {
namespace {

using internal::v1::ChatModelRecord;
using internal::v1::ChatPause;
using internal::v1::ChatToolRecord;
using internal::v1::ChatUserRecord;
using ::testing::ElementsAre;
using testing::FailsWith;
using ::testing::IsEmpty;
using ::testing::Pair;

// "NUMBER SPEAKER TEXT" of each message; a tool's text is the id of its call.
std::vector<std::string> LinesOf(const ConversationLog& log) {
  std::vector<std::string> lines;
  for (const LoggedMessage& message : log.messages()) {
    const internal::v1::ChatRecord& record = message.record;
    const std::string said = record.has_user()    ? "user " + record.user().text()
                             : record.has_model() ? "model " + record.model().text()
                                                  : "tool " + record.tool().tool_use_id();
    lines.push_back(absl::StrCat(message.number, " ", said));
  }
  return lines;
}

ChatToolRecord ResultOf(const std::string& use) {
  ChatToolRecord record;
  record.set_tool_use_id(use);
  return record;
}

v1::ChatResponse ImageAt(const std::string& url) {
  v1::ChatResponse artifact;
  artifact.mutable_image_complete()->set_image_url(url);
  return artifact;
}

class ConversationLogTest : public ::testing::Test {
 protected:
  ConversationLogTest() {
    testing::TestStoreOptions options;
    options.data_dir = dir_.path();
    options.clock = &clock_;
    store_ = testing::MakeTestStore(options);
  }

  // As another process finds the conversation.
  std::unique_ptr<ConversationLog> Open(int64_t max_bytes = 100'000, const std::string& user = "ann") {
    return ConversationLog::Open({*store_, clock_, IdSource::Real(), "w", user}, "talk", max_bytes, never_).value();
  }
  static absl::Status Say(ConversationLog& log, const std::string& text, std::string_view id = "",
                          std::vector<ChatToolRecord> ended = {}) {
    ChatUserRecord user;
    user.set_text(text);
    return log.BeginTurn(id, std::move(user), std::move(ended));
  }
  static absl::Status Answer(ConversationLog& log, const std::string& text) {
    ChatModelRecord record;
    record.set_text(text);
    return log.AppendModel(std::move(record));
  }
  static absl::Status Pause(ConversationLog& log, const std::string& use) {
    ChatPause pause;
    pause.set_tool_use_id(use);
    return log.SetPause(std::move(pause));
  }
  // "NUMBER URL" of each image.
  std::vector<std::pair<int64_t, std::string>> ImagesOf(const ConversationLog& log) {
    std::vector<std::pair<int64_t, std::string>> images;
    const auto artifacts = log.ReadArtifacts(never_);
    EXPECT_TRUE(artifacts.ok()) << artifacts.status();
    for (const auto& [number, artifact] : *artifacts)
      images.emplace_back(number, artifact.image_complete().image_url());
    return images;
  }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  std::unique_ptr<storage::Store> store_;
  fibers::Cancellation never_;
};

TEST(TitleOfTest, IsTheFirstLineOfTheBeginning) {
  const std::string long_word(79, 'a');
  const struct {
    std::string name;
    std::string text;
    std::string title;
  } rows[] = {
      {"a short text", "Plan the trip", "Plan the trip"},
      {"blanks around it", "  Plan the trip\t\n", "Plan the trip"},
      {"several lines", "Plan  \nthe trip", "Plan"},
      {"empty lines before it", "\n\n Plan", "Plan"},
      {"no text", "", "Untitled"},
      {"nothing but blanks", " \n\t ", "Untitled"},
      {"as long as may be", long_word + "bc", long_word + "b"},
      {"a blank at the cut", long_word + " b", long_word},
      {"a character of two bytes at the cut", long_word + "\u00e9", long_word},
      {"a character of four bytes before the cut", std::string(76, 'a') + "\U0001F600b",
       std::string(76, 'a') + "\U0001F600"},
  };
  for (const auto& row : rows) EXPECT_EQ(TitleOf(row.text), row.title) << row.name;
}

TEST_F(ConversationLogTest, OneThatDoesNotExistIsEmptyAndIsNotMade) {
  for (int i = 0; i < 2; ++i) {
    const auto log = Open();
    EXPECT_FALSE(log->exists());
    EXPECT_EQ(log->id(), "talk");
    EXPECT_EQ(log->title(), "");
    EXPECT_THAT(log->messages(), IsEmpty());
    EXPECT_FALSE(log->pause().has_value());
    EXPECT_THAT(ImagesOf(*log), IsEmpty());
  }
}

TEST_F(ConversationLogTest, IsFoundAsItWasWritten) {
  const auto log = Open();
  ASSERT_TRUE(Say(*log, "Paint a cat\nplease", "m1").ok());
  ASSERT_TRUE(Answer(*log, "I paint.").ok());
  ASSERT_TRUE(log->AppendTool(ResultOf("call_1"), {}).ok());
  ASSERT_TRUE(Answer(*log, "Done.").ok());
  const auto found = Open();
  for (const ConversationLog* each : {log.get(), found.get()}) {
    EXPECT_TRUE(each->exists());
    EXPECT_EQ(each->title(), "Paint a cat");
    EXPECT_THAT(LinesOf(*each),
                ElementsAre("0 user Paint a cat\nplease", "1 model I paint.", "2 tool call_1", "3 model Done."));
    EXPECT_EQ(each->messages()[0].id, "m1");
  }
  for (size_t i = 1; i < 4; ++i) {
    EXPECT_FALSE(found->messages()[i].id.empty());
    EXPECT_EQ(found->messages()[i].id, log->messages()[i].id);
  }
}

TEST_F(ConversationLogTest, KeepsTheTitleOfItsFirstMessage) {
  const auto log = Open();
  ASSERT_TRUE(Say(*log, "First").ok());
  ASSERT_TRUE(Say(*log, "Second").ok());
  EXPECT_EQ(log->title(), "First");
  EXPECT_EQ(Open()->title(), "First");
}

TEST_F(ConversationLogTest, ATurnBeginsAfterTheResultsOfCallsThatGetNoneAnyMore) {
  const auto log = Open();
  ASSERT_TRUE(Say(*log, "One").ok());
  ASSERT_TRUE(Answer(*log, "I look.").ok());
  ASSERT_TRUE(Say(*log, "Two", "m2", {ResultOf("call_1"), ResultOf("call_2")}).ok());
  const auto found = Open();
  EXPECT_THAT(LinesOf(*found),
              ElementsAre("0 user One", "1 model I look.", "2 tool call_1", "3 tool call_2", "4 user Two"));
  EXPECT_EQ(LinesOf(*log), LinesOf(*found));
  EXPECT_EQ(found->messages()[4].id, "m2");
}

TEST_F(ConversationLogTest, RefusesToAppendToWhatSomebodyElseWentOnWith) {
  const auto first = Open();
  const auto second = Open();
  ASSERT_TRUE(Say(*first, "One").ok());
  EXPECT_THAT(Say(*second, "Two"), FailsWith(ErrorCode::kConflict, "another caller went on with it", ""));
  EXPECT_THAT(LinesOf(*second), IsEmpty());
  EXPECT_FALSE(second->exists());
  const auto third = Open();
  ASSERT_TRUE(Answer(*first, "Here.").ok());
  EXPECT_THAT(Answer(*third, "There."), FailsWith(ErrorCode::kConflict, "another caller went on with it", ""));
  EXPECT_THAT(third->AppendTool(ResultOf("call_1"), {ImageAt("u")}),
              FailsWith(ErrorCode::kConflict, "another caller went on with it", ""));
  EXPECT_THAT(LinesOf(*third), ElementsAre("0 user One"));
  EXPECT_THAT(LinesOf(*Open()), ElementsAre("0 user One", "1 model Here."));
  EXPECT_EQ(Open()->title(), "One");
}

TEST_F(ConversationLogTest, RefusesAnIdThatItHasAlready) {
  const auto log = Open();
  ASSERT_TRUE(Say(*log, "One", "m1").ok());
  EXPECT_THAT(Say(*log, "Two", "m1"), FailsWith(ErrorCode::kConflict, "message with this id already", ""));
  EXPECT_THAT(LinesOf(*Open()), ElementsAre("0 user One"));
}

TEST_F(ConversationLogTest, BelongsToItsUser) {
  ASSERT_TRUE(Say(*Open(), "Mine").ok());
  const auto other = Open(100'000, "bob");
  EXPECT_FALSE(other->exists());
  EXPECT_THAT(LinesOf(*other), IsEmpty());
  ASSERT_TRUE(Say(*other, "His").ok());
  EXPECT_THAT(LinesOf(*Open()), ElementsAre("0 user Mine"));
  EXPECT_THAT(LinesOf(*Open(100'000, "bob")), ElementsAre("0 user His"));
}

TEST_F(ConversationLogTest, APauseLastsUntilTheResultOrTheNextTurn) {
  const auto log = Open();
  ASSERT_TRUE(Say(*log, "Delete it").ok());
  ASSERT_TRUE(Pause(*log, "call_1").ok());
  for (const auto& found : {Open(), Open()}) {
    ASSERT_TRUE(found->pause().has_value());
    EXPECT_EQ(found->pause()->tool_use_id(), "call_1");
  }
  ASSERT_TRUE(log->AppendTool(ResultOf("call_1"), {}).ok());
  EXPECT_FALSE(log->pause().has_value());
  EXPECT_FALSE(Open()->pause().has_value());
  ASSERT_TRUE(Pause(*log, "call_2").ok());
  ASSERT_TRUE(Say(*log, "Never mind").ok());
  EXPECT_FALSE(log->pause().has_value());
  EXPECT_FALSE(Open()->pause().has_value());
}

TEST_F(ConversationLogTest, ArtifactsAreThoseOfThePresentTurn) {
  const auto log = Open();
  ASSERT_TRUE(Say(*log, "One").ok());
  ASSERT_TRUE(log->AppendTool(ResultOf("call_1"), {ImageAt("old")}).ok());
  EXPECT_THAT(ImagesOf(*log), ElementsAre(Pair(1, "old")));
  ASSERT_TRUE(Say(*log, "Two").ok());
  EXPECT_THAT(ImagesOf(*log), IsEmpty());
  ASSERT_TRUE(log->AppendTool(ResultOf("call_2"), {ImageAt("a"), ImageAt("b")}).ok());
  ASSERT_TRUE(log->AppendTool(ResultOf("call_3"), {}).ok());
  ASSERT_TRUE(log->AppendTool(ResultOf("call_4"), {ImageAt("c")}).ok());
  EXPECT_THAT(ImagesOf(*log), ElementsAre(Pair(3, "a"), Pair(3, "b"), Pair(5, "c")));
  EXPECT_EQ(ImagesOf(*Open()), ImagesOf(*log));
}

TEST_F(ConversationLogTest, ReadsTheNewestWholeTurnsWithinItsBytesAndAlwaysTheLatest) {
  const auto log = Open();
  for (const char* text : {"one", "two", "three"}) {
    ASSERT_TRUE(Say(*log, text).ok());
    for (int i = 0; i < 60; ++i) ASSERT_TRUE(Answer(*log, std::string(100, 'a')).ok());
  }
  size_t least = 0;
  for (int64_t max_bytes = 0; max_bytes <= 24'000; max_bytes += 500) {
    const auto found = Open(max_bytes);
    const size_t size = found->messages().size();
    ASSERT_GE(size, least) << max_bytes;
    ASSERT_EQ(size % 61, 0u) << max_bytes;
    EXPECT_TRUE(found->messages().front().record.has_user()) << max_bytes;
    EXPECT_EQ(found->messages().back().number, 182) << max_bytes;
    least = size;
  }
  EXPECT_EQ(least, 183u);
  EXPECT_EQ(Open(0)->messages().size(), 61u);
  EXPECT_EQ(Open(16'000)->messages().size(), 122u);
}

}  // namespace
}  // namespace toolgate::services::chat
