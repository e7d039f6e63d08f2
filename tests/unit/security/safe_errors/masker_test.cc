#include "security/safe_errors/masker.h"

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace toolgate::security::safe_errors {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

struct MaskRow {
  std::string_view name;
  std::string text;
  std::string masked;
};

void PrintTo(const MaskRow& row, std::ostream* out) { *out << row.name; }

// Secrets are assembled from pieces, so that scanners do not report this file as a leak.
std::string Join(std::string_view a, std::string_view b) { return std::string(a) + std::string(b); }

class MaskerMasksTest : public ::testing::TestWithParam<MaskRow> {};
TEST_P(MaskerMasksTest, WhatIdentifiesOrOpens) { EXPECT_EQ(Masker().Mask(GetParam().text), GetParam().masked); }

INSTANTIATE_TEST_SUITE_P(
    All, MaskerMasksTest,
    ::testing::Values(
        MaskRow{"Email", "write to jane.doe+x@mail.example.org.", "write to [masked:email]."},
        MaskRow{"EmailInAUrl", "GET /x?email=jane%40example.com&y=1", "GET /x?[masked:email]&y=1"},
        MaskRow{"EmailInJsonText", R"({"to":"jane\u0040example.com"})", R"({"to":"[masked:email]"})"},
        MaskRow{"EmailInBrackets", "<bob@example.com>", "<[masked:email]>"},
        MaskRow{"InternationalPhone", "call +49 30 901820 now", "call [masked:phone] now"},
        MaskRow{"AmericanPhone", "(415) 555-2671", "[masked:phone]"},
        MaskRow{"DashedPhone", "415-555-2671", "[masked:phone]"},
        MaskRow{"PhoneAfterItsName", "phone: 5552671", "phone: [masked:phone]"},
        MaskRow{"NationalPhone", "030 90182 345", "[masked:phone]"},
        MaskRow{"Card", "paid with 4111 1111 1111 1111 today", "paid with [masked:card] today"},
        MaskRow{"CardInOneRow", "5555555555554444", "[masked:card]"},
        MaskRow{"AmericanExpress", "3782-822463-10005", "[masked:card]"},
        MaskRow{"Iban", "to DE89 3704 0044 0532 0130 00 please", "to [masked:iban] please"},
        MaskRow{"IbanInOneRow", "GB82WEST12345698765432", "[masked:iban]"},
        MaskRow{"Ssn", "ssn 536-90-4399", "ssn [masked:national-id]"},
        MaskRow{"Cpf", "529.982.247-25", "[masked:national-id]"},
        MaskRow{"Pesel", "44051401359", "[masked:national-id]"},
        MaskRow{"SpanishId", "DNI 12345678Z", "DNI [masked:national-id]"},
        MaskRow{"ItalianTaxCode", "RSSMRA85T10A562S", "[masked:national-id]"},
        MaskRow{"ChineseId", "11010519491231002X", "[masked:national-id]"},
        MaskRow{"IpV4", "from 203.0.113.7:443", "from [masked:ip]:443"},
        MaskRow{"IpV6", "host 2001:db8:0:0:0:0:2:1 up", "host [masked:ip] up"},
        MaskRow{"ShortIpV6", "host 2001:db8::1 up", "host [masked:ip] up"},
        MaskRow{"AwsKey", Join("AKIA", "IOSFODNN7EXAMPLE"), "[masked:token]"},
        MaskRow{"GitHubToken", Join("ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"), "[masked:token]"},
        MaskRow{"GitHubFineToken", Join("github_pat_", "11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz"), "[masked:token]"},
        MaskRow{"GoogleKey", Join("AIza", "SyDaGmWKa4JsXZ-HjGw7ISLn_3namBGewQe"), "[masked:token]"},
        MaskRow{"SlackToken", Join("xoxb-", "17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy"), "[masked:token]"},
        MaskRow{"StripeKey", Join("sk_live_", "4eC39HqLyjWDarjtT1zdp7dc"), "[masked:token]"},
        MaskRow{"OpenAiKey", Join("key is sk-", "abcd1234EFGH5678ijkl9012MNOP"), "key is [masked:token]"},
        MaskRow{"AnthropicKey", Join("sk-ant-", "api03-abcdEFGH1234_abcdEFGH1234-AA"), "[masked:token]"},
        MaskRow{"Jwt", Join("eyJhbGciOiJIUzI1NiJ9.", "eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"),
                "[masked:jwt]"},
        MaskRow{"PrivateKey", Join("a -----BEGIN RSA PRIVATE", " KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- b"),
                "a [masked:private-key] b"},
        MaskRow{"CutPrivateKey", Join("-----BEGIN PRIVATE", " KEY-----\nMIIEvQ"), "[masked:private-key]"},
        MaskRow{"ConnectionString", "postgres://app:s3cret@db.example/x?a=1 failed",
                "[masked:connection-string] failed"},
        MaskRow{"Bearer", "Authorization: Bearer abc123def456ghi789", "Authorization: Bearer [masked:password]"},
        MaskRow{"BearerAlone", "sent Bearer abc123def456ghi789", "sent Bearer [masked:token]"},
        MaskRow{"PasswordPair", "user=joe password=hunter2 host=x", "user=joe password=[masked:password] host=x"},
        MaskRow{"PasswordInJsonText", R"({"password":"a b","x":1})", R"({"password":"[masked:password]","x":1})"},
        MaskRow{"ApiKeyQuery", "GET /x?api_key=12ab34&y=1", "GET /x?api_key=[masked:password]&y=1"},
        MaskRow{"CardBeforeItsExpiry", "4111111111111111 12/26 123", "[masked:card] 12/26 123"},
        MaskRow{"CardBeforeAYear", "card 4111-1111-1111-1111 2024", "card [masked:card] 2024"},
        MaskRow{"CardBeforeAnAmount", "card 4111111111111111 100 EUR", "card [masked:card] 100 EUR"},
        MaskRow{"CardInGroupsBeforeAnAmount", "4111 1111 1111 1111 100 EUR", "[masked:card] 100 EUR"},
        MaskRow{"TwoCards", "4111111111111111 5500005555555559", "[masked:card] [masked:card]"},
        MaskRow{"CardAfterADate", "12/10/2024 4111 1111 1111 1111", "12/10/2024 [masked:card]"},
        MaskRow{"CardAfterAName", "order-4111111111111111", "order-[masked:card]"},
        MaskRow{"CardInACsvRow", "12,4111111111111111,7", "12,[masked:card],7"},
        MaskRow{"MirCard", "2201382000000013", "[masked:card]"},
        MaskRow{"SsnBeforeAYear", "078-05-1120 2024", "[masked:national-id] 2024"},
        MaskRow{"PeselBeforeANumber", "44051401359 12", "[masked:national-id] 12"},
        MaskRow{"IpV4InAUrl", "http://203.0.113.5/admin", "http://[masked:ip]/admin"},
        MaskRow{"IpV4Network", "203.0.113.5/24", "[masked:ip]/24"},
        MaskRow{"IpV4InAnAccessLog", "203.0.113.5 - - [10/Oct/2000:13:55:36", "[masked:ip] - - [10/Oct/2000:13:55:36"},
        MaskRow{"IpV4Range", "10.1.2.3-10.1.2.9", "[masked:ip]-[masked:ip]"},
        MaskRow{"IpV4AndAPort", "203.0.113.5 443", "[masked:ip] 443"},
        MaskRow{"IpV4AtTheEnd", "it was 203.0.113.5.", "it was [masked:ip]."},
        MaskRow{"IpV4InIpV6", "::ffff:192.168.7.9", "[masked:ip]"},
        MaskRow{"BritishPhone", "+44 20 7946 0958", "[masked:phone]"},
        MaskRow{"GermanPhone", "+49 30 1234 5678", "[masked:phone]"},
        MaskRow{"AustralianPhone", "+61 2 1234 5678", "[masked:phone]"},
        MaskRow{"PhoneWithSeveralMarks", "+49 30/1234-567", "[masked:phone]"},
        MaskRow{"PhoneBeforeANumber", "415-555-2671 100", "[masked:phone] 100"},
        MaskRow{"PasswordWithAQuoteInJson", R"({"password":"ab\"REST9"})", R"({"password":"[masked:password]"})"},
        MaskRow{"PasswordThatEndsInABackslash", R"({"password":"ab\\","x":"y"})",
                R"({"password":"[masked:password]","x":"y"})"},
        MaskRow{"PasswordInJsonInJson", R"("{\"password\":\"a\\\"b\",\"x\":1}")",
                R"("{\"password\":\"[masked:password]\",\"x\":1}")"},
        MaskRow{"PasswordInColumns", "password        =      hunter2X9", "password        =      [masked:password]"},
        MaskRow{"PasswordAfterATab", "password:\thunter2X9 x", "password:\t[masked:password] x"},
        MaskRow{"PasswordWithSeparators", "password=a,b;c&d) next", "password=[masked:password]) next"},
        MaskRow{"PasswordInADsn", "Server=x;Password=ab;cd;User Id=joe",
                "Server=x;Password=[masked:password];User Id=joe"},
        MaskRow{"PasswordWithASlash", "postgres://user:pa/ss9word@dbhost/x up", "[masked:connection-string] up"},
        MaskRow{"ConnectionStringByName", "connectionString=hostx,abc123", "connectionString=[masked:password]"},
        MaskRow{"SecretOfAVariable", "JWT_SECRET=a8f7 DB_PASS=hunter2 GITHUB_TOKEN=x1",
                "JWT_SECRET=[masked:password] DB_PASS=[masked:password] GITHUB_TOKEN=[masked:password]"},
        MaskRow{"FixedTokenBeforeAHyphen", Join("AKIA", "IOSFODNN7EXAMPLE-old"), "[masked:token]-old"},
        MaskRow{"FixedTokenBeforeAnUnderscore", Join("AKIA", "IOSFODNN7EXAMPLE_backup"), "[masked:token]_backup"},
        MaskRow{"TokenLongerThanEver", Join("hvs.", "B1.c2" + std::string(9000, 'a')), "[masked:token]"},
        MaskRow{"UrlTokenLongerThanEver", Join("ghp_", "B1" + std::string(9000, 'a')), "[masked:token]"},
        MaskRow{"SessionTokenOfAws", Join("IQoJb3JpZ2lu", "X2VjEA/aCXVzLWVhc3+QtMSJHMEUCIQ=="), "[masked:token]"},
        MaskRow{"TokenAfterAnEscape", Join(R"(one\nghp_)", "16C7e42F292c6912E7710c838347Ae178B4a end"),
                R"(one\n[masked:token] end)"},
        MaskRow{"TokenInColour", Join("\x1b[1;31mghp_", "16C7e42F292c6912E7710c838347Ae178B4a\x1b[0m"),
                "\x1b[1;31m[masked:token]\x1b[0m"},
        MaskRow{"TokenAfterAUnicodeEscape", Join(R"(key:\u0009AKIA)", "IOSFODNN7EXAMPLE"),
                R"(key:\u0009[masked:token])"},
        MaskRow{"TokenThatLooksLikeAnEscape", Join(R"(C:\tvly-)", "16C7e42F292c6912E771"), R"(C:\[masked:token])"},
        MaskRow{"CardAfterAnEscape", R"({"text":"card\n4111 1111 1111 1111"})", R"({"text":"card\n[masked:card]"})"},
        MaskRow{"EmailAfterAnEscape", R"({"text":"mail\nbob@example.com"})", R"({"text":"mail\n[masked:email]"})"},
        MaskRow{"NameAfterAnEscape", R"(a\ntoken=abc1)", R"(a\ntoken=[masked:password])"},
        MaskRow{"NameThatLooksLikeAnEscape", R"(C:\token=abc1)", R"(C:\token=[masked:password])"},
        MaskRow{"ConnectionStringAfterAnEscape", R"(a\nredis://u:p1@h/0)", R"(a\n[masked:connection-string])"},
        MaskRow{"TokenInAnEncodedUrl", Join("x%26my%3Dghp_", "16C7e42F292c6912E7710c838347Ae178B4a"),
                "x%26my%3D[masked:token]"},
        MaskRow{"PasswordInAnEncodedUrl", "a%26password%3Dhunter2", "a%26password%3D[masked:password]"},
        MaskRow{"PasswordThatBeginsWithABracket", "password=[Xk9!secret", "password=[masked:password]"},
        MaskRow{"PasswordWithBrackets", "password=[ab]cd1 x", "password=[masked:password] x"},
        MaskRow{"PasswordInBrackets", "password: [Xk9!secret]", "password: [[masked:password]]"},
        MaskRow{"PasswordsInAList", R"({"password":["hunter2x", "b]c"],"x":["y"]})",
                R"({"password":["[masked:password]"],"x":["y"]})"},
        MaskRow{"PasswordsInAListInJson", R"({"s":"{\"password\":[\"hunter2x\"],\"x\":1}"})",
                R"({"s":"{\"password\":[\"[masked:password]\"],\"x\":1}"})"},
        MaskRow{"PasswordsInYaml", "passwords: [hunter2x, s3cret]", "passwords: [[masked:password]]"},
        MaskRow{"PasswordInAnObject", "\"password\": {\n\"value\":\"hunter}2x\", \"n\": {}}, \"x\": 1",
                "\"password\": {\n[masked:password]}, \"x\": 1"},
        MaskRow{"PasswordInAnObjectOfYaml", "password: {value: hunter2x}", "password: {[masked:password]}"},
        MaskRow{"PasswordInACutList", R"("password": ["hunter2x","hunt)", R"("password": ["[masked:password])"},
        MaskRow{"ApiKeyScheme", "Authorization: ApiKey VnVhQ2ZHY0JDZGJrUW0tZTVhT3g6dWkybA==\nHost: a",
                "Authorization: ApiKey [masked:password]\nHost: a"},
        MaskRow{"NegotiateScheme", "authorization: Negotiate YIIJvwYGKwYBBQUCoIIJszCC",
                "authorization: Negotiate [masked:password]"},
        MaskRow{
            "AwsSignature",
            "Authorization: AWS4-HMAC-SHA256 Credential=x/20130524/us-east-1, SignedHeaders=host, Signature=fe5f\nx",
            "Authorization: AWS4-HMAC-SHA256 [masked:password]\nx"},
        MaskRow{"SharedKeyScheme", "Authorization: SharedKey acc:c2ln", "Authorization: SharedKey [masked:password]"},
        MaskRow{"TokenInATokenScheme", R"(Authorization: Token token="ab1", x)",
                R"(Authorization: Token token="[masked:password]", x)"},
        MaskRow{"PasswordLikeAScheme", "password=sharedkey1 aws4-x", "password=[masked:password] aws4-x"},
        MaskRow{"DigestInACommand", R"(curl -H 'Authorization: Digest user="joe's", response="6629f"' -v)",
                R"(curl -H 'Authorization: Digest [masked:password]' -v)"},
        MaskRow{"DigestInJson", R"({"h":"Authorization: Digest a=\"b\", r=\"66\"\nHost: x"})",
                R"({"h":"Authorization: Digest [masked:password]\nHost: x"})"},
        MaskRow{"UnknownScheme", "Authorization: Acme id=1, key=abc\n", "Authorization: [masked:password]\n"},
        MaskRow{"Cookies", "Cookie: JSESSIONID=1A53; theme=dark\r\nHost: a", "Cookie: [masked:password]\r\nHost: a"},
        MaskRow{"SpanishPassword", "contraseña: Hunter2!x", "contraseña: [masked:password]"},
        MaskRow{"NameAfterADash", "—password=hunter2", "—password=[masked:password]"},
        MaskRow{"LongName", "production_database_replica_connection_password=h2",
                "production_database_replica_connection_password=[masked:password]"},
        MaskRow{"AddressAsJavaWritesIt", "Connection refused: db.internal/10.1.2.3",
                "Connection refused: db.internal/[masked:ip]"},
        MaskRow{"AddressAndPortAsJavaWritesThem", "localhost/10.1.2.3:5432", "localhost/[masked:ip]:5432"},
        MaskRow{"IpV6AfterAName", "ip:2001:db8:85a3::8a2e:370:7334", "ip:[masked:ip]"},
        MaskRow{"IpV6AfterAQuotedName", R"("ip":2001:db8::1)", R"("ip":[masked:ip])"},
        MaskRow{"IpV6AfterAnEscape", R"(a\n2001:db8::1)", R"(a\n[masked:ip])"},
        MaskRow{"CardWithOtherBlanks", "4111\u00a01111\u00a01111\u00a01111 100", "[masked:card] 100"},
        MaskRow{"CardWithOtherHyphens", "4111\u20111111\u20111111\u20111111", "[masked:card]"},
        MaskRow{"PhoneWithOtherBlanks", "+49\u00a030\u202f901820", "[masked:phone]"},
        MaskRow{"PhoneWithDashes", "call 415\u2013555\u20132671", "call [masked:phone]"},
        MaskRow{"IbanWithOtherBlanks", "DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000", "[masked:iban]"},
        MaskRow{"PhoneWithAnExtension", "555-123-4567x12", "[masked:phone]x12"},
        MaskRow{"PhoneInBlanksAfterItsName", "Phone 415 555 2671", "Phone [masked:phone]"},
        MaskRow{"PhoneInBlanks", "Jane 415 555 2671", "Jane [masked:phone]"},
        MaskRow{"PhoneAfterACapital", "homePhone=5552671", "homePhone=[masked:phone]"},
        MaskRow{"PhoneAfterATel", "Tel. 4001234", "Tel. [masked:phone]"},
        MaskRow{"PhoneAfterAGermanName", "Telefonnummer: 4001234", "Telefonnummer: [masked:phone]"},
        MaskRow{"PhoneWithTwoZeros", "0049 30 901820", "[masked:phone]"},
        MaskRow{"PhoneAfterAOne", "1 415 555 2671", "[masked:phone]"},
        MaskRow{"DutchNumberByItsName", "BSN: 111222333", "BSN: [masked:national-id]"},
        MaskRow{"DutchNumberByItsForm", "1112.22.333", "[masked:national-id]"},
        MaskRow{"DutchNumberInASentence", "zijn burgerservicenummer is 111222333.",
                "zijn burgerservicenummer is [masked:national-id]."},
        MaskRow{"CanadianNumber", "193-456-787", "[masked:national-id]"},
        MaskRow{"CanadianNumberByItsName", "SIN 193 456 787", "SIN [masked:national-id]"},
        MaskRow{"BelgianNumber", "85.07.30-033.28", "[masked:national-id]"},
        MaskRow{"BelgianNumberInOneRow", "rrn 85073003328", "rrn [masked:national-id]"},
        MaskRow{"BelgianNumberOfThisCentury", "01020300467", "[masked:national-id]"},
        MaskRow{"NorwegianNumber", "150785 45620", "[masked:national-id]"},
        MaskRow{"SwissNumber", "756.1234.5678.97", "[masked:national-id]"},
        MaskRow{"SwissNumberInOneRow", "AHV 7561234567897", "AHV [masked:national-id]"},
        MaskRow{"SwedishNumber", "811218-9876", "[masked:national-id]"},
        MaskRow{"SwedishNumberByItsName", "personnummer 8112189876", "personnummer [masked:national-id]"},
        MaskRow{"FinnishNumber", "HETU 131052-308T", "HETU [masked:national-id]"},
        MaskRow{"FinnishNumberOfThisCentury", "010203A1230", "[masked:national-id]"},
        MaskRow{"BritishNumber", "NI number AB123456C", "NI number [masked:national-id]"},
        MaskRow{"BritishNumberInPairs", "NINO: AB 12 34 56 C.", "NINO: [masked:national-id]."},
        MaskRow{"SingaporeanNumber", "NRIC S1234567D", "NRIC [masked:national-id]"},
        MaskRow{"SingaporeanForeigner", "F1234567N, G7654321L", "[masked:national-id], [masked:national-id]"},
        MaskRow{"FrenchNumber", "NIR 255081416802538", "NIR [masked:national-id]"},
        MaskRow{"FrenchNumberOfCorsica", "185022A07812319", "[masked:national-id]"},
        MaskRow{"SpanishForeigner", "NIE X1234567L", "NIE [masked:national-id]"},
        MaskRow{"Aadhaar", "2341 2341 2346", "[masked:national-id]"},
        MaskRow{"SsnWithBlanks", "SSN 536 90 4399", "SSN [masked:national-id]"},
        MaskRow{"SsnInOneRow", "social security number: 536904399", "social security number: [masked:national-id]"},
        MaskRow{"DanishNumberByItsName", "CPR 010190-1234", "CPR [masked:national-id]"},
        MaskRow{"AddressAfterVersions", "client 2.4.1 from 203.0.113.5", "client 2.4.1 from [masked:ip]"},
        MaskRow{"AddressOfAHost", "host (10.1.2.3) is down", "host ([masked:ip]) is down"},
        MaskRow{"AddressComparedTo", "ip.src == 10.1.2.3", "ip.src == [masked:ip]"},
        MaskRow{"AddressWithinAnOrder", "if ip >= 224.0.0.0 and ip <= 10.1.2.3",
                "if ip >= [masked:ip] and ip <= [masked:ip]"},
        MaskRow{"AddressBeforeItsPort", "listening on 127.0.0.1:8080", "listening on [masked:ip]:8080"},
        MaskRow{"AddressesInAList", "from 203.0.113.5, 203.0.113.6", "from [masked:ip], [masked:ip]"},
        MaskRow{"AddressBehindAProduct", "Server/10.1.2.3:80", "Server/[masked:ip]:80"},
        MaskRow{"AddressOfEverything", "bind 0.0.0.0 and 0.0.0.0/0", "bind [masked:ip] and [masked:ip]/0"},
        MaskRow{"AddressAfterAHyphen", "ip-10.1.2.3", "ip-[masked:ip]"},
        MaskRow{"IpVersionAndAddress", "IP version 4, 203.0.113.5", "IP version 4, [masked:ip]"},
        MaskRow{"TokenAfterAnUnderscore", Join("my_ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"),
                "my_[masked:token]"}),
    [](const auto& row) { return std::string(row.param.name); });

