#include "security/safe_errors/token_forms.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>

namespace toolgate::security::safe_errors {
namespace {

// What follows a prefix. Of the first three there may be more than the table says; the last three have exactly as much.
enum class Body : uint8_t {
  kUrl,       // Letters, digits, "-" and "_".
  kDotted,    // The same in parts with dots between them.
  kBase64,    // The same and "+", "/", "=".
  kAlnum,     // Letters and digits.
  kCapitals,  // Capitals and digits.
  kHex,
};

// A token that a provider marks by how it begins.
struct TokenForm {
  std::string_view prefix;
  size_t length;  // Of the body; the shortest where the length is not fixed.
  Body body = Body::kUrl;
};
// As much of a body tells whether it is one, so that what only begins like a token is cheap to refuse.
constexpr size_t kLookAt = 128;
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
    {"glpat-", 20},
    {"gldt-", 20},
    {"glrt-", 20},
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
    {"EAAA", 60},
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

bool HasFixedLength(Body body) { return body >= Body::kAlnum; }

// Where the body that begins at text[at] ends, at most `max` bytes on.
size_t BodyEnd(std::string_view text, size_t at, Body body, size_t max) {
  switch (body) {
    case Body::kUrl:
      return RunEnd(text, at, IsBase64Url, max);
    case Body::kBase64:
      return RunEnd(
          text, at, [](char c) { return IsBase64Url(c) || c == '+' || c == '/' || c == '='; }, max);
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

// Words after a short prefix ("sk-learn-…") are not keys: those mix digits with letters, or, where chance left the
// digits out, capitals with small letters.
bool LooksRandom(std::string_view body, const TokenForm& form) {
  const auto all = [body](const auto& in) { return std::all_of(body.begin(), body.end(), in); };
  const auto any = [body](const auto& in) { return std::any_of(body.begin(), body.end(), in); };
  const bool mixed = any(IsDigit) && any(IsLetter);
  if (form.body == Body::kCapitals) return all([](char c) { return IsCapital(c) || IsDigit(c); });
  if (form.body == Body::kHex) return mixed && all(IsHex);
  if (form.prefix.size() >= 6 || mixed) return true;
  return all([](char c) { return IsAlnum(c) || c == '.'; }) && any(IsCapital) && !all(IsCapital);
}

}  // namespace

MaskHit FindToken(std::string_view text, size_t start) {
  for (size_t k = kTokenIndex.Begin(text[start]); k < kTokenIndex.End(text[start]); ++k) {
    const TokenForm& form = kTokenIndex.At(k);
    if (start + 1 >= text.size() || text[start + 1] != form.prefix[1]) continue;
    if (text.substr(start, form.prefix.size()) != form.prefix) continue;
    const size_t body = start + form.prefix.size();
    const size_t end = BodyEnd(text, body, form.body, kLookAt);
    const size_t length = end - body;
    if (HasFixedLength(form.body) ? length != form.length : length < form.length) continue;
    if (!LooksRandom(text.substr(body, length), form)) continue;
    // However long it is, nothing of it stays.
    return {start, HasFixedLength(form.body) ? end : BodyEnd(text, body, form.body, text.size()), MaskKind::kToken};
  }
  return {};
}

}  // namespace toolgate::security::safe_errors
