#include "security/safe_errors/masker.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "security/safe_errors/mask_hit.h"
#include "security/safe_errors/personal_numbers.h"
#include "security/safe_errors/secret_names.h"
#include "security/safe_errors/token_forms.h"

namespace toolgate::security::safe_errors {
namespace {

constexpr std::array<std::string_view, kMaskKindCount> kNames = {
    "email",   "phone", "card", "iban", "national-id", "ip", "token", "jwt", "private-key", "connection-string",
    "password"};

// How far an address is looked at.
constexpr size_t kLongestAddress = 4096;
// A token after its scheme.
constexpr size_t kLongestCredential = 4096;
// Shorter numbers identify nobody without the marks of a phone or an identity number.
constexpr size_t kFewestDigitsAlone = 11;
// Between a name, its sign and its value: what columns of a configuration file are lined up with.
constexpr size_t kMostBlanks = 64;
// A secret's list or object.
constexpr size_t kLongestBrackets = 1024;

bool IsTokenChar(char c) { return IsBase64Url(c) || c == '.' || c == '+' || c == '/' || c == '=' || c == '~'; }
bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool IsQuote(char c) { return c == '"' || c == '\'' || c == '`'; }

// Looks at one text from left to right. Every look-ahead is bounded, so the whole is linear.
class Scan {
 public:
  Scan(std::string_view text, MaskLevel level) : text_(text), all_(level == MaskLevel::kAll) {}

