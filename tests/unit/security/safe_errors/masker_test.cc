#include "security/safe_errors/masker.h"

#include <string>
#include <string_view>

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

struct Row {
  std::string_view name;
  std::string text;
  std::string masked;
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.name; }

// Secrets are assembled from pieces, so that scanners do not report this file as a leak.
std::string Join(std::string_view a, std::string_view b) { return std::string(a) + std::string(b); }

class MaskerMasksTest : public ::testing::TestWithParam<Row> {};
TEST_P(MaskerMasksTest, WhatIdentifiesOrOpens) { EXPECT_EQ(Masker().Mask(GetParam().text), GetParam().masked); }

INSTANTIATE_TEST_SUITE_P(
    All, MaskerMasksTest,
    ::testing::Values(
        Row{"Email", "write to jane.doe+x@mail.example.org.", "write to [masked:email]."},
        Row{"EmailInAUrl", "GET /x?email=jane%40example.com&y=1", "GET /x?[masked:email]&y=1"},
        Row{"EmailInJsonText", R"({"to":"jane\u0040example.com"})", R"({"to":"[masked:email]"})"},
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
        Row{"FixedTokenBeforeAHyphen", Join("AKIA", "IOSFODNN7EXAMPLE-old"), "[masked:token]-old"},
        Row{"FixedTokenBeforeAnUnderscore", Join("AKIA", "IOSFODNN7EXAMPLE_backup"), "[masked:token]_backup"},
        Row{"TokenLongerThanEver", Join("hvs.", "B1.c2" + std::string(9000, 'a')), "[masked:token]"},
        Row{"UrlTokenLongerThanEver", Join("ghp_", "B1" + std::string(9000, 'a')), "[masked:token]"},
        Row{"SessionTokenOfAws", Join("IQoJb3JpZ2lu", "X2VjEA/aCXVzLWVhc3+QtMSJHMEUCIQ=="), "[masked:token]"},
        Row{"TokenAfterAnEscape", Join(R"(one\nghp_)", "16C7e42F292c6912E7710c838347Ae178B4a end"),
            R"(one\n[masked:token] end)"},
        Row{"TokenInColour", Join("\x1b[1;31mghp_", "16C7e42F292c6912E7710c838347Ae178B4a\x1b[0m"),
            "\x1b[1;31m[masked:token]\x1b[0m"},
        Row{"TokenAfterAUnicodeEscape", Join(R"(key:\u0009AKIA)", "IOSFODNN7EXAMPLE"), R"(key:\u0009[masked:token])"},
        Row{"TokenThatLooksLikeAnEscape", Join(R"(C:\tvly-)", "16C7e42F292c6912E771"), R"(C:\[masked:token])"},
        Row{"CardAfterAnEscape", R"({"text":"card\n4111 1111 1111 1111"})", R"({"text":"card\n[masked:card]"})"},
        Row{"EmailAfterAnEscape", R"({"text":"mail\nbob@example.com"})", R"({"text":"mail\n[masked:email]"})"},
        Row{"NameAfterAnEscape", R"(a\ntoken=abc1)", R"(a\ntoken=[masked:password])"},
        Row{"NameThatLooksLikeAnEscape", R"(C:\token=abc1)", R"(C:\token=[masked:password])"},
        Row{"ConnectionStringAfterAnEscape", R"(a\nredis://u:p1@h/0)", R"(a\n[masked:connection-string])"},
        Row{"TokenInAnEncodedUrl", Join("x%26my%3Dghp_", "16C7e42F292c6912E7710c838347Ae178B4a"),
            "x%26my%3D[masked:token]"},
        Row{"PasswordInAnEncodedUrl", "a%26password%3Dhunter2", "a%26password%3D[masked:password]"},
        Row{"PasswordThatBeginsWithABracket", "password=[Xk9!secret", "password=[masked:password]"},
        Row{"PasswordWithBrackets", "password=[ab]cd1 x", "password=[masked:password] x"},
        Row{"PasswordInBrackets", "password: [Xk9!secret]", "password: [[masked:password]]"},
        Row{"PasswordsInAList", R"({"password":["hunter2x", "b]c"],"x":["y"]})",
            R"({"password":["[masked:password]"],"x":["y"]})"},
        Row{"PasswordsInAListInJson", R"({"s":"{\"password\":[\"hunter2x\"],\"x\":1}"})",
            R"({"s":"{\"password\":[\"[masked:password]\"],\"x\":1}"})"},
        Row{"PasswordsInYaml", "passwords: [hunter2x, s3cret]", "passwords: [[masked:password]]"},
        Row{"PasswordInAnObject", "\"password\": {\n\"value\":\"hunter}2x\", \"n\": {}}, \"x\": 1",
            "\"password\": {\n[masked:password]}, \"x\": 1"},
        Row{"PasswordInAnObjectOfYaml", "password: {value: hunter2x}", "password: {[masked:password]}"},
        Row{"PasswordInACutList", R"("password": ["hunter2x","hunt)", R"("password": ["[masked:password])"},
        Row{"ApiKeyScheme", "Authorization: ApiKey VnVhQ2ZHY0JDZGJrUW0tZTVhT3g6dWkybA==\nHost: a",
            "Authorization: ApiKey [masked:password]\nHost: a"},
        Row{"NegotiateScheme", "authorization: Negotiate YIIJvwYGKwYBBQUCoIIJszCC",
            "authorization: Negotiate [masked:password]"},
        Row{"AwsSignature",
            "Authorization: AWS4-HMAC-SHA256 Credential=x/20130524/us-east-1, SignedHeaders=host, Signature=fe5f\nx",
            "Authorization: AWS4-HMAC-SHA256 [masked:password]\nx"},
        Row{"SharedKeyScheme", "Authorization: SharedKey acc:c2ln", "Authorization: SharedKey [masked:password]"},
        Row{"TokenInATokenScheme", R"(Authorization: Token token="ab1", x)",
            R"(Authorization: Token token="[masked:password]", x)"},
        Row{"PasswordLikeAScheme", "password=sharedkey1 aws4-x", "password=[masked:password] aws4-x"},
        Row{"DigestInACommand", R"(curl -H 'Authorization: Digest user="joe's", response="6629f"' -v)",
            R"(curl -H 'Authorization: Digest [masked:password]' -v)"},
        Row{"DigestInJson", R"({"h":"Authorization: Digest a=\"b\", r=\"66\"\nHost: x"})",
            R"({"h":"Authorization: Digest [masked:password]\nHost: x"})"},
        Row{"UnknownScheme", "Authorization: Acme id=1, key=abc\n", "Authorization: [masked:password]\n"},
        Row{"Cookies", "Cookie: JSESSIONID=1A53; theme=dark\r\nHost: a", "Cookie: [masked:password]\r\nHost: a"},
        Row{"SpanishPassword", "contraseña: Hunter2!x", "contraseña: [masked:password]"},
        Row{"NameAfterADash", "—password=hunter2", "—password=[masked:password]"},
        Row{"LongName", "production_database_replica_connection_password=h2",
            "production_database_replica_connection_password=[masked:password]"},
        Row{"AddressAsJavaWritesIt", "Connection refused: db.internal/10.1.2.3",
            "Connection refused: db.internal/[masked:ip]"},
        Row{"AddressAndPortAsJavaWritesThem", "localhost/10.1.2.3:5432", "localhost/[masked:ip]:5432"},
        Row{"IpV6AfterAName", "ip:2001:db8:85a3::8a2e:370:7334", "ip:[masked:ip]"},
        Row{"IpV6AfterAQuotedName", R"("ip":2001:db8::1)", R"("ip":[masked:ip])"},
        Row{"IpV6AfterAnEscape", R"(a\n2001:db8::1)", R"(a\n[masked:ip])"},
        Row{"CardWithOtherBlanks", "4111\u00a01111\u00a01111\u00a01111 100", "[masked:card] 100"},
        Row{"CardWithOtherHyphens", "4111\u20111111\u20111111\u20111111", "[masked:card]"},
        Row{"PhoneWithOtherBlanks", "+49\u00a030\u202f901820", "[masked:phone]"},
        Row{"PhoneWithDashes", "call 415\u2013555\u20132671", "call [masked:phone]"},
        Row{"IbanWithOtherBlanks", "DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000", "[masked:iban]"},
        Row{"PhoneWithAnExtension", "555-123-4567x12", "[masked:phone]x12"},
        Row{"PhoneInBlanksAfterItsName", "Phone 415 555 2671", "Phone [masked:phone]"},
        Row{"PhoneInBlanks", "Jane 415 555 2671", "Jane [masked:phone]"},
        Row{"PhoneAfterACapital", "homePhone=5552671", "homePhone=[masked:phone]"},
        Row{"PhoneAfterATel", "Tel. 4001234", "Tel. [masked:phone]"},
        Row{"PhoneAfterAGermanName", "Telefonnummer: 4001234", "Telefonnummer: [masked:phone]"},
        Row{"PhoneWithTwoZeros", "0049 30 901820", "[masked:phone]"},
        Row{"PhoneAfterAOne", "1 415 555 2671", "[masked:phone]"},
        Row{"DutchNumberByItsName", "BSN: 111222333", "BSN: [masked:national-id]"},
        Row{"DutchNumberByItsForm", "1112.22.333", "[masked:national-id]"},
        Row{"DutchNumberInASentence", "zijn burgerservicenummer is 111222333.",
            "zijn burgerservicenummer is [masked:national-id]."},
        Row{"CanadianNumber", "193-456-787", "[masked:national-id]"},
        Row{"CanadianNumberByItsName", "SIN 193 456 787", "SIN [masked:national-id]"},
        Row{"BelgianNumber", "85.07.30-033.28", "[masked:national-id]"},
        Row{"BelgianNumberInOneRow", "rrn 85073003328", "rrn [masked:national-id]"},
        Row{"BelgianNumberOfThisCentury", "01020300467", "[masked:national-id]"},
        Row{"NorwegianNumber", "150785 45620", "[masked:national-id]"},
        Row{"SwissNumber", "756.1234.5678.97", "[masked:national-id]"},
        Row{"SwissNumberInOneRow", "AHV 7561234567897", "AHV [masked:national-id]"},
        Row{"SwedishNumber", "811218-9876", "[masked:national-id]"},
        Row{"SwedishNumberByItsName", "personnummer 8112189876", "personnummer [masked:national-id]"},
        Row{"FinnishNumber", "HETU 131052-308T", "HETU [masked:national-id]"},
        Row{"FinnishNumberOfThisCentury", "010203A1230", "[masked:national-id]"},
        Row{"BritishNumber", "NI number AB123456C", "NI number [masked:national-id]"},
        Row{"BritishNumberInPairs", "NINO: AB 12 34 56 C.", "NINO: [masked:national-id]."},
        Row{"SingaporeanNumber", "NRIC S1234567D", "NRIC [masked:national-id]"},
        Row{"SingaporeanForeigner", "F1234567N, G7654321L", "[masked:national-id], [masked:national-id]"},
        Row{"FrenchNumber", "NIR 255081416802538", "NIR [masked:national-id]"},
        Row{"FrenchNumberOfCorsica", "185022A07812319", "[masked:national-id]"},
        Row{"SpanishForeigner", "NIE X1234567L", "NIE [masked:national-id]"},
        Row{"Aadhaar", "2341 2341 2346", "[masked:national-id]"},
        Row{"SsnWithBlanks", "SSN 536 90 4399", "SSN [masked:national-id]"},
        Row{"SsnInOneRow", "social security number: 536904399", "social security number: [masked:national-id]"},
        Row{"DanishNumberByItsName", "CPR 010190-1234", "CPR [masked:national-id]"},
        Row{"AddressAfterVersions", "client 2.4.1 from 203.0.113.5", "client 2.4.1 from [masked:ip]"},
        Row{"AddressOfAHost", "host (10.1.2.3) is down", "host ([masked:ip]) is down"},
        Row{"AddressComparedTo", "ip.src == 10.1.2.3", "ip.src == [masked:ip]"},
        Row{"AddressWithinAnOrder", "if ip >= 224.0.0.0 and ip <= 10.1.2.3",
            "if ip >= [masked:ip] and ip <= [masked:ip]"},
        Row{"AddressBeforeItsPort", "listening on 127.0.0.1:8080", "listening on [masked:ip]:8080"},
        Row{"AddressesInAList", "from 203.0.113.5, 203.0.113.6", "from [masked:ip], [masked:ip]"},
        Row{"AddressBehindAProduct", "Server/10.1.2.3:80", "Server/[masked:ip]:80"},
        Row{"AddressOfEverything", "bind 0.0.0.0 and 0.0.0.0/0", "bind [masked:ip] and [masked:ip]/0"},
        Row{"AddressAfterAHyphen", "ip-10.1.2.3", "ip-[masked:ip]"},
        Row{"IpVersionAndAddress", "IP version 4, 203.0.113.5", "IP version 4, [masked:ip]"},
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
        Row{"WordsWithPhoneWordsInside", "cancelled 40012345, hotel 1234567, Excel 2023123, microphone 1234567", ""},
        Row{"ZeroPadded", "00000012345 000000001234", ""}, Row{"Sizes", "sizes 128 480 1024 and 800 100 1200", ""},
        Row{"VersionAfterAName", "package/1.2.3.4 Chrome/120.0.0.0 lib_1.2.3.4 1.2.3.4_linux", ""},
        Row{"Fingerprint", "SHA1 12:34:56:78:9a:bc:de:f0:12:34:56:78:9a:bc:de:f0:12:34:56:78", ""},
        Row{"Pixels", "1234567x10 20240612x3 1920x1080", ""}, Row{"Masked", "[masked:email]", ""},
        Row{"MaskedPassword", "password=[masked:password]", ""},
        Row{"MaskedObject", "\"password\": {[masked:password]}", ""},
        Row{"MaskedBearer", "Authorization: Bearer [masked:password], x", ""},
        Row{"EmptyHeader", R"(Cookie:\na=b)", ""}, Row{"MaskedHeader", "Authorization: Digest [masked:password]", ""},
        Row{"EmptyPasswords", R"({"password":[],"token":{},"secret":""})", ""},
        Row{"ListInProse", "token: [see below], password: [redacted]", ""},
        Row{"CookieInProse", "cookie: Chocolate chips and x = y", ""},
        Row{"AuthorizationInProse", "authorization: failed because role=viewer", ""},
        Row{"CppToken", "Token::Parse and {token}", ""}, Row{"Percent", "100%25 of 50%3a", ""},
        Row{"Money", "1,234,567.89", ""}, Row{"Ratio", "16:9 and 4:3", ""},
        Row{"CardThatFailsLuhn", "4111 1111 1111 1112", ""}, Row{"Isbn", "978-3-16-148410-0", ""},
        Row{"Range", "1990-2020", ""}, Row{"Years", "2019 2020 2021 2022", ""},
        Row{"DateAndTime", "12.10.2024 14:30", ""}, Row{"DecimalOfSixteen", "0.4111111111111111", ""},
        Row{"UuidOfDigits", "12345678-1234-5678-1234-426614174000", ""}, Row{"Table", "10000 20000 30000 40000", ""},
        Row{"LongVersion", "1.2.3.4.5", ""}, Row{"UrlWithAPortAndAnAt", "https://host:8443/users/@jane", ""},
        Row{"Versions", "versions 1.2.3.4, 1.2.3.5 and 1.2.3.6", ""},
        Row{"VersionsFromTo", "updated from version 1.2.3.4 to 1.2.4.0", ""},
        Row{"VersionInJson", R"({"version": "1.2.3.4", "fileVersion":"10.0.3.1"})", ""},
        Row{"VersionInXml", "<Version>1.2.3.4</Version>", ""},
        Row{"VersionThatIs", "its version is 1.2.3.4, since version 10.1.2.3", ""},
        Row{"VersionBefore", "versions prior to 1.7.9.5", ""},
        Row{"VersionOfACall", "AssemblyVersion(\"1.2.3.4\")", ""},
        Row{"VersionWithARevision", "dpkg (1.15.8.6-1) unstable", ""},
        Row{"VersionRelation", "macs (<< 2.2.7.1), lib (>= 1.8.8.1)", ""}, Row{"VersionPinned", "package==1.2.3.4", ""},
        Row{"VersionSuffixes", "1.2.3.4-rc1 1.2.3.4+b2 1.2.3.4~beta 4.6.0.152-fe9c", ""},
        Row{"VersionOfAnArchive", "foo-1.2.3.4.tar.gz 5.6.7.8.zip", ""},
        Row{"VersionOfAnAgent", "Chrome/120.0.6.9 Safari/53.7.3.6 Edg/120.1.2.3", ""},
        Row{"VersionThatBeginsWithZero", "pam 0.99.7.1", ""},
        Row{"SectionNumbers", "section 9.4.2.22, clause 5.1.2.3, \u00a75.6.7.8, Table 3.2.2.6", ""},
        Row{"VersionsAndDates", "1.2.0 (2011-02-03), 1 2023-01-08 2.11.2, 0.23  2011-01-11", ""},
        Row{"TablesOfNumbers", "13500  9.0.0003 [.2270.0022.0008] 99  99  99  99  99  99 8000 8170 9952 5060 5593", ""},
        Row{"NineDigits", "111222334 123456789 order 193456787", ""},
        Row{"NineDigitsInThrees", "193 456 787 and 193-456-788", ""},
        Row{"NumbersOfProducts", "GB123456A AB123456E QQ123456C AB 12 34 56 7 AB12345678C", ""},
        Row{"NotSingaporean", "S1234567A T1234567Z", ""}, Row{"NotFinnish", "131052-308U 010203A1231 131352-308T", ""},
        Row{"DateAndTimeOfAFile", "log-240613-1200 240613-1158", ""}, Row{"NotSwedish", "811218-9877 819918-9876", ""},
        Row{"ElevenDigits", "12345678901", ""}, Row{"NotSwiss", "756.1234.5678.98", ""},
        Row{"NamesOfNumbersInProse", "sin(x), basin 193456787, bsn-driver 12", ""},
        Row{"PageToken", "next_page_token=abc123", ""}, Row{"Mac", "00:1a:2b:3c:4d:5e", ""}),
    [](const auto& row) { return std::string(row.param.name); });

