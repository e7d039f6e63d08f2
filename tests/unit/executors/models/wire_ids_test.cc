#include "executors/models/wire_ids.h"

#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::executors::models {
namespace {

using ::testing::ElementsAre;
using ::testing::MatchesRegex;

Message Asks(const std::vector<std::string>& ids) {
  Message message = {.role = Role::kAssistant};
  for (const std::string& id : ids) message.tool_uses.push_back({id, "t", "{}"});
  return message;
}

Message Answers(const std::vector<std::string>& ids) {
  Message message = {.role = Role::kTool};
  for (const std::string& id : ids) message.tool_answers.push_back({.tool_use_id = id});
  return message;
}

TEST(WireIdsTest, IdsThatFitStay) {
  const std::vector<Message> messages = {Asks({"call_1", "toolu_01AbC"}), Answers({"call_1", "toolu_01AbC"})};
  for (const IdForm form : {IdForm::kOpenAi, IdForm::kAnthropic, IdForm::kAny}) {
    const WireIds ids(messages, form);
    EXPECT_THAT(ids.Of(0), ElementsAre("call_1", "toolu_01AbC"));
    EXPECT_EQ(ids.Of(1), ids.Of(0));
  }
}

struct FormCase {
  const char* name;
  IdForm form;
  const char* rule;
};

class WireIdFormTest : public ::testing::TestWithParam<FormCase> {};

TEST_P(WireIdFormTest, OthersAreReplacedByOnesThatDo) {
  const std::vector<std::string> bad = {"create_task:0",
                                        "functions.create_task:1",
                                        std::string(41, 'x'),
                                        "a b",
                                        "é",
                                        "",
                                        "call_1_call_1_call_1_call_1_call_1_call_1_call_1"};
  const WireIds ids({Asks(bad), Answers(bad)}, GetParam().form);
  for (const std::string& id : ids.Of(0)) EXPECT_THAT(id, MatchesRegex(GetParam().rule)) << id;
  EXPECT_EQ(ids.Of(1), ids.Of(0));
  EXPECT_EQ(std::set<std::string>(ids.Of(0).begin(), ids.Of(0).end()).size(), bad.size());
  EXPECT_EQ(WireIds({Asks(bad)}, GetParam().form).Of(0), ids.Of(0)) << "alike in every request";
}

INSTANTIATE_TEST_SUITE_P(Apis, WireIdFormTest,
                         ::testing::Values(FormCase{"OpenAi", IdForm::kOpenAi, "[!-~]{1,40}"},
                                           FormCase{"Mistral", IdForm::kMistral, "[A-Za-z0-9]{9}"},
                                           FormCase{"Anthropic", IdForm::kAnthropic, "[A-Za-z0-9_-]{1,64}"}),
                         [](const auto& info) { return info.param.name; });

TEST(WireIdsTest, RepeatedIdsAreToldApart) {
  const std::vector<Message> messages = {Asks({"create_task:0", "create_task:0"}),
                                         Answers({"create_task:0", "create_task:0"}), Asks({"create_task:0"}),
                                         Answers({"create_task:0"})};
  const WireIds ids(messages, IdForm::kMistral);
  const std::set<std::string> all = {ids.Of(0)[0], ids.Of(0)[1], ids.Of(2)[0]};
  EXPECT_EQ(all.size(), 3u);
  EXPECT_EQ(ids.Of(1), ids.Of(0));
  EXPECT_EQ(ids.Of(3), ids.Of(2));
}

TEST(WireIdsTest, AReplacementIsNoIdOfAnotherCall) {
  const std::string replacement = PortableId("create_task:0");
  const WireIds ids({Asks({replacement}), Answers({replacement}), Asks({"create_task:0"})}, IdForm::kMistral);
  EXPECT_EQ(ids.Of(0)[0], replacement);
  EXPECT_NE(ids.Of(2)[0], replacement);
}

TEST(WireIdsTest, AnswersMayComeInAnotherOrder) {
  const WireIds ids({Asks({"a:1", "b:2"}), Answers({"b:2", "a:1"})}, IdForm::kAnthropic);
  EXPECT_THAT(ids.Of(1), ElementsAre(ids.Of(0)[1], ids.Of(0)[0]));
}

TEST(WireIdsTest, MistralsModelsAreKnownByTheirNames) {
  for (const char* name : {"mistral-large-latest", "mistralai/Magistral-Small", "codestral-2508", "pixtral-12b",
                           "open-mixtral-8x22b", "devstral-medium", "ministral-8b"}) {
    EXPECT_EQ(IdFormOf(name), IdForm::kMistral) << name;
  }
  for (const char* name : {"gpt-4.1", "deepseek-v4-pro", "qwen3-max", "kimi-k2.6"}) {
    EXPECT_EQ(IdFormOf(name), IdForm::kOpenAi) << name;
  }
}

TEST(WireIdsTest, PortableIdsStayAsTheyAre) {
  EXPECT_EQ(PortableId("abcDEF123"), "abcDEF123");
  EXPECT_THAT(PortableId("call_1"), MatchesRegex("[A-Za-z0-9]{9}"));
  EXPECT_NE(PortableId("call_1"), PortableId("call_2"));
}

}  // namespace
}  // namespace toolgate::executors::models
