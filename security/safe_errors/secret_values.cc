#include "security/safe_errors/secret_values.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/match.h"
#include "common/absl_bridge.h"
#include "security/safe_errors/mask_hit.h"

namespace toolgate::security::safe_errors {
namespace {

// A list or object that does not end within this length was cut, or is not one.
constexpr size_t kLongestNested = size_t{1} << 16;
constexpr size_t kLongestList = 256;
constexpr size_t kLongestValueWord = 128;
constexpr size_t kMostBlanksBeforeValue = 64;

constexpr size_t kLongestTag = 12;

// Before a credential that is one word.
constexpr std::string_view kSchemes[] = {"apikey", "basic",     "bearer", "bot",          "dpop",
                                         "key",    "negotiate", "ntlm",   "token token=", "token"};
// Before parameters up to the end of the header.
constexpr std::string_view kSchemesOfParameters[] = {
    "aws4-ecdsa-p256-sha256", "aws4-hmac-sha256", "digest", "hawk", "mutual", "oauth", "sharedkey", "sharedkeylite"};

// Values that programs write for missing ones.
constexpr std::string_view kNoValues[] = {"null", "true", "false", "none", "nil", "undefined", "redacted"};
// Replacements that other programs write for secrets.
constexpr std::string_view kTakenOut[] = {"[redacted]", "[filtered]", "[hidden]", "[masked]",
                                          "[omitted]",  "[removed]",  "[secret]", "[sensitive]"};
// Parameters of a server's challenge: "WWW-Authenticate: Bearer realm=\"x\"".
constexpr std::string_view kChallenges[] = {"realm=", "error=", "scope="};
// The most common passwords that are words of small letters, which would otherwise be read as prose about a failure.
constexpr std::string_view kCommonPasswords[] = {"admin",
                                                 "asdfgh",
                                                 "asdfghjkl",
                                                 "bailey",
                                                 "baseball",
                                                 "batman",
                                                 "charlie",
                                                 "changeme",
                                                 "cheese",
                                                 "computer",
                                                 "correcthorsebatterystaple",
                                                 "donald",
                                                 "dragon",
                                                 "flower",
                                                 "football",
                                                 "freedom",
                                                 "hockey",
                                                 "hunter",
                                                 "iloveyou",
                                                 "jennifer",
                                                 "jordan",
                                                 "killer",
                                                 "letmein",
                                                 "lovely",
                                                 "michael",
                                                 "monkey",
                                                 "mustang",
                                                 "ninja",
                                                 "passw",
                                                 "pokemon",
                                                 "princess",
                                                 "qazwsx",
                                                 "qwerty",
                                                 "qwertyuiop",
                                                 "secret",
                                                 "shadow",
                                                 "soccer",
                                                 "starwars",
                                                 "sunshine",
                                                 "superman",
                                                 "thomas",
                                                 "welcome",
                                                 "whatever",
                                                 "zxcvbn",
                                                 "zxcvbnm"};
// Names whose values are often counts: "max tokens", "pass=12 fail=3".
constexpr std::string_view kCounted[] = {"token", "pass", "credential", "credentials", "cookie", "authorization"};
constexpr size_t kLongestCount = 3;
constexpr size_t kShortestStandIn = 3;

class ValueFinder {
 public:
  ValueFinder(std::string_view text, std::string_view name, bool prose) : text_(text), name_(name), prose_(prose) {}

  MaskHit Find(size_t start) const {
    start = AfterStringPrefix(AfterMarkup(start));
    if (const size_t quote = QuoteAt(start); quote < text_.size()) return Quoted(start, quote);
    if (const MaskHit block = BlockScalar(start); block.end > 0) return block;
    const size_t word = AfterOneOf(kSchemes, start);
    const size_t parameters = AfterOneOf(kSchemesOfParameters, start);
    start = std::max({start, word, parameters});
    if (IsMask(start) || IsTakenOut(start)) return {};
    if (const size_t quote = QuoteAt(start); quote < text_.size()) return Quoted(start, quote);
    if (word > 0) return Word(start);
    if (IsHeader(start, parameters > 0)) {
      const size_t end = HeaderEnd(start);
      return end > start ? MaskHit{start, end, MaskKind::kPassword} : MaskHit{};
    }
    if (const std::optional<MaskHit> unknown = UnknownScheme(start)) return *unknown;
    if (start < text_.size() && (text_[start] == '[' || text_[start] == '{')) return Nested(start);
    return Word(start);
  }