// A secret in the name of a property, in a JSON pointer: "~1" for "/", "~0" for "~".
class MaskerPointerTest : public ::testing::TestWithParam<Row> {};
TEST_P(MaskerPointerTest, LooksThroughEscapes) {
  EXPECT_EQ(Masker().Mask(GetParam().text), GetParam().masked);
  EXPECT_EQ(Masker().MaskJson(Json(GetParam().text)), DumpJson(Json(GetParam().masked)));
}

INSTANTIATE_TEST_SUITE_P(
    All, MaskerPointerTest,
    ::testing::Values(
        Row{"ConnectionString", "/postgres:~1~1app:s3cret@db.example~1x", "/[masked:connection-string]"},
        Row{"BelowOtherMembers", "/data/env/redis:~1~1:s3cret@cache", "/data/env/[masked:connection-string]"},
        Row{"BehindItsName", "/url=amqp:~1~1joe:s3cret@mq and more", "/url=[masked:connection-string] and more"},
        Row{"TildeInThePassword", "/mysql:~1~1root:s3~0cret~1x@db", "/[masked:connection-string]"},
        Row{"InASentence", "the argument \"/a~1b/postgres:~1~1app:s3cret@db\" cannot be accepted",
            "the argument \"/a~1b/[masked:connection-string]\" cannot be accepted"},
        Row{"InAQuotedLine", "error at /x/postgres:~1~1app:s3cret@db\nnext",
            "error at /x/[masked:connection-string]\nnext"},
        Row{"TokenWithSlashes", Join("/IQoJb3JpZ2lu", "X2VjEA~1aCXVzLWVhc3+QtMSJHMEUCIQ=="), "/[masked:token]"},
        Row{"OracleAddress", "/jdbc:oracle:thin:joe~1s3cret@db:1521", "/[masked:connection-string]"},
        Row{"DataSourceName", "/joe:s3~1cret@tcp(db:3306)~1name", "[masked:connection-string]"},
        Row{"EmailBehindAnEscape", "/mails~1jane@example.org", "/[masked:email]"},
        Row{"CardBehindAnEscape", "/paid~14111111111111111", "/paid~1[masked:card]"},
        Row{"PhoneBehindATilde", "/call~0+49 30 901820", "/call~0[masked:phone]"},
        Row{"CutBeforeTheAtSign", "/postgres:~1~1app:s3cretS3cret…", "/[masked:connection-string]"},
        Row{"TwoSecrets", "/ftp:~1~1a:b1@c/ftp:~1~1d:e1@f", "/[masked:connection-string]"}),
    [](const auto& row) { return std::string(row.param.name); });

