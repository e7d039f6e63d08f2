#include "security/safe_errors/secret_contexts.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "common/absl_bridge.h"
#include "common/text/words.h"
#include "security/safe_errors/secret_values.h"

namespace toolgate::security::safe_errors {
namespace {

constexpr size_t kMostBlanksInSentence = 4;
constexpr size_t kLongestSaidWord = 256;

bool IsGap(char c) { return c == ' ' || c == '\t'; }
bool IsInWord(char c) { return !IsBlank(c) && !IsQuote(c); }
// Characters that passwords have and ordinary words do not.
bool IsOdd(char c) { return IsDigit(c) || std::string_view("!@#$%^&*+=~").find(c) != std::string_view::npos; }

bool HasEveryKind(std::string_view key) {
  const auto has = [&](bool (*is)(char)) { return std::any_of(key.begin(), key.end(), is); };
  return has(IsDigit) && has(IsCapital) && has([](char c) { return IsLetter(c) && !IsCapital(c); });
}

// Hexadecimal digits, perhaps after "0x", as many as keys have.
bool IsHexKey(std::string_view word) {
  constexpr size_t kShortest = 32;
  const std::string_view digits = absl::StartsWithIgnoreCase(ToAbsl(word), "0x") ? word.substr(2) : word;
  return digits.size() >= kShortest && std::all_of(digits.begin(), digits.end(), IsHex) &&
         std::any_of(digits.begin(), digits.end(), IsDigit) && std::any_of(digits.begin(), digits.end(), IsLetter);
}

// Number of changes between kinds of characters: few in names, many in random text.
size_t Changes(std::string_view word) {
  const auto kind = [](char c) { return IsDigit(c) ? 0 : IsCapital(c) ? 1 : IsLetter(c) ? 2 : 3; };
  size_t changes = 0;
  for (size_t i = 1; i < word.size(); ++i) changes += kind(word[i]) != kind(word[i - 1]) ? 1 : 0;
  return changes;
}

// "keyFromTheFile2": words with at least two small letters each, and short numbers.
bool IsCamelCase(std::string_view word) {
  constexpr size_t kShortest = 2;
  constexpr size_t kMostDigits = 4;
  const auto is_small = [](char c) { return IsLetter(c) && !IsCapital(c); };
  for (size_t at = 0; at < word.size();) {
    const size_t first = at + (IsCapital(word[at]) ? 1 : 0);
    const size_t end = RunEnd(word, first, is_small, word.size());
    if (end < first + kShortest) return false;
    at = RunEnd(word, end, IsDigit, kMostDigits);
  }
  return true;
}

// A key or generated password: not a name, a time, a file or a measure.
bool LooksRandomWord(std::string_view word) {
  constexpr size_t kShortest = 12;
  constexpr std::ptrdiff_t kManyDigits = 3;
  if (IsHexKey(word)) return true;
  if (word.size() < kShortest || word.find_first_of(".:()[]{}<>,;\\") != std::string_view::npos) return false;
  if (word[0] == '/' || word[0] == '-' || word[0] == '$' || word[0] == '%') return false;
  const auto digits = std::count_if(word.begin(), word.end(), IsDigit);
  if (digits == 0 || std::none_of(word.begin(), word.end(), IsLetter)) return false;
  if (std::any_of(word.begin(), word.end(), IsBeyondAscii)) return false;
  if (IsCamelCase(word)) return false;
  if (HasEveryKind(word) && Changes(word) * 3 >= word.size()) return true;
  const bool plain = std::all_of(word.begin(), word.end(), IsAlnum);
  return plain && digits >= kManyDigits && Changes(word) * 4 >= word.size();
}

// ---- Commands -------------------------------------------------------------------------------------------------------

enum class Gives {
  kPassword,        // The value is the password.
  kMaybePassword,   // The same, or equally often another word: only text that does not look like a name.
  kUserAndPassword  // The part of the value after a colon or a "%".
};

struct CommandOption {
  std::string_view command;
  std::string_view option;  // A letter, or the name of a long option.
  Gives gives = Gives::kPassword;
  bool glued = false;          // "-phunter2".
  bool apart = true;           // "-p hunter2".
  std::string_view word = {};  // Another word that the command must contain.
};

constexpr CommandOption kOptions[] = {
    {"mysql", "p", Gives::kMaybePassword, true},
    {"mysqladmin", "p", Gives::kMaybePassword, true},
    {"mysqlcheck", "p", Gives::kMaybePassword, true},
    {"mysqldump", "p", Gives::kMaybePassword, true},
    {"mysqlimport", "p", Gives::kMaybePassword, true},
    {"mysqlpump", "p", Gives::kMaybePassword, true},
    {"mysqlsh", "p", Gives::kMaybePassword, true},
    {"mysqlshow", "p", Gives::kMaybePassword, true},
    {"mariadb", "p", Gives::kMaybePassword, true},
    {"mariadb-admin", "p", Gives::kMaybePassword, true},
    {"mariadb-dump", "p", Gives::kMaybePassword, true},
    {"sshpass", "p", Gives::kPassword, true},
    {"mongo", "p"},
    {"mongosh", "p"},
    {"mongodump", "p"},
    {"mongoexport", "p"},
    {"mongoimport", "p"},
    {"mongorestore", "p"},
    {"redis-cli", "a"},
    {"docker", "p", Gives::kPassword, false, true, "login"},
    {"podman", "p", Gives::kPassword, false, true, "login"},
    {"nerdctl", "p", Gives::kPassword, false, true, "login"},
    {"oc", "p", Gives::kPassword, false, true, "login"},
    {"az", "p", Gives::kPassword, false, true, "login"},
    {"cf", "p", Gives::kPassword, false, true, "login"},
    {"ldapadd", "w"},
    {"ldapdelete", "w"},
    {"ldapmodify", "w"},
    {"ldapsearch", "w"},
    {"ldapwhoami", "w"},
    {"mosquitto_pub", "P"},
    {"mosquitto_sub", "P"},
    {"ipmitool", "P"},
    {"sqlcmd", "P", Gives::kPassword, true},
    {"unzip", "P", Gives::kPassword, true},
    {"zip", "P", Gives::kPassword, true},
    {"7z", "p", Gives::kPassword, true, false},
    {"7za", "p", Gives::kPassword, true, false},
    {"curl", "u", Gives::kUserAndPassword, true},
    {"curl", "U", Gives::kUserAndPassword, true},
    {"curl", "user", Gives::kUserAndPassword},
    {"curl", "proxy-user", Gives::kUserAndPassword},
    {"http", "a", Gives::kUserAndPassword},
    {"https", "a", Gives::kUserAndPassword},
    {"http", "auth", Gives::kUserAndPassword},
    {"https", "auth", Gives::kUserAndPassword},
    {"xh", "a", Gives::kUserAndPassword},
    {"ab", "A", Gives::kUserAndPassword},
    {"smbclient", "U", Gives::kUserAndPassword},
    {"rpcclient", "U", Gives::kUserAndPassword},
};

// Stand-ins for passwords in documents.
constexpr std::string_view kStandIns[] = {"password", "passwd", "pass",     "pwd",          "passphrase", "secret",
                                          "token",    "xxx",    "passwort", "yourpassword", "mypassword"};

// The words of the command in text[begin, end), and whether one of them is a given one.
class CommandLine {
 public:
  CommandLine(std::string_view text, size_t end) : text_(text) {
    constexpr size_t kLongest = 256;
    size_t begin = end;
    while (begin > 0 && end - begin < kLongest && !EndsCommand(text[begin - 1])) --begin;
    line_ = text.substr(begin, end - begin);
  }