class MaskerKeepsTest : public ::testing::TestWithParam<MaskRow> {};
TEST_P(MaskerKeepsTest, WhatOnlyLooksLikeIt) { EXPECT_EQ(Masker().Mask(GetParam().text), GetParam().text); }

INSTANTIATE_TEST_SUITE_P(
    All, MaskerKeepsTest,
    ::testing::Values(
        MaskRow{"OwnId", "01jd5k3v9m0c8x7w6t5r4q3p2n", ""}, MaskRow{"UpperId", "01ARZ3NDEKTSV4RRFFQ69G5FAV", ""},
        MaskRow{"Uuid", "123e4567-e89b-12d3-a456-426614174000", ""}, MaskRow{"Date", "2026-03-02", ""},
        MaskRow{"DateTime", "2026-03-02T09:00:00.123456Z", ""}, MaskRow{"GermanDate", "02.03.2026", ""},
        MaskRow{"CompactDate", "20260302T090000", ""}, MaskRow{"Time", "12:34:56", ""},
        MaskRow{"Number", "1234567", ""}, MaskRow{"LongNumber", "1772442000123", ""},
        MaskRow{"Nanoseconds", "1772442000123456789", ""}, MaskRow{"Decimal", "3.14159265358979", ""},
        MaskRow{"Version", "version 1.2.3.4", ""}, MaskRow{"VersionWithV", "v10.0.3.12", ""},
        MaskRow{"Sha", "da39a3ee5e6b4b0d3255bfef95601890afd80709", ""}, MaskRow{"Cpp", "std::string a::b", ""},
        MaskRow{"Handle", "ask @jane or git@", ""}, MaskRow{"Plain", "Buy 12 eggs and 3 apples for $4.50", ""},
        MaskRow{"Url", "https://example.org/a/b?c=d", ""}, MaskRow{"SkLearn", "sk-learn-contrib-packages-list", ""},
        MaskRow{"TokenInProse", "token: expected a comma", ""},
        MaskRow{"WordsWithPhoneWordsInside", "cancelled 40012345, hotel 1234567, Excel 2023123, microphone 1234567",
                ""},
        MaskRow{"ZeroPadded", "00000012345 000000001234", ""},
        MaskRow{"Sizes", "sizes 128 480 1024 and 800 100 1200", ""},
        MaskRow{"VersionAfterAName", "package/1.2.3.4 Chrome/120.0.0.0 lib_1.2.3.4 1.2.3.4_linux", ""},
        MaskRow{"Fingerprint", "SHA1 12:34:56:78:9a:bc:de:f0:12:34:56:78:9a:bc:de:f0:12:34:56:78", ""},
        MaskRow{"Pixels", "1234567x10 20240612x3 1920x1080", ""}, MaskRow{"Masked", "[masked:email]", ""},
        MaskRow{"MaskedPassword", "password=[masked:password]", ""},
        MaskRow{"MaskedObject", "\"password\": {[masked:password]}", ""},
        MaskRow{"MaskedBearer", "Authorization: Bearer [masked:password], x", ""},
        MaskRow{"EmptyHeader", R"(Cookie:\na=b)", ""},
        MaskRow{"MaskedHeader", "Authorization: Digest [masked:password]", ""},
        MaskRow{"EmptyPasswords", R"({"password":[],"token":{},"secret":""})", ""},
        MaskRow{"ListInProse", "token: [see below], password: [redacted]", ""},
        MaskRow{"CookieInProse", "cookie: Chocolate chips and x = y", ""},
        MaskRow{"AuthorizationInProse", "authorization: failed because role=viewer", ""},
        MaskRow{"CppToken", "Token::Parse and {token}", ""}, MaskRow{"Percent", "100%25 of 50%3a", ""},
        MaskRow{"Money", "1,234,567.89", ""}, MaskRow{"Ratio", "16:9 and 4:3", ""},
        MaskRow{"CardThatFailsLuhn", "4111 1111 1111 1112", ""}, MaskRow{"Isbn", "978-3-16-148410-0", ""},
        MaskRow{"Range", "1990-2020", ""}, MaskRow{"Years", "2019 2020 2021 2022", ""},
        MaskRow{"DateAndTime", "12.10.2024 14:30", ""}, MaskRow{"DecimalOfSixteen", "0.4111111111111111", ""},
        MaskRow{"UuidOfDigits", "12345678-1234-5678-1234-426614174000", ""},
        MaskRow{"Table", "10000 20000 30000 40000", ""}, MaskRow{"LongVersion", "1.2.3.4.5", ""},
        MaskRow{"UrlWithAPortAndAnAt", "https://host:8443/users/@jane", ""},
        MaskRow{"Versions", "versions 1.2.3.4, 1.2.3.5 and 1.2.3.6", ""},
        MaskRow{"VersionsFromTo", "updated from version 1.2.3.4 to 1.2.4.0", ""},
        MaskRow{"VersionInJson", R"({"version": "1.2.3.4", "fileVersion":"10.0.3.1"})", ""},
        MaskRow{"VersionInXml", "<Version>1.2.3.4</Version>", ""},
        MaskRow{"VersionThatIs", "its version is 1.2.3.4, since version 10.1.2.3", ""},
        MaskRow{"VersionBefore", "versions prior to 1.7.9.5", ""},
        MaskRow{"VersionOfACall", "AssemblyVersion(\"1.2.3.4\")", ""},
        MaskRow{"VersionWithARevision", "dpkg (1.15.8.6-1) unstable", ""},
        MaskRow{"VersionRelation", "macs (<< 2.2.7.1), lib (>= 1.8.8.1)", ""},
        MaskRow{"VersionPinned", "package==1.2.3.4", ""},
        MaskRow{"VersionSuffixes", "1.2.3.4-rc1 1.2.3.4+b2 1.2.3.4~beta 4.6.0.152-fe9c", ""},
        MaskRow{"VersionOfAnArchive", "foo-1.2.3.4.tar.gz 5.6.7.8.zip", ""},
        MaskRow{"VersionOfAnAgent", "Chrome/120.0.6.9 Safari/53.7.3.6 Edg/120.1.2.3", ""},
        MaskRow{"VersionThatBeginsWithZero", "pam 0.99.7.1", ""},
        MaskRow{"SectionNumbers", "section 9.4.2.22, clause 5.1.2.3, \u00a75.6.7.8, Table 3.2.2.6", ""},
        MaskRow{"VersionsAndDates", "1.2.0 (2011-02-03), 1 2023-01-08 2.11.2, 0.23  2011-01-11", ""},
        MaskRow{"TablesOfNumbers", "13500  9.0.0003 [.2270.0022.0008] 99  99  99  99  99  99 8000 8170 9952 5060 5593",
                ""},
        MaskRow{"NineDigits", "111222334 123456789 order 193456787", ""},
        MaskRow{"NineDigitsInThrees", "193 456 787 and 193-456-788", ""},
        MaskRow{"NumbersOfProducts", "GB123456A AB123456E QQ123456C AB 12 34 56 7 AB12345678C", ""},
        MaskRow{"NotSingaporean", "S1234567A T1234567Z", ""},
        MaskRow{"NotFinnish", "131052-308U 010203A1231 131352-308T", ""},
        MaskRow{"DateAndTimeOfAFile", "log-240613-1200 240613-1158", ""},
        MaskRow{"NotSwedish", "811218-9877 819918-9876", ""}, MaskRow{"ElevenDigits", "12345678901", ""},
        MaskRow{"NotSwiss", "756.1234.5678.98", ""},
        MaskRow{"NamesOfNumbersInProse", "sin(x), basin 193456787, bsn-driver 12", ""},
        MaskRow{"PageToken", "next_page_token=abc123", ""}, MaskRow{"Mac", "00:1a:2b:3c:4d:5e", ""}),
    [](const auto& row) { return std::string(row.param.name); });