class MaskerKeepsPointerTest : public ::testing::TestWithParam<Row> {};
TEST_P(MaskerKeepsPointerTest, WhatHoldsNoSecret) { EXPECT_EQ(Masker().Mask(GetParam().text), GetParam().text); }

INSTANTIATE_TEST_SUITE_P(
    All, MaskerKeepsPointerTest,
    ::testing::Values(Row{"Plain", "/data/title", ""}, Row{"MediaType", "/content/application~1json/schema", ""},
                      Row{"Route", "/paths/~1v1~1users~1{id}/get", ""},
                      Row{"Address", "/links/https:~1~1example.com:8443~1docs", ""}, Row{"Tilde", "/home/~0joe", ""},
                      Row{"EscapedTilde", "/a~01b", ""}, Row{"Date", "/2026~103~102", ""},
                      Row{"Sha", "/da39a3ee5e6b4b0d~13255bfef95601890afd80709", ""},
                      Row{"About", "takes ~10 minutes, ~100 MB", ""},
                      Row{"AboutALongNumber", "counted ~1234567890123 rows", ""}, Row{"ShortName", "C:/PROGRA~1/x", ""},
                      Row{"Revision", "git diff HEAD~1 src/a.cc", ""}, Row{"Password", "/password", ""},
                      Row{"CutAddress", "/https:~1~1example.com:8443~1docs~1a-long-na…", ""},
                      Row{"CutAddressWithoutAPort", "/https:~1~1example.com~1docs:a-long-na…", ""},
                      Row{"LoneTilde", "/a~", ""}, Row{"OtherEscape", "/a~2b", ""}),
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
