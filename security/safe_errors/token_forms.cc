#include "security/safe_errors/token_forms.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace toolgate::security::safe_errors {
namespace {

// Characters after a prefix. The first four kinds may have more than the table's length; the last three have exactly
// that length.
enum class Body : uint8_t {
  kUrl,       // Letters, digits, "-" and "_".
  kDotted,    // The same in parts with dots between them.
  kBase64,    // The same and "+", "/", "=".
  kPath,      // The same as the first in a URL's path, with "." and "$" and "@".
  kAlnum,     // Letters and digits.
  kCapitals,  // Capitals and digits.
  kHex,
};

// A token with a provider's prefix.
struct TokenForm {
  std::string_view prefix;
  size_t length;  // Of the body; the minimum if the length is not fixed.
  Body body = Body::kUrl;
  MaskKind kind = MaskKind::kToken;
};
// This much of a body suffices for the decision, so that text which only begins like a token is cheap to refuse.
constexpr size_t kBodyLookedAt = 128;
constexpr TokenForm kTokenForms[] = {
    {"AKIA", 16, Body::kCapitals},
    {"ASIA", 16, Body::kCapitals},
    {"ABIA", 16, Body::kCapitals},
    {"ACCA", 16, Body::kCapitals},
    {"AIza", 35},
    {"ya29.", 20, Body::kDotted},
    {"GOCSPX-", 20},
    {"1//0", 30, Body::kDotted},
    {"ghp_", 30},
    {"gho_", 30},
    {"ghu_", 30},
    {"ghs_", 30},
    {"ghr_", 30},
    {"github_pat_", 22},
    {"glpat-", 20, Body::kDotted},
    {"gldt-", 20, Body::kDotted},
    {"glrt-", 20, Body::kDotted},
    {"glsa_", 32},
    {"glc_", 32},
    {"xoxb-", 10},
    {"xoxp-", 10},
    {"xoxa-", 10},
    {"xoxr-", 10},
    {"xoxs-", 10},
    {"xoxe-", 10},
    {"xapp-", 10},
    {"xoxe.", 10, Body::kDotted},
    {"sk_live_", 10},
    {"sk_test_", 10},
    {"rk_live_", 10},
    {"rk_test_", 10},
    {"pk_live_", 10},
    {"whsec_", 20},
    {"sk-ant-", 20},
    {"sk-proj-", 20},
    {"sk-svcacct-", 20},
    {"sk-admin-", 20},
    {"sk-or-", 20},
    {"sk-", 20},
    {"hf_", 30},
    {"r8_", 30},
    {"gsk_", 30},
    {"tvly-", 20},
    {"pplx-", 30},
    {"xai-", 30},
    {"npm_", 36, Body::kAlnum},
    {"pypi-", 50, Body::kDotted},
    {"dop_v1_", 60},
    {"SG.", 30, Body::kDotted},
    {"SK", 32, Body::kHex},
    {"AC", 32, Body::kHex},
    {"key-", 32, Body::kHex},
    {"shpat_", 32, Body::kHex},
    {"shpss_", 32, Body::kHex},
    {"shpca_", 32, Body::kHex},
    {"sq0atp-", 22},
    {"sq0csp-", 40},
    {"lin_api_", 30},
    {"secret_", 40},
    {"ntn_", 40},
    {"dapi", 32, Body::kHex},
    {"hvs.", 24, Body::kDotted},
    {"hvb.", 24, Body::kDotted},
    {"dckr_pat_", 20},
    {"PMAK-", 50},
    {"NRAK-", 27, Body::kAlnum},
    {"rubygems_", 48, Body::kAlnum},
    {"AGE-SECRET-KEY-1", 50},
    {"CFPAT-", 40},
    {"figd_", 40},
    {"pat-", 36},
    {"FwoGZXIvYXdz", 20, Body::kBase64},
    {"IQoJb3JpZ2lu", 20, Body::kBase64},
    {"sntrys_", 40, Body::kBase64},
    {"vercel_", 20},
    {"nvapi-", 40},
    {"co_", 36},
    {"AQ.", 40, Body::kDotted},
    {"sbp_", 40},
    {"glptt-", 20, Body::kDotted},
    {"glcbt-", 20, Body::kDotted},
    {"gloas-", 40},
    {"glft-", 20},
    {"glsoat-", 20},
    {"glagent-", 40},
    {"glimt-", 20},
    {"glffct-", 20},
    {"hooks.slack.com/services/", 20, Body::kPath},
    {"discord.com/api/webhooks/", 40, Body::kPath},
    {"discordapp.com/api/webhooks/", 40, Body::kPath},
    {"webhook.office.com/webhookb2/", 40, Body::kPath},
    {"hooks.zapier.com/hooks/catch/", 8, Body::kPath},
    {"EAAA", 60},
    {"EAAB", 80},
    {"EAAC", 80},
    {"EAAG", 80},
    {"xkeysib-", 60},
    {"xsmtpsib-", 60},
    {"re_", 30},
    {"ATATT3", 60, Body::kBase64},
    {"ATCTT3", 60, Body::kBase64},
    {"ATBB", 32, Body::kAlnum},
    {"sl.", 100, Body::kDotted},
    {"dp.pt.", 40},
    {"dp.st.", 40, Body::kDotted},
    {"dp.ct.", 40},
    {"dp.sa.", 40},
    {"doo_v1_", 60},
    {"dor_v1_", 60},
    {"nfp_", 36},
    {"pscale_tkn_", 32},
    {"pscale_pw_", 32},
    {"pscale_oauth_", 32},
    {"NRII-", 32},
    {"sk_", 48, Body::kHex},
    {"pcsk_", 40},
    {"lsv2_pt_", 32},
    {"lsv2_sk_", 32},
    {"fc-", 32, Body::kHex},
    {"jina_", 50},
    {"sb_secret_", 20},
    {"pul-", 40, Body::kHex},
    {"shppa_", 32, Body::kHex},
    {"sntryu_", 40},
    {"dckr_oat_", 20},
    {"rzp_live_", 14},
    {"rzp_test_", 14},
    {"access-production-", 36},
    {"access-sandbox-", 36},
    {"access_token$production$", 40, Body::kPath},
    {"access_token$sandbox$", 40, Body::kPath},
    {"amzn.mws.", 36},
    {"LTAI", 12},
    {"AKID", 28},
    {"ops_eyJ", 40},
    {"tfp_", 40},
    {"pnu_", 36, Body::kAlnum},
    {"sgp_", 40},
    {"api_org_", 30},
    {"sk.eyJ", 40, Body::kDotted},
    {"v2.local.", 40, Body::kDotted},
    {"v3.local.", 40, Body::kDotted},
    {"v4.local.", 40, Body::kDotted},
    {"v2.public.", 60, Body::kDotted},
    {"v3.public.", 60, Body::kDotted},
    {"v4.public.", 60, Body::kDotted},
    {"HRKU-", 36},
    {"tskey-", 20},
    {"pa-", 43},
    {"FLWSECK-", 32},
    {"FLWSECK_TEST-", 32},
    {"phx_", 40},
    {"tgp_v1_", 40},
    {"fw_", 22},
    {"ABSK", 80, Body::kBase64},
    {"key_", 64, Body::kHex},
    {"napi_", 60},
    {"rnd_", 24},
    {"fm1r_", 60, Body::kBase64},
    {"fm2_", 60, Body::kBase64},
    {"v1.0-", 100},
    {"oy2", 43, Body::kAlnum},
    {"cio", 32, Body::kAlnum},
    {"EZAK", 40},
    {"EZTK", 40},
    {"fo1_", 30},
    {"AQVN", 35},
    {"y0_", 40},
    {"AKCp", 60, Body::kBase64},
    {"cmVmdGtuOj", 40, Body::kBase64},
    {"xoxd-", 40, Body::kBase64},
    {"dt0c01.", 64, Body::kDotted},
    {"dt0s01.", 64, Body::kDotted},
    {"dt0s16.", 64, Body::kDotted},
    {"sha256~", 40},
    {"bkua_", 40, Body::kHex},
    {"CCIPAT_", 40},
    {"CCIPRJ_", 40},
    {"shippo_live_", 40, Body::kHex},
    {"shippo_test_", 40, Body::kHex},
    {"duffel_live_", 40},
    {"duffel_test_", 40},
    {"CLOJARS_", 60, Body::kAlnum},
    {"GR1348941", 20},
    {"wandb_v1_", 40},
    // Keys of wallets and the like.
    {"xprv", 107, Body::kAlnum, MaskKind::kPrivateKey},
    {"yprv", 107, Body::kAlnum, MaskKind::kPrivateKey},
    {"zprv", 107, Body::kAlnum, MaskKind::kPrivateKey},
    {"Yprv", 107, Body::kAlnum, MaskKind::kPrivateKey},
    {"Zprv", 107, Body::kAlnum, MaskKind::kPrivateKey},
    {"tprv", 107, Body::kAlnum, MaskKind::kPrivateKey},
    {"uprv", 107, Body::kAlnum, MaskKind::kPrivateKey},
    {"vprv", 107, Body::kAlnum, MaskKind::kPrivateKey},
    {"nsec1", 58, Body::kAlnum, MaskKind::kPrivateKey},
    // Private keys without the lines of PEM around them: prefixes of PKCS #8, PKCS #1, EC and OpenSSH keys.
    {"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", 40, Body::kBase64, MaskKind::kPrivateKey},
    {"MIIEvgIBADANBgkqhkiG9w0BAQEFAASC", 40, Body::kBase64, MaskKind::kPrivateKey},
    {"MIIEvAIBADANBgkqhkiG9w0BAQEFAASC", 40, Body::kBase64, MaskKind::kPrivateKey},
    {"MIIJQwIBADANBgkqhkiG9w0BAQEFAASC", 40, Body::kBase64, MaskKind::kPrivateKey},
    {"MIIJQgIBADANBgkqhkiG9w0BAQEFAASC", 40, Body::kBase64, MaskKind::kPrivateKey},
    {"MIIEpAIBAAKCAQEA", 40, Body::kBase64, MaskKind::kPrivateKey},
    {"MIIEowIBAAKCAQEA", 40, Body::kBase64, MaskKind::kPrivateKey},
    {"MIIEogIBAAKCAQEA", 40, Body::kBase64, MaskKind::kPrivateKey},
    {"MIIEpQIBAAKCAQEA", 40, Body::kBase64, MaskKind::kPrivateKey},
    {"MIIJKAIBAAKCAgEA", 40, Body::kBase64, MaskKind::kPrivateKey},
    {"MIIJKQIBAAKCAgEA", 40, Body::kBase64, MaskKind::kPrivateKey},
    {"MIIJKgIBAAKCAgEA", 40, Body::kBase64, MaskKind::kPrivateKey},
    {"MHcCAQEEI", 80, Body::kBase64, MaskKind::kPrivateKey},
    {"MIGHAgEAMBMGByqGSM49AgEG", 80, Body::kBase64, MaskKind::kPrivateKey},
    {"MC4CAQAwBQYDK2VwBCIEI", 40, Body::kBase64, MaskKind::kPrivateKey},
    {"b3BlbnNzaC1rZXktdjEA", 80, Body::kBase64, MaskKind::kPrivateKey},
    // PEM private keys, encoded in base64 again.
    {"LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt", 20, Body::kBase64},
    {"LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0t", 20, Body::kBase64},
    {"LS0tLS1CRUdJTiBFQyBQUklWQVRFIEtFWS0t", 20, Body::kBase64},
    {"LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVEUgS0VZL", 20, Body::kBase64},
};

static_assert(std::all_of(std::begin(kTokenForms), std::end(kTokenForms),
                          [](const TokenForm& form) {
                            return form.prefix.size() + form.length >= kShortestLetters ||
                                   !std::all_of(form.prefix.begin(), form.prefix.end(), IsLetter);
                          }),
              "kShortestLetters is too long");

// The forms ordered by their first character, so that only a few are compared in each place.
class TokenIndex {
 public:
  constexpr TokenIndex() {
    size_t count = 0;
    for (size_t c = 0; c < 256; ++c) {
      first_[c] = static_cast<uint8_t>(count);
      for (size_t i = 0; i < std::size(kTokenForms); ++i) {
        if (static_cast<uint8_t>(kTokenForms[i].prefix[0]) == c) order_[count++] = static_cast<uint8_t>(i);
      }
    }
    first_[256] = static_cast<uint8_t>(count);
  }
  constexpr size_t Begin(char c) const { return first_[static_cast<uint8_t>(c)]; }
  constexpr size_t End(char c) const { return first_[static_cast<uint8_t>(c) + 1]; }
  constexpr const TokenForm& At(size_t i) const { return kTokenForms[order_[i]]; }

