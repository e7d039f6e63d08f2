#include "security/confirmation/confirmation_token.h"

#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "tests/support/fake_clock.h"

namespace toolgate::security::confirmation {
namespace {

const TokenClaims kClaims{"01jd5kx8y2v3n4m5p6q7r8s9t0", absl::FromUnixSeconds(1772442300), "5ae1", "9d3f"};

TEST(TokenSignerTest, WhatItSignedItVerifies) {
  const TokenSigner signer(std::string(32, 'k'));
  const std::optional<TokenClaims> claims = signer.Verify(signer.Sign(kClaims, "digest"), "digest");
  ASSERT_TRUE(claims.has_value());
  EXPECT_EQ(claims->confirmation_id, kClaims.confirmation_id);
  EXPECT_EQ(claims->expires_at, kClaims.expires_at);
  EXPECT_EQ(claims->state_digest, kClaims.state_digest);
  EXPECT_EQ(claims->question_digest, kClaims.question_digest);
}

TEST(TokenSignerTest, ACallNeedNotRestOnAState) {
  const TokenSigner signer(std::string(32, 'k'));
  const TokenClaims claims{kClaims.confirmation_id, kClaims.expires_at};
  const std::optional<TokenClaims> read = signer.Verify(signer.Sign(claims, "digest"), "digest");
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->state_digest, "");
}

TEST(TokenSignerTest, ATokenFitsOneCallAndOneKeyOnly) {
  const TokenSigner signer(std::string(32, 'k'));
  const std::string token = signer.Sign(kClaims, "digest");
  EXPECT_FALSE(signer.Verify(token, "another digest").has_value());
  EXPECT_FALSE(TokenSigner(std::string(32, 'x')).Verify(token, "digest").has_value());
}

TEST(TokenSignerTest, NoBitOfATokenMayChange) {
  const TokenSigner signer(std::string(32, 'k'));
  const std::string token = signer.Sign(kClaims, "digest");
  for (size_t i = 0; i < token.size(); ++i) {
    for (const char c : {'A', 'b', '7', '_', '=', '\0'}) {
      std::string altered = token;
      if (altered[i] == c) continue;
      altered[i] = c;
      EXPECT_FALSE(signer.Verify(altered, "digest").has_value()) << i << " " << c;
    }
  }
}

TEST(TokenSignerTest, RefusesWhatIsNoToken) {
  const TokenSigner signer(std::string(32, 'k'));
  const std::string token = signer.Sign(kClaims, "digest");
  for (const std::string& text : {std::string(), std::string("x"), std::string(31, 'A'), std::string(100'000, 'A'),
                                  token + "A", token + "=", token.substr(1), token.substr(0, token.size() - 1)}) {
    EXPECT_FALSE(signer.Verify(text, "digest").has_value()) << text.substr(0, 80);
  }
}

class CallDigestTest : public ::testing::Test {
 protected:
  CallDigestTest() {
    tool_.definition.id = "delete_block";
    call_.tool = &tool_;
    call_.caller.workspace_id = "w";
    call_.caller.user_id = "u";
    call_.SetArguments(Json{{"blockId", "b"}});
    call_.FreezeArguments();
  }

  executors::Tool tool_;
  ToolCall call_;
};

TEST_F(CallDigestTest, IsBoundToWhoAndPolicy) {
  const std::string digest = CallDigest(call_, "policy");
  EXPECT_EQ(digest, CallDigest(call_, "policy"));
  EXPECT_NE(digest, CallDigest(call_, "policy 2"));
  call_.caller.user_id = "v";
  EXPECT_NE(digest, CallDigest(call_, "policy"));
  call_.caller.user_id = "u";
  call_.caller.workspace_id = "w2";
  EXPECT_NE(digest, CallDigest(call_, "policy"));
}

TEST_F(CallDigestTest, ADryRunIsAnotherCall) {
  const std::string digest = CallDigest(call_, "p");
  call_.dry_run = true;
  EXPECT_NE(digest, CallDigest(call_, "p"));
}

TEST_F(CallDigestTest, OneFieldsEndIsNotTheNextOnesBeginning) {
  call_.caller.workspace_id = "ab";
  call_.caller.user_id = "c";
  const std::string digest = CallDigest(call_, "p");
  call_.caller.workspace_id = "a";
  call_.caller.user_id = "bc";
  EXPECT_NE(digest, CallDigest(call_, "p"));
}

}  // namespace
}  // namespace toolgate::security::confirmation
