#include "security/safe_errors/masker.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "security/safe_errors/checksums.h"

namespace toolgate::security::safe_errors {
namespace {

constexpr std::array<std::string_view, kMaskKindCount> kNames = {
    "email",   "phone", "card", "iban", "national-id", "ip", "token", "jwt", "private-key", "connection-string",
    "password"};

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

constexpr std::array<bool, 256> MakeAlnum() {
  std::array<bool, 256> table = {};
  for (int c = '0'; c <= '9'; ++c) table[c] = true;
  for (int c = 'a'; c <= 'z'; ++c) table[c] = table[c - 'a' + 'A'] = true;
  return table;
}
constexpr std::array<bool, 256> kAlnum = MakeAlnum();
bool IsAlnum(char c) { return kAlnum[static_cast<uint8_t>(c)]; }
bool IsHex(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool IsBase64Url(char c) { return IsAlnum(c) || c == '-' || c == '_'; }
bool IsTokenChar(char c) { return IsBase64Url(c) || c == '.' || c == '+' || c == '/' || c == '=' || c == '~'; }
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// A token that a provider marks by how it begins. `min` and `max` bound what follows.
struct TokenForm {
  std::string_view prefix;
  size_t min;
  size_t max;
};
constexpr size_t kAny = 4096;
constexpr TokenForm kTokenForms[] = {
    {"AKIA", 16, 16},
    {"ASIA", 16, 16},
    {"ABIA", 16, 16},
    {"ACCA", 16, 16},
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
    {"SK", 32, 32},
    {"AC", 32, 32},
    {"key-", 32, 32},
    {"shpat_", 32, 32},
    {"shpss_", 32, 32},
    {"shpca_", 32, 32},
    {"sq0atp-", 22, 64},
    {"sq0csp-", 40, 64},
    {"EAAA", 60, 255},
    {"lin_api_", 30, 64},
    {"secret_", 40, 64},
    {"ntn_", 40, 64},
    {"dapi", 32, 34},
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

// Names whose value is a secret, as they appear before "=" or ":" in text, in lower case without '-' and '_'.
constexpr std::string_view kSecretNames[] = {"password",
                                             "passwd",
                                             "pwd",
                                             "passphrase",
                                             "secret",
                                             "token",
                                             "apikey",
                                             "accesskey",
                                             "secretkey",
                                             "privatekey",
                                             "clientsecret",
                                             "accesstoken",
                                             "refreshtoken",
                                             "idtoken",
                                             "authtoken",
                                             "bearertoken",
                                             "sessiontoken",
                                             "sessionid",
                                             "authorization",
                                             "xapikey",
                                             "xauthtoken",
                                             "credential",
                                             "credentials",
                                             "awssecretaccesskey",
                                             "connectionstring",
                                             "accountkey",
                                             "sharedaccesskey",
                                             "sharedaccesssignature",
                                             "signingkey",
                                             "encryptionkey",
                                             "webhooksecret",
                                             "dbpassword",
                                             "userpassword",
                                             "passwort",
                                             "contraseña",
                                             "motdepasse",
                                             "otp",
                                             "cvv",
                                             "cvc",
                                             "pass",
                                             "setcookie",
                                             "confirmationtoken",
                                             "apitoken",
                                             "apisecret",
                                             "masterkey",
                                             "pgpassword",
                                             "secretaccesskey"};

std::string CompactName(std::string_view name) {
  std::string compact;
  for (const char c : name) {
    if (c != '-' && c != '_' && c != ' ' && c != '.')
      compact.push_back(absl::ascii_tolower(static_cast<unsigned char>(c)));
  }
  return compact;
}

struct Hit {
  size_t start = 0;
  size_t end = 0;  // 0: no hit.
  MaskKind kind = MaskKind::kToken;
};

// Looks at one text from left to right. Every look-ahead is bounded, so the whole is linear.
class Scan {
 public:
  Scan(std::string_view text, MaskLevel level) : text_(text), all_(level == MaskLevel::kAll) {}

  // The next hit at or after the end of the last one.
  Hit Next() {
    while (at_ < text_.size()) {
      const size_t i = at_;
      Hit hit = At(i);
      if (hit.end > 0) {
        hit.start = std::max(hit.start, floor_);
        at_ = floor_ = hit.end;
        return hit;
      }
      at_ = std::max(at_, i + 1);
    }
    return {};
  }

 private:
  // Nothing of interest can begin at most characters.
  Hit At(size_t i) {
    const char c = text_[i];
    const bool starts = i == 0 || !IsAlnum(text_[i - 1]);
    Hit hit;
    if (starts && IsAlnum(c)) {
      if (i == 0 || text_[i - 1] != '_') hit = Token(i);
      if (hit.end == 0 && c == 'e') hit = Jwt(i);
      if (hit.end == 0 && IsLetter(c)) hit = Word(i);
      if (hit.end == 0 && all_) hit = PersonalAt(i);
      if (hit.end > 0) return hit;
    }
    if (IsAlnum(c)) {
      // Nothing begins inside of a word.
      size_t end = i + 1;
      while (end < text_.size() && IsAlnum(text_[end])) ++end;
      at_ = std::max(at_, end);
      return {};
    }
    switch (c) {
      case '@':
        return all_ ? Email(i) : Hit{};
      case ':':
        if (i + 2 < text_.size() && text_[i + 1] == '/' && text_[i + 2] == '/') return ConnectionString(i);
        if (all_ && i + 1 < text_.size() && text_[i + 1] == ':') return IpV6(i);
        break;
      case '=':
        return Assignment(i);
      case '-':
        return PrivateKey(i);
      case '+':
      case '(':
        return all_ ? Number(i) : Hit{};
      default:
        break;
    }
    if (c == ':') return Assignment(i);
    return {};
  }

  Hit Word(size_t i) {
    switch (text_[i] | 0x20) {
      case 'b':
        return Scheme(i, "bearer ", 12);
      case 't':
        return Scheme(i, "token ", 20);
      default:
        return {};
    }
  }

  Hit PersonalAt(size_t i) {
    if (IsDigit(text_[i])) {
      if (const Hit hit = Number(i); hit.end > 0) return hit;
      if (const Hit hit = IpV6(i); hit.end > 0) return hit;
      return CompactId(i);
    }
    if (i + 3 < text_.size() && IsLetter(text_[i + 1]) && IsDigit(text_[i + 2]) && IsDigit(text_[i + 3])) {
      if (const Hit hit = Iban(i); hit.end > 0) return hit;
    }
    if (IsHex(text_[i]) && text_.substr(i + 1, 4).find(':') != std::string_view::npos) {
      if (const Hit hit = IpV6(i); hit.end > 0) return hit;
    }
    // Identity numbers are written in capitals.
    const bool capital = text_[i] >= 'A' && text_[i] <= 'Z';
    return capital && i + 1 < text_.size() && !(text_[i + 1] >= 'a' && text_[i + 1] <= 'z') ? CompactId(i) : Hit{};
  }

  bool Follows(size_t i, std::string_view word) const {
    return absl::StartsWithIgnoreCase(ToAbsl(text_.substr(i, word.size())), ToAbsl(word));
  }

  size_t RunEnd(size_t i, bool (*in)(char), size_t max) const {
    const size_t limit = std::min(text_.size(), i + max);
    while (i < limit && in(text_[i])) ++i;
    return i;
  }

  Hit Token(size_t i) const {
    for (size_t k = kTokenIndex.Begin(text_[i]); k < kTokenIndex.End(text_[i]); ++k) {
      const TokenForm& form = kTokenIndex.At(k);
      if (i + 1 >= text_.size() || text_[i + 1] != form.prefix[1]) continue;
      if (text_.substr(i, form.prefix.size()) != form.prefix) continue;
      const size_t body = i + form.prefix.size();
      const bool dots = form.prefix.back() == '.' || form.max == kAny;
      size_t end = RunEnd(body, IsBase64Url, form.max + 1);
      while (dots && end + 1 < text_.size() && text_[end] == '.' && IsBase64Url(text_[end + 1])) {
        end = RunEnd(end + 1, IsBase64Url, kAny);
      }
      const size_t length = end - body;
      if (length < form.min || length > form.max) continue;
      if (!LooksRandom(text_.substr(body, length), form)) continue;
      return {i, end, MaskKind::kToken};
    }
    return {};
  }

  // Words after a short prefix ("sk-learn-…") are not keys: those mix digits with letters, or, where chance left the
  // digits out, capitals with small letters. Ids of AWS have capitals and digits only.
  static bool LooksRandom(std::string_view body, const TokenForm& form) {
    const auto is_capital = [](char c) { return c >= 'A' && c <= 'Z'; };
    const bool digit = std::any_of(body.begin(), body.end(), IsDigit);
    const bool letter = std::any_of(body.begin(), body.end(), IsLetter);
    if (form.max == 16)
      return std::all_of(body.begin(), body.end(), [&](char c) { return is_capital(c) || IsDigit(c); });
    if (form.prefix == "SK" || form.prefix == "AC" || form.prefix == "key-" || form.prefix == "dapi") {
      return digit && letter && std::all_of(body.begin(), body.end(), IsHex);
    }
    if (form.prefix.size() >= 6 || (digit && letter)) return true;
    return std::all_of(body.begin(), body.end(), [](char c) { return IsAlnum(c) || c == '.'; }) &&
           std::any_of(body.begin(), body.end(), is_capital) && !std::all_of(body.begin(), body.end(), is_capital);
  }

  Hit Jwt(size_t i) const {
    if (!absl::StartsWith(ToAbsl(text_.substr(i, 3)), "eyJ")) return {};
    const size_t header = RunEnd(i, IsBase64Url, kAny);
    if (header - i < 10 || header >= text_.size() || text_[header] != '.') return {};
    const size_t payload = RunEnd(header + 1, IsBase64Url, size_t{1} << 16);
    if (payload == header + 1) return {};
    size_t end = payload;
    while (end < text_.size() && text_[end] == '.') end = RunEnd(end + 1, IsBase64Url, size_t{1} << 16);
    return {i, end, MaskKind::kJwt};
  }

  // "Bearer …": the scheme stays readable.
  Hit Scheme(size_t i, std::string_view word, size_t min) const {
    if (!Follows(i, word)) return {};
    const size_t start = i + word.size();
    const size_t end = RunEnd(start, IsTokenChar, kAny);
    const std::string_view body = text_.substr(start, end - start);
    if (body.size() < min || std::none_of(body.begin(), body.end(), IsDigit)) return {};
    return {start, end, MaskKind::kToken};
  }

  // "-----BEGIN … PRIVATE KEY-----" up to its end, or to the end of the text.
  Hit PrivateKey(size_t i) const {
    if (!absl::StartsWith(ToAbsl(text_.substr(i, 11)), "-----BEGIN ")) return {};
    const std::string_view title = text_.substr(i + 11, 48);
    if (!absl::StrContains(ToAbsl(title.substr(0, title.find("-----"))), "PRIVATE KEY")) return {};
    const size_t finish = text_.find("-----END ", i);
    if (finish == std::string_view::npos) return {i, text_.size(), MaskKind::kPrivateKey};
    const size_t close = text_.find("-----", finish + 9);
    return {i, close == std::string_view::npos ? text_.size() : close + 5, MaskKind::kPrivateKey};
  }

  // "scheme://user:password@host…". `i` is at the colon.
  Hit ConnectionString(size_t i) const {
    size_t start = i;
    while (start > floor_ && i - start < 32 && (IsAlnum(text_[start - 1]) || text_[start - 1] == '+')) --start;
    const size_t authority = i + 3;
    size_t end = authority;
    size_t at = 0;
    bool colon = false;
    while (end < text_.size() && end - authority < 1024 && !IsBlank(text_[end]) && text_[end] != '"' &&
           text_[end] != '\'' && text_[end] != '<' && text_[end] != '>' && text_[end] != '/' && text_[end] != '?') {
      if (text_[end] == '@') at = end;
      if (text_[end] == ':' && at == 0) colon = true;
      ++end;
    }
    if (at == 0 || !colon || start == i) return {};
    while (end < text_.size() && end - authority < kAny && !IsBlank(text_[end]) && text_[end] != '"' &&
           text_[end] != '\'' && text_[end] != '<' && text_[end] != '>') {
      ++end;
    }
    return {start, end, MaskKind::kConnectionString};
  }

  // "password=…", "api_key: …". `i` is at the sign.
  Hit Assignment(size_t i) const {
    size_t name_end = i;
    while (name_end > floor_ && i - name_end < 3 &&
           (text_[name_end - 1] == ' ' || text_[name_end - 1] == '"' || text_[name_end - 1] == '\'' ||
            text_[name_end - 1] == '\\')) {
      --name_end;
    }
    size_t name = name_end;
    while (name > floor_ && name_end - name < 40 &&
           (IsAlnum(text_[name - 1]) || text_[name - 1] == '_' || text_[name - 1] == '-')) {
      --name;
    }
    if (name == name_end || !IsSecretName(text_.substr(name, name_end - name))) return {};
    size_t start = i + 1;
    while (start < text_.size() && start - i < 5 &&
           (text_[start] == ' ' || text_[start] == '=' || text_[start] == '>')) {
      ++start;
    }
    return Value(start, text_[i] == ':');
  }

  // The value of a secret: quoted, or up to the next blank or separator.
  Hit Value(size_t start, bool prose) const {
    size_t quote = start;
    while (quote < text_.size() && text_[quote] == '\\') ++quote;
    if (quote < text_.size() && (text_[quote] == '"' || text_[quote] == '\'' || text_[quote] == '`')) {
      const size_t body = quote + 1;
      size_t end = body;
      while (end < text_.size() && end - body < kAny && text_[end] != text_[quote] && text_[end] != '\n') ++end;
      while (end > body && text_[end - 1] == '\\') --end;
      if (end == body) return {};
      return {body, end, MaskKind::kPassword};
    }
    for (const std::string_view scheme : {"bearer ", "basic ", "token ", "digest "}) {
      if (Follows(start, scheme)) start += scheme.size();
    }
    size_t end = start;
    while (end < text_.size() && end - start < kAny && !IsBlank(text_[end]) && text_[end] != ',' && text_[end] != ';' &&
           text_[end] != '&' && text_[end] != '"' && text_[end] != '\'' && text_[end] != ')' && text_[end] != '}' &&
           text_[end] != ']') {
      ++end;
    }
    while (end > start && text_[end - 1] == '.') --end;
    const std::string_view value = text_.substr(start, end - start);
    if (value.empty() || value.front() == '[' || value == "null" || value == "true" || value == "false") return {};
    // After a colon ordinary words follow as often as secrets: "token: expected a comma".
    const bool secret_like =
        std::any_of(value.begin(), value.end(), [](char c) { return !IsLetter(c) || (c >= 'A' && c <= 'Z'); });
    if (prose && !secret_like) return {};
    return {start, end, MaskKind::kPassword};
  }

  // `i` is at the "@".
  Hit Email(size_t i) const {
    constexpr std::string_view kLocal = ".!#$%&'*+/=?^_`{|}~-";
    size_t start = i;
    while (start > floor_ && i - start < 64 &&
           (IsAlnum(text_[start - 1]) || static_cast<uint8_t>(text_[start - 1]) >= 0x80 ||
            kLocal.find(text_[start - 1]) != std::string_view::npos)) {
      --start;
    }
    while (start < i && !IsAlnum(text_[start]) && static_cast<uint8_t>(text_[start]) < 0x80 && text_[start] != '_')
      ++start;
    size_t end = i + 1;
    size_t last_dot = 0;
    while (
        end < text_.size() && end - i < 255 &&
        (IsAlnum(text_[end]) || text_[end] == '-' || text_[end] == '.' || static_cast<uint8_t>(text_[end]) >= 0x80)) {
      if (text_[end] == '.' && end + 1 < text_.size() &&
          (IsLetter(text_[end + 1]) || static_cast<uint8_t>(text_[end + 1]) >= 0x80))
        last_dot = end;
      ++end;
    }
    while (end > i && (text_[end - 1] == '.' || text_[end - 1] == '-')) --end;
    if (start == i || last_dot == 0 || last_dot == i + 1 || end - last_dot < 3) return {};
    return {start, end, MaskKind::kEmail};
  }

  // A number with the marks that people write into phone, card and identity numbers.
  Hit Number(size_t i) {
    // In the middle of a UUID or another hyphenated name.
    if (i > 1 && text_[i - 1] == '-' && IsAlnum(text_[i - 2])) return {};
    const size_t limit = std::min(text_.size(), i + 40);
    std::string digits;
    std::vector<size_t> groups;  // Length of each group of digits.
    size_t end = i;
    size_t last_digit = i;
    char separator = '\0';
    bool mixed = false;
    size_t gap = 0;
    for (; end < limit; ++end) {
      const char c = text_[end];
      if (IsDigit(c)) {
        if (digits.empty() || gap > 0) groups.push_back(0);
        ++groups.back();
        digits.push_back(c);
        last_digit = end;
        gap = 0;
      } else if (c == ' ' || c == '-' || c == '.' || c == '(' || c == ')' || c == '/' || (c == '+' && end == i)) {
        if (++gap > 2) break;
        if (c != ' ' && c != '(' && c != ')' && c != '+') {
          mixed |= separator != '\0' && separator != c;
          separator = c;
        }
      } else {
        break;
      }
    }
    // Inside of a longer word: an id, a hash, a version.
    const bool ends =
        last_digit + 1 >= text_.size() || !(IsAlnum(text_[last_digit + 1]) || text_[last_digit + 1] == '_');
    if (digits.size() < 7 && !(groups.size() == 4 && separator == '.')) {
      return {};
    }
    if (!ends || (i > 0 && (text_[i - 1] == '_' || text_[i - 1] == '#'))) return ChineseId(i, last_digit, digits);
    const Hit hit = Classify(i, last_digit + 1, digits, groups, mixed ? '?' : separator);
    // What was read is read: a long row of digits is not looked at again from its middle.
    if (hit.end == 0 && groups.size() == 1) at_ = last_digit + 1;
    return hit;
  }

  Hit Classify(size_t start, size_t end, const std::string& digits, const std::vector<size_t>& groups, char separator) {
    if (groups.size() == 4 && separator == '.' && IsIpV4(digits, groups)) {
      return IsVersion(start) ? Hit{} : Hit{start, end, MaskKind::kIpAddress};
    }
    if (start > 0 && text_[start - 1] == '.' && separator == '.') return {};
    if (IsDateLike(digits, groups)) return {};
    if (IsCardNumber(digits) && (groups.size() <= 5)) return {start, end, MaskKind::kCard};
    if (groups.size() == 3 && groups[0] == 3 && groups[1] == 2 && groups[2] == 4 && separator == '-' && IsSsn(digits)) {
      return {start, end, MaskKind::kNationalId};
    }
    const bool decimal = start > 1 && (text_[start - 1] == '.' || text_[start - 1] == ',') && IsDigit(text_[start - 2]);
    if (decimal) return {};
    if (IsNationalId(digits) && (groups.size() > 1 || digits.size() != 13)) return {start, end, MaskKind::kNationalId};
    if (IsPhone(start, digits, groups, separator)) return {start, end, MaskKind::kPhone};
    return {};
  }

  // China's ids may end in X.
  Hit ChineseId(size_t start, size_t last_digit, const std::string& digits) const {
    if (digits.size() != 17 || last_digit - start != 16 || (text_[last_digit + 1] | 0x20) != 'x') return {};
    if (last_digit + 2 < text_.size() && IsAlnum(text_[last_digit + 2])) return {};
    if (!IsNationalId(digits + "X")) return {};
    return {start, last_digit + 2, MaskKind::kNationalId};
  }

  static bool IsIpV4(const std::string& digits, const std::vector<size_t>& groups) {
    size_t at = 0;
    for (const size_t length : groups) {
      if (length > 3 || (length > 1 && digits[at] == '0')) return false;
      int value = 0;
      for (size_t k = 0; k < length; ++k) value = value * 10 + (digits[at + k] - '0');
      if (value > 255) return false;
      at += length;
    }
    return true;
  }

  // "v1.2.3.4", "version 1.2.3.4", "/1.2.3.4": not an address.
  bool IsVersion(size_t start) const {
    if (start == 0) return false;
    const std::string before =
        absl::AsciiStrToLower(ToAbsl(text_.substr(start > 12 ? start - 12 : 0, std::min<size_t>(start, 12))));
    for (const absl::string_view word :
         {"version ", "version: ", "version=", "release ", "ver. ", "build ", "section ", "chapter "}) {
      if (absl::EndsWith(before, word)) return true;
    }
    return before.back() == 'v' || before.back() == '.' ||
           (before.size() > 1 && before.back() == '/' && IsAlnum(before[before.size() - 2]));
  }

  static bool IsDateLike(const std::string& digits, const std::vector<size_t>& groups) {
    const auto two = [&](size_t at) { return (digits[at] - '0') * 10 + (digits[at + 1] - '0'); };
    const auto year = [&](size_t at) { return two(at) >= 19 && two(at) <= 21; };
    if (digits.size() < 8) return false;
    const bool year_first = year(0) && two(4) >= 1 && two(4) <= 12 && two(6) <= 31;
    if (groups.size() >= 3 && groups[0] == 4 && groups[1] == 2 && groups[2] == 2 && year_first) return true;
    if (groups.size() >= 3 && groups[0] <= 2 && groups[1] <= 2 && groups[2] == 4) return true;
    if (groups.size() == 2 && groups[0] == 4 && groups[1] == 4) return year(0) && year(4);
    return (digits.size() == 8 || digits.size() == 14 || digits.size() == 12) && groups.size() <= 2 && year_first;
  }

  // An international number, or one written the way of phone numbers.
  bool IsPhone(size_t start, const std::string& digits, const std::vector<size_t>& groups, char separator) const {
    if (digits.size() > 15 || separator == '?') return false;
    if (text_[start] == '+' || digits.substr(0, 2) == "00")
      return digits.size() >= 8 && digits.size() <= 15 && (text_[start] == '+' || digits.size() >= 11);
    if (text_[start] == '(')
      return groups.size() >= 2 && groups[0] >= 2 && groups[0] <= 5 && digits.size() >= 9 && digits.size() <= 12;
    if (AfterPhoneWord(start)) return digits.size() >= 7;
    if (groups.size() == 3 && groups[0] == 3 && groups[1] == 3 && groups[2] == 4) return separator != '/';
    if (groups.size() == 4 && groups[0] == 1 && groups[1] == 3 && groups[2] == 3 && groups[3] == 4) return true;
    return digits[0] == '0' && digits.size() >= 10 && digits.size() <= 12 && groups.size() >= 2 && groups[0] >= 2 &&
           groups[0] <= 5;
  }

  bool AfterPhoneWord(size_t start) const {
    const std::string before =
        absl::AsciiStrToLower(ToAbsl(text_.substr(start > 18 ? start - 18 : 0, std::min<size_t>(start, 18))));
    for (const absl::string_view word :
         {"phone", "mobile", "tel.", "tel:", "tel ", "cell", "fax", "telefon", "whatsapp", "call me at", "handy"}) {
      const size_t at = before.rfind(std::string(word));
      if (at != std::string::npos && before.find_first_of("0123456789", at) == std::string::npos) return true;
    }
    return false;
  }

  Hit Iban(size_t i) const {
    std::string compact;
    size_t end = i;
    size_t last = i;
    bool blank = false;
    for (; end < text_.size() && compact.size() < 35; ++end) {
      const char c = text_[end];
      if (IsAlnum(c)) {
        compact.push_back(c);
        last = end;
        blank = false;
      } else if ((c == ' ' || c == '-') && !blank && compact.size() % 4 == 0) {
        blank = true;
      } else {
        break;
      }
    }
    // Words may follow after a blank, so shorter ones are tried down to the last group.
    while (compact.size() >= 15) {
      if (IsIban(compact)) return {i, last + 1, MaskKind::kIban};
      const size_t keep = (compact.size() - 1) / 4 * 4;
      size_t drop = compact.size() - keep;
      while (drop > 0) {
        if (IsAlnum(text_[last])) --drop;
        --last;
      }
      if (IsAlnum(text_[last + 1]) && IsAlnum(text_[last])) return {};
      while (!IsAlnum(text_[last])) --last;
      compact.resize(keep);
    }
    return {};
  }

  // Identity numbers of one word: Spain, Italy.
  Hit CompactId(size_t i) const {
    const size_t end = RunEnd(i, IsAlnum, 17);
    if (end < text_.size() && (IsAlnum(text_[end]) || text_[end] == '_')) return {};
    const std::string_view word = text_.substr(i, end - i);
    const bool upper = std::none_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    if (upper && (IsSpanishId(word) || IsItalianTaxCode(word))) return {i, end, MaskKind::kNationalId};
    return {};
  }

  // At least two colons, groups of up to four hex digits; all eight, or a "::" with two groups or more.
  Hit IpV6(size_t i) const {
    if (i > 0 && (text_[i - 1] == ':' || IsAlnum(text_[i - 1]))) return {};
    size_t end = i;
    int groups = 0;
    int run = 0;
    int colons = 0;
    bool gap = false;
    for (; end < text_.size() && end - i < 46; ++end) {
      const char c = text_[end];
      if (IsHex(c)) {
        if (run++ == 0) ++groups;
        if (run > 4) return {};
      } else if (c == ':') {
        if (end > i && text_[end - 1] == ':') {
          if (gap) return {};
          gap = true;
        }
        ++colons;
        run = 0;
      } else {
        break;
      }
    }
    if (end < text_.size() && (IsAlnum(text_[end]) || text_[end] == '_')) return {};
    if (!gap && end > i && text_[end - 1] == ':') --end, --colons;
    if (gap ? (groups < 2 || groups > 7 || colons < 2) : (groups != 8 || colons != 7)) return {};
    // "a::b" and "std::cout" are C++ and not addresses; "::1" is nobody's.
    if (gap && colons == 2 && (groups < 2 || !std::any_of(text_.begin() + i, text_.begin() + end, IsDigit))) return {};
    return {i, end, MaskKind::kIpAddress};
  }

  const std::string_view text_;
  const bool all_;
  size_t at_ = 0;
  size_t floor_ = 0;
};

void MaskStrings(const Masker& masker, Json& value, bool secret) {
  if (value.is_object()) {
    for (auto& [key, member] : value.items()) MaskStrings(masker, member, secret || IsSecretName(key));
  } else if (value.is_array()) {
    for (Json& item : value) MaskStrings(masker, item, secret);
  } else if (secret && !value.is_null() && !value.is_boolean()) {
    value = "[masked:password]";
  } else if (value.is_string()) {
    if (auto masked = masker.MaskIfNeeded(value.get_ref<const std::string&>())) value = std::move(masked->text);
  }
}

}  // namespace

std::string_view MaskKindName(MaskKind kind) { return kNames[static_cast<size_t>(kind)]; }

bool IsSecretName(std::string_view name) {
  if (name.size() < 3 || name.size() > 40) return false;
  // Every known name has one of these letters where it ends; most names of arguments are told apart here.
  const char last = absl::ascii_tolower(static_cast<unsigned char>(name.back()));
  if (std::string_view("dtnysepcvra").find(last) == std::string_view::npos) return false;
  const std::string compact = CompactName(name);
  for (const std::string_view known : kSecretNames) {
    if (compact == known) return true;
  }
  return absl::EndsWith(compact, "password") || absl::EndsWith(compact, "apikey") ||
         absl::EndsWith(compact, "secretkey") || absl::EndsWith(compact, "accesstoken") ||
         absl::EndsWith(compact, "clientsecret") || absl::EndsWith(compact, "privatekey");
}

std::optional<Masked> Masker::MaskIfNeeded(std::string_view text) const {
  Scan scan(text, level_);
  Hit hit = scan.Next();
  if (hit.end == 0) return std::nullopt;
  Masked masked;
  size_t copied = 0;
  for (; hit.end > 0; hit = scan.Next()) {
    masked.text.append(text.substr(copied, hit.start - copied));
    absl::StrAppend(&masked.text, "[masked:", ToAbsl(MaskKindName(hit.kind)), "]");
    masked.kinds |= 1u << static_cast<unsigned>(hit.kind);
    copied = hit.end;
  }
  masked.text.append(text.substr(copied));
  return masked;
}

std::string Masker::Mask(std::string_view text) const {
  std::optional<Masked> masked = MaskIfNeeded(text);
  return masked.has_value() ? std::move(masked->text) : std::string(text);
}

bool Masker::NeedsMask(const Json& value) const {
  if (value.is_string()) {
    const std::string_view text = value.get_ref<const std::string&>();
    return Scan(text, level_).Next().end > 0;
  }
  if (value.is_array())
    return std::any_of(value.begin(), value.end(), [&](const Json& item) { return NeedsMask(item); });
  if (!value.is_object()) return false;
  for (auto member = value.begin(); member != value.end(); ++member) {
    if (IsSecretName(member.key()) || NeedsMask(*member)) return true;
  }
  return false;
}

std::string Masker::MaskJson(const Json& value) const {
  if (!NeedsMask(value)) return DumpJson(value);
  Json masked = value;
  MaskStrings(*this, masked, /*secret=*/false);
  return DumpJson(masked);
}

}  // namespace toolgate::security::safe_errors