 private:
  static bool IsBackslash(char c) { return c == '\\'; }
  static bool IsInLine(char c) { return c != '\n' && c != '\r'; }

  static bool IsGap(char c) { return c == ' ' || c == '\t'; }

  // Position after the scheme that begins at text[start]; 0 if there is none.
  template <size_t N>
  size_t AfterOneOf(const std::string_view (&schemes)[N], size_t start) const {
    for (const std::string_view scheme : schemes) {
      if (!Follows(start, scheme)) continue;
      const size_t end = start + scheme.size();
      if (const size_t after = AfterSchemeGap(end); after > end || scheme.back() == '=') return after;
    }
    return 0;
  }

  // After a scheme: blanks, perhaps after a colon; a header continues on a line that begins with one (RFC 9112 §5.2).
  size_t AfterSchemeGap(size_t end) const {
    const size_t colon = end < text_.size() && text_[end] == ':' ? end + 1 : end;
    const size_t after = RunEnd(text_, colon, IsBlank, kMostBlanksBeforeValue);
    const bool gap = after > colon && IsGap(text_[after - 1]);
    return gap && after < text_.size() ? after : end;
  }

  // "Authorization: SSWS 00h…": a word, and another one that looks like a secret, or was masked before.
  std::optional<MaskHit> UnknownScheme(size_t start) const {
    if (!absl::EndsWithIgnoreCase(ToAbsl(name_), "authorization")) return std::nullopt;
    const size_t end = RunEnd(text_, start, IsBase64Url, kLongestValueWord);
    const size_t second = AfterSchemeGap(end);
    if (end == start || second == end) return std::nullopt;
    if (IsMask(second)) return MaskHit{};
    MaskHit hit = Word(second);
    if (hit.end == 0 || !IsSecretLike(text_.substr(second, hit.end - second))) return std::nullopt;
    // A word with a digit may be the credential, and the second one only a description.
    const auto has_digit = [](std::string_view word) { return std::any_of(word.begin(), word.end(), IsDigit); };
    if (has_digit(text_.substr(start, end - start))) hit.start = start;
    return hit;
  }

  // Position after the marks that end the emphasis of a name: "**Password:** …", "<b>Password:</b> …".
  size_t AfterMarkup(size_t start) const {
    const size_t marks = RunEnd(
        text_, start, [](char c) { return c == '*' || c == '_' || c == '~'; }, 3);
    if (marks > start && marks < text_.size() && IsGap(text_[marks])) {
      return RunEnd(text_, marks, IsGap, kMostBlanksBeforeValue);
    }
    if (!Follows(start, "</")) return start;
    const size_t tag = RunEnd(text_, start + 2, IsAlnum, kLongestTag);
    if (tag == start + 2 || tag >= text_.size() || text_[tag] != '>') return start;
    return RunEnd(text_, tag + 1, IsGap, kMostBlanksBeforeValue);
  }

  // The quote after the letters that some languages write before one: b"…", rb'…', @"…".
  size_t AfterStringPrefix(size_t start) const {
    constexpr std::string_view kPrefixes = "bBrRuUfF@$";
    const size_t end = RunEnd(
        text_, start, [kPrefixes](char c) { return kPrefixes.find(c) != std::string_view::npos; }, 2);
    return end < text_.size() && (text_[end] == '"' || text_[end] == '\'') ? end : start;
  }

