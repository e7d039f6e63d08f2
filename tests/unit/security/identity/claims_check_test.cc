#include "security/identity/claims_check.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::security::identity {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kNow = 1'800'000'000;

config::v1::Jwt Config() {
  config::v1::Jwt config;
  config.set_issuer("https://issuer.example");
  config.add_audiences("toolgate");
  config.add_audiences("other-name");
  config.add_types("JWT");
  config.add_types("at+jwt");
  config.mutable_clock_skew()->set_seconds(30);
  return config;
}

Json Claims(const Json& changes = Json::object()) {
  Json claims{{"iss", "https://issuer.example"}, {"aud", "toolgate"}, {"exp", kNow + 60}};
  for (const auto& [name, value] : changes.items()) {
    if (value.is_null()) {
      claims.erase(name);
    } else {
      claims[name] = value;
    }
  }
  return claims;
}

absl::Status Check(const std::string& payload, const Json& header = Json{{"alg", "ES256"}},
                   const config::v1::Jwt& config = Config()) {
  const jose::VerifiedJws token{header, jose::Algorithm::kEs256, "", payload};
  return ClaimsCheck(config).Check(token, absl::FromUnixSeconds(kNow)).status();
}

TEST(ClaimsCheckTest, AcceptsWhatIsMeantForThisServiceNow) {
  for (const Json& changes : {Json::object(), Json{{"aud", {"x", "other-name"}}}, Json{{"exp", kNow + 0.5}},
                              Json{{"exp", kNow - 29}}, Json{{"nbf", kNow + 29}}, Json{{"iat", kNow + 29}},
                              Json{{"nbf", 0}, {"iat", 1.5}}, Json{{"jti", "x"}, {"whatever", {1, 2}}}}) {
    EXPECT_TRUE(Check(DumpJson(Claims(changes))).ok()) << changes;
  }
}

TEST(ClaimsCheckTest, RefusesTheRest) {
  const struct {
    Json changes;
    std::string reason;
  } rows[] = {
      {{{"iss", nullptr}}, "another issuer"},
      {{{"iss", "https://issuer.example/"}}, "another issuer"},
      {{{"iss", "HTTPS://issuer.example"}}, "another issuer"},
      {{{"iss", {"https://issuer.example"}}}, "another issuer"},
      {{{"aud", nullptr}}, "another audience"},
      {{{"aud", "toolgate2"}}, "another audience"},
      {{{"aud", Json::array()}}, "another audience"},
      {{{"aud", {1, "x"}}}, "another audience"},
      {{{"aud", {{"toolgate", true}}}}, "another audience"},
      {{{"exp", nullptr}}, "does not expire"},
      {{{"exp", "1800000060"}}, "\"exp\" is no time"},
      {{{"exp", true}}, "\"exp\" is no time"},
      {{{"exp", -1}}, "\"exp\" is no time"},
      {{{"exp", 1e300}}, "\"exp\" is no time"},
      {{{"exp", kNow - 30}}, "has expired"},
      {{{"exp", 0}}, "has expired"},
      {{{"nbf", kNow + 31}}, "not valid yet"},
      {{{"nbf", "now"}}, "\"nbf\" is no time"},
      {{{"iat", kNow + 31}}, "issued in the future"},
      {{{"iat", {}}}, "\"iat\" is no time"},
  };
  for (const auto& row : rows) {
    Json claims = Claims(row.changes);
    if (row.changes.contains("iat") && row.changes["iat"].is_null()) claims["iat"] = nullptr;
    const absl::Status status = Check(DumpJson(claims));
    EXPECT_EQ(status.code(), absl::StatusCode::kUnauthenticated) << row.changes;
    EXPECT_THAT(std::string(status.message()), HasSubstr(row.reason)) << row.changes;
  }
}

TEST(ClaimsCheckTest, RefusesClaimsThatAreNotOneObjectWithDistinctMembers) {
  const std::string good = DumpJson(Claims());
  for (const std::string& payload :
       {std::string(), std::string("[]"), std::string("\"x\""), good + "{}", good + "x", "[" + good + "]",
        R"({"exp":1,)" + good.substr(1), good.substr(0, good.size() - 1) + R"(,"\u0065xp":99999999999})",
        "\xEF\xBB\xBF" + good, good.substr(0, good.size() - 1) + ",\"x\":\"\xC3\x28\"}"}) {
    EXPECT_THAT(std::string(Check(payload).message()), HasSubstr("distinct members")) << payload;
  }
}

TEST(ClaimsCheckTest, TakesOnlyTheTypesThatAreAllowed) {
  const std::string payload = DumpJson(Claims());
  for (const std::string type : {"JWT", "jwt", "application/JWT", "at+jwt", "Application/AT+JWT"}) {
    EXPECT_TRUE(Check(payload, {{"typ", type}}).ok()) << type;
  }
  for (const std::string type : {"", "JOSE", "secevent+jwt", "dpop+jwt", "logout+jwt", "text/jwt"}) {
    EXPECT_THAT(std::string(Check(payload, {{"typ", type}}).message()), HasSubstr("another type")) << type;
  }
  EXPECT_THAT(std::string(Check(payload, {{"typ", "JWT"}, {"cty", "JWT"}}).message()), HasSubstr("nested"));
  config::v1::Jwt strict = Config();
  strict.clear_types();
  strict.add_types("at+jwt");
  EXPECT_FALSE(Check(payload, Json::object(), strict).ok()) << "a token without a type counts as JWT";
  EXPECT_TRUE(Check(payload, {{"typ", "at+jwt"}}, strict).ok());
}

TEST(ClaimsCheckTest, BoundsTheLifetimeWhereThatIsAskedFor) {
  config::v1::Jwt config = Config();
  config.mutable_max_lifetime()->set_seconds(3600);
  EXPECT_TRUE(Check(DumpJson(Claims({{"exp", kNow + 3600}})), Json::object(), config).ok());
  EXPECT_FALSE(Check(DumpJson(Claims({{"exp", kNow + 3700}})), Json::object(), config).ok());
  EXPECT_FALSE(Check(DumpJson(Claims({{"iat", kNow - 3600}, {"exp", kNow + 60}})), Json::object(), config).ok());
}

}  // namespace
}  // namespace toolgate::security::identity
