#include "security/safe_errors/secret_names.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "common/absl_bridge.h"
#include "security/safe_errors/mask_hit.h"

namespace toolgate::security::safe_errors {
namespace {

constexpr size_t kShortest = 3;
constexpr size_t kLongest = 40;

// The whole name is one of these, in lower case without marks between words.
constexpr std::string_view kNames[] = {"accountkey",
                                       "authorization",
                                       "bearertoken",
                                       "contraseña",
                                       "cookie",
                                       "cvc",
                                       "cvv",
                                       "motdepasse",
                                       "otp",
                                       "passwords",
                                       "proxyauthorization",
                                       "sessionid",
                                       "setcookie",
                                       "sharedaccesssignature",
                                       "token"};

// Of these, whose value may be several words, up to the end of the line.
constexpr std::string_view kNamesOfLines[] = {"authorization", "cookie", "proxyauthorization", "setcookie"};

// The name ends in one of these, in the same form.
constexpr std::string_view kEndings[] = {
    "accesskey",     "accesstoken", "apikey",       "apisecret",         "apitoken",
    "authkey",       "authtoken",   "clientsecret", "confirmationtoken", "connectionstring",
    "encryptionkey", "idtoken",     "masterkey",    "password",          "passwordconfirmation",
    "passwort",      "privatekey",  "refreshtoken", "secretkey",         "secretkeybase",
    "sessiontoken",  "signingkey",  "webhooksecret"};

// The last word of the name is one of these: "JWT_SECRET", "dbPass", but neither "bypass" nor "compass".
constexpr std::string_view kLastWords[] = {"credential", "credentials", "pass",   "passphrase",
                                           "passwd",     "pwd",         "secret", "token"};

// Tokens of these kinds open nothing: places in a list, and what models count.
constexpr std::string_view kHarmlessTokens[] = {
    "bostoken", "continuationtoken", "cursortoken", "endtoken",   "eostoken",  "maxtoken",  "nexttoken",
    "padtoken", "pagetoken",         "septoken",    "starttoken", "stoptoken", "synctoken", "unktoken"};

// Most names are told apart by their last letter.
constexpr std::array<bool, 256> kLastLetters = [] {
  std::array<bool, 256> letters = {};
  const auto add = [&letters](const auto& names) {
    for (const std::string_view name : names) letters[static_cast<uint8_t>(name.back())] = true;
  };
  add(kNames);
  add(kEndings);
  add(kLastWords);
  return letters;
}();

bool IsMark(char c) { return c == '-' || c == '_' || c == ' ' || c == '.'; }
bool IsSmall(char c) { return c >= 'a' && c <= 'z'; }

std::string Compact(std::string_view name) {
  std::string compact;
  for (const char c : name) {
    if (!IsMark(c)) compact.push_back(absl::ascii_tolower(static_cast<unsigned char>(c)));
  }
  return compact;
}

// After the last mark, or from the last capital that follows a small letter.
std::string_view LastWord(std::string_view name) {
  for (size_t i = name.size() - 1; i > 0; --i) {
    if (IsMark(name[i - 1]) || (IsCapital(name[i]) && IsSmall(name[i - 1]))) return name.substr(i);
  }
  return name;
}

template <size_t N>
bool IsOneOf(const std::string_view (&names)[N], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

template <size_t N>
bool EndsInOneOf(const std::string_view (&endings)[N], std::string_view name) {
  return std::any_of(std::begin(endings), std::end(endings),
                     [&](std::string_view ending) { return absl::EndsWith(ToAbsl(name), ToAbsl(ending)); });
}

}  // namespace

bool IsSecretName(std::string_view name) {
  // "password2", "API_KEY_1".
  while (!name.empty() && (IsDigit(name.back()) || IsMark(name.back()))) name.remove_suffix(1);
  if (name.size() < kShortest) return false;
  name.remove_prefix(name.size() - std::min(name.size(), kLongest));
  if (!kLastLetters[static_cast<uint8_t>(absl::ascii_tolower(static_cast<unsigned char>(name.back())))]) return false;
  const std::string compact = Compact(name);
  if (IsOneOf(kNames, compact) || EndsInOneOf(kEndings, compact)) return true;
  return IsOneOf(kLastWords, Compact(LastWord(name))) && !EndsInOneOf(kHarmlessTokens, compact);
}

bool IsNameOfALine(std::string_view name) { return IsOneOf(kNamesOfLines, Compact(name)); }

}  // namespace toolgate::security::safe_errors