// A secret in the name of a property, in a JSON pointer: "~1" for "/", "~0" for "~".
class MaskerPointerTest : public ::testing::TestWithParam<MaskRow> {};
TEST_P(MaskerPointerTest, LooksThroughEscapes) {
  EXPECT_EQ(Masker().Mask(GetParam().text), GetParam().masked);
  EXPECT_EQ(Masker().MaskJson(Json(GetParam().text)), DumpJson(Json(GetParam().masked)));
}

INSTANTIATE_TEST_SUITE_P(
    All, MaskerPointerTest,
    ::testing::Values(
        MaskRow{"ConnectionString", "/postgres:~1~1app:s3cret@db.example~1x", "/[masked:connection-string]"},
        MaskRow{"BelowOtherMembers", "/data/env/redis:~1~1:s3cret@cache", "/data/env/[masked:connection-string]"},
        MaskRow{"BehindItsName", "/url=amqp:~1~1joe:s3cret@mq and more", "/url=[masked:connection-string] and more"},
        MaskRow{"TildeInThePassword", "/mysql:~1~1root:s3~0cret~1x@db", "/[masked:connection-string]"},
        MaskRow{"InASentence", "the argument \"/a~1b/postgres:~1~1app:s3cret@db\" cannot be accepted",
                "the argument \"/a~1b/[masked:connection-string]\" cannot be accepted"},
        MaskRow{"InAQuotedLine", "error at /x/postgres:~1~1app:s3cret@db\nnext",
                "error at /x/[masked:connection-string]\nnext"},
        MaskRow{"TokenWithSlashes", Join("/IQoJb3JpZ2lu", "X2VjEA~1aCXVzLWVhc3+QtMSJHMEUCIQ=="), "/[masked:token]"},
        MaskRow{"OracleAddress", "/jdbc:oracle:thin:joe~1s3cret@db:1521", "/[masked:connection-string]"},
        MaskRow{"DataSourceName", "/joe:s3~1cret@tcp(db:3306)~1name", "[masked:connection-string]"},
        MaskRow{"EmailBehindAnEscape", "/mails~1jane@example.org", "/[masked:email]"},
        MaskRow{"CardBehindAnEscape", "/paid~14111111111111111", "/paid~1[masked:card]"},
        MaskRow{"PhoneBehindATilde", "/call~0+49 30 901820", "/call~0[masked:phone]"},
        MaskRow{"CutBeforeTheAtSign", "/postgres:~1~1app:s3cretS3cret…", "/[masked:connection-string]"},
        MaskRow{"TwoSecrets", "/ftp:~1~1a:b1@c/ftp:~1~1d:e1@f", "/[masked:connection-string]"}),
    [](const auto& row) { return std::string(row.param.name); });

