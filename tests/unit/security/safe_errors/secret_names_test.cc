#include "security/safe_errors/secret_names.h"

#include "gtest/gtest.h"

namespace toolgate::security::safe_errors {
namespace {

TEST(IsSecretNameTest, KnowsSpellingsAndLeavesOthers) {
  for (const char* name : {"password",
                           "API_KEY",
                           "apiKey",
                           "X-Api-Key",
                           "client_secret",
                           "dbPassword",
                           "accessToken",
                           "JWT_SECRET",
                           "DB_PASS",
                           "MYSQL_PWD",
                           "githubToken",
                           "connectionString",
                           "AWS_SECRET_ACCESS_KEY",
                           "otp",
                           "Set-Cookie",
                           "Cookie",
                           "password1",
                           "DB_PASSWORD_2",
                           "password_confirmation",
                           "passwords",
                           "secret_key_base",
                           "contraseña",
                           "CONTRASEÑA",
                           "X-Amz-Signature",
                           "my_secret_value",
                           "_auth",
                           "requirepass",
                           "production_database_replica_connection_password"}) {
    EXPECT_TRUE(IsSecretName(name)) << name;
  }
  for (const char* name : {"title",
                           "tokens_used",
                           "passage",
                           "keyword",
                           "id",
                           "secretary",
                           "tokenizer",
                           "content",
                           "bypass",
                           "compass",
                           "nextPageToken",
                           "page_token",
                           "max_tokens",
                           "maxToken",
                           "",
                           "no",
                           "2024",
                           "_",
                           "tokens",
                           "cookies",
                           "signature_of_the_function",
                           "step_2",
                           "bypass1",
                           "auth",
                           "require_path",
                           "the_longest_name_of_a_column_that_anybody_ever_wrote_down"}) {
    EXPECT_FALSE(IsSecretName(name)) << name;
  }
}

}  // namespace
}  // namespace toolgate::security::safe_errors