  // `word`, also at the end of a path.
  bool Has(std::string_view word) const {
    for (size_t at = line_.find(word); at != std::string_view::npos; at = line_.find(word, at + 1)) {
      const size_t end = at + word.size();
      const bool begins = at == 0 || IsBlank(line_[at - 1]) ||
                          std::string_view("/\"'(`$").find(line_[at - 1]) != std::string_view::npos;
      if (begins && end < line_.size() && (IsBlank(line_[end]) || IsQuote(line_[end]))) return true;
    }
    return false;
  }

 private:
  static bool EndsCommand(char c) { return c == '\n' || c == '|' || c == ';' || c == '&'; }

  const std::string_view text_;
  std::string_view line_;
};

// The password in "joe:hunter2", or "joe%hunter2", that begins at text[start].
MaskHit AfterUser(std::string_view text, size_t start) {
  const bool quoted = start < text.size() && IsQuote(text[start]);
  const size_t first = start + (quoted ? 1 : 0);
  const auto in_value = [&](char c) { return quoted ? c != text[start] && c != '\n' : IsInWord(c); };
  const size_t end = RunEnd(text, first, in_value, kLongestSaidWord);
  const std::string_view value = text.substr(first, end - first);
  const size_t sign = value.find_first_of(":%");
  if (sign == std::string_view::npos || sign == 0 || sign + 1 == value.size()) return {};
  // In a user and a group, as in "--user 1000:1000", both are numbers.
  const std::string_view secret = value.substr(sign + 1);
  if (text::IsOneOfIgnoringCase(secret, kStandIns) || secret.find_first_of("$<{[%") == 0) return {};
  return {first + sign + 1, end, MaskKind::kPassword};
}

// The same for an unknown command, or one on another line.
MaskHit RandomAfterUser(std::string_view text, size_t start) {
  const MaskHit hit = AfterUser(text, start);
  return hit.end > 0 && LooksRandomWord(text.substr(hit.start, hit.end - hit.start)) ? hit : MaskHit{};
}

MaskHit ValueOf(const CommandOption& option, std::string_view text, size_t start) {
  if (start >= text.size() || text[start] == '-') return {};
  if (option.gives == Gives::kUserAndPassword) return AfterUser(text, start);
  const MaskHit hit = FindSecretValue(text, start, "password", /*prose=*/false);
  if (hit.end == 0) return {};
  const std::string_view value = text.substr(hit.start, hit.end - hit.start);
  return text::IsOneOfIgnoringCase(value, kStandIns) ? MaskHit{} : hit;
}

// ---- Sentences ------------------------------------------------------------------------------------------------------

constexpr std::string_view kVerbs[] = {"is",  "was", "lautet", "lautete",  "ist",
                                       "war", "es",  "est",    "provided", "supplied"};

// Words with digits that describe secrets: how they are made, and how long they are.
constexpr std::string_view kTechnical[] = {"aes",  "argon", "base16", "base32", "base58", "base64", "bcrypt", "hs256",
                                           "ipv4", "ipv6",  "md5",    "ntlmv",  "oauth",  "pbkdf",  "rs256",  "sha",
                                           "ssha", "tls1",  "utf",    "uuidv",  "x509",   "x.509",  "rfc"};
constexpr std::string_view kUnits[] = {
    "bit",   "bits",    "byte",    "bytes", "char",    "chars", "character", "characters", "day",     "days",
    "digit", "digits",  "hour",    "hours", "letters", "min",   "mins",      "minutes",    "months",  "s",
    "sec",   "seconds", "stellen", "times", "tage",    "weeks", "years",     "zeichen",    "stellig", "h",
    "d",     "m",       "ms",      "st",    "nd",      "rd",    "th",        "of",         "or"};

// "128-bit", "30days", "2nd".
bool IsMeasure(std::string_view word) {
  const size_t digits = RunEnd(word, 0, IsDigit, word.size());
  if (digits == 0 || digits == word.size()) return false;
  const size_t unit = digits + (word[digits] == '-' ? 1 : 0);
  return text::IsOneOfIgnoringCase(word.substr(unit), kUnits);
}

// The name of a constant, a number of a program, a path, a call.
bool IsOfPrograms(std::string_view word) {
  if (LooksRandomWord(word)) return false;
  if (absl::StartsWithIgnoreCase(ToAbsl(word), "0x") || word.find_first_of("/\\(") != std::string_view::npos)
    return true;
  const bool capitals = std::none_of(word.begin(), word.end(), [](char c) { return IsLetter(c) && !IsCapital(c); });
  return capitals && word.find('_') != std::string_view::npos;
}

bool LooksSecret(std::string_view word, std::string_view rest) {
  constexpr size_t kShortest = 4;
  if (word.size() < kShortest || word.find_first_of("$<{[%`") == 0 || IsOfPrograms(word) || IsMeasure(word))
    return false;
  if (std::none_of(word.begin(), word.end(), IsOdd)) return false;
  for (const std::string_view technical : kTechnical) {
    if (absl::StartsWithIgnoreCase(ToAbsl(word), ToAbsl(technical))) return false;
  }
  if (!std::all_of(word.begin(), word.end(), IsDigit)) return std::any_of(word.begin(), word.end(), IsAlnum);
  const size_t next = RunEnd(rest, 0, IsGap, kMostBlanksInSentence);
  return !text::IsOneOfIgnoringCase(rest.substr(next, RunEnd(rest, next, IsLetter, kLongestSaidWord) - next), kUnits);
}

// True if the text before the name at text[name] announces its value: "with password", "ENV DB_PASSWORD", "machine h
// login u password", "requirepass" at the beginning of a line.
bool IsGiven(std::string_view text, size_t name) {
  constexpr size_t kFarthest = 96;
  const size_t from = name > kFarthest ? name - kFarthest : 0;
  const std::string_view before = text.substr(from, name - from);
  const std::string_view line = before.substr(before.rfind('\n') + 1);
  for (const absl::string_view word : {"with ", "using ", "env ", "setenv ", "config set "}) {
    if (absl::EndsWithIgnoreCase(ToAbsl(line), word)) return true;
  }
  const bool directive = absl::StartsWith(ToAbsl(text.substr(name)), "requirepass") ||
                         absl::StartsWith(ToAbsl(text.substr(name)), "masterauth");
  return absl::StrContains(ToAbsl(line), "login ") || (directive && line.empty());
}

}  // namespace

MaskHit FindSecretOfCommand(std::string_view text, size_t start) {
  if ((start > 0 && !IsBlank(text[start - 1])) || start + 2 >= text.size()) return {};
  const bool is_long = text[start + 1] == '-';
  const size_t name = start + (is_long ? 2 : 1);
  const size_t name_end = is_long ? RunEnd(text, name, IsBase64Url, 16) : name + 1;
  if (!IsLetter(text[name]) || name_end >= text.size()) return {};
  const std::string_view letter = text.substr(name, name_end - name);
  const auto is_asked = [&](const CommandOption& option) { return option.option == letter; };
  if (std::none_of(std::begin(kOptions), std::end(kOptions), is_asked)) return {};
  const bool apart = IsGap(text[name_end]) || (is_long && text[name_end] == '=');
  const size_t value = apart ? RunEnd(text, name_end + 1, IsGap, kMostBlanksInSentence) : name_end;
  const CommandLine line(text, start);
  for (const CommandOption& option : kOptions) {
    if (!is_asked(option) || (apart ? !option.apart : !option.glued || is_long)) continue;
    if (!line.Has(option.command) || (!option.word.empty() && !line.Has(option.word))) continue;
    const MaskHit hit = ValueOf(option, text, value);
    if (hit.end == 0) return {};
    // After a blank, these commands read the word as the name of a database.
    const std::string_view word = text.substr(hit.start, hit.end - hit.start);
    if (option.gives == Gives::kMaybePassword && apart && std::none_of(word.begin(), word.end(), IsOdd)) return {};
    return hit;
  }
  return letter == "u" && apart ? RandomAfterUser(text, value) : MaskHit{};
}

size_t SayingVerbLength(std::string_view text, size_t start) {
  if (start == 0 || !IsGap(text[start - 1])) return 0;
  const size_t end = RunEnd(text, start, IsLetter, 8);
  return end < text.size() && (IsGap(text[end]) || text[end] == ':') &&
                 text::IsOneOfIgnoringCase(text.substr(start, end - start), kVerbs)
             ? end - start
             : 0;
}

MaskHit FindSaidSecret(std::string_view text, size_t start) {
  const size_t colon = RunEnd(text, start, IsGap, kMostBlanksInSentence);
  const size_t sign = colon < text.size() && text[colon] == ':' ? colon + 1 : colon;
  const size_t first = RunEnd(text, sign, IsGap, kMostBlanksInSentence);
  if (first >= text.size()) return {};
  if (IsQuote(text[first])) {
    const auto in_quotes = [&](char c) { return c != text[first] && c != '\n'; };
    const size_t end = RunEnd(text, first + 1, in_quotes, kLongestSaidWord);
    const std::string_view value = text.substr(first + 1, end - first - 1);
    if (end >= text.size() || text[end] != text[first] || !LooksSecret(value, {})) return {};
    return {first + 1, end, MaskKind::kPassword};
  }
  size_t end = RunEnd(text, first, IsInWord, kLongestSaidWord);
  while (end > first && std::string_view(".,;:?)]}").find(text[end - 1]) != std::string_view::npos) --end;
  if (!LooksSecret(text.substr(first, end - first), text.substr(end, kLongestSaidWord))) return {};
  return {first, end, MaskKind::kPassword};
}

size_t NamingWordLength(std::string_view text, size_t start) {
  constexpr std::string_view kFirstLetters = "cCkKmMpPrRsStT";
  constexpr size_t kLongest = 11;
  constexpr std::string_view kWords[] = {"credential", "credentials", "key",    "masterauth", "pass",
                                         "passcode",   "passphrase",  "passwd", "password",   "passwort",
                                         "pwd",        "requirepass", "secret", "token"};
  if (kFirstLetters.find(text[start]) == std::string_view::npos) return 0;
  const size_t end = RunEnd(text, start, IsLetter, kLongest + 1);
  return end < text.size() && IsGap(text[end]) && text::IsOneOfIgnoringCase(text.substr(start, end - start), kWords)
             ? end - start
             : 0;
}

MaskHit FindSecretAfterName(std::string_view text, size_t name, size_t end) {
  size_t first = RunEnd(text, end, IsGap, kMostBlanksInSentence);
  if (first >= text.size()) return {};
  const bool quoted = IsQuote(text[first]);
  const char quote = text[first];
  if (quoted) ++first;
  size_t last = RunEnd(
      text, first, [&](char c) { return quoted ? c != quote && c != '\n' : IsInWord(c); }, kLongestSaidWord);
  if (quoted && (last >= text.size() || text[last] != quote)) return {};
  while (!quoted && last > first && std::string_view(".,;:?)]}").find(text[last - 1]) != std::string_view::npos) --last;
  const std::string_view value = text.substr(first, last - first);
  const bool given = IsGiven(text, name) && LooksSecret(value, text.substr(last, kLongestSaidWord));
  return given || LooksRandomWord(value) ? MaskHit{first, last, MaskKind::kPassword} : MaskHit{};
}

bool IsPinName(std::string_view name) {
  constexpr size_t kLength = 3;
  if (name.size() < kLength) return false;
  const std::string_view last = name.substr(name.size() - kLength);
  if (!absl::EqualsIgnoreCase(ToAbsl(last), "pin")) return false;
  if (name.size() == kLength) return true;
  // A word of its own: "sim_pin", "cardPin", but not "spin".
  const char before = name[name.size() - kLength - 1];
  return !IsAlnum(before) || (IsCapital(last[0]) && !IsCapital(before));
}

bool IsPin(std::string_view value) {
  return value.size() >= 4 && value.size() <= 8 && std::all_of(value.begin(), value.end(), IsDigit);
}

MaskHit FindPin(std::string_view text, size_t start) {
  start = RunEnd(
      text, start, [](char c) { return IsQuote(c) || c == '\\'; }, 2);
  const size_t end = RunEnd(text, start, IsDigit, 9);
  if (!IsPin(text.substr(start, end - start))) return {};
  // A decimal number, a date, an id.
  const bool goes_on =
      end < text.size() && (IsAlnum(text[end]) || text[end] == '-' || text[end] == '_' || text[end] == '/');
  const bool fraction =
      end + 1 < text.size() && (text[end] == '.' || text[end] == ',' || text[end] == ':') && IsDigit(text[end + 1]);
  return goes_on || fraction ? MaskHit{} : MaskHit{start, end, MaskKind::kPassword};
}

MaskHit FindPinAfterWord(std::string_view text, size_t start) {
  constexpr size_t kLongest = 5;  // India's postal codes are called so, too, and have six digits.
  if (text.substr(start, 3) != "PIN" || start + 3 >= text.size() || text[start + 3] != ' ') return {};
  const MaskHit hit = FindPin(text, start + 4);
  return hit.start == start + 4 && hit.end - hit.start <= kLongest ? hit : MaskHit{};
}

namespace {

// The text before text[start], in lower case.
std::string ContextBefore(std::string_view text, size_t start) {
  constexpr size_t kBytes = 96;
  const size_t from = start > kBytes ? start - kBytes : 0;
  return absl::AsciiStrToLower(ToAbsl(text.substr(from, start - from)));
}

bool NamesOneOf(const std::string& context, std::initializer_list<absl::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](absl::string_view word) { return absl::StrContains(context, word); });
}

