#include "security/identity/jose/key_set.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/token_forge.h"

namespace toolgate::security::identity::jose {
namespace {

using ::testing::HasSubstr;
using testing::SigningKey;
using ::testing::SizeIs;

Json JsonSetOf(std::initializer_list<Json> keys) {
  Json rows = Json::array();
  for (const Json& key : keys) rows.push_back(key);
  return Json{{"keys", rows}};
}

TEST(KeySetTest, LeavesOutWhatItCannotUseAndSaysWhy) {
  const SigningKey ec = SigningKey::Ec("P-256");
  const auto set = KeySet::Parse(DumpJson(JsonSetOf({{{"kty", "AKP"}},
                                                     ec.Jwk({{"use", "enc"}}),
                                                     ec.Jwk({{"x", "AA"}}),
                                                     ec.Jwk({{"kid", "good"}, {"x5t", "whatever"}})})),
                                 {});
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_THAT(set->keys(), SizeIs(1));
  ASSERT_THAT(set->skipped(), SizeIs(3));
  EXPECT_THAT(set->skipped()[1], HasSubstr("keys[1]: the key's \"use\""));
}

TEST(KeySetTest, ChoosesByKeyIdAndAlgorithm) {
  const SigningKey first = SigningKey::Ec("P-256");
  const auto set = KeySet::FromJson(JsonSetOf({first.Jwk({{"kid", "a"}}), SigningKey::Ec("P-256").Jwk({{"kid", "b"}}),
                                               SigningKey::Ec("P-384").Jwk({{"kid", "a"}})}),
                                    {});
  ASSERT_TRUE(set.ok());
  EXPECT_THAT(set->Candidates(Algorithm::kEs256, "a"), SizeIs(1));
  EXPECT_THAT(set->Candidates(Algorithm::kEs256, ""), SizeIs(2));
  EXPECT_THAT(set->Candidates(Algorithm::kEs512, "a"), SizeIs(0));
  EXPECT_THAT(set->Candidates(Algorithm::kEs256, "c"), SizeIs(0));
  EXPECT_TRUE(set->Knows("b"));
  EXPECT_FALSE(set->Knows("c"));
}

TEST(KeySetTest, RefusesASetThatGivesSecretsAway) {
  const Json secret = SigningKey::Secret(std::string(32, 'k')).Jwk();
  const Json with_private = SigningKey::Ec("P-256").Jwk({{"d", "AQAB"}});
  const Json good = SigningKey::Ec("P-256").Jwk();
  for (const Json& key : {secret, with_private}) {
    const auto set = KeySet::FromJson(JsonSetOf({good, key}), {});
    ASSERT_FALSE(set.ok());
    EXPECT_THAT(std::string(set.status().message()), HasSubstr("keys[1] is a secret or has a private part"));
    EXPECT_TRUE(KeySet::FromJson(JsonSetOf({good, key}), {.allow_secrets = true}).ok());
  }
}

TEST(KeySetTest, RefusesASetThatGivesAKeyAwayThatItCannotUse) {
  const SigningKey ec = SigningKey::Ec("P-256");
  for (const Json& key : {ec.Jwk({{"d", "AQAB"}, {"use", "enc"}}), ec.Jwk({{"d", "AQAB"}, {"x", "AA"}}),
                          Json{{"kty", "oct"}, {"k", "c2hvcnQ"}}, Json{{"kty", "new"}, {"dp", "AQAB"}}}) {
    EXPECT_FALSE(KeySet::FromJson(JsonSetOf({ec.Jwk(), key}), {}).ok()) << key;
    EXPECT_THAT(KeySet::FromJson(JsonSetOf({ec.Jwk(), key}), {.allow_secrets = true})->skipped(), SizeIs(1)) << key;
  }
}

TEST(KeySetTest, RefusesWhatIsNoSet) {
  const std::string many = "{\"keys\":[" + std::string("{},{},{},{}") + "]}";
  EXPECT_FALSE(KeySet::Parse(many, {.max_keys = 3}).ok());
  const std::string good = DumpJson(JsonSetOf({SigningKey::Ec("P-256").Jwk()}));
  EXPECT_FALSE(KeySet::Parse(good, {.max_bytes = good.size() - 1}).ok());
  for (const std::string text : {"", "[]", "{}", R"({"keys":{}})", R"({"keys":[]})", R"({"keys":[],"keys":[]})",
                                 R"({"keys":[{"kty":"EC","kty":"EC"}]})", "{\"keys\":[]} x", "\xEF\xBB\xBF{}"}) {
    const auto set = KeySet::Parse(text, {});
    ASSERT_FALSE(set.ok()) << text;
    EXPECT_EQ(set.status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace toolgate::security::identity::jose