class MaskerKeepsPointerTest : public ::testing::TestWithParam<MaskRow> {};
TEST_P(MaskerKeepsPointerTest, WhatHoldsNoSecret) { EXPECT_EQ(Masker().Mask(GetParam().text), GetParam().text); }

INSTANTIATE_TEST_SUITE_P(
    All, MaskerKeepsPointerTest,
    ::testing::Values(
        MaskRow{"Plain", "/data/title", ""}, MaskRow{"MediaType", "/content/application~1json/schema", ""},
        MaskRow{"Route", "/paths/~1v1~1users~1{id}/get", ""},
        MaskRow{"Address", "/links/https:~1~1example.com:8443~1docs", ""}, MaskRow{"Tilde", "/home/~0joe", ""},
        MaskRow{"EscapedTilde", "/a~01b", ""}, MaskRow{"Date", "/2026~103~102", ""},
        MaskRow{"Sha", "/da39a3ee5e6b4b0d~13255bfef95601890afd80709", ""},
        MaskRow{"About", "takes ~10 minutes, ~100 MB", ""},
        MaskRow{"AboutALongNumber", "counted ~1234567890123 rows", ""}, MaskRow{"ShortName", "C:/PROGRA~1/x", ""},
        MaskRow{"Revision", "git diff HEAD~1 src/a.cc", ""}, MaskRow{"Password", "/password", ""},
        MaskRow{"CutAddress", "/https:~1~1example.com:8443~1docs~1a-long-na…", ""},
        MaskRow{"CutAddressWithoutAPort", "/https:~1~1example.com~1docs:a-long-na…", ""},
        MaskRow{"LoneTilde", "/a~", ""}, MaskRow{"OtherEscape", "/a~2b", ""}),
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
  EXPECT_EQ(
      Masker().MaskJson({{"production_database_replica_connection_password", "hunter2x"}, {"passwords", {"h2"}}}),
      R"({"production_database_replica_connection_password":"[masked:password]","passwords":["[masked:password]"]})");
}

