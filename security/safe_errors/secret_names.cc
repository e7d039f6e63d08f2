#include "security/safe_errors/secret_names.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "common/absl_bridge.h"
#include "common/text/words.h"
#include "security/safe_errors/mask_hit.h"

namespace toolgate::security::safe_errors {
namespace {

constexpr size_t kShortestName = 3;
// Only the last words of a long name matter.
constexpr size_t kNameTail = 40;

// The whole name is one of these, in lower case without separators.
constexpr std::string_view kWholeNames[] = {"accountkey",
                                            "authorization",
                                            "bearertoken",
                                            "connectsid",
                                            "contraseÑa",
                                            "contraseña",
                                            "cookie",
                                            "cvc",
                                            "cvv",
                                            "jsessionid",
                                            "masterauth",
                                            "motdepasse",
                                            "otp",
                                            "phpsessid",
                                            "proxyauthorization",
                                            "requirepass",
                                            "sessionid",
                                            "setcookie",
                                            "sharedaccesssignature",
                                            "token",
                                            "xamzsignature",
                                            "xgoogsignature"};

// The name ends in one of these, in the same form.
constexpr std::string_view kEndings[] = {"accesskey",
                                         "accesskeys",
                                         "accesstoken",
                                         "accesstokens",
                                         "adgangskode",
                                         "anthropickey",
                                         "apikey",
                                         "apikeys",
                                         "apisecret",
                                         "apitoken",
                                         "authkey",
                                         "authtoken",
                                         "azurestoragekey",
                                         "clientkeydata",
                                         "clientsecret",
                                         "confirmationtoken",
                                         "connectionstring",
                                         "contrasena",
                                         "deploykey",
                                         "encryptionkey",
                                         "hmackey",
                                         "functionkey",
                                         "functionskey",
                                         "hasło",
                                         "heslo",
                                         "idtoken",
                                         "kennwort",
                                         "losenord",
                                         "lösenord",
                                         "licencekey",
                                         "licensekey",
                                         "masterkey",
                                         "openaikey",
                                         "passcode",
                                         "passord",
                                         "password",
                                         "passwordagain",
                                         "passwordconfirmation",
                                         "passwordrepeat",
                                         "passwords",
                                         "passwordvalue",
                                         "passwort",
                                         "privatekey",
                                         "recoverycode",
                                         "refreshtoken",
                                         "refreshtokens",
                                         "salasana",
                                         "secretkey",
                                         "secretkeybase",
                                         "secretkeys",
                                         "secretstring",
                                         "secretvalue",
                                         "seedphrase",
                                         "senha",
                                         "servicerolekey",
                                         "sessiontoken",
                                         "signingkey",
                                         "stripekey",
                                         "subscriptionkey",
                                         "wachtwoord",
                                         "webhooksecret",
                                         "şifre",
                                         "ПАРОЛЬ",
                                         "Пароль",
                                         "пароль",
                                         "パスワード",
                                         "密码",
                                         "密碼",
                                         "비밀번호"};

// The last word of the name is one of these: "JWT_SECRET", "dbPass", but neither "bypass" nor "compass".
constexpr std::string_view kLastWords[] = {"credential", "credentials", "pass", "passphrase", "passwd",
                                           "passwrd",    "pswd",        "pwd",  "secret",     "token"};

// Tokens of these kinds are not secrets: positions in a list, and units of models.
constexpr std::string_view kHarmlessTokens[] = {
    "bostoken", "continuationtoken", "cursortoken", "endtoken",   "eostoken",  "maxtoken",  "nexttoken",
    "padtoken", "pagetoken",         "septoken",    "starttoken", "stoptoken", "synctoken", "unktoken"};

// Most names differ in their endings.
constexpr size_t kEnds = 4096;
constexpr size_t EndOf(std::string_view compact) {
  size_t end = 0;
  for (const char c : compact.substr(compact.size() - kShortestName)) end = end * 31 + static_cast<uint8_t>(c);
  return end % kEnds;
}
constexpr std::array<bool, kEnds> kKnownEnds = [] {
  std::array<bool, kEnds> ends = {};
  const auto add = [&ends](const auto& names) {
    for (const std::string_view name : names) ends[EndOf(name)] = true;
  };
  add(kWholeNames);
  add(kEndings);
  add(kLastWords);
  return ends;
}();

bool IsMark(char c) { return c == '-' || c == '_' || c == ' ' || c == '.'; }
bool IsSmall(char c) { return c >= 'a' && c <= 'z'; }

// A name of at most kNameTail bytes in lower case, without separators.
class Compact {
 public:
  explicit Compact(std::string_view name) {
    for (const char c : name) {
      if (!IsMark(c)) letters_[size_++] = absl::ascii_tolower(static_cast<unsigned char>(c));
    }
  }
  std::string_view text() const { return {letters_.data(), size_}; }

 private:
  std::array<char, kNameTail> letters_ = {};
  size_t size_ = 0;
};

// The part after the last mark, or from the last capital that follows a small letter.
std::string_view LastWord(std::string_view name) {
  for (size_t i = name.size() - 1; i > 0; --i) {
    if (IsMark(name[i - 1]) || (IsCapital(name[i]) && IsSmall(name[i - 1]))) return name.substr(i);
  }
  return name;
}

template <size_t N>
bool EndsInOneOf(const std::string_view (&endings)[N], std::string_view name) {
  return std::any_of(std::begin(endings), std::end(endings),
                     [&](std::string_view ending) { return absl::EndsWith(ToAbsl(name), ToAbsl(ending)); });
}

}  // namespace

bool IsSecretName(std::string_view name) {
  if (name.size() > kNameTail) name.remove_prefix(name.size() - kNameTail);
  if (name == "_auth") return true;  // npm's, which other programs' "auth" is not.
  // "password2" is a secret's name too.
  while (!name.empty() && IsDigit(name.back())) name.remove_suffix(1);
  while (!name.empty() && IsMark(name.back())) name.remove_suffix(1);
  const Compact compact(name);
  const std::string_view text = compact.text();
  if (text.size() < kShortestName || !kKnownEnds[EndOf(text)]) return false;
  if (text::IsOneOf(text, kWholeNames) || EndsInOneOf(kEndings, text)) return true;
  return text::IsOneOf(Compact(LastWord(name)).text(), kLastWords) && !EndsInOneOf(kHarmlessTokens, text);
}

}  // namespace toolgate::security::safe_errors