  // A YAML value on lines of its own, "password: |". A ">" may have been read as a part of the sign.
  MaskHit BlockScalar(size_t start) const {
    if (start > 0 && text_[start - 1] == '>') --start;
    if (start >= text_.size() || (text_[start] != '|' && text_[start] != '>')) return {};
    size_t at = RunEnd(
        text_, start + 1, [](char c) { return c == '+' || c == '-' || IsDigit(c); }, 2);
    at = RunEnd(
        text_, at, [](char c) { return IsGap(c) || c == '\r'; }, kMostBlanksBeforeValue);
    if (at >= text_.size() || text_[at] != '\n') return {};
    const size_t body = RunEnd(text_, at + 1, IsGap, kMostBlanksBeforeValue);
    const size_t indent = body - at - 1;
    if (indent == 0 || body == text_.size() || IsMask(body)) return {};
    size_t end = body;
    // Continues as long as lines are indented like this, including empty ones.
    for (size_t line = body; line < text_.size();) {
      const size_t line_end = RunEnd(text_, line, IsInLine, text_.size());
      if (line_end > line) end = line_end;
      const size_t next = RunEnd(
          text_, line_end, [](char c) { return !IsInLine(c); }, text_.size());
      line = RunEnd(text_, next, IsGap, kMostBlanksBeforeValue);
      if (line - next < indent) break;
    }
    return end > body ? MaskHit{body, end, MaskKind::kPassword} : MaskHit{};
  }

  // The quote that begins a value, perhaps after backslashes; the text's size if there is none.
  size_t QuoteAt(size_t start) const {
    const size_t quote = RunEnd(text_, start, IsBackslash, text_.size());
    return quote < text_.size() && IsQuote(text_[quote]) ? quote : text_.size();
  }

  // True for an earlier mask with nothing attached to its end.
  bool IsMask(size_t i) const {
    if (!Follows(i, "[masked:")) return false;
    const size_t close = RunEnd(
        text_, i, [](char c) { return c != ']'; }, kLongestValueWord);
    return close + 1 >= text_.size() || !IsAlnum(text_[close + 1]);
  }
  bool IsTakenOut(size_t i) const {
    return std::any_of(std::begin(kTakenOut), std::end(kTakenOut), [&](std::string_view mark) {
      return Follows(i, mark) && (i + mark.size() >= text_.size() || !IsAlnum(text_[i + mark.size()]));
    });
  }
  bool IsCookie() const { return absl::EndsWithIgnoreCase(ToAbsl(name_), "cookie"); }

  bool Follows(size_t i, std::string_view word) const {
    return absl::StartsWithIgnoreCase(ToAbsl(text_.substr(std::min(i, text_.size()), word.size())), ToAbsl(word));
  }

  // After a colon, ordinary words are as frequent as secrets: "token: expected a comma".
  bool IsSecretLike(std::string_view value) const {
    const bool capitals = !IsCookie();  // Those are food, too.
    const auto is_common = [&](std::string_view common) { return value == common; };
    return !prose_ || std::any_of(std::begin(kCommonPasswords), std::end(kCommonPasswords), is_common) ||
           std::any_of(value.begin(), value.end(),
                       [&](char c) { return capitals && IsCapital(c) ? true : !IsLetter(c) && !IsBeyondAscii(c); });
  }

  // Up to the next blank or separator.
  MaskHit Word(size_t start) const {
    size_t end = start;
    while (end < text_.size() && !IsBlank(text_[end]) && text_[end] != '"' && text_[end] != '\'' && !EndsValue(end))
      ++end;
    while (end > start && text_[end - 1] == '.') --end;
    const std::string_view value = text_.substr(std::min(start, text_.size()), end - start);
    if (value.empty() || value == "[" || value == "{" || IsNoSecret(start, value) || !IsSecretLike(value)) return {};
    return {start, end, MaskKind::kPassword};
  }

  // Placeholders, references and values of other kinds.
  bool IsNoSecret(size_t start, std::string_view value) const {
    const auto is_value = [&](std::string_view other) { return absl::EqualsIgnoreCase(ToAbsl(value), ToAbsl(other)); };
    if (std::any_of(std::begin(kNoValues), std::end(kNoValues), is_value)) return true;
    // "********", "'<'": one repeated character other than a letter.
    const auto is_first = [&](char c) { return c == value.front(); };
    if (!IsAlnum(value.front()) && std::all_of(value.begin(), value.end(), is_first)) return true;
    // "xxx"
    const auto is_x = [](char c) { return c == 'x' || c == 'X'; };
    if (value.size() >= kShortestStandIn && std::all_of(value.begin(), value.end(), is_x)) return true;
    if (std::any_of(std::begin(kChallenges), std::end(kChallenges), is_value)) return true;
    // The working directory: "PWD=/home".
    if (absl::EqualsIgnoreCase(ToAbsl(name_), "pwd") && (value[0] == '/' || value[0] == '~')) return true;
    return IsCount(value) || IsPlaceholder(start, value) || (prose_ && is_value(name_));
  }