// 64 bytes in Base64.
MaskHit FindStorageKey(std::string_view text, size_t start) {
  constexpr size_t kLength = 86;
  const auto in_key = [](char c) { return IsAlnum(c) || c == '+' || c == '/'; };
  const size_t end = RunEnd(text, start, in_key, kLength + 1);
  if (end != start + kLength || text.substr(end, 2) != "==" || !HasEveryKind(text.substr(start, kLength))) return {};
  if (end + 2 < text.size() && (IsAlnum(text[end + 2]) || text[end + 2] == '=')) return {};
  const std::string context = ContextBefore(text, start);
  if (absl::EndsWith(context, "sha512-") || absl::EndsWith(context, "sha512:")) return {};
  return NamesOneOf(context, {"azure", "storage", "account", "blob"}) ? MaskHit{start, end + 2, MaskKind::kToken}
                                                                      : MaskHit{};
}

// "s." and 24 letters and digits.
MaskHit FindOldVaultToken(std::string_view text, size_t start) {
  constexpr size_t kLength = 24;
  if (text.substr(start, 2) != "s.") return {};
  const size_t end = RunEnd(text, start + 2, IsAlnum, kLength + 1);
  if (end != start + 2 + kLength || !HasEveryKind(text.substr(start + 2, kLength))) return {};
  return NamesOneOf(ContextBefore(text, start), {"vault", "token"}) ? MaskHit{start, end, MaskKind::kToken} : MaskHit{};
}