 private:
  std::array<uint8_t, 257> first_ = {};
  std::array<uint8_t, std::size(kTokenForms)> order_ = {};
};
constexpr TokenIndex kTokenIndex;

bool HasFixedLength(Body body) { return body >= Body::kAlnum; }

// End of the body that begins at text[at], after at most `max` bytes.
size_t BodyEnd(std::string_view text, size_t at, Body body, size_t max) {
  switch (body) {
    case Body::kUrl:
      return RunEnd(text, at, IsBase64Url, max);
    case Body::kBase64:
      return RunEnd(
          text, at, [](char c) { return IsBase64Url(c) || c == '+' || c == '/' || c == '='; }, max);
    case Body::kPath:
      return RunEnd(
          text, at, [](char c) { return IsBase64Url(c) || std::string_view("/.$@").find(c) != std::string_view::npos; },
          max);
    case Body::kDotted: {
      const size_t limit = at + std::min(max, text.size() - at);
      size_t end = RunEnd(text, at, IsBase64Url, max);
      while (end + 1 < limit && text[end] == '.' && IsBase64Url(text[end + 1])) {
        end = RunEnd(text, end + 1, IsBase64Url, limit - end - 1);
      }
      return end;
    }
    case Body::kAlnum:
    case Body::kCapitals:
    case Body::kHex:
      break;
  }
  return RunEnd(text, at, IsAlnum, max);
}

// "project_settings_page", "survey-2024", "release_v2": at least two parts, each a word, a short number, or both.
bool IsWords(std::string_view body) {
  size_t parts = 0;
  for (size_t at = 0; at < body.size(); ++at, ++parts) {
    const size_t first = at + (IsCapital(body[at]) ? 1 : 0);
    const size_t letters = RunEnd(
        body, first, [](char c) { return IsLetter(c) && !IsCapital(c); }, body.size());
    at = RunEnd(body, letters, IsDigit, 4);
    if (at < body.size() && body[at] != '-' && body[at] != '_') return false;
  }
  return parts > 1;
}

// Words after a prefix ("sk-learn-…", "vercel_project_settings_page") are not keys: those mix digits with letters, or,
// if they happen to have no digits, capitals with small letters.
bool LooksRandom(std::string_view body, const TokenForm& form) {
  const auto all = [body](const auto& in) { return std::all_of(body.begin(), body.end(), in); };
  const auto any = [body](const auto& in) { return std::any_of(body.begin(), body.end(), in); };
  const bool mixed = any(IsDigit) && any(IsLetter);
  if (form.body == Body::kCapitals) return all([](char c) { return IsCapital(c) || IsDigit(c); });
  if (form.body == Body::kHex) return mixed && all(IsHex);
  if (IsWords(body)) return false;
  if (form.prefix.size() >= 6 || mixed) return true;
  return all([](char c) { return IsAlnum(c) || c == '.'; }) && any(IsCapital) && !all(IsCapital);
}

// Zhipu, whose models are called GLM: after the hexadecimal id and the dot at text[dot], the secret's sixteen letters
// and digits. The endings of file names have letters of one kind.
bool IsIdAndSecret(std::string_view text, size_t dot) {
  constexpr size_t kLength = 16;
  const size_t end = RunEnd(text, dot + 1, IsAlnum, kLength + 1);
  if (end != dot + 1 + kLength) return false;
  const std::string_view secret = text.substr(dot + 1, kLength);
  return std::any_of(secret.begin(), secret.end(), IsCapital) &&
         std::any_of(secret.begin(), secret.end(), [](char c) { return IsLetter(c) && !IsCapital(c); });
}

// Yandex Cloud: "t1.", the token's content, a dot, its signature; each in Base64, perhaps with "=" after it.
MaskHit FindCloudToken(std::string_view text, size_t start) {
  constexpr size_t kShortest = 60;
  constexpr size_t kMostPadding = 2;
  const auto is_padding = [](char c) { return c == '='; };
  const size_t body = RunEnd(text, start + 3, IsBase64Url, text.size());
  const size_t dot = RunEnd(text, body, is_padding, kMostPadding);
  if (body - start < kShortest || dot >= text.size() || text[dot] != '.') return {};
  const size_t end = RunEnd(text, dot + 1, IsBase64Url, text.size());
  if (end - dot <= kShortest) return {};
  return {start, RunEnd(text, end, is_padding, kMostPadding), MaskKind::kToken};
}

// Tokens with a mark in their middle: a run of letters and digits of a certain length, and the character after it. The
// hit's end is 0 if there is none.
MaskHit FindMarkedToken(std::string_view text, size_t start) {
  constexpr size_t kLongestRun = 41;
  const size_t end = RunEnd(text, start, IsAlnum, kLongestRun);
  const size_t length = end - start;
  const std::string_view run = text.substr(start, length);
  const char next = end < text.size() ? text[end] : '\0';
  const auto all = [&](const auto& in, size_t from, size_t count) {
    return RunEnd(text, from, in, count + 1) == from + count;
  };
  const auto follows = [&](std::string_view word) { return text.substr(end, word.size()) == word; };
  const auto hit = [&](size_t from, Body body, size_t min) {
    const size_t last = BodyEnd(text, from, body, text.size());
    return last - from >= min ? MaskHit{start, last, MaskKind::kToken} : MaskHit{};
  };
  // Telegram: a number, and 35 characters with a fixed beginning.
  if (next == ':' && length >= 8 && length <= 10 && follows(":AA") && all(IsDigit, start, length)) {
    return hit(end + 1, Body::kUrl, 30);
  }
  // Microsoft Entra: after three characters.
  if (next == '~' && length == 5 && IsDigit(run[3]) && run[4] == 'Q') {
    const size_t last = RunEnd(
        text, end, [](char c) { return IsBase64Url(c) || c == '.' || c == '~'; }, kBodyLookedAt);
    return last - end >= 30 ? MaskHit{start, last, MaskKind::kToken} : MaskHit{};
  }
  if (next == '-' && length == 32 && follows("-us") && all(IsHex, start, length)) {  // Mailchimp
    const size_t last = RunEnd(text, end + 3, IsDigit, 2);
    return last > end + 3 ? MaskHit{start, last, MaskKind::kToken} : MaskHit{};
  }
  if (length == 40 && run.substr(36) == "NRAL") return {start, end, MaskKind::kToken};  // New Relic
  if (next != '.') return {};
  if (length == 32 && all(IsHex, start, length))
    return IsIdAndSecret(text, end) ? hit(end + 1, Body::kUrl, 16) : MaskHit{};
  if (run == "t1") return FindCloudToken(text, start);
  if (length == 14 && follows(".atlasv1.")) return hit(end + 9, Body::kUrl, 40);  // Terraform
  if (length == 17 && run.substr(0, 3) == "pat" && all(IsHex, end + 1, 64)) {     // Airtable
    return {start, end + 65, MaskKind::kToken};
  }
  // Discord: a user's number in base64, a time, a code.
  if (length >= 24 && length <= 28 && (run[0] == 'M' || run[0] == 'N' || run[0] == 'O') &&
      all(IsBase64Url, end + 1, 6) && text.substr(end + 7, 1) == "." && LooksRandom(run, {.prefix = "", .length = 0})) {
    return hit(end + 8, Body::kUrl, 27);
  }
  return {};
}

}  // namespace

MaskHit FindToken(std::string_view text, size_t start) {
  for (size_t k = kTokenIndex.Begin(text[start]); k < kTokenIndex.End(text[start]); ++k) {
    const TokenForm& form = kTokenIndex.At(k);
    if (start + 1 >= text.size() || text[start + 1] != form.prefix[1]) continue;
    if (text.substr(start, form.prefix.size()) != form.prefix) continue;
    const size_t body = start + form.prefix.size();
    const size_t end = BodyEnd(text, body, form.body, kBodyLookedAt);
    const size_t length = end - body;
    if (HasFixedLength(form.body) ? length != form.length : length < form.length) continue;
    if (!LooksRandom(text.substr(body, length), form)) continue;
    // Nothing of it stays, however long it is.
    return {start, HasFixedLength(form.body) ? end : BodyEnd(text, body, form.body, text.size()), form.kind};
  }
  return FindMarkedToken(text, start);
}

}  // namespace toolgate::security::safe_errors
