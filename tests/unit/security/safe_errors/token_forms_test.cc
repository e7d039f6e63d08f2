#include "security/safe_errors/token_forms.h"

#include <array>
#include <random>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "gtest/gtest.h"
#include "security/safe_errors/masker.h"

namespace toolgate::security::safe_errors {
namespace {

// `length` random-looking characters of the alphabet.
std::string Body(size_t length, std::string_view alphabet) {
  std::minstd_rand random(7);
  std::string body;
  while (body.size() < length) body += alphabet[random() % alphabet.size()];
  return body;
}
std::string Url(size_t length) {
  return Body(length, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789");
}
std::string Hex(size_t length) { return Body(length, "0123456789abcdef"); }
std::string Small(size_t length) { return Body(length, "0123456789abcdefghijklmnopqrstuvwxyz"); }

// Tokens of which only a part is fixed. Secrets are assembled here, so that scanners do not report this file as a leak.
std::array<std::string, 55> Tokens() {
  return {absl::StrCat("1102012345:", "AA", Url(33)),
          absl::StrCat("M", Url(25), ".", Url(6), ".", Url(38)),
          absl::StrCat("hooks.slack.com/services/", "T0A1B2C3D/B0A1B2C3D/", Url(24)),
          absl::StrCat("discord.com/api/webhooks/", "123456789012345678/", Url(68)),
          absl::StrCat(Hex(32), "-us12"),
          absl::StrCat("xkeysib-", Hex(64), "-", Url(16)),
          absl::StrCat("re_", Url(8), "_", Url(24)),
          absl::StrCat("ATATT3", Url(170), "=", Hex(8)),
          absl::StrCat("sl.", Url(130)),
          absl::StrCat("dp.pt.", Url(43)),
          absl::StrCat(Url(14), ".atlasv1.", Url(67)),
          absl::StrCat("nfp_", Url(36)),
          absl::StrCat("glptt-", Hex(40)),
          absl::StrCat("glpat-", Url(27), ".01.1", Small(8)),
          absl::StrCat(Hex(36), "NRAL"),
          absl::StrCat("pat", Url(14), ".", Hex(64)),
          absl::StrCat("sk_", Hex(48)),
          absl::StrCat("pcsk_", Url(6), "_", Url(60)),
          absl::StrCat("lsv2_pt_", Hex(32), "_", Hex(10)),
          absl::StrCat("sb_secret_", Url(22), "_", Url(8)),
          absl::StrCat("access_token$production$", Hex(16), "$", Hex(32)),
          absl::StrCat("amzn.mws.", Hex(8), "-", Hex(4), "-", Hex(4), "-", Hex(4), "-", Hex(12)),
          absl::StrCat("LTAI5t", Url(18)),
          absl::StrCat("aB3", "8Q~", Url(34)),
          absl::StrCat("ops_eyJ", Url(200)),
          absl::StrCat("sk.eyJ", Url(60), ".", Url(22)),
          absl::StrCat("v4.local.", Url(100)),
          absl::StrCat("tskey-auth-", Url(17), "-", Url(32)),
          absl::StrCat("fw_", Url(22)),
          absl::StrCat("ABSK", Url(120)),
          absl::StrCat("fm2_", Url(200)),
          absl::StrCat("v1.0-", Hex(24), "-", Hex(146)),
          absl::StrCat("oy2", Small(43)),
          absl::StrCat("LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt", Url(200), "=="),
          absl::StrCat("EAAG", Url(100)),
          absl::StrCat("napi_", Small(64)),
          absl::StrCat(Hex(32), ".", Url(16)),
          absl::StrCat("EZAK", Url(54)),
          absl::StrCat("EZTK", Url(54)),
          absl::StrCat("fo1_", Url(43)),
          absl::StrCat("AQVN", Url(36)),
          absl::StrCat("y0_", "AgAAAA", Url(52)),
          absl::StrCat("t1.", Url(180), ".", Url(86)),
          absl::StrCat("t1.", Url(180), "==.", Url(86), "=="),
          absl::StrCat("AKCp", Url(69)),
          absl::StrCat("cmVmdGtuOjAxOj", Url(50)),
          absl::StrCat("xoxd-", Url(60)),
          absl::StrCat("dt0c01.", Url(24), ".", Url(64)),
          absl::StrCat("sha256~", Url(43)),
          absl::StrCat("bkua_", Hex(40)),
          absl::StrCat("CCIPAT_", Url(22), "_", Hex(40)),
          absl::StrCat("shippo_live_", Hex(40)),
          absl::StrCat("duffel_test_", Url(43)),
          absl::StrCat("CLOJARS_", Hex(60)),
          absl::StrCat("GR1348941", Url(20))};
}

TEST(TokenFormsTest, TokensOfManyProvidersAreMaskedWhole) {
  constexpr std::array<const char*, 4> kContexts = {"$0", "upstream refused $0 (401)", R"({"k":"$0"})",
                                                    "see $0, please"};
  for (const std::string& token : Tokens()) {
    for (const char* const context : kContexts) {
      EXPECT_EQ(Masker().Mask(absl::Substitute(context, token)), absl::Substitute(context, "[masked:token]"));
    }
  }
}

TEST(TokenFormsTest, WhatASchemeOfAProviderStandsBeforeIsMasked) {
  const std::string okta = absl::StrCat("00", Url(40));
  EXPECT_EQ(Masker().Mask(absl::StrCat("sent SSWS ", okta, ", no")), "sent SSWS [masked:token], no");
  EXPECT_EQ(Masker().Mask(absl::StrCat("FlyV1 fm2_", Url(40), " no")), "FlyV1 [masked:token] no");
  EXPECT_EQ(Masker().Mask(absl::StrCat("fm2_", Url(200), ",fm2_", Url(200))), "[masked:token],[masked:token]");
}

TEST(TokenFormsTest, PrivateKeysThatAreOneWordAreMaskedAsSuch) {
  for (const std::string& key :
       {absl::StrCat("xprv9", Url(106)), absl::StrCat("tprv8", Url(106)), absl::StrCat("zprvA", Url(106)),
        absl::StrCat("nsec1", Small(58)), absl::StrCat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", Url(1580), "=="),
        absl::StrCat("MIIEpAIBAAKCAQEA", Url(900), "/", Url(600)), absl::StrCat("MHcCAQEEI", Url(150), "=="),
        absl::StrCat("b3BlbnNzaC1rZXktdjEA", Url(300))}) {
    EXPECT_EQ(Masker().Mask(absl::StrCat("import ", key, ", then")), "import [masked:private-key], then");
  }
  for (const std::string& text : {absl::StrCat("xpub6", Url(106)), absl::StrCat("xprv9", Url(60)),
                                  absl::StrCat("npub1", Small(58)), absl::StrCat("MIIDXTCCAkWgAwIBAgIJ", Url(900))}) {
    EXPECT_EQ(Masker().Mask(text), text);
  }
}

TEST(TokenFormsTest, WordsBehindAPrefixAreNoToken) {
  for (const char* words : {"vercel_project_settings_page_title", "hf_transfer_enabled_for_the_download_of_2024_models",
                            "gsk_annual_report_2024_pharma_and_health", "tvly-search-results-for-2024-olympics",
                            "xai-explainable-artificial-intelligence-2024-survey",
                            "re_render_the_page_after_release_v2", "secret_ingredient_for_the_best_pancakes_ever",
                            "fw_version2_of_the_release_notes", "pa-system-for-the-main-hall-of-the-school-in-2024"}) {
    EXPECT_EQ(Masker().Mask(words), words);
  }
}

TEST(TokenFormsTest, RunsOfOtherLengthsOrWithoutTheMarkAreNoToken) {
  for (const std::string& text :
       {absl::StrCat("1102012345:", Small(33)), absl::StrCat(Hex(32), "-usage"), absl::StrCat(Url(13), ".atlasv1.x"),
        absl::StrCat(Hex(40)), absl::StrCat("pattern.", Hex(64)), absl::StrCat("abc8Q~", "short"),
        absl::StrCat("hooks.slack.com/services/", "docs"), absl::StrCat(Hex(32), ".woff2"),
        absl::StrCat(Hex(32), ".applicationmains"), absl::StrCat(Hex(32), ".", Small(16)),
        std::string("select t1.id, t1.a_rather_long_name_of_a_column_of_the_first_table_2 from t1"),
        absl::StrCat("t1.", Url(70)), absl::StrCat("SSWS ", Url(12))}) {
    EXPECT_EQ(Masker().Mask(text), text);
  }
}

}  // namespace
}  // namespace toolgate::security::safe_errors
