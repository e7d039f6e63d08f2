#include "security/safe_errors/token_forms.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace toolgate::security::safe_errors {
namespace {

// What the characters after a prefix are made of, where that tells a token from a word.
enum class Body : uint8_t { kMixed, kHex, kCapitals };

// A token that a provider marks by how it begins. `min` and `max` bound what follows; where they are the same, it has
// letters and digits only.
struct TokenForm {
  std::string_view prefix;
  size_t min;
  size_t max;
  Body body = Body::kMixed;
};
// Of tokens that grow with what is in them; longer ones are judged by this much.
constexpr size_t kAny = 1024;
constexpr TokenForm kTokenForms[] = {
    {"AKIA", 16, 16, Body::kCapitals},
    {"ASIA", 16, 16, Body::kCapitals},
    {"ABIA", 16, 16, Body::kCapitals},
    {"ACCA", 16, 16, Body::kCapitals},
    {"AIza", 35, 39},
    {"ya29.", 20, kAny},
    {"GOCSPX-", 20, 40},
    {"1//0", 30, kAny},
    {"ghp_", 30, 255},
    {"gho_", 30, 255},
    {"ghu_", 30, 255},
    {"ghs_", 30, 255},
    {"ghr_", 30, 255},
    {"github_pat_", 22, 255},
    {"glpat-", 20, 64},
    {"gldt-", 20, 64},
    {"glrt-", 20, 64},
    {"glsa_", 32, 64},
    {"glc_", 32, 400},
    {"xoxb-", 10, 255},
    {"xoxp-", 10, 255},
    {"xoxa-", 10, 255},
    {"xoxr-", 10, 255},
    {"xoxs-", 10, 255},
    {"xoxe-", 10, 255},
    {"xapp-", 10, 255},
    {"xoxe.", 10, 400},
    {"sk_live_", 10, 255},
    {"sk_test_", 10, 255},
    {"rk_live_", 10, 255},
    {"rk_test_", 10, 255},
    {"pk_live_", 10, 255},
    {"whsec_", 20, 255},
    {"sk-ant-", 20, 255},
    {"sk-proj-", 20, 255},
    {"sk-svcacct-", 20, 255},
    {"sk-admin-", 20, 255},
    {"sk-or-", 20, 255},
    {"sk-", 20, 255},
    {"hf_", 30, 64},
    {"r8_", 30, 64},
    {"gsk_", 30, 128},
    {"tvly-", 20, 64},
    {"pplx-", 30, 128},
    {"xai-", 30, 128},
    {"npm_", 36, 36},
    {"pypi-", 50, kAny},
    {"dop_v1_", 60, 80},
    {"SG.", 30, 100},
    {"SK", 32, 32, Body::kHex},
    {"AC", 32, 32, Body::kHex},
    {"key-", 32, 32, Body::kHex},
    {"shpat_", 32, 32},
    {"shpss_", 32, 32},
    {"shpca_", 32, 32},
    {"sq0atp-", 22, 64},
    {"sq0csp-", 40, 64},
    {"EAAA", 60, 255},
    {"lin_api_", 30, 64},
    {"secret_", 40, 64},
    {"ntn_", 40, 64},
    {"dapi", 32, 34, Body::kHex},
    {"hvs.", 24, kAny},
    {"hvb.", 24, kAny},
    {"dckr_pat_", 20, 64},
    {"PMAK-", 50, 64},
    {"NRAK-", 27, 27},
    {"rubygems_", 48, 48},
    {"AGE-SECRET-KEY-1", 50, 64},
    {"CFPAT-", 40, 64},
    {"figd_", 40, 64},
    {"pat-", 36, 64},
    {"FwoGZXIvYXdz", 20, kAny},
    {"IQoJb3JpZ2lu", 20, kAny},
    {"sntrys_", 40, kAny},
    {"vercel_", 20, 64},
    {"nvapi-", 40, 128},
    {"co_", 36, 64},
    {"AQ.", 40, 128},
    {"sbp_", 40, 64},
};

// The forms ordered by their first character, so that only a few are compared anywhere.
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

// Of what follows a form's prefix at `body`, `max` characters on at most.
size_t BodyEnd(std::string_view text, size_t body, const TokenForm& form, size_t max) {
  if (form.min == form.max) return RunEnd(text, body, IsAlnum, max);
  const bool dots = form.prefix.back() == '.' || form.max == kAny;
  size_t end = RunEnd(text, body, IsBase64Url, max);
  while (dots && end - body < max && end + 1 < text.size() && text[end] == '.' && IsBase64Url(text[end + 1])) {
    end = RunEnd(text, end + 1, IsBase64Url, max - (end - body));
  }
  return end;
}

// Words after a short prefix ("sk-learn-…") are not keys: those mix digits with letters, or, where chance left the
// digits out, capitals with small letters.
bool LooksRandom(std::string_view body, const TokenForm& form) {
  const bool digit = std::any_of(body.begin(), body.end(), IsDigit);
  const bool letter = std::any_of(body.begin(), body.end(), IsLetter);
  if (form.body == Body::kCapitals) {
    return std::all_of(body.begin(), body.end(), [](char c) { return IsCapital(c) || IsDigit(c); });
  }
  if (form.body == Body::kHex) return digit && letter && std::all_of(body.begin(), body.end(), IsHex);
  if (form.prefix.size() >= 6 || (digit && letter)) return true;
  return std::all_of(body.begin(), body.end(), [](char c) { return IsAlnum(c) || c == '.'; }) &&
         std::any_of(body.begin(), body.end(), IsCapital) && !std::all_of(body.begin(), body.end(), IsCapital);
}

}  // namespace

MaskHit FindToken(std::string_view text, size_t start) {
  for (size_t k = kTokenIndex.Begin(text[start]); k < kTokenIndex.End(text[start]); ++k) {
    const TokenForm& form = kTokenIndex.At(k);
    if (start + 1 >= text.size() || text[start + 1] != form.prefix[1]) continue;
    if (text.substr(start, form.prefix.size()) != form.prefix) continue;
    const size_t body = start + form.prefix.size();
    const size_t end = BodyEnd(text, body, form, form.max + 1);
    const size_t length = end - body;
    const bool too_long = length > form.max && form.max != kAny;
    if (length < form.min || too_long || !LooksRandom(text.substr(body, length), form)) continue;
    // Of a longer one nothing may stay.
    return {start, length > form.max ? BodyEnd(text, body, form, text.size()) : end, MaskKind::kToken};
  }
  return {};
}

}  // namespace toolgate::security::safe_errors