  bool IsCount(std::string_view value) const {
    const auto is_name = [&](std::string_view counted) {
      return absl::EndsWithIgnoreCase(ToAbsl(name_), ToAbsl(counted));
    };
    return value.size() <= kLongestCount && std::all_of(value.begin(), value.end(), IsDigit) &&
           std::any_of(std::begin(kCounted), std::end(kCounted), is_name);
  }

  // "$DB_PASSWORD", "${env:TOKEN}", "{{ vault.token }}", "<your password>", "%s".
  bool IsPlaceholder(size_t start, std::string_view value) const {
    constexpr size_t kLongestPlaceholder = 64;
    const auto in_name = [](char c) {
      return IsLetter(c) || std::string_view("_.:- ").find(c) != std::string_view::npos;
    };
    const auto encloses = [&](std::string_view open, char close) {
      if (!Follows(start, open)) return false;
      const size_t end = RunEnd(text_, start + open.size(), in_name, kLongestPlaceholder);
      return end > start + open.size() && end < text_.size() && text_[end] == close;
    };
    if (encloses("${", '}') || encloses("{{", '}') || encloses("<", '>') || value == "%s") return true;
    const auto in_variable = [](char c) { return IsCapital(c) || c == '_'; };
    return value.size() > 2 && value[0] == '$' && std::all_of(value.begin() + 1, value.end(), in_variable);
  }

  // A separator or closing bracket after a value; passwords may hold both.
  bool EndsValue(size_t i) const {
    constexpr std::string_view kSeparators = ",;&";
    constexpr std::string_view kClosing = ")]}";
    const char c = text_[i];
    if (kClosing.find(c) != std::string_view::npos) return i + 1 == text_.size() || !IsAlnum(text_[i + 1]);
    if (kSeparators.find(c) == std::string_view::npos) return false;
    // True before the next value, or the next name with its sign.
    if (i + 1 == text_.size() || !IsAlnum(text_[i + 1])) return true;
    size_t name = RunEnd(text_, i + 1, IsBase64Url, 40);
    if (name < text_.size() && text_[name] == ' ') name = RunEnd(text_, name + 1, IsBase64Url, 40);  // "User Id="
    return name < text_.size() && (text_[name] == '=' || text_[name] == ':');
  }

  // Text in quotes, up to the closing one, the end of the line or of the text.
  MaskHit Quoted(size_t start, size_t quote) const {
    if (start == quote && text_.substr(quote, 3) == std::string(3, text_[quote])) return TripleQuoted(quote);
    const size_t body = quote + 1;
    const size_t close = QuoteEnd(start, quote, text_.size());
    const bool closes = close < text_.size() && text_[close] == text_[quote];
    const size_t last = closes ? close - (quote - start) : close;
    return last == body || IsNoSecret(body, text_.substr(body, last - body)) ? MaskHit{}
                                                                             : MaskHit{body, last, MaskKind::kPassword};
  }

  // Three quotes, as Python and TOML write them.
  MaskHit TripleQuoted(size_t quote) const {
    const size_t body = quote + 3;
    const size_t end = std::min(text_.find(text_.substr(quote, 3), body), text_.size());
    return end > body ? MaskHit{body, end, MaskKind::kPassword} : MaskHit{};
  }

  // End of the quotation whose opening quote is at `quote`, with backslashes from `start` on: its closing quote, or the
  // end of the line or text. In nested JSON strings, quotes have backslashes: each level doubles them and adds one, and
  // a quote that belongs to the value has a different number of them from one that ends it.
  size_t QuoteEnd(size_t start, size_t quote, size_t limit) const {
    const size_t level = quote - start;
    size_t backslashes = 0;
    for (size_t end = quote + 1; end < limit; ++end) {
      if (text_[end] == '\n') return end;
      if (text_[end] == text_[quote] && backslashes % (2 * (level + 1)) == level) return end;
      backslashes = text_[end] == '\\' ? backslashes + 1 : 0;
    }
    return limit;
  }