TEST(MaskerTest, MasksKeysAndLongNumbersOfJson) {
  const Json value = Json::parse(
      R"({"a@example.org":1,"b@example.org":2,"n":4111111111111111,"at":1772442000123,"s":"4111111111111111"})");
  const Json masked = Json::parse(Masker().MaskJson(value));
  EXPECT_EQ(masked, Json::parse(R"json({"[masked:email]": 1, "[masked:email] (2)": 2, "n": "[masked:card]",
                                        "at": 1772442000123, "s": "[masked:card]"})json"));
  // As parsed, and as set by code.
  EXPECT_EQ(Masker().MaskJson(Json(uint64_t{4111111111111111})), R"("[masked:card]")");
  EXPECT_EQ(Masker().MaskJson(Json(int64_t{4111111111111111})), R"("[masked:card]")");
  EXPECT_EQ(Masker().MaskJson(Json(int64_t{-4111111111111111})), R"("-[masked:card]")");
  EXPECT_EQ(Masker().MaskJson(Json(UINT64_MAX)), "18446744073709551615");
  EXPECT_EQ(Masker().MaskJson(Json(INT64_MIN)), "-9223372036854775808");
}

TEST(MaskerTest, NumbersKeysThatBecomeAlikeAndKeepsAllOfThem) {
  constexpr int kKeys = 20'000;
  Json value = {{"[masked:email]", 0}, {"[masked:email] (3)", 0}};
  for (int i = 0; i < kKeys; ++i) value.get_ref<Json::object_t&>().emplace_back("a" + std::to_string(i) + "@b.co", i);
  const std::string masked = Masker().MaskJson(value);
  EXPECT_EQ(masked.find("@"), std::string::npos);
  EXPECT_THAT(masked, ::testing::StartsWith(R"json({"[masked:email]":0,"[masked:email] (3)":0,)json"
                                            R"json("[masked:email] (2)":0,"[masked:email] (4)":1,)json"));
  EXPECT_NE(masked.find("\"[masked:email] (" + std::to_string(kKeys + 2) + ")\":" + std::to_string(kKeys - 1)),
            std::string::npos);
}

