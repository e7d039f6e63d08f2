#include "security/safe_errors/known_secrets.h"

#include <cctype>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "observability/logger.h"
#include "security/safe_errors/masked_log_sink.h"
#include "security/safe_errors/masker.h"
#include "tests/support/fake_clock.h"
#include "tests/support/memory_sink.h"

namespace toolgate::security::safe_errors {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Looks like no token that is known by its form.
constexpr char kKey[] = "zq/Kd+7w\"pT=vN3m*Lr";

std::string Percent(const std::string& text, const char* digits) {
  std::string out;
  for (const char c : text) {
    if (isalnum(static_cast<unsigned char>(c)) != 0) {
      out += c;
    } else {
      absl::StrAppend(&out, "%", std::string(1, digits[static_cast<unsigned char>(c) >> 4]),
                      std::string(1, digits[c & 15]));
    }
  }
  return out;
}

struct Written {
  const char* name;
  std::string text;
};
void PrintTo(const Written& written, std::ostream* out) { *out << written.name; }

class KnownSecretTest : public ::testing::TestWithParam<Written> {
 protected:
  KnownSecretTest() { secrets_.Add({kKey, "another-secret-of-16"}); }
  KnownSecrets secrets_;
};

TEST_P(KnownSecretTest, IsMaskedHoweverItIsWritten) {
  for (const MaskLevel level : {MaskLevel::kAll, MaskLevel::kSecrets, MaskLevel::kKnown}) {
    const Masker masker(level, &secrets_);
    const std::string masked = masker.Mask(absl::StrCat("it said: ", GetParam().text, " is wrong"));
    EXPECT_THAT(masked, HasSubstr("[masked:"));
    EXPECT_THAT(masked, Not(HasSubstr(GetParam().text)));
    EXPECT_THAT(masked, HasSubstr(" is wrong"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, KnownSecretTest,
    ::testing::Values(Written{"AsItIs", kKey}, Written{"WithinAWord", absl::StrCat("x", kKey, "y")},
                      Written{"Json", DumpJson(Json(kKey))}, Written{"UpperPercent", Percent(kKey, "0123456789ABCDEF")},
                      Written{"LowerPercent", Percent(kKey, "0123456789abcdef")},
                      Written{"Hex", absl::BytesToHexString(kKey)}, Written{"Base64", absl::Base64Escape(kKey)},
                      Written{"WebBase64", absl::WebSafeBase64Escape(kKey)},
                      Written{"CutBeforeItsEnd", std::string(kKey).substr(0, 14)}));

TEST(KnownSecretsTest, CredentialsInBase64AreFoundAtEachAlignment) {
  KnownSecrets secrets;
  secrets.Add({kKey});
  const Masker masker(MaskLevel::kKnown, &secrets);
  for (const char* user : {"", "a:", "ab:", "abc:", "abcd:"}) {
    const std::string basic = absl::Base64Escape(absl::StrCat(user, kKey));
    const std::string masked = masker.Mask(absl::StrCat("Basic ", basic));
    EXPECT_THAT(masked, HasSubstr("[masked:secret]")) << user;
    EXPECT_LE(masked.size(), std::string("Basic [masked:secret]").size() + 12) << masked;
  }
}

TEST(KnownSecretsTest, JsonIsMaskedInItsStringsAndKeys) {
  KnownSecrets secrets;
  secrets.Add({kKey});
  const Masker masker(MaskLevel::kAll, &secrets);
  const std::string masked = masker.MaskJson({{"note", absl::StrCat("Bearer ", kKey)}, {kKey, {{"list", {kKey}}}}});
  EXPECT_THAT(masked, Not(HasSubstr("vN3m")));
  EXPECT_EQ(masker.MaskJson({{"note", "nothing"}}), R"({"note":"nothing"})");
}

TEST(KnownSecretsTest, AShortOneIsMaskedWhereItStandsAlone) {
  KnownSecrets secrets;
  secrets.Add({"s3crt", "abc", ""});
  const Masker masker(MaskLevel::kKnown, &secrets);
  EXPECT_EQ(masker.Mask("key s3crt, key=s3crt"), "key [masked:secret], key=[masked:secret]");
  EXPECT_EQ(masker.Mask("s3crts and as3crt, abc"), "s3crts and as3crt, abc") << "words of their own; too short for one";
}

TEST(KnownSecretsTest, OrdinaryTextWithItsFirstCharactersStays) {
  KnownSecrets secrets;
  secrets.Add({"sk-proj-4kR9x2Lm8Qw7Zt3Nv6Yb"});
  const Masker masker(MaskLevel::kKnown, &secrets);
  EXPECT_EQ(masker.Mask("keys begin with sk-proj-, see the manual"), "keys begin with sk-proj-, see the manual");
}

TEST(KnownSecretsTest, OneThatWasReplacedStaysKnownUntilManyCame) {
  KnownSecrets secrets;
  EXPECT_EQ(secrets.matcher(), nullptr);
  secrets.Add({"the-first-of-all"});
  const auto first = secrets.matcher();
  secrets.Add({"the-first-of-all"});
  EXPECT_EQ(secrets.matcher(), first) << "nothing new";
  secrets.Add({"the-second-of-all"});
  const Masker masker(MaskLevel::kKnown, &secrets);
  EXPECT_EQ(masker.Mask("the-first-of-all the-second-of-all"), "[masked:secret] [masked:secret]");
  std::vector<std::string> many;
  for (size_t i = 0; i < KnownSecrets::kMaxSecrets; ++i) many.push_back(absl::StrCat("later-secret-", 1000 + i));
  secrets.Add(many);
  EXPECT_EQ(masker.Mask("the-first-of-all"), "the-first-of-all");
  EXPECT_EQ(masker.Mask(many.front()), "[masked:secret]");
}

TEST(KnownSecretsTest, OverlappingSecretsAreMaskedTogether) {
  KnownSecrets secrets;
  secrets.Add({"aaaaaaaaaaaaaaab", "aaaaaaaaab"});
  const Masker masker(MaskLevel::kKnown, &secrets);
  EXPECT_EQ(masker.Mask("x aaaaaaaaaaaaaaaaab y"), "x [masked:secret] y");
}

TEST(MaskedLogSinkTest, NoLineHasOne) {
  KnownSecrets secrets;
  testing::MemorySink memory;
  MaskedLogSink sink(secrets, memory);
  testing::FakeClock clock;
  observability::Logger logger(sink, clock, observability::LogLevel::kInfo, observability::LogFormat::kJson);
  logger.Info("before");
  secrets.Add({kKey});
  logger.Info("after", {{"error", absl::StrCat("the key ", kKey, " is wrong")}});
  EXPECT_EQ(memory.Last()["error"], "the key [masked:secret] is wrong");
}

}  // namespace
}  // namespace toolgate::security::safe_errors