  // The next hit at or after the end of the last one.
  MaskHit Next() {
    while (at_ < text_.size()) {
      const size_t i = at_;
      MaskHit hit = At(i);
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
  MaskHit At(size_t i) {
    const char c = text_[i];
    const bool starts = i == 0 || i == fresh_ || !IsAlnum(text_[i - 1]);
    MaskHit hit;
    if (starts && IsAlnum(c)) {
      hit = FindToken(text_, i);
      if (hit.end == 0 && c == 'e') hit = Jwt(i);
      if (hit.end == 0 && IsLetter(c)) hit = Word(i);
      if (hit.end == 0 && all_) hit = PersonalAt(i);
      if (hit.end > 0) return hit;
    }
    if (IsAlnum(c)) {
      // Nothing begins inside of a word, but after an escape one does.
      const size_t escape = EscapeLength(i);
      if (escape > 0) fresh_ = i + escape;
      at_ = std::max(at_, escape > 0 ? fresh_ : RunEnd(text_, i + 1, IsAlnum, text_.size()));
      return {};
    }
    switch (c) {
      case '@':
        return all_ ? Email(i) : MaskHit{};
      case ':':
        if (text_.substr(i + 1, 2) == "//") return ConnectionString(i);
        if (all_ && text_.substr(i + 1, 1) == ":") return FindIpV6(text_, i);
        return Assignment(i);
      case '=':
        return Assignment(i);
      case '-':
        return PrivateKey(i);
      case '+':
      case '(':
        return all_ ? FindNumber(text_, i) : MaskHit{};
      default:
        return {};
    }
  }

  // The letters at `i` that belong to an escape of the text around them: "\\n" of JSON inside of JSON, "%3D" of a URL.
  size_t EscapeLength(size_t i) const {
    if (i == 0) return 0;
    if (text_[i - 1] == '\\') return std::string_view("bfnrt").find(text_[i]) == std::string_view::npos ? 0 : 1;
    return text_[i - 1] == '%' && i + 1 < text_.size() && IsHex(text_[i]) && IsHex(text_[i + 1]) ? 2 : 0;
  }

  MaskHit Word(size_t i) {
    switch (text_[i] | 0x20) {
      case 'b':
        return Scheme(i, "bearer ", 12);
      case 't':
        return Scheme(i, "token ", 20);
      default:
        return {};
    }
  }

  MaskHit PersonalAt(size_t i) const {
    if (IsDigit(text_[i])) {
      for (const auto find : {&FindIpV4, &FindNumber, &FindIpV6}) {
        if (const MaskHit hit = find(text_, i); hit.end > 0) return hit;
      }
      return FindIdWord(text_, i);
    }
    if (i + 3 < text_.size() && IsLetter(text_[i + 1]) && IsDigit(text_[i + 2]) && IsDigit(text_[i + 3])) {
      if (const MaskHit hit = FindIban(text_, i); hit.end > 0) return hit;
    }
    if (IsHex(text_[i]) && text_.substr(i + 1, 4).find(':') != std::string_view::npos) {
      if (const MaskHit hit = FindIpV6(text_, i); hit.end > 0) return hit;
    }
    // Identity numbers are written in capitals.
    const bool word = IsCapital(text_[i]) && i + 1 < text_.size() && (IsCapital(text_[i + 1]) || IsDigit(text_[i + 1]));
    return word ? FindIdWord(text_, i) : MaskHit{};
  }

  bool Follows(size_t i, std::string_view word) const {
    return absl::StartsWithIgnoreCase(ToAbsl(text_.substr(i, word.size())), ToAbsl(word));
  }

  MaskHit Jwt(size_t i) {
    if (!absl::StartsWith(ToAbsl(text_.substr(i, 3)), "eyJ")) return {};
    // What ends here ends here for every word of the run.
    if (i >= header_end_) header_end_ = RunEnd(text_, i, IsBase64Url, text_.size());
    if (header_end_ - i < 10 || header_end_ >= text_.size() || text_[header_end_] != '.') return {};
    size_t end = RunEnd(text_, header_end_ + 1, IsBase64Url, text_.size());
    if (end == header_end_ + 1) return {};
    while (end < text_.size() && text_[end] == '.') end = RunEnd(text_, end + 1, IsBase64Url, text_.size());
    return {i, end, MaskKind::kJwt};
  }

  // "Bearer …": the scheme stays readable.
  MaskHit Scheme(size_t i, std::string_view word, size_t min) const {
    if (!Follows(i, word)) return {};
    const size_t start = i + word.size();
    const size_t end = RunEnd(text_, start, IsTokenChar, kLongestCredential);
    const std::string_view body = text_.substr(start, end - start);
    if (body.size() < min || std::none_of(body.begin(), body.end(), IsDigit)) return {};
    return {start, end, MaskKind::kToken};
  }

  // "-----BEGIN … PRIVATE KEY-----" up to its end, or to the end of the text.
  MaskHit PrivateKey(size_t i) const {
    if (!absl::StartsWith(ToAbsl(text_.substr(i, 11)), "-----BEGIN ")) return {};
    const std::string_view title = text_.substr(i + 11, 48);
    if (!absl::StrContains(ToAbsl(title.substr(0, title.find("-----"))), "PRIVATE KEY")) return {};
    const size_t finish = text_.find("-----END ", i);
    if (finish == std::string_view::npos) return {i, text_.size(), MaskKind::kPrivateKey};
    const size_t close = text_.find("-----", finish + 9);
    return {i, close == std::string_view::npos ? text_.size() : close + 5, MaskKind::kPrivateKey};
  }

  // "scheme://user:password@host…". `i` is at the colon.
  MaskHit ConnectionString(size_t i) {
    size_t start = i;
    while (start > floor_ && i - start < 32 && (IsAlnum(text_[start - 1]) || text_[start - 1] == '+')) --start;
    if (start == i) return {};
    if (i + 3 > address_end_) address_end_ = RunEnd(text_, i + 3, IsAddressChar, text_.size());
    const size_t end = std::min(address_end_, i + 3 + kLongestAddress);
    if (!HasPassword(text_.substr(i + 3, end - i - 3))) return {};
    return {start, end, MaskKind::kConnectionString};
  }

  static bool IsAddressChar(char c) { return !IsBlank(c) && c != '"' && c != '\'' && c != '<' && c != '>'; }

  // `address` is what follows "scheme://". A password may hold "/" or "?", which would end the authority (RFC 3986
  // §3.2); so what stands before them is a host and a port only when it looks like one.
  static bool HasPassword(std::string_view address) {
    const size_t authority = std::min(address.find_first_of("/?#"), address.size());
    const size_t colon = address.find(':');
    if (colon >= authority) return false;
    const std::string_view port = address.substr(colon + 1, authority - colon - 1);
    const bool is_port = std::all_of(port.begin(), port.end(), IsDigit);
    return address.substr(0, is_port ? authority : address.size()).find('@', colon) != std::string_view::npos;
  }

  // "password=…", "api_key: …". `i` is at the sign.
  MaskHit Assignment(size_t i) const {
    size_t name_end = i;
    while (name_end > floor_ && i - name_end < kMostBlanks && IsGap(text_[name_end - 1])) --name_end;
    while (name_end > floor_ && i - name_end < kMostBlanks + 3 &&
           (IsQuote(text_[name_end - 1]) || text_[name_end - 1] == '\\')) {
      --name_end;
    }
    size_t name = name_end;
    while (name > floor_ && name_end - name < 40 && IsNameChar(text_[name - 1])) --name;
    name += std::min(EscapeLength(name), name_end - name);
    const std::string_view called = text_.substr(name, name_end - name);
    if (!IsSecretName(called)) return {};
    size_t start = i + 1;
    while (start < text_.size() && start - i <= kMostBlanks &&
           (IsGap(text_[start]) || text_[start] == '=' || text_[start] == '>')) {
      ++start;
    }
    return Value(start, text_[i] == ':', IsNameOfALine(called));
  }

  static bool IsGap(char c) { return c == ' ' || c == '\t'; }
  static bool IsNameChar(char c) { return IsBase64Url(c) || static_cast<uint8_t>(c) >= 0x80; }
  static bool IsLineChar(char c) { return c != '\n' && c != '\r' && !IsQuote(c) && c != '\\'; }

  // The value of a secret: quoted, in brackets, or up to the next blank or separator, or to the end of the line.
  MaskHit Value(size_t start, bool prose, bool line) const {
    size_t quote = start;
    while (quote < text_.size() && text_[quote] == '\\') ++quote;
    if (quote < text_.size() && IsQuote(text_[quote])) return Quoted(start, quote);
    for (const std::string_view scheme : {"bearer ", "basic ", "token "}) {
      if (!Follows(start, scheme)) continue;
      start += scheme.size();
      line = false;  // One word follows.
    }
    if (Follows(start, "[masked:")) return {};
    if (const MaskHit hit = Bracketed(start); hit.end > 0) return hit;
    size_t end = start;
    if (line) {
      end = RunEnd(text_, start, IsLineChar, text_.size());
      while (end > start && IsGap(text_[end - 1])) --end;
    } else {
      while (end < text_.size() && !IsBlank(text_[end]) && text_[end] != '"' && text_[end] != '\'' && !EndsValue(end))
        ++end;
    }
    while (end > start && text_[end - 1] == '.') --end;
    const std::string_view value = text_.substr(start, end - start);
    if (value.empty() || value == "null" || value == "true" || value == "false") return {};
    // After a colon ordinary words follow as often as secrets: "token: expected a comma".
    const auto is_secret_like = [line](char c) {
      return line ? IsDigit(c) || c == '=' : c != '[' && c != '{' && (!IsLetter(c) || IsCapital(c));
    };
    if (prose && std::none_of(value.begin(), value.end(), is_secret_like)) return {};
    return {start, end, MaskKind::kPassword};
  }

  // A list or an object that has something in quotes, up to its closing bracket.
  MaskHit Bracketed(size_t start) const {
    if (start >= text_.size() || (text_[start] != '[' && text_[start] != '{')) return {};
    const size_t limit = std::min(text_.size(), start + kLongestBrackets);
    int depth = 0;
    bool quoted = false;
    for (size_t end = start; end < limit; ++end) {
      const char c = text_[end];
      quoted |= IsQuote(c);
      if (c == '[' || c == '{') ++depth;
      if ((c == ']' || c == '}') && --depth == 0)
        return quoted ? MaskHit{start, end + 1, MaskKind::kPassword} : MaskHit{};
    }
    return {};
  }

  // A separator or closing bracket after a value; passwords may hold both.
  bool EndsValue(size_t i) const {
    constexpr std::string_view kSeparators = ",;&";
    constexpr std::string_view kClosing = ")]}";
    const char c = text_[i];
    if (kClosing.find(c) != std::string_view::npos) return i + 1 == text_.size() || !IsAlnum(text_[i + 1]);
    if (kSeparators.find(c) == std::string_view::npos) return false;
    // Before the next value, or the next name with its sign.
    if (i + 1 == text_.size() || !IsAlnum(text_[i + 1])) return true;
    size_t name = RunEnd(text_, i + 1, IsBase64Url, 40);
    if (name < text_.size() && text_[name] == ' ') name = RunEnd(text_, name + 1, IsBase64Url, 40);  // "User Id="
    return name < text_.size() && (text_[name] == '=' || text_[name] == ':');
  }

  // What stands in quotes, up to the closing one, the end of the line or of the text. Text inside of a string of JSON
  // inside of another has backslashes before its quotes: one more level doubles them and adds one, and a quote that
  // belongs to the value has other numbers of them than one that ends it.
  MaskHit Quoted(size_t start, size_t quote) const {
    const size_t level = quote - start;
    const size_t body = quote + 1;
    size_t backslashes = 0;
    for (size_t end = body; end <= text_.size(); ++end) {
      const bool ends = end == text_.size() || text_[end] == '\n';
      const bool closes = !ends && text_[end] == text_[quote] && backslashes % (2 * (level + 1)) == level;
      if (ends || closes) {
        const size_t last = closes ? end - level : end;
        return last == body ? MaskHit{} : MaskHit{body, last, MaskKind::kPassword};
      }
      backslashes = text_[end] == '\\' ? backslashes + 1 : 0;
    }
    return {};
  }

  // `i` is at the "@".
  MaskHit Email(size_t i) const {
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

  const std::string_view text_;
  const bool all_;
  size_t at_ = 0;
  size_t floor_ = 0;
  size_t fresh_ = 0;        // Where a word begins though a letter stands before it.
  size_t header_end_ = 0;   // Of the run in which a JWT was looked for last.
  size_t address_end_ = 0;  // Of the run in which a connection string was looked for last.
};

// A number as text, when it has as many digits as something that is to be masked.
std::optional<std::string> LongNumber(const Json& value) {
  if (!value.is_number_integer()) return std::nullopt;
  std::string text = value.dump();
  if (text.size() < kFewestDigitsAlone) return std::nullopt;
  return text;
}

void MaskValue(const Masker& masker, Json& value, bool secret);

void MaskMembers(const Masker& masker, Json& object, bool secret) {
  Json masked = Json::object();
  // An ordered map looks for a key in all that are there; this one is told of new keys only.
  auto& members = masked.get_ref<Json::object_t&>();
  absl::flat_hash_set<std::string> names;
  absl::flat_hash_map<std::string, int> numbers;
  for (auto& [key, member] : object.items()) {
    MaskValue(masker, member, secret || IsSecretName(key));
    const std::string name = masker.Mask(key);
    // Two keys may have become one.
    std::string unique = name;
    while (!names.insert(unique).second)
      unique = absl::StrCat(name, " (", ++numbers.try_emplace(name, 1).first->second, ")");
    members.emplace_back(std::move(unique), std::move(member));
  }
  object = std::move(masked);
}

void MaskValue(const Masker& masker, Json& value, bool secret) {
  if (value.is_object()) {
    MaskMembers(masker, value, secret);
  } else if (value.is_array()) {
    for (Json& item : value) MaskValue(masker, item, secret);
  } else if (secret && !value.is_null() && !value.is_boolean()) {
    value = "[masked:password]";
  } else if (value.is_string()) {
    if (auto masked = masker.MaskIfNeeded(value.get_ref<const std::string&>())) value = std::move(masked->text);
  } else if (const auto number = LongNumber(value)) {
    if (auto masked = masker.MaskIfNeeded(*number)) value = std::move(masked->text);
  }
}

}  // namespace

std::string_view MaskKindName(MaskKind kind) { return kNames[static_cast<size_t>(kind)]; }

std::optional<Masked> Masker::MaskIfNeeded(std::string_view text) const {
  Scan scan(text, level_);
  MaskHit hit = scan.Next();
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
  const auto has_hit = [this](std::string_view text) { return Scan(text, level_).Next().end > 0; };
  if (value.is_string()) return has_hit(value.get_ref<const std::string&>());
  if (value.is_array()) {
    return std::any_of(value.begin(), value.end(), [&](const Json& item) { return NeedsMask(item); });
  }
  if (value.is_object()) {
    for (auto member = value.begin(); member != value.end(); ++member) {
      if (IsSecretName(member.key()) || has_hit(member.key()) || NeedsMask(*member)) return true;
    }
    return false;
  }
  const auto number = LongNumber(value);
  return number.has_value() && has_hit(*number);
}

std::string Masker::MaskJson(const Json& value) const {
  if (!NeedsMask(value)) return DumpJson(value);
  Json masked = value;
  MaskValue(*this, masked, /*secret=*/false);
  return DumpJson(masked);
}

}  // namespace toolgate::security::safe_errors
