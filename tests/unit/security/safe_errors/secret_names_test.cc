#include "security/safe_errors/secret_names.h"

#include "gtest/gtest.h"

namespace toolgate::security::safe_errors {
namespace {

TEST(IsSecretNameTest, KnowsSpellingsAndLeavesOthers) {
  for (const char* name :
       {"password", "API_KEY", "apiKey", "X-Api-Key", "client_secret", "dbPassword", "accessToken", "JWT_SECRET",
        "DB_PASS", "MYSQL_PWD", "githubToken", "connectionString", "AWS_SECRET_ACCESS_KEY", "otp", "Set-Cookie"}) {
    EXPECT_TRUE(IsSecretName(name)) << name;
  }
  for (const char* name : {"title", "tokens_used", "passage", "keyword", "id", "secretary", "tokenizer", "content",
                           "bypass", "compass", "nextPageToken", "page_token", "max_tokens", "maxToken", "", "no"}) {
    EXPECT_FALSE(IsSecretName(name)) << name;
  }
}

}  // namespace
}  // namespace toolgate::security::safe_errors