// Argument of "ngrok config add-authtoken".
MaskHit FindTunnelToken(std::string_view text, size_t start) {
  constexpr size_t kShortest = 20;
  const auto in_token = [](char c) { return IsAlnum(c) || c == '_'; };
  const size_t end = RunEnd(text, start, in_token, kLongestSaidWord);
  const std::string_view token = text.substr(start, end - start);
  if (token.size() < kShortest || !HasEveryKind(token)) return {};
  const std::string context = ContextBefore(text, start);
  return absl::StrContains(context, "ngrok") && NamesOneOf(context, {"authtoken", "auth token", "auth_token"})
             ? MaskHit{start, end, MaskKind::kToken}
             : MaskHit{};
}

}  // namespace

MaskHit FindKeyOfService(std::string_view text, size_t start) {
  constexpr size_t kShortest = 20;
  if (text.size() - start < kShortest) return {};
  if (text[start] == 's' && text[start + 1] == '.') return FindOldVaultToken(text, start);
  const auto may_hold = [](char c) { return IsAlnum(c) || c == '_' || c == '+' || c == '/'; };
  if (RunEnd(text, start, may_hold, kShortest) != start + kShortest) return {};
  if (const MaskHit hit = FindStorageKey(text, start); hit.end > 0) return hit;
  return FindTunnelToken(text, start);
}

}  // namespace toolgate::security::safe_errors