  // A list or an object as JSON, YAML and people write it. text_[start] is its bracket.
  MaskHit Nested(size_t start) const {
    const char closing = text_[start] == '[' ? ']' : '}';
    const size_t first = RunEnd(text_, start + 1, IsBlank, kMostBlanksBeforeValue);
    const size_t quote = RunEnd(text_, first, IsBackslash, kMostBlanksBeforeValue);
    if (first == text_.size() || text_[first] == closing || IsMask(first)) return {};
    const char c = quote < text_.size() ? text_[quote] : '\\';
    if (c == '"' || (closing == ']' && (c == '{' || c == '['))) return NestedJson(start, first, quote);
    const auto in_list = [&](char in) { return in != closing && in != text_[start] && in != '\n'; };
    const size_t end = RunEnd(text_, first, in_list, kLongestList);
    // A password may contain brackets too: if it continues after them, or never closes them, it is a word.
    if (end == text_.size() || text_[end] != closing || !EndsValue(end)) return Word(start);
    const std::string_view list = text_.substr(first, end - first);
    const bool secret_like = !prose_ || std::any_of(list.begin(), list.end(), [](char in) {
      return IsCapital(in) || !(IsLetter(in) || in == ' ' || in == ',');
    });
    return secret_like ? MaskHit{first, end, MaskKind::kPassword} : MaskHit{};
  }

  // The whole content; quotes around all of it stay, so that a list of strings remains one.
  MaskHit NestedJson(size_t start, size_t first, size_t quote) const {
    const size_t limit = std::min(text_.size(), start + kLongestNested);
    size_t depth = 0;
    size_t end = start;
    for (; end < limit; ++end) {
      const char c = text_[end];
      if (c == '[' || c == '{') ++depth;
      if ((c == ']' || c == '}') && --depth == 0) break;
      if (c != '"' && c != '\\') continue;
      const size_t opening = RunEnd(text_, end, IsBackslash, limit - end);
      end = opening < limit && text_[opening] == '"' ? QuoteEnd(end, opening, limit) : opening - 1;
    }
    end = std::min(end, limit);
    const bool in_quotes = text_[start] == '[' && text_[quote] == '"';
    const size_t body = in_quotes ? quote + 1 : first;
    size_t last = end;
    while (last > body && IsBlank(text_[last - 1])) --last;
    if (in_quotes && last > body && text_[last - 1] == '"') {
      --last;
      for (size_t n = quote - first; n > 0 && last > body && text_[last - 1] == '\\'; --n) --last;
    }
    return last > body ? MaskHit{body, last, MaskKind::kPassword} : MaskHit{};
  }

  // Parameters follow: "Authorization: Digest username="joe", …", "Cookie: a=b; c=d".
  bool IsHeader(size_t start, bool parameters) const {
    if (!IsCookie() && !absl::EndsWithIgnoreCase(ToAbsl(name_), "authorization")) return false;
    const std::string_view line = text_.substr(start, RunEnd(text_, start, IsInLine, kLongestValueWord) - start);
    const std::string_view word = line.substr(0, line.find(' '));
    if (IsCookie() || word.find('=') != std::string_view::npos) return word.find('=') != std::string_view::npos;
    return line.find('=') != std::string_view::npos && (parameters || IsSecretLike(word));
  }

  // The end of the line, including one that is written with a backslash, or the quote that closes the header's string:
  // quotes within the header follow "=".
  size_t HeaderEnd(size_t start) const {
    char open = '\0';
    size_t end = start;
    for (; end < text_.size() && IsInLine(text_[end]); ++end) {
      const size_t after = RunEnd(text_, end, IsBackslash, text_.size());
      const char c = after < text_.size() ? text_[after] : 'n';
      if (after > end && (c == 'n' || c == 'r')) break;
      if (!IsQuote(c)) {
        end = std::max(end, after - 1);
        continue;
      }
      if (open == '\0' && (end == start || text_[end - 1] != '=')) break;
      if (open == '\0' || open == c) open = open == '\0' ? c : '\0';
      end = after;
    }
    while (end > start && IsBlank(text_[end - 1])) --end;
    return end;
  }

  const std::string_view text_;
  const std::string_view name_;
  const bool prose_;
};

}  // namespace

MaskHit FindSecretValue(std::string_view text, size_t start, std::string_view name, bool prose) {
  return ValueFinder(text, name, prose).Find(start);
}

}  // namespace toolgate::security::safe_errors
