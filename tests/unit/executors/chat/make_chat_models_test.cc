#include "executors/chat/make_chat_models.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/clock.h"
#include "common/http/client_pool.h"
#include "executors/chat/chat_family.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/real_wait.h"

namespace toolgate::executors::chat {
namespace {

using ::testing::Each;
using ::testing::SizeIs;

ChatSettings DefaultSettings() {
  config::v1::Families settings;
  EXPECT_TRUE(AddDefaults({ChatFamily()}, settings).ok());
  return settings.GetExtension(ChatSettings::chat);
}

// Keeps the URLs that were asked, and answers "{}".
class RecordingClient final : public http::Client {
 public:
  explicit RecordingClient(std::vector<std::string>& urls) : urls_(urls) {}

  std::unique_ptr<http::Exchange> Start(http::Request request) override {
    urls_.push_back(std::move(request.url));
    return std::make_unique<EmptyExchange>();
  }

 private:
  class EmptyExchange final : public http::Exchange {
   public:
    absl::StatusOr<http::ResponseHead> Head(fibers::Wait /*wait*/) override { return http::ResponseHead{200, {}}; }
    absl::StatusOr<std::string> Next(fibers::Wait /*wait*/) override { return std::string(); }
    bool may_have_been_sent() const override { return true; }
  };

  std::vector<std::string>& urls_;
};

class MakeChatModelsTest : public ::testing::Test {
 protected:
  std::unique_ptr<ChatModels> Make(const ChatSettings& settings) {
    auto models = MakeChatModels(settings, Clock::Real(), clients_, nullptr, nullptr);
    EXPECT_TRUE(models.ok()) << models.status();
    return models.ok() ? *std::move(models) : nullptr;
  }
  void Ask(const ChatModels& models, const std::string& name) {
    const testing::RealWait wait;
    const observability::tracing::CallSpan span;
    providers::Scope scope{.wait = wait, .span = span};
    const auto answer = (*models.Find(name))->provider->Send({.path = "/ask"}, scope);
    EXPECT_TRUE(answer.ok()) << answer.status();
  }

  std::vector<http::ClientOptions> made_;  // Of each client.
  std::vector<std::string> urls_;
  const std::shared_ptr<http::ClientPool> clients_ = std::make_shared<http::ClientPool>(
      [this](const http::ClientOptions& options) -> absl::StatusOr<std::shared_ptr<http::Client>> {
        made_.push_back(options);
        return std::make_shared<RecordingClient>(urls_);
      });
};

TEST_F(MakeChatModelsTest, TenModelsShareOneClient) {
  ChatSettings settings = DefaultSettings();
  for (int i = 0; i < 10; ++i) {
    ChatModelSettings& model = *settings.add_models();
    model.set_name(absl::StrCat("m", i));
    model.set_api(CHAT_API_OPENAI);
    model.mutable_provider()->set_base_url("https://models.example/v1");
    model.mutable_provider()->set_keyless(true);
  }
  const std::unique_ptr<ChatModels> models = Make(settings);
  EXPECT_THAT(made_, SizeIs(0));
  for (const ChatModelSettings& model : settings.models()) Ask(*models, model.name());
  EXPECT_THAT(made_, SizeIs(1));
  EXPECT_THAT(urls_, SizeIs(10));
  EXPECT_THAT(urls_, Each(std::string("https://models.example/v1/ask")));
}

TEST_F(MakeChatModelsTest, AModelHasSettingsOfItsOwn) {
  ChatSettings settings = DefaultSettings();
  settings.mutable_provider()->set_keyless(true);
  settings.mutable_provider()->set_base_url("https://shared.example/v1");
  for (const char* const name : {"plain", "own"}) {
    ChatModelSettings& model = *settings.add_models();
    model.set_name(name);
    model.set_api(CHAT_API_OPENAI);
  }
  providers::ProviderSettings& own = *settings.mutable_models(1)->mutable_provider();
  own.mutable_timeout()->set_seconds(7);
  own.set_max_attempts(1);
  own.set_proxy("http://proxy:3128");
  const std::unique_ptr<ChatModels> models = Make(settings);
  const providers::ProviderSettings& plain = (*models->Find("plain"))->provider->settings();
  EXPECT_EQ(plain.timeout().seconds(), 300);
  EXPECT_EQ(plain.model(), "plain");
  const providers::ProviderSettings& changed = (*models->Find("own"))->provider->settings();
  EXPECT_EQ(changed.timeout().seconds(), 7);
  EXPECT_EQ(changed.max_attempts(), 1);
  EXPECT_EQ(changed.base_url(), "https://shared.example/v1");
  Ask(*models, "plain");
  Ask(*models, "own");
  ASSERT_THAT(made_, SizeIs(2));
  EXPECT_EQ(made_[1].proxy, "http://proxy:3128");
}

}  // namespace
}  // namespace toolgate::executors::chat