// No surroundings may leave any part of it visible.
TEST(MaskerTest, WhatStandsAroundASecretDoesNotUnmaskIt) {
  const std::string token = Join("ghp_", "16C7e42F292c6912E7710c838347Ae178B4a");
  for (const std::string& secret :
       {std::string("4111 1111 1111 1111"), std::string("5555555555554444"), std::string("203.0.113.5"),
        std::string("+44 20 7946 0958"), std::string("536-90-4399"), std::string("GB82WEST12345698765432"),
        std::string("jane@example.org"), token}) {
    for (const char* before :
         {"",      " ",     "(",        "\"",        "'",         "<",    "[", "=",  "a ",
          "nr. ",  "x: ",   "\n",       "\t",        "{\"k\":\"", ", ",   ";", "|",  ">",
          R"(\n)", R"(\t)", R"(a\r\n)", R"(\u000a)", "%3D",       "a%20", ":", "k:", "db.internal/"}) {
      for (const char* after :
           {"",     " ", ".", ",", ";",   ":", ")",     "\"",  "'",  "/",  "\n",     " 7",     " 2024",
            " - x", "|", "?", "!", ", 5", "<", R"(\n)", "%0A", "-x", "_x", "\u00a0", "\u2011x"}) {
        const std::string masked = Masker().Mask(before + secret + after);
        EXPECT_EQ(masked.find(secret), std::string::npos) << "[" << before << "] [" << secret << "] [" << after << "]";
        EXPECT_NE(masked.find("[masked:"), std::string::npos);
      }
    }
  }
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
  EXPECT_EQ(Masker().Mask("C:\\temp\\build\\new 100%ab"), "C:\\temp\\build\\new 100%ab");
}

