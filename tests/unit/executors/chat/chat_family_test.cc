#include "executors/chat/chat_family.h"

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/yaml/config_rules.h"
#include "executors/chat/settings.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::executors::chat {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

ChatSettings Defaults() {
  config::v1::Families settings;
  EXPECT_TRUE(AddDefaults({ChatFamily()}, settings).ok());
  return settings.GetExtension(ChatSettings::chat);
}

ChatModelSettings& AddModel(ChatSettings& settings, const std::string& name) {
  ChatModelSettings& model = *settings.add_models();
  model.set_name(name);
  model.set_api(CHAT_API_OPENAI);
  model.mutable_provider()->set_base_url("https://models.example/v1");
  return model;
}

// "path: what" of each problem.
std::vector<std::string> ProblemsOf(const ChatSettings& settings) {
  std::vector<std::string> problems;
  const auto report = [&](std::string_view path, std::string_view what) {
    problems.push_back(absl::StrCat(ToAbsl(path), ": ", ToAbsl(what)));
  };
  yaml::CheckRanges(settings, "chat", report);
  ChatFamily().settings->check(settings, report);
  return problems;
}

TEST(ChatFamilyTest, DefaultsAreRightAndHaveNoModel) {
  const ChatSettings settings = Defaults();
  EXPECT_THAT(ProblemsOf(settings), IsEmpty());
  EXPECT_EQ(settings.models_size(), 0);
  EXPECT_EQ(settings.max_tool_calls(), 3);
}

TEST(ChatFamilyTest, AModelNeedsNoMoreThanNameApiAndAddress) {
  ChatSettings settings = Defaults();
  AddModel(settings, "gpt-4.1");
  AddModel(settings, "zai/glm-4.6:free");
  settings.set_default_model("gpt-4.1");
  EXPECT_THAT(ProblemsOf(settings), IsEmpty());
}

struct WrongRow {
  const char* name;
  std::function<void(ChatSettings&, ChatModelSettings&)> change;
  const char* problem;
};

class WrongChatTest : public ::testing::TestWithParam<WrongRow> {};

TEST_P(WrongChatTest, IsReportedWithItsPath) {
  ChatSettings settings = Defaults();
  GetParam().change(settings, AddModel(settings, "one"));
  EXPECT_THAT(ProblemsOf(settings), ElementsAre(GetParam().problem));
}

INSTANTIATE_TEST_SUITE_P(
    Settings, WrongChatTest,
    ::testing::Values(
        WrongRow{"NoApi", [](auto&, auto& m) { m.clear_api(); },
                 "chat.models[0].api: must be OPENAI, GLM, ANTHROPIC or GEMINI"},
        WrongRow{"NoAddress", [](auto&, auto& m) { m.mutable_provider()->clear_base_url(); },
                 "chat.models[0].base_url: must be an http or https URL, for example https://api.openai.com/v1"},
        WrongRow{
            "AddressIsNoUrl", [](auto&, auto& m) { m.mutable_provider()->set_base_url("models.example/v1"); },
            "chat.models[0].base_url: URL must begin with http:// or https://; \"https://api.example.com/v1\" would "
            "be right"},
        WrongRow{"AddressEndsWithASlash",
                 [](auto&, auto& m) { m.mutable_provider()->set_base_url("https://models.example/v1/"); },
                 "chat.models[0].base_url: must not end with a slash, since the service's paths begin with one"},
        WrongRow{"AddressHasAQuery",
                 [](auto&, auto& m) { m.mutable_provider()->set_base_url("https://models.example/v1?a=b"); },
                 "chat.models[0].base_url: must have no query and no fragment"},
        WrongRow{"KeyInsteadOfAVariable", [](auto&, auto& m) { m.mutable_provider()->set_api_key_env("sk-123"); },
                 "chat.models[0].api_key_env: must be the name of an environment variable, not a key"},
        WrongRow{"KeyFileIsRelative", [](auto&, auto& m) { m.mutable_provider()->set_api_key_file("key.txt"); },
                 "chat.models[0].api_key_file: must be an absolute path, such as /etc/toolgate/key"},
        WrongRow{"OwnSettingOutOfItsRange", [](auto&, auto& m) { m.mutable_provider()->set_max_attempts(11); },
                 "chat.models[0].max_attempts: is 11; must be from 1 to 10"},
        WrongRow{"OwnProxyIsNoUrl", [](auto&, auto& m) { m.mutable_provider()->set_proxy("proxy:3128"); },
                 "chat.models[0].proxy: must be a URL that begins with http://, https://, socks5:// or socks5h://"},
        WrongRow{"SharedSettingIsToldOfOnce",
                 [](auto& s, auto&) {
                   AddModel(s, "two");
                   s.mutable_provider()->set_proxy("proxy:3128");
                 },
                 "chat.provider.proxy: must be a URL that begins with http://, https://, socks5:// or socks5h://"},
        WrongRow{"NameWithBlanks", [](auto&, auto& m) { m.set_name("a model"); },
                 "chat.models[0].name: must be 1 to 64 characters of A-Z a-z 0-9 . _ : / -"},
        WrongRow{"NameTwice", [](auto& s, auto&) { AddModel(s, "one"); },
                 "chat.models[1].name: is the name of an earlier model; each needs its own"},
        WrongRow{"ExtraIsAList", [](auto&, auto& m) { m.set_extra_json("[1]"); },
                 "chat.models[0].extra_json: must be a JSON object, or empty"},
        WrongRow{"UnknownDefault", [](auto& s, auto&) { s.set_default_model("two"); },
                 "chat.default_model: names none of chat.models; must be one of their names, or empty for the first"},
        WrongRow{"NoTurns", [](auto& s, auto&) { s.set_max_turns(0); },
                 "chat.max_turns: is 0; must be from 1 to 1000"}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace toolgate::executors::chat
