#include "security/safe_errors/masker.h"

#include <string>
#include <string_view>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::security::safe_errors {
namespace {

struct Row {
  std::string_view name;
  std::string text;
  std::string masked;
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

// Secrets are put together from pieces, so that no scanner takes this file for a leak.
std::string Join(std::string_view a, std::string_view b) { return std::string(a) + std::string(b); }

class MaskerMasksTest : public ::testing::TestWithParam<Row> {};
TEST_P(MaskerMasksTest, WhatIdentifiesOrOpens) { EXPECT_EQ(Masker().Mask(GetParam().text), GetParam().masked); }

INSTANTIATE_TEST_SUITE_P(
    All, MaskerMasksTest,
    ::testing::Values(
        Row{"Email", "write to jane.doe+x@mail.example.org.", "write to [masked:email]."},
        Row{"EmailInBrackets", "<bob@example.com>", "<[masked:email]>"},
        Row{"InternationalPhone", "call +49 30 901820 now", "call [masked:phone] now"},
        Row{"AmericanPhone", "(415) 555-2671", "[masked:phone]"}, Row{"DashedPhone", "415-555-2671", "[masked:phone]"},
        Row{"PhoneAfterItsName", "phone: 5552671", "phone: [masked:phone]"},
        Row{"NationalPhone", "030 90182 345", "[masked:phone]"},
        Row{"Card", "paid with 4111 1111 1111 1111 today", "paid with [masked:card] today"},
        Row{"CardInOneRow", "5555555555554444", "[masked:card]"},
        Row{"AmericanExpress", "3782-822463-10005", "[masked:card]"},
        Row{"Iban", "to DE89 3704 0044 0532 0130 00 please", "to [masked:iban] please"},
        Row{"IbanInOneRow", "GB82WEST12345698765432", "[masked:iban]"},
        Row{"Ssn", "ssn 536-90-4399", "ssn [masked:national-id]"}, Row{"Cpf", "529.982.247-25", "[masked:national-id]"},
        Row{"Pesel", "44051401359", "[masked:national-id]"},
        Row{"SpanishId", "DNI 12345678Z", "DNI [masked:national-id]"},
        Row{"ItalianTaxCode", "RSSMRA85T10A562S", "[masked:national-id]"},
        Row{"ChineseId", "11010519491231002X", "[masked:national-id]"},
        Row{"IpV4", "from 203.0.113.7:443", "from [masked:ip]:443"},
        Row{"IpV6", "host 2001:db8:0:0:0:0:2:1 up", "host [masked:ip] up"},
        Row{"ShortIpV6", "host 2001:db8::1 up", "host [masked:ip] up"},
        Row{"AwsKey", Join("AKIA", "IOSFODNN7EXAMPLE"), "[masked:token]"},
        Row{"GitHubToken", Join("ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"), "[masked:token]"},
        Row{"GitHubFineToken", Join("github_pat_", "11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz"), "[masked:token]"},
        Row{"GoogleKey", Join("AIza", "SyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe"), "[masked:token]"},
        Row{"SlackToken", Join("xoxb-", "17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy"), "[masked:token]"},
        Row{"StripeKey", Join("sk_live_", "4eC39HqLyjWDarjtT1zdp7dc"), "[masked:token]"},
        Row{"OpenAiKey", Join("key is sk-", "abcd1234EFGH5678ijkl9012MNOP"), "key is [masked:token]"},
        Row{"AnthropicKey", Join("sk-ant-", "api03-abcdEFGH1234_abcdEFGH1234-AA"), "[masked:token]"},
        Row{"Jwt", Join("eyJhbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"), "[masked:jwt]"},
        Row{"PrivateKey", Join("a -----BEGIN RSA PRIVATE", " KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- b"),
            "a [masked:private-key] b"},
        Row{"CutPrivateKey", Join("-----BEGIN PRIVATE", " KEY-----\nMIIEvQ"), "[masked:private-key]"},
        Row{"ConnectionString", "postgres://app:s3cret@db.example/x?a=1 failed", "[masked:connection-string] failed"},
        Row{"Bearer", "Authorization: Bearer abc123def456ghi789", "Authorization: Bearer [masked:password]"},
        Row{"BearerAlone", "sent Bearer abc123def456ghi789", "sent Bearer [masked:token]"},
        Row{"PasswordPair", "user=joe password=hunter2 host=x", "user=joe password=[masked:password] host=x"},
        Row{"PasswordInJsonText", R"({"password":"a b","x":1})", R"({"password":"[masked:password]","x":1})"},
        Row{"ApiKeyQuery", "GET /x?api_key=12ab34&y=1", "GET /x?api_key=[masked:password]&y=1"},
        Row{"CardBeforeItsExpiry", "4111111111111111 12/26 123", "[masked:card] 12/26 123"},
        Row{"CardBeforeAYear", "card 4111-1111-1111-1111 2024", "card [masked:card] 2024"},
        Row{"CardBeforeAnAmount", "card 4111111111111111 100 EUR", "card [masked:card] 100 EUR"},
        Row{"CardInGroupsBeforeAnAmount", "4111 1111 1111 1111 100 EUR", "[masked:card] 100 EUR"},
        Row{"TwoCards", "4111111111111111 5500005555555559", "[masked:card] [masked:card]"},
        Row{"CardAfterADate", "12/10/2024 4111 1111 1111 1111", "12/10/2024 [masked:card]"},
        Row{"CardAfterAName", "order-4111111111111111", "order-[masked:card]"},
        Row{"CardInACsvRow", "12,4111111111111111,7", "12,[masked:card],7"},
        Row{"MirCard", "2201382000000013", "[masked:card]"},
        Row{"SsnBeforeAYear", "078-05-1120 2024", "[masked:national-id] 2024"},
        Row{"PeselBeforeANumber", "44051401359 12", "[masked:national-id] 12"},
        Row{"IpV4InAUrl", "http://203.0.113.5/admin", "http://[masked:ip]/admin"},
        Row{"IpV4Network", "203.0.113.5/24", "[masked:ip]/24"},
        Row{"IpV4InAnAccessLog", "203.0.113.5 - - [10/Oct/2000:13:55:36", "[masked:ip] - - [10/Oct/2000:13:55:36"},
        Row{"IpV4Range", "10.1.2.3-10.1.2.9", "[masked:ip]-[masked:ip]"},
        Row{"IpV4AndAPort", "203.0.113.5 443", "[masked:ip] 443"},
        Row{"IpV4AtTheEnd", "it was 203.0.113.5.", "it was [masked:ip]."},
        Row{"IpV4InIpV6", "::ffff:192.168.7.9", "[masked:ip]"},
        Row{"BritishPhone", "+44 20 7946 0958", "[masked:phone]"},
        Row{"GermanPhone", "+49 30 1234 5678", "[masked:phone]"},
        Row{"AustralianPhone", "+61 2 1234 5678", "[masked:phone]"},
        Row{"PhoneWithSeveralMarks", "+49 30/1234-567", "[masked:phone]"},
        Row{"PhoneBeforeANumber", "415-555-2671 100", "[masked:phone] 100"},
        Row{"PasswordWithAQuoteInJson", R"({"password":"ab\"REST9"})", R"({"password":"[masked:password]"})"},
        Row{"PasswordThatEndsInABackslash", R"({"password":"ab\\","x":"y"})",
            R"({"password":"[masked:password]","x":"y"})"},
        Row{"PasswordInJsonInJson", R"("{\"password\":\"a\\\"b\",\"x\":1}")",
            R"("{\"password\":\"[masked:password]\",\"x\":1}")"},
        Row{"PasswordInColumns", "password        =      hunter2X9", "password        =      [masked:password]"},
        Row{"PasswordAfterATab", "password:\thunter2X9 x", "password:\t[masked:password] x"},
        Row{"PasswordWithSeparators", "password=a,b;c&d) next", "password=[masked:password]) next"},
        Row{"PasswordInADsn", "Server=x;Password=ab;cd;User Id=joe", "Server=x;Password=[masked:password];User Id=joe"},
        Row{"PasswordWithASlash", "postgres://user:pa/ss9word@dbhost/x up", "[masked:connection-string] up"},
        Row{"ConnectionStringByName", "connectionString=hostx,abc123", "connectionString=[masked:password]"},
        Row{"SecretOfAVariable", "JWT_SECRET=a8f7 DB_PASS=hunter2 GITHUB_TOKEN=x1",
            "JWT_SECRET=[masked:password] DB_PASS=[masked:password] GITHUB_TOKEN=[masked:password]"},
        Row{"TokenAfterAnUnderscore", Join("my_ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"), "my_[masked:token]"}),
    [](const auto& row) { return std::string(row.param.name); });

class MaskerKeepsTest : public ::testing::TestWithParam<Row> {};
TEST_P(MaskerKeepsTest, WhatOnlyLooksLikeIt) { EXPECT_EQ(Masker().Mask(GetParam().text), GetParam().text); }

INSTANTIATE_TEST_SUITE_P(
    All, MaskerKeepsTest,
    ::testing::Values(
        Row{"OwnId", "01jd5k3v9m0c8x7w6t5r4q3p2n", ""}, Row{"UpperId", "01ARZ3NDEKTSV4RRFFQ69G5FAV", ""},
        Row{"Uuid", "123e4567-e89b-12d3-a456-426614174000", ""}, Row{"Date", "2026-03-02", ""},
        Row{"DateTime", "2026-03-02T09:00:00.123456Z", ""}, Row{"GermanDate", "02.03.2026", ""},
        Row{"CompactDate", "20260302T090000", ""}, Row{"Time", "12:34:56", ""}, Row{"Number", "1234567", ""},
        Row{"LongNumber", "1772442000123", ""}, Row{"Nanoseconds", "1772442000123456789", ""},
        Row{"Decimal", "3.14159265358979", ""}, Row{"Version", "version 1.2.3.4", ""},
        Row{"VersionWithV", "v10.0.3.12", ""}, Row{"Sha", "da39a3ee5e6b4b0d3255bfef95601890afd80709", ""},
        Row{"Cpp", "std::string a::b", ""}, Row{"Handle", "ask @jane or git@", ""},
        Row{"Plain", "Buy 12 eggs and 3 apples for $4.50", ""}, Row{"Url", "https://example.org/a/b?c=d", ""},
        Row{"SkLearn", "sk-learn-contrib-packages-list", ""}, Row{"TokenInProse", "token: expected a comma", ""},
        Row{"Masked", "[masked:email]", ""}, Row{"Money", "1,234,567.89", ""}, Row{"Ratio", "16:9 and 4:3", ""},
        Row{"CardThatFailsLuhn", "4111 1111 1111 1112", ""}, Row{"Isbn", "978-3-16-148410-0", ""},
        Row{"Range", "1990-2020", ""}, Row{"Years", "2019 2020 2021 2022", ""},
        Row{"DateAndTime", "12.10.2024 14:30", ""}, Row{"DecimalOfSixteen", "0.4111111111111111", ""},
        Row{"UuidOfDigits", "12345678-1234-5678-1234-426614174000", ""}, Row{"Table", "10000 20000 30000 40000", ""},
        Row{"LongVersion", "1.2.3.4.5", ""}, Row{"UrlWithAPortAndAnAt", "https://host:8443/users/@jane", ""},
        Row{"PageToken", "next_page_token=abc123", ""}, Row{"Mac", "00:1a:2b:3c:4d:5e", ""}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(MaskerTest, MaskingTwiceChangesNothingMore) {
  const Masker masker;
  const std::string once = masker.Mask("jane@example.org password=hunter2 4111111111111111 Bearer abc123def456ghi789");
  EXPECT_EQ(masker.Mask(once), once);
}

TEST(MaskerTest, TheSecretsLevelLeavesPersonalDataReadable) {
  const Masker masker(MaskLevel::kSecrets);
  EXPECT_EQ(masker.Mask("jane@example.org 203.0.113.7"), "jane@example.org 203.0.113.7");
  EXPECT_EQ(masker.Mask("password=hunter2"), "password=[masked:password]");
}

TEST(MaskerTest, TellsWhichKindsWereMasked) {
  const auto masked = Masker().MaskIfNeeded("jane@example.org");
  ASSERT_TRUE(masked.has_value());
  EXPECT_EQ(masked->kinds, 1u << static_cast<unsigned>(MaskKind::kEmail));
  EXPECT_FALSE(Masker().MaskIfNeeded("nothing here").has_value());
}

TEST(MaskerTest, MasksInsideJsonAndWholeValuesOfSecretMembers) {
  const Json value =
      Json::parse(R"({"title":"mail jane@example.org","apiKey":"abc","nested":[{"password":12345}],"n":5})");
  EXPECT_EQ(
      Masker().MaskJson(value),
      R"({"title":"mail [masked:email]","apiKey":"[masked:password]","nested":[{"password":"[masked:password]"}],"n":5})");
  EXPECT_EQ(Masker().MaskJson(Json("x")), "\"x\"");
}

TEST(MaskerTest, MasksKeysAndLongNumbersOfJson) {
  const Json value = Json::parse(
      R"({"a@example.org":1,"b@example.org":2,"n":4111111111111111,"at":1772442000123,"s":"4111111111111111"})");
  const Json masked = Json::parse(Masker().MaskJson(value));
  EXPECT_EQ(masked, Json::parse(R"json({"[masked:email]": 1, "[masked:email] (2)": 2, "n": "[masked:card]",
                                        "at": 1772442000123, "s": "[masked:card]"})json"));
}

// Whatever is written around it, nothing of it may stay.
TEST(MaskerTest, WhatStandsAroundASecretDoesNotUnmaskIt) {
  const std::string token = Join("ghp_", "16C7e42F292c6912E7710c838347Ae178B4a");
  for (const std::string& secret :
       {std::string("4111 1111 1111 1111"), std::string("5555555555554444"), std::string("203.0.113.5"),
        std::string("+44 20 7946 0958"), std::string("536-90-4399"), std::string("GB82WEST12345698765432"),
        std::string("jane@example.org"), token}) {
    for (const char* before :
         {"", " ", "(", "\"", "'", "<", "[", "=", "a ", "nr. ", "x: ", "\n", "\t", "{\"k\":\"", ", ", ";", "|", ">"}) {
      for (const char* after :
           {"", " ", ".", ",", ";", ":", ")", "\"", "'", "/", "\n", " 7", " 2024", " - x", "|", "?", "!", ", 5", "<"}) {
        const std::string masked = Masker().Mask(before + secret + after);
        EXPECT_EQ(masked.find(secret), std::string::npos) << "[" << before << "] [" << secret << "] [" << after << "]";
        EXPECT_NE(masked.find("[masked:"), std::string::npos);
      }
    }
  }
}

// JSON inside of a string of JSON, and URLs.
TEST(MaskerTest, AWordBeginsAfterAnEscape) {
  const std::string token = Join("ghp_", "16C7e42F292c6912E7710c838347Ae178B4a");
  for (const std::string& secret :
       {token, Join("AKIA", "IOSFODNN7EXAMPLE"), std::string("4111 1111 1111 1111"), std::string("jane@example.org")}) {
    for (const char* before : {"\\n", "line\\t", "{\\\"a\\\":\\\"b\\r\\n", "q=%20", "token%3D", "%3d"}) {
      const std::string masked = Masker().Mask(before + secret);
      EXPECT_EQ(masked.find(secret), std::string::npos) << "[" << before << "] " << masked;
    }
  }
  EXPECT_EQ(Masker().Mask("C:\\temp\\build\\new 100%ab"), "C:\\temp\\build\\new 100%ab");
}

TEST(MaskerTest, WhatIsStuckToATokenOfFixedLengthDoesNotUnmaskIt) {
  const std::string key = Join("AKIA", "IOSFODNN7EXAMPLE");
  for (const char* after : {"-old", "_backup", ".x", "/", ":"}) {
    EXPECT_EQ(Masker().Mask(key + after), std::string("[masked:token]") + after);
  }
}

TEST(MaskerTest, OfATokenThatIsLongerThanAnyNothingStays) {
  const std::string body(5000, 'a');
  EXPECT_EQ(Masker().Mask("x " + Join("hvs.", "CAESI") + "0" + body + "." + body + " y"), "x [masked:token] y");
}

TEST(MaskerTest, ASecretsValueIsMaskedWhole) {
  for (const char* text :
       {"password=[Xk9!hunter2x", R"({"password":["hunter2x"]})", R"("password": {"value":"hunter2x"} and more)",
        "Authorization: ApiKey hunter2x", "curl -H 'Authorization: Negotiate hunter2x=='",
        "Authorization: AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=hunter2x",
        "Cookie: JSESSIONID=hunter2x; theme=dark", "contrase\u00f1a: hunter2x!", "password2: hunter2x1",
        "secret_key_base=hunter2x", "\\ntoken=hunter2x"}) {
    EXPECT_EQ(Masker().Mask(text).find("hunter2x"), std::string::npos) << Masker().Mask(text);
  }
  EXPECT_EQ(Masker().Mask("password: [required]"), "password: [required]");
  EXPECT_EQ(Masker().Mask("token: {type}"), "token: {type}");
}

TEST(MaskerTest, AddressesAfterNames) {
  EXPECT_EQ(Masker().Mask("refused: db.internal/10.1.2.3:5432"), "refused: db.internal/[masked:ip]:5432");
  EXPECT_EQ(Masker().Mask("package/1.2.3.4 is old"), "package/1.2.3.4 is old");
  EXPECT_EQ(Masker().Mask("ip:2001:db8:85a3::8a2e:370:7334"), "ip:[masked:ip]");
}

TEST(MaskerTest, WordsThatHoldThatOfAPhoneMakeNone) {
  for (const char* text : {"order cancelled 40012345", "Hotel 1234567 booked", "record 00000012345 of the batch"}) {
    EXPECT_EQ(Masker().Mask(text), text);
  }
}

TEST(MaskerTest, KeysThatBecomeOneAreNumbered) {
  Json object = Json::object();
  constexpr int kKeys = 10'000;
  for (int i = 0; i < kKeys; ++i) object["a" + std::to_string(i) + "@example.org"] = i;
  const Json masked = ParseJson(Masker().MaskJson(object)).value();
  ASSERT_EQ(masked.size(), static_cast<size_t>(kKeys));
  EXPECT_EQ(masked["[masked:email]"], 0);
  EXPECT_EQ(masked["[masked:email] (10000)"], kKeys - 1);
}

TEST(MaskerTest, LongRowsOfTheSameBeginningTakeLinearTime) {
  for (const std::string_view piece : {"hvs.a.", "hvs.", "ya29.a.b", "eyJ-", "eyJaaaaaaaaa-", "s://u:x/", "a://", "%3D",
                                       "\\n", "password:[", "token:{", "SG.aa.", "1//0a.", "sk-a-"}) {
    std::string text;
    while (text.size() < (size_t{1} << 20)) text += piece;
    EXPECT_LE(Masker().Mask(text).size(), 2 * text.size()) << piece;
  }
}

TEST(MaskerTest, LongRowsOfTheSameCharacterTakeLinearTime) {
  for (const char c : {'1', 'a', '@', ':', '-', '.', '=', '+', '/', '"', ' ', 'e', '('}) {
    const std::string text(size_t{1} << 19, c);
    EXPECT_LE(Masker().Mask(text).size(), text.size() + 64) << c;
  }
}

}  // namespace
}  // namespace toolgate::security::safe_errors