TEST(MaskerTest, ASecretIsMaskedInWhateverFormItIsNamed) {
  for (const std::string_view form : {"**Password:** $0",
                                      "**Password**: $0",
                                      "__Password:__ $0",
                                      "<b>Password:</b> $0",
                                      "- **API key:** $0",
                                      "Authorization: SSWS $0",
                                      "Authorization: Custom-Scheme $0",
                                      "Authorization: ApiKey-v1 $0",
                                      "Authorization: Bearer  $0",
                                      "Authorization: Bearer\t$0",
                                      "Authorization: Bearer: $0",
                                      "Authorization: Bearer\n $0",
                                      "password: |\n  $0\nnext: 1",
                                      "password: >-\n  $0\n\n  $0\nnext: 1",
                                      "password=b'$0'",
                                      "password = rb\"$0\"",
                                      "password: @\"$0\"",
                                      "password = \"\"\"$0\"\"\"",
                                      "password='''$0'''",
                                      "\"password\":\n  \"$0\"",
                                      "| Password | $0 |",
                                      "<password>$0</password>",
                                      "<wsse:Password Type=\"text\">$0</wsse:Password>",
                                      "<add key=\"ApiKey\" value=\"$0\"/>",
                                      R"({"name":"DB_PASSWORD","value":"$0"})",
                                      "- name: DB_PASSWORD\n  value: $0",
                                      "run --password $0 now",
                                      "ALTER USER joe IDENTIFIED BY '$0'",
                                      "CREATE ROLE joe PASSWORD '$0'",
                                      "joe:$0@tcp(db.example:3306)/x",
                                      "jdbc:oracle:thin:scott/$0@//db.example:1521/x",
                                      "password%3A$0",
                                      R"(password\u003d$0)",
                                      "password：$0",
                                      "пароль: $0",
                                      "密码：$0",
                                      "mot de passe : $0",
                                      "user[password]=$0",
                                      "passcode: $0",
                                      "PHPSESSID=$0",
                                      "password=[masked:x]$0",
                                      "OPENAI_KEY=$0"}) {
    const std::string masked = Masker().Mask(absl::Substitute(ToAbsl(form), "hunter2Xq9"));
    EXPECT_THAT(masked, AllOf(HasSubstr("[masked:"), Not(HasSubstr("hunter2Xq9")))) << form;
    EXPECT_EQ(Masker().Mask(masked), masked) << form;
  }
}

TEST(MaskerTest, TheSignatureOfAUrlIsMasked) {
  const std::string signature(43, 'a');
  EXPECT_EQ(Masker().Mask("https://x.example/b?se=2026&sig=" + signature + "%3D&x=1"),
            "https://x.example/b?se=2026&sig=[masked:password]&x=1");
  EXPECT_EQ(Masker().Mask("sig=SIGTERM"), "sig=SIGTERM");
}

TEST(MaskerTest, WhatStandsForASecretIsNone) {
  for (const std::string_view text : {"Tests: pass=12 fail=3",
                                      "First pass: 42 files changed",
                                      "Unexpected token: '<' at line 3",
                                      "invalid token: 42",
                                      "prompt token: 55",
                                      "password=${DB_PASSWORD}",
                                      "password=$DB_PASSWORD",
                                      "password = None",
                                      "token=undefined",
                                      "password: {{ vault.db }}",
                                      "password: <your password here>",
                                      "Password: ********",
                                      "token=%s",
                                      "credentials: 3 of 5 verified",
                                      "let token: Token;",
                                      "identified by Coverity",
                                      "  --role-passwords      Do not dump them",
                                      "const tlogSig = base64Decode(entry.envelope.signatures[0].sig.bytes)",
                                      "std::vector<Token> tokens; Find<int>(tokens);",
                                      "Authorization: Bearer realm=\"x\"",
                                      "pwd: /home",
                                      "PWD=/home/joe",
                                      "secret=[REDACTED]",
                                      "password: [FILTERED], token: [hidden]",
                                      "GET /x?token=xxx&y=1",
                                      "密码：必填",
                                      "token: キー",
                                      "name: value\nkey: value"}) {
    EXPECT_EQ(Masker().Mask(text), text);
  }
}

TEST(MaskerTest, APasswordThatIsTakenOftenIsMaskedThoughItIsAWord) {
  EXPECT_EQ(Masker().Mask("password: letmein"), "password: [masked:password]");
  EXPECT_EQ(Masker().Mask("Passwort: qwerty, x"), "Passwort: [masked:password], x");
  EXPECT_EQ(Masker().Mask("password: required"), "password: required");
}

TEST(MaskerTest, ANameOfAFileIsNoEmail) {
  for (const char* const name :
       {"img/logo@2x.png", "icon@3x.SVG", "lodash@4.17.21.tgz", "notes@home.txt", "jquery@3.7.1.min.js", "x@2x.svg.gz",
        "app@1.0.0-rc.1.tar.gz", "app@1.0.0-beta.tgz", "app@next.tar.gz", "pkg@v1.2.tgz", "a@.csv"}) {
    EXPECT_EQ(Masker().Mask(name), name);
  }
  EXPECT_EQ(Masker().Mask("jane@2x.com, bob@file.zip, al@txt.md"), "[masked:email], [masked:email], [masked:email]");
}

TEST(MaskerTest, AnEmailIsMaskedThoughTheNameOfAFileEndsItsText) {
  for (const char* const address :
       {"alice@example.com", "al.b+c@mail.example.co.uk", "li@163.com", "x@4.17.example.org", "иван@пример.рф",
        "ivan@example.xn--p1ai", "alice%40example.com"}) {
    for (const char* const type : {".csv", ".pdf", ".json", ".HTML", ".tar.gz", ".csv.gz", ".log.", "..txt", "-.txt"}) {
      const std::string text = absl::StrCat("/exports/", address, type);
      const std::string masked = Masker().Mask(text);
      EXPECT_THAT(masked, StartsWith("/exports/[masked:email]")) << text;
      EXPECT_LE(masked.size(), std::string("/exports/[masked:email]").size() + std::string_view(type).size()) << text;
    }
  }
  EXPECT_EQ(Masker().Mask("See alice@example.com.csv, please"), "See [masked:email].csv, please");
}

TEST(MaskerTest, TheUserOfARepositoryIsNoEmail) {
  EXPECT_EQ(Masker().Mask("git@github.com:acme/app.git"), "git@github.com:acme/app.git");
  EXPECT_EQ(Masker().Mask("ssh://git@github.com/acme/app.git"), "ssh://git@github.com/acme/app.git");
  EXPECT_EQ(Masker().Mask("git@example.com, digit@example.com:x"), "[masked:email], [masked:email]:x");
}

TEST(MaskerTest, PairsOfNameAndValueAndWholeFloatingPointNumbersOfJsonAreMasked) {
  EXPECT_EQ(
      Masker().MaskJson(Json::parse(R"({"env":[{"name":"DB_PASSWORD","value":"abc"},{"name":"PORT","value":"abc"}]})")),
      R"({"env":[{"name":"DB_PASSWORD","value":"[masked:password]"},{"name":"PORT","value":"abc"}]})");
  EXPECT_EQ(Masker().MaskJson(Json::parse(R"({"n":4111111111111111.0,"m":-4.111111111111111e15,"x":4.5})")),
            R"({"n":"[masked:card]","m":"[masked:card]","x":4.5})");
}

