#include "security/identity/token_authenticator.h"

#include <memory>
#include <string>
#include <utility>

#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fake_clock.h"
#include "tests/support/token_forge.h"

namespace toolgate::security::identity {
namespace {

using testing::FakeClock;
using ::testing::HasSubstr;
using testing::MakeJwt;
using testing::SigningKey;

// Keys that a test changes.
class TestKeys final : public KeySource {
 public:
  absl::StatusOr<SharedKeys> Keys() override {
    if (current == nullptr) return MakeError(ErrorCode::kOverloaded, "down");
    return current;
  }
  SharedKeys Newer(const SharedKeys& known) override {
    ++asked;
    if (next != nullptr) current = std::exchange(next, nullptr);
    return current == nullptr ? known : current;
  }

  SharedKeys current;
  SharedKeys next;
  int asked = 0;
};

SharedKeys SetOf(const SigningKey& key, const std::string& id) {
  return std::make_shared<const jose::KeySet>(
      jose::KeySet::Of(*jose::VerificationKey::FromJwk(key.Jwk({{"kid", id}}))));
}

class TokenAuthenticatorTest : public ::testing::Test {
 protected:
  TokenAuthenticatorTest() {
    config_.set_issuer("issuer");
    config_.add_audiences("toolgate");
    config_.add_types("JWT");
    config_.mutable_claims()->set_workspace("workspace");
    config_.mutable_claims()->set_user("sub");
    keys_->current = SetOf(key_, "a");
    tokens_ = *TokenAuthenticator::Create(config_, jose::AsymmetricAlgorithms(), keys_, clock_);
  }
  std::string Token(const SigningKey& key, const std::string& id, absl::Duration lifetime = absl::Minutes(5)) {
    return MakeJwt(key, "ES256", {{"kid", id}},
                   {{"iss", "issuer"},
                    {"aud", "toolgate"},
                    {"exp", absl::ToUnixSeconds(clock_.Now() + lifetime)},
                    {"workspace", "acme"},
                    {"sub", "ann"}});
  }
  ToolError ErrorOf(const std::string& token) {
    const auto caller = tokens_->Authenticate(token);
    EXPECT_FALSE(caller.ok());
    return GetToolError(caller.status()).value_or(ToolError());
  }

  FakeClock clock_;
  const SigningKey key_ = SigningKey::Ec("P-256");
  const SigningKey other_ = SigningKey::Ec("P-256");
  config::v1::Jwt config_;
  std::shared_ptr<TestKeys> keys_ = std::make_shared<TestKeys>();
  std::unique_ptr<TokenAuthenticator> tokens_;
};

TEST_F(TokenAuthenticatorTest, AnswersTheCallerAndRemembersIt) {
  const std::string token = Token(key_, "a");
  const auto first = tokens_->Authenticate(token);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ((*first)->user_id, "ann");
  EXPECT_EQ(*tokens_->Authenticate(token), *first) << "the same caller, not one like it";
  EXPECT_EQ(keys_->asked, 0);
}

TEST_F(TokenAuthenticatorTest, ARememberedTokenStillExpires) {
  const std::string token = Token(key_, "a", absl::Minutes(5));
  ASSERT_TRUE(tokens_->Authenticate(token).ok());
  clock_.Advance(absl::Minutes(5));
  EXPECT_THAT(ErrorOf(token).message, HasSubstr("has expired"));
}

TEST_F(TokenAuthenticatorTest, ARememberedTokenIsForgottenWithItsKey) {
  const std::string token = Token(key_, "a");
  ASSERT_TRUE(tokens_->Authenticate(token).ok());
  keys_->current = SetOf(other_, "b");
  EXPECT_EQ(ErrorOf(token).code, ErrorCode::kUnauthorized);
}

// They are kept parsed, which takes a multiple of their length.
TEST_F(TokenAuthenticatorTest, LongTokensAreForgottenBeforeThereAreMany) {
  const auto long_token = [&](int i) {
    return MakeJwt(key_, "ES256", {{"kid", "a"}},
                   {{"iss", "issuer"},
                    {"aud", "toolgate"},
                    {"exp", absl::ToUnixSeconds(clock_.Now() + absl::Minutes(5))},
                    {"workspace", "acme"},
                    {"sub", "ann"},
                    {"number", i},
                    {"padding", std::string(11'000, 'p')}});
  };
  const std::string token = long_token(0);
  const auto first = tokens_->Authenticate(token);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(*tokens_->Authenticate(token), *first);
  // 1 MiB holds 71 of them, and each of the 16 parts gets about 150 of this many.
  for (int i = 1; i <= 2'400; ++i) ASSERT_TRUE(tokens_->Authenticate(long_token(i)).ok()) << i;
  const auto again = tokens_->Authenticate(token);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_NE(*again, *first);
}

TEST_F(TokenAuthenticatorTest, LooksForNewKeysWhenATokenNamesOne) {
  keys_->next = SetOf(other_, "b");
  EXPECT_TRUE(tokens_->Authenticate(Token(other_, "b")).ok());
  EXPECT_EQ(keys_->asked, 1);
  EXPECT_EQ(ErrorOf(Token(other_, "c")).code, ErrorCode::kUnauthorized);
  EXPECT_EQ(keys_->asked, 2);
}

TEST_F(TokenAuthenticatorTest, DoesNotLookForNewKeysForABadSignature) {
  EXPECT_EQ(ErrorOf(Token(other_, "a")).code, ErrorCode::kUnauthorized);
  EXPECT_EQ(ErrorOf("x.y.z").code, ErrorCode::kUnauthorized);
  EXPECT_EQ(keys_->asked, 0);
}

TEST_F(TokenAuthenticatorTest, RefusesAllWhenTheKeysAreOutOfReach) {
  const std::string token = Token(key_, "a");
  ASSERT_TRUE(tokens_->Authenticate(token).ok());
  keys_->current = nullptr;
  const ToolError error = ErrorOf(token);
  EXPECT_EQ(error.code, ErrorCode::kOverloaded);
}

TEST_F(TokenAuthenticatorTest, TakesOnlyConfiguredAlgorithms) {
  config_.add_algorithms("ES384");
  auto strict = *TokenAuthenticator::Create(config_, jose::AsymmetricAlgorithms(), keys_, clock_);
  EXPECT_FALSE(strict->Authenticate(Token(key_, "a")).ok());
  for (const char* name : {"none", "HS256", "es256", ""}) {
    config_.clear_algorithms();
    config_.add_algorithms(name);
    EXPECT_FALSE(TokenAuthenticator::Create(config_, jose::AsymmetricAlgorithms(), keys_, clock_).ok()) << name;
  }
}

}  // namespace
}  // namespace toolgate::security::identity