TEST(MaskerTest, OtherPrivateKeysAreMaskedToTheirEnd) {
  EXPECT_EQ(Masker().Mask(Join("a ---- BEGIN SSH2 ENCRYPTED PRIVATE",
                               " KEY ----\nMIIE\n---- END SSH2 ENCRYPTED PRIVATE KEY ---- b")),
            "a [masked:private-key] b");
  EXPECT_EQ(Masker().Mask(Join("PuTTY-User-", "Key-File-3: ssh-ed25519\nPrivate-Lines: 1\nAAAA")),
            "[masked:private-key]");
}

TEST(MaskerTest, ThePrivatePartsOfAJsonWebKeyAreMaskedAndItsPublicOnesAreNot) {
  const std::string part = "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI";
  for (const std::string_view form :
       {R"({"kty":"EC","crv":"P-256","x":"$1","y":"$1","d":"$0"})",
        R"({"d":"$0","x":"$1","crv":"Ed25519","kty":"OKP"})",
        R"({"kty":"RSA","n":"$1","e":"AQAB","d":"$0","p":"$0","q":"$0","dp":"$0"})",
        R"({"keys":[{"kty": "RSA", "e": "AQAB", "dq": "$0", "qi": "$0"}]})", R"({"kty":"oct","k":"$0","alg":"HS256"})",
        R"({\"kty\":\"EC\",\"d\":\"$0\"})", "kty: EC\nx: $1\nd: $0\n"}) {
    EXPECT_EQ(Masker().Mask(absl::Substitute(ToAbsl(form), part, part)),
              absl::Substitute(ToAbsl(form), "[masked:private-key]", part));
  }
  for (const std::string_view form :
       {R"({"d":"$0","x":1})", R"({"kty":"EC","d":"day"})", R"({"kty":"EC","id":"$0"})"}) {
    const std::string text = absl::Substitute(ToAbsl(form), part);
    EXPECT_EQ(Masker().Mask(text), text);
  }
  EXPECT_EQ(Masker().MaskJson(Json::parse(R"({"kty":"oct","k":"abc","x":"def"})")),
            R"({"kty":"oct","k":"[masked:private-key]","x":"def"})");
  EXPECT_EQ(Masker().MaskJson(Json::parse(R"({"k":"abc"})")), R"({"k":"abc"})");
}

TEST(MaskerTest, LongRowsOfTheSameCharacterTakeLinearTime) {
  for (const char c : {'1', 'a', '@', ':', '-', '.', '=', '+', '/', '"', ' ', 'e', '('}) {
    const std::string text(size_t{1} << 19, c);
    EXPECT_LE(Masker().Mask(text).size(), text.size() + 64) << c;
  }
}

// Many beginnings of secrets without a secret. If every beginning were followed to the end of the text, a few of these
// would take minutes.
TEST(MaskerTest, HostileRepetitionsTakeLinearTime) {
  for (const char* piece : {"ya29.",
                            "hvs.a.",
                            "hvb.",
                            "AQ.",
                            "SG.a.",
                            "xoxe.",
                            "1//0-",
                            "pypi-",
                            "sntrys_",
                            "sk-",
                            "sk-a-",
                            "ghp_-",
                            "AKIA_",
                            "EAAA-",
                            "FwoGZXIvYXdz/",
                            "eyJ-",
                            "eyJaaaaaaaaa-",
                            "a://",
                            "a://b:",
                            "a://b:c/",
                            "a://b:1/",
                            "bearer a-",
                            "token:a",
                            "token:",
                            "token: [ ",
                            "token=\"\" ",
                            "token:{",
                            "token:[\"",
                            "a=\\",
                            "\\n",
                            "%3D",
                            "\\u0020",
                            "a@",
                            "@a.",
                            "1 ",
                            "1-",
                            "+1",
                            "(1",
                            "1.",
                            "::1",
                            "a:",
                            "a::",
                            "DE00 ",
                            "Cookie: a ",
                            "-----BEGIN ",
                            "-----BEGIN PRIVATE KEY",
                            "Authorization: Digest=\"a",
                            "Authorization: a ",
                            "Authorization: digest ",
                            "Cookie: a=",
                            "token={\"",
                            "token=[\\",
                            "token=\\\"",
                            "[1",
                            "a:b@tcp(",
                            "a@tcp(",
                            "| token ",
                            "<token>",
                            "<token a",
                            "<token></",
                            "token=\"\"\"",
                            "token: |\n ",
                            "token: >\n",
                            "name:token value:",
                            "--token a",
                            "--token ",
                            "api key ",
                            "identified by '",
                            "jdbc:oracle:",
                            "jdbc:oracle:a/",
                            "sig=",
                            "sig=a",
                            "Authorization: a b\n",
                            "bearer:=",
                            "---- BEGIN ",
                            "11111111:AA",
                            "token=[masked:",
                            "token=${a",
                            "token=<a",
                            "hooks.slack.com/services/a",
                            "password is a",
                            "password is ",
                            "pin is 1",
                            "pin code ",
                            "pin:",
                            "PIN 12",
                            "mysql -p ",
                            " -p",
                            "curl -u a:",
                            "curl -u ",
                            "curl --user ",
                            "s.aB1",
                            "azure aB1+",
                            "ngrok authtoken aB1_",
                            "version ",
                            "version 1.2.3.4, ",
                            "1.2.3.4, ",
                            "1.2.3.4 and ",
                            "a-1.2.3.4",
                            "bsn 1",
                            "AB 12 34 ",
                            "SE45 1234 ",
                            "key ",
                            "api key aB3",
                            "login password ",
                            " -u a:b1C2",
                            "password for a",
                            "password for a:",
                            "eur1",
                            "kty:d:aaaaaaaaaaaaaaaaaaaaa ",
                            "d:aaaaaaaaaaaaaaaaaaaaa",
                            "t1.aaa=.",
                            "t1.-",
                            "b3BlbnNzaC1rZXktdjEA/",
                            "\xef\xbc\x9a"}) {
    std::string text;
    while (text.size() < (size_t{1} << 20)) text += piece;
    EXPECT_LE(Masker().Mask(text).size(), 8 * text.size()) << piece;
  }
}

}  // namespace
}  // namespace toolgate::security::safe_errors
