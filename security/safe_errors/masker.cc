#include "security/safe_errors/masker.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "security/safe_errors/known_secrets.h"
#include "security/safe_errors/mail_domain.h"
#include "security/safe_errors/mask_hit.h"
#include "security/safe_errors/personal_numbers.h"
#include "security/safe_errors/secret_contexts.h"
#include "security/safe_errors/secret_names.h"
#include "security/safe_errors/secret_values.h"
#include "security/safe_errors/token_forms.h"

namespace toolgate::security::safe_errors {
namespace {

constexpr std::array<std::string_view, kMaskKindCount> kKindNames = {
    "email",    "phone", "card", "iban", "national-id", "ip", "token", "jwt", "private-key", "connection-string",
    "password", "secret"};

// Numbers of fewer than eleven digits identify nobody unless they have the marks of a phone or identity number.
constexpr uint64_t kLeastLongNumber = 10'000'000'000;
// Blanks between a name, its sign and its value, with which columns of a configuration file are aligned.
constexpr size_t kMostBlanksAroundSign = 64;
constexpr size_t kLongestName = 40;
constexpr size_t kLongestColour = 16;
// The members of a JSON Web Key that only its owner has (RFC 7518 §6), and the one that every key has.
constexpr std::string_view kPrivateParts[] = {"d", "p", "q", "dp", "dq", "qi", "k"};
constexpr size_t kLongestPrivatePart = 2;
constexpr std::string_view kKeyType = "kty";

bool IsTokenChar(char c) { return IsBase64Url(c) || c == '.' || c == '+' || c == '/' || c == '=' || c == '~'; }
bool IsPrivatePart(std::string_view name) {
  return name.size() <= kLongestPrivatePart &&
         std::find(std::begin(kPrivateParts), std::end(kPrivateParts), name) != std::end(kPrivateParts);
}

// Scans one text from left to right. A look-ahead is bounded, or ends in a hit, or is remembered; so the whole is
// linear.
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
  // Most characters cannot begin anything of interest.
  MaskHit At(size_t i) {
    const char c = text_[i];
    if (IsAlnum(c)) {
      if (i == 0 || !IsAlnum(text_[i - 1]) || i == after_escape_) {
        if (const MaskHit hit = WordAt(i); hit.end > 0) return hit;
      }
      // No hit begins inside of a word, except after an escape, or a number after its currency or name.
      size_t end = i + 1;
      while (end < text_.size() && IsAlnum(text_[end]) && end != after_escape_) ++end;
      at_ = end;
      return all_ && IsDigit(text_[end - 1]) && IsLetter(text_[i]) ? FindGluedNumber(text_, i) : MaskHit{};
    }
    switch (c) {
      case '@':
        if (const MaskHit hit = DataSourceName(i); hit.end > 0) return hit;
        return Email(i, 1);
      case ':':
        return Colon(i);
      case '=':
        return Assignment(i, 1, /*prose=*/false);
      case '|':
        return TableCell(i);
      case '<':
        return Element(i);
      case '\\':
      case '%':
        after_escape_ = AfterEscape(i + 1);
        if (Follows(i, "%3D")) return Assignment(i, 3, /*prose=*/false);
        if (Follows(i, "%3A")) return Assignment(i, 3, /*prose=*/true);
        if (Follows(i, "\\u003d")) return Assignment(i, 6, /*prose=*/false);
        if (Follows(i, "%40")) return Email(i, 3);
        return Follows(i, "\\u0040") ? Email(i, 6) : MaskHit{};
      case '\xef':
        if (Follows(i, "＝")) return Assignment(i, 3, /*prose=*/false);
        return Follows(i, "：") ? Assignment(i, 3, /*prose=*/true) : MaskHit{};
      case '[':
        after_escape_ = AfterColour(i);
        return {};
      case '-':
        if (const MaskHit hit = PrivateKey(i); hit.end > 0) return hit;
        if (const MaskHit hit = Option(i); hit.end > 0) return hit;
        return FindSecretOfCommand(text_, i);
      case '+':
      case '(':
        return all_ ? FindNumber(text_, i) : MaskHit{};
      default:
        return {};
    }
  }

  MaskHit WordAt(size_t i) {
    MaskHit hit = FindToken(text_, i);
    if (hit.end == 0 && text_[i] == 'e') hit = Jwt(i);
    if (hit.end == 0 && IsLetter(text_[i])) hit = Word(i);
    if (hit.end == 0) hit = FindKeyOfService(text_, i);
    if (hit.end == 0 && all_) hit = PersonalAt(i);
    return hit;
  }

  // Returns `i`, or the position after the escape that continues at text_[i].
  size_t AfterEscape(size_t i) const {
    if (i == 0 || (text_[i - 1] != '\\' && text_[i - 1] != '%')) return i;
    return i + EscapeLength(text_, i - 1);
  }

  // Returns `i`, or the position after a terminal's colour code, "ESC[1;31m", whose "[" is at text_[i].
  size_t AfterColour(size_t i) const {
    const size_t end = RunEnd(
        text_, i + 1, [](char c) { return IsDigit(c) || c == ';'; }, kLongestColour);
    return end < text_.size() && text_[end] == 'm' ? end + 1 : i;
  }

  MaskHit Colon(size_t i) {
    if (Follows(i, "://")) return ConnectionString(i);
    if (Follows(i, "::")) return all_ ? FindIpV6(text_, i) : MaskHit{};
    return Assignment(i, 1, /*prose=*/true);
  }

  MaskHit Word(size_t i) {
    if (const size_t verb = SayingVerbLength(text_, i); verb > 0) {
      if (const MaskHit hit = Said(i, i + verb); hit.end > 0) return hit;
    }
    if (const MaskHit hit = AfterName(i); hit.end > 0) return hit;
    switch (text_[i] | 0x20) {
      case 'b':
        return Scheme(i, "bearer", " \t:=", 12);
      case 's':
        return Scheme(i, "ssws", " \t:=", 30);
      case 't':
        return Scheme(i, "token", " ", 20);
      case 'f':
        return Scheme(i, "flyv1", " ", 20);
      case 'i':
        if (!Follows(i, "identified by '") && !Follows(i, "identified by \"")) return {};
        return FindSecretValue(text_, i + 14, "password", /*prose=*/false);
      case 'j':
        return OracleAddress(i);
      case 'p':
        if (Follows(i, "password '")) return FindSecretValue(text_, i + 9, "password", /*prose=*/false);
        if (const MaskHit hit = FindPinAfterWord(text_, i); hit.end > 0) return hit;
        return Follows(i, "PuTTY-User-Key-File-") ? MaskHit{i, text_.size(), MaskKind::kPrivateKey} : MaskHit{};
      default:
        return {};
    }
  }

  // "Our password is hunter2": the verb at text[verb] introduces the value of the name before it.
  MaskHit Said(size_t verb, size_t end) const {
    size_t name_end = verb;
    while (name_end > floor_ && verb - name_end < 3 &&
           (IsGap(text_[name_end - 1]) || IsAroundName(text_[name_end - 1]))) {
      --name_end;
    }
    const std::string_view name = SecretNameBefore(name_end);
    if (name.empty()) return PinBefore(name_end) ? FindPin(text_, RunEnd(text_, end, IsSaidGap, 3)) : MaskHit{};
    // These are described in many ways, and contain parameters.
    for (const absl::string_view header : {"authorization", "cookie"}) {
      if (absl::EndsWithIgnoreCase(ToAbsl(name), header)) return {};
    }
    return FindSaidSecret(text_, end);
  }
  // "api key 3fA9…", "with password hunter2": no sign or verb between the value and the name, which ends in the word at
  // text[i].
  MaskHit AfterName(size_t i) const {
    const size_t end = i + NamingWordLength(text_, i);
    if (end == i) return {};
    const std::string_view name = SecretNameBefore(end);
    return name.empty() ? MaskHit{} : FindSecretAfterName(text_, end - name.size(), end);
  }

  static bool IsSaidGap(char c) { return IsGap(c) || c == ':'; }

  // True if the word that ends at `end` is a name of a PIN, perhaps "PIN code", "PIN-Code".
  bool PinBefore(size_t end) const {
    constexpr size_t kLongest = 24;
    size_t start = end;
    while (start > floor_ && end - start < kLongest && (IsBase64Url(text_[start - 1]) || text_[start - 1] == ' ')) {
      --start;
    }
    std::string_view name = text_.substr(start, end - start);
    for (const absl::string_view code : {" code", "-code", "_code", " number"}) {
      if (absl::EndsWithIgnoreCase(ToAbsl(name), code)) name.remove_suffix(code.size());
    }
    return IsPinName(name);
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

  // The end of the run of characters of a kind that contains text[i]. A second run within the first ends with it.
  template <typename In>
  size_t RememberedEnd(size_t i, const In& in, size_t& remembered) const {
    if (i >= remembered) remembered = RunEnd(text_, i, in, text_.size());
    return remembered;
  }

  MaskHit Jwt(size_t i) {
    if (!absl::StartsWith(ToAbsl(text_.substr(i, 3)), "eyJ")) return {};
    const size_t header = RememberedEnd(i, IsBase64Url, header_end_);
    if (header - i < 10 || header >= text_.size() || text_[header] != '.') return {};
    size_t end = RunEnd(text_, header + 1, IsBase64Url, text_.size());
    if (end == header + 1) return {};
    while (end < text_.size() && text_[end] == '.') {
      end = RunEnd(text_, end + 1, IsBase64Url, text_.size());
    }
    return {i, end, MaskKind::kJwt};
  }

  // "Bearer …": the scheme stays readable. Characters of `gap` separate the two.
  MaskHit Scheme(size_t i, std::string_view word, std::string_view gap, size_t min) const {
    constexpr size_t kLongestGap = 4;
    if (!Follows(i, word)) return {};
    const size_t start = RunEnd(
        text_, i + word.size(), [gap](char c) { return gap.find(c) != std::string_view::npos; }, kLongestGap);
    if (start == i + word.size()) return {};
    const size_t end = RunEnd(text_, start, IsTokenChar, text_.size());
    const std::string_view body = text_.substr(start, end - start);
    if (body.size() < min || std::none_of(body.begin(), body.end(), IsDigit)) return {};
    return {start, end, MaskKind::kToken};
  }

  // "-----BEGIN … PRIVATE KEY-----" (RFC 7468), "---- BEGIN … PRIVATE KEY ----" (RFC 4716), up to its end line, or to
  // the end of the text.
  MaskHit PrivateKey(size_t i) const {
    constexpr size_t kBegin = 11;
    const std::string_view begin = text_.substr(i, kBegin);
    if (begin != "-----BEGIN " && begin != "---- BEGIN ") return {};
    const std::string_view title = text_.substr(i + kBegin, 48);
    if (!absl::StrContains(ToAbsl(title.substr(0, title.find("----"))), "PRIVATE KEY")) return {};
    const size_t finish = text_.find(begin[4] == '-' ? "-----END " : "---- END ", i);
    const size_t close = finish == std::string_view::npos ? finish : text_.find("----", finish + 9);
    if (close == std::string_view::npos) return {i, text_.size(), MaskKind::kPrivateKey};
    return {i,
            RunEnd(
                text_, close, [](char c) { return c == '-'; }, 5),
            MaskKind::kPrivateKey};
  }

  // "scheme://user:password@host…". `i` is at the colon.
  MaskHit ConnectionString(size_t i) {
    size_t start = i;
    while (start > floor_ && i - start < 32 && (IsAlnum(text_[start - 1]) || text_[start - 1] == '+')) --start;
    if (AfterEscape(start) < i) start = AfterEscape(start);
    if (start == i) return {};
    const size_t end = RememberedEnd(i + 3, IsInAddress, address_end_);
    return HasPassword(i + 3, end) ? MaskHit{start, end, MaskKind::kConnectionString} : MaskHit{};
  }

  static bool IsInAddress(char c) { return !IsBlank(c) && c != '"' && c != '\'' && c != '<' && c != '>'; }

  // "user:password@tcp(host:3306)/name", as written by Go's drivers. `i` is at the "@".
  MaskHit DataSourceName(size_t i) const {
    constexpr size_t kLongestUser = 128;
    if (!Follows(i, "@tcp(") && !Follows(i, "@unix(")) return {};
    size_t start = i;
    while (start > floor_ && i - start < kLongestUser && IsInAddress(text_[start - 1])) --start;
    if (text_.substr(start, i - start).find(':') == std::string_view::npos) return {};
    return {start, RunEnd(text_, i, IsInAddress, text_.size()), MaskKind::kConnectionString};
  }

  // "jdbc:oracle:thin:user/password@…".
  MaskHit OracleAddress(size_t i) const {
    constexpr size_t kLongestUser = 256;
    if (!Follows(i, "jdbc:oracle:")) return {};
    const size_t at = RunEnd(
        text_, i, [](char c) { return IsInAddress(c) && c != '@'; }, kLongestUser);
    if (at >= text_.size() || text_[at] != '@') return {};
    if (text_.substr(i, at - i).find('/') == std::string_view::npos) return {};
    return {i, RunEnd(text_, at, IsInAddress, text_.size()), MaskKind::kConnectionString};
  }

  // [start, end) follows "scheme://". A password may contain "/" or "?", which would end the authority (RFC 3986 §3.2);
  // so the part before them is a host and a port only if it looks like one.
  bool HasPassword(size_t start, size_t end) {
    const auto in_authority = [](char c) { return c != '/' && c != '?' && c != '#'; };
    const auto in_user = [&](char c) { return in_authority(c) && c != ':'; };
    const size_t colon = RunEnd(text_, start, in_user, end - start);
    if (colon == end || text_[colon] != ':') return false;
    const size_t port = RunEnd(text_, colon + 1, IsDigit, end - colon - 1);
    const bool is_port = port == end || !in_authority(text_[port]);
    if (at_sign_ < colon) at_sign_ = std::min(text_.find('@', colon), text_.size());
    // A long property name may have been cut before its "@".
    const bool is_cut = !is_port && absl::EndsWith(ToAbsl(text_.substr(colon, end - colon)), "…");
    return is_cut || at_sign_ < (is_port ? port : end);
  }

  // "password=…", "api_key: …". `i` is at the sign, which has `length` bytes.
  MaskHit Assignment(size_t i, size_t length, bool prose) {
    size_t name_end = i;
    while (name_end > floor_ && i - name_end < kMostBlanksAroundSign && IsGap(text_[name_end - 1])) --name_end;
    while (name_end > floor_ && i - name_end < kMostBlanksAroundSign + 3 && IsAroundName(text_[name_end - 1]))
      --name_end;
    const size_t start = ValueStart(i + length);
    std::string_view name = SecretNameBefore(name_end);
    if (name.empty() && EndsPair(name_end, start, i)) name = "password";
    if (!name.empty()) return FindSecretValue(text_, start, name, prose);
    if (PinBefore(name_end)) return FindPin(text_, start);
    if (prose && IsForSomebody(name_end)) return FindSaidSecret(text_, i + length);
    if (const MaskHit hit = PrivatePart(name_end, start); hit.end > 0) return hit;
    return prose ? MaskHit{} : Signature(name_end, start);
  }

  // "Password for joe", as in prompts of programs.
  bool IsForSomebody(size_t name_end) const {
    constexpr size_t kLongest = 64;
    constexpr std::string_view kFor = " for ";
    size_t first = name_end;
    while (first > floor_ && name_end - first < kLongest && !IsBlank(text_[first - 1])) --first;
    if (first < floor_ + kFor.size() || first == name_end || !Follows(first - kFor.size(), kFor)) return false;
    return !SecretNameBefore(first - kFor.size()).empty();
  }

  // "d":"…" of a JSON Web Key.
  MaskHit PrivatePart(size_t name_end, size_t start) {
    constexpr size_t kShortest = 20;
    size_t first = name_end;
    while (first > floor_ && name_end - first <= kLongestPrivatePart && IsAlnum(text_[first - 1])) --first;
    if (!IsPrivatePart(text_.substr(first, name_end - first))) return {};
    const size_t body = RunEnd(text_, start, IsAroundName, 3);
    const size_t end = RunEnd(text_, body, IsBase64Url, text_.size());
    return end - body >= kShortest && IsInKey(first) ? MaskHit{body, end, MaskKind::kPrivateKey} : MaskHit{};
  }

  // A key's type is given near text[at]; its other members may be long.
  bool IsInKey(size_t at) {
    constexpr size_t kFarthest = 16384;
    constexpr size_t kNone = std::string_view::npos;
    if (next_key_type_ == kNone) next_key_type_ = std::min(text_.find(kKeyType), text_.size());
    while (next_key_type_ < at) {
      last_key_type_ = next_key_type_;
      next_key_type_ = std::min(text_.find(kKeyType, next_key_type_ + 1), text_.size());
    }
    const bool behind = last_key_type_ != kNone && at - last_key_type_ <= kFarthest;
    return behind || (next_key_type_ < text_.size() && next_key_type_ - at <= kFarthest);
  }

  // Signature that makes a URL valid for a limited time: "sig=…", "Signature=…". Short values are something else.
  MaskHit Signature(size_t name_end, size_t start) const {
    constexpr size_t kShortest = 40;
    const auto ends = [&](std::string_view name) {
      return name_end >= floor_ + name.size() && Follows(name_end - name.size(), name);
    };
    if (!ends("sig") && !ends("signature")) return {};
    const MaskHit hit = FindSecretValue(text_, start, "signature", /*prose=*/false);
    const size_t end = RunEnd(
        text_, hit.start, [](char c) { return IsTokenChar(c) || c == '%'; }, hit.end - hit.start);
    return end == hit.end && end - hit.start >= kShortest ? hit : MaskHit{};
  }

  // Quotes and brackets, also in a JSON string, and marks of emphasis.
  static bool IsAroundName(char c) { return IsQuote(c) || c == '\\' || c == '*' || c == ']'; }

  // Start of the value after a sign. A value in quotes may be on the next line.
  size_t ValueStart(size_t at) const {
    const size_t start = RunEnd(
        text_, at, [](char c) { return IsGap(c) || c == '=' || c == '>'; }, kMostBlanksAroundSign);
    const size_t next = RunEnd(text_, start, IsBlank, kMostBlanksAroundSign);
    return next < text_.size() && IsQuote(text_[next]) ? next : start;
  }

  // "name: DB_PASSWORD" is remembered to mark the next "value: …" as a secret; true for that value. The name that is
  // assigned to at `sign` ends at `name_end`.
  bool EndsPair(size_t name_end, size_t start, size_t sign) {
    constexpr size_t kFarthest = 64;
    size_t first = name_end;
    while (first > floor_ && name_end - first < 6 && IsLetter(text_[first - 1])) --first;
    const auto is = [word = text_.substr(first, name_end - first)](std::string_view other) {
      return absl::EqualsIgnoreCase(ToAbsl(word), ToAbsl(other));
    };
    if (is("value")) return sign < std::exchange(pair_until_, 0);
    if (!is("name") && !is("key")) return false;
    const size_t word = RunEnd(text_, start, IsAroundName, 3);
    const size_t end = RunEnd(text_, word, IsBase64Url, kLongestName);
    if (end > word && IsSecretName(text_.substr(word, end - word))) pair_until_ = end + kFarthest;
    return false;
  }

  // "| Password | hunter2 |". Tables contain words more often than secrets.
  MaskHit TableCell(size_t i) {
    const MaskHit hit = Assignment(i, 1, /*prose=*/true);
    return hit.end > 0 && std::any_of(text_.begin() + static_cast<std::ptrdiff_t>(hit.start),
                                      text_.begin() + static_cast<std::ptrdiff_t>(hit.end), IsDigit)
               ? hit
               : MaskHit{};
  }

  // "<password>…</password>", perhaps with attributes and a namespace. `i` is at the "<".
  MaskHit Element(size_t i) const {
    constexpr size_t kLongestAttributes = 200;
    constexpr size_t kLongestText = 4096;
    const size_t name_end = RunEnd(
        text_, i + 1, [](char c) { return IsBase64Url(c) || c == ':' || c == '.'; }, kLongestName);
    const std::string_view name = text_.substr(i + 1, name_end - i - 1);
    if (name.empty() || !IsSecretName(name.substr(name.rfind(':') + 1))) return {};
    const auto in_tag = [](char c) { return c != '<' && c != '>'; };
    const size_t tag_end = RunEnd(text_, name_end, in_tag, kLongestAttributes);
    if (tag_end >= text_.size() || text_[tag_end] != '>') return {};
    const size_t end = RunEnd(
        text_, tag_end + 1, [](char c) { return c != '<'; }, kLongestText);
    if (end == tag_end + 1 || text_.substr(std::min(end, text_.size()), 2) != "</") return {};
    if (!Follows(end + 2, name) || Follows(tag_end + 1, "[masked:")) return {};
    return {tag_end + 1, end, MaskKind::kPassword};
  }

  // "--password hunter2". `i` is at the first hyphen.
  MaskHit Option(size_t i) const {
    if (!Follows(i, "--") || (i > 0 && !IsBlank(text_[i - 1]) && !IsQuote(text_[i - 1]))) return {};
    const size_t end = RunEnd(text_, i + 2, IsBase64Url, kLongestName);
    const std::string_view name = text_.substr(i + 2, end - i - 2);
    // More than one blank precedes a help text's description of the option.
    const size_t start = RunEnd(text_, end, IsGap, 2);
    if (start != end + 1 || start >= text_.size() || text_[start] == '-' || IsBeyondAscii(text_[start])) return {};
    return IsSecretName(name) ? FindSecretValue(text_, start, name, /*prose=*/true) : MaskHit{};
  }

  static bool IsGap(char c) { return c == ' ' || c == '\t'; }

  // The name that ends at `end`, if it is a secret's; nothing otherwise.
  std::string_view SecretNameBefore(size_t end) const {
    size_t start = end;
    const auto in_name = [](char c) { return IsBase64Url(c); };
    while (start > floor_ && end - start < kLongestName && in_name(text_[start - 1])) --start;
    // "[masked:password]" is not a name for the following text.
    constexpr std::string_view kMask = "[masked:";
    if (start >= kMask.size() && text_.substr(start - kMask.size(), kMask.size()) == kMask) return {};
    const auto is_secret = [&](size_t from) { return from < end && IsSecretName(text_.substr(from, end - from)); };
    const size_t after = AfterEscape(start);
    if (after != start && is_secret(after)) return text_.substr(after, end - after);
    if (is_secret(start)) return text_.substr(start, end - start);
    // "API key", "mot de passe".
    size_t words = start;
    for (int n = 0; n < 2 && words > floor_ && words < end && text_[words - 1] == ' '; ++n) {
      const size_t word_end = --words;
      while (words > floor_ && end - words < kLongestName && in_name(text_[words - 1])) --words;
      if (words == word_end) break;
      if (is_secret(words)) return text_.substr(words, end - words);
    }
    // Searched only if there are letters beyond ASCII: quotes and dashes count as such.
    if (start == floor_ || !IsBeyondAscii(text_[start - 1])) return {};
    while (start > floor_ && end - start < kLongestName &&
           (in_name(text_[start - 1]) || IsBeyondAscii(text_[start - 1]))) {
      --start;
    }
    return is_secret(start) ? text_.substr(start, end - start) : std::string_view();
  }

  // `i` is at the "@", which has `length` bytes: it may be encoded.
  MaskHit Email(size_t i, size_t length) const {
    if (!all_) return {};
    // RFC 5322 §3.2.3, except for separators in URLs.
    constexpr std::string_view kLocal = ".!#$%'*+=^_`{|}~-";
    size_t start = i;
    while (start > floor_ && i - start < 64 &&
           (IsAlnum(text_[start - 1]) || IsBeyondAscii(text_[start - 1]) ||
            kLocal.find(text_[start - 1]) != std::string_view::npos)) {
      --start;
    }
    while (start < i && !IsAlnum(text_[start]) && !IsBeyondAscii(text_[start]) && text_[start] != '_') ++start;
    if (AfterEscape(start) < i) start = AfterEscape(start);
    const size_t end = i + length + MailDomain(text_.substr(i + length)).size();
    // The user of a repository is not a person: "git@host:path", "ssh://git@host/path".
    const bool repository = end < text_.size() && (text_[end] == ':' || text_[end] == '/');
    if (repository && text_.substr(start, i - start) == "git") return {};
    if (start == i || end == i + length) return {};
    return {start, end, MaskKind::kEmail};
  }

  const std::string_view text_;
  const bool all_;
  size_t at_ = 0;
  size_t floor_ = 0;
  size_t after_escape_ = 0;  // A word may begin here.
  size_t pair_until_ = 0;    // The next "value" before this position is a secret.
  // Results of look-aheads.
  size_t header_end_ = 0;
  size_t address_end_ = 0;
  size_t at_sign_ = 0;
  size_t last_key_type_ = std::string_view::npos;
  size_t next_key_type_ = std::string_view::npos;
};

// A text whose JSON pointers have their escapes resolved (RFC 6901 §4), so that a secret in a property name appears as
// its owner writes it.
struct Resolved {
  // The position in the original of the byte at `at`, or of the end.
  size_t Origin(size_t at) const {
    const auto before = std::lower_bound(escapes.begin(), escapes.end(), at);
    return at + static_cast<size_t>(before - escapes.begin());
  }

  std::string text;
  std::vector<size_t> escapes;  // Positions in `text` of bytes that replace two, in order.
};

// A pointer begins with "/" where no word or path continues, and may contain blanks, so its end cannot be recognised.
bool BeginsPointer(std::string_view text, size_t at) {
  constexpr std::string_view kInPath = "/~._-+%@";
  if (text[at] != '/') return false;
  return at == 0 || (!IsAlnum(text[at - 1]) && kInPath.find(text[at - 1]) == std::string_view::npos);
}

// Nothing if `text` has no pointer with an escape: elsewhere "~1" means "about 1".
std::optional<Resolved> ResolvePointers(std::string_view text) {
  const auto is_escape = [text](size_t i) {
    return text[i] == '~' && i + 1 < text.size() && (text[i + 1] == '0' || text[i + 1] == '1');
  };
  if (text.find("~1") == std::string_view::npos && text.find("~0") == std::string_view::npos) return std::nullopt;
  Resolved resolved;
  bool in_pointer = false;
  for (size_t i = 0; i < text.size(); ++i) {
    in_pointer = in_pointer || BeginsPointer(text, i);
    if (!in_pointer || !is_escape(i)) {
      resolved.text += text[i];
      continue;
    }
    resolved.escapes.push_back(resolved.text.size());
    resolved.text += text[++i] == '0' ? '~' : '/';
  }
  return resolved.escapes.empty() ? std::nullopt : std::optional(std::move(resolved));
}

// Joins overlapping hits; the longer one decides the kind.
std::vector<MaskHit> Joined(std::vector<MaskHit> hits) {
  std::sort(hits.begin(), hits.end(), [](const MaskHit& a, const MaskHit& b) { return a.start < b.start; });
  std::vector<MaskHit> joined;
  for (const MaskHit& hit : hits) {
    if (joined.empty() || hit.start >= joined.back().end) {
      joined.push_back(hit);
      continue;
    }
    MaskHit& last = joined.back();
    if (hit.end - hit.start > last.end - last.start) last.kind = hit.kind;
    last.end = std::max(last.end, hit.end);
  }
  return joined;
}

// Whether `text` is an id of this service (common/ids.h), whose first characters are a time. A letter stands among as
// many characters as the shortest personal number has digits, so none begins it; and no masked text has its length.
bool IsOwnId(std::string_view text) {
  constexpr size_t kLength = 26;
  constexpr size_t kFewestDigits = 7;
  if (text.size() != kLength || text[0] != '0' || RunEnd(text, 0, IsDigit, kFewestDigits) == kFewestDigits)
    return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return IsAlnum(c) && !IsCapital(c); });
}

// Most names and many values, which need no search.
bool IsPlainlyHarmless(std::string_view text) {
  if (text.size() < kShortestLetters) return std::all_of(text.begin(), text.end(), IsLetter);
  return IsOwnId(text);
}

// All parts to mask, in order and without overlaps: those found in the original text, and those found after resolving
// its pointers' escapes.
std::vector<MaskHit> FindHitsByForm(std::string_view text, MaskLevel level) {
  if (level == MaskLevel::kKnown || IsPlainlyHarmless(text)) return {};
  std::vector<MaskHit> hits;
  Scan scan(text, level);
  for (MaskHit hit = scan.Next(); hit.end > 0; hit = scan.Next()) hits.push_back(hit);
  const std::optional<Resolved> resolved = ResolvePointers(text);
  if (!resolved.has_value()) return hits;
  Scan in_resolved(resolved->text, level);
  for (MaskHit hit = in_resolved.Next(); hit.end > 0; hit = in_resolved.Next()) {
    hits.push_back({resolved->Origin(hit.start), resolved->Origin(hit.end), hit.kind});
  }
  return Joined(std::move(hits));
}

bool HasHitByForm(std::string_view text, MaskLevel level) {
  if (level == MaskLevel::kKnown || IsPlainlyHarmless(text)) return false;
  if (Scan(text, level).Next().end > 0) return true;
  const std::optional<Resolved> resolved = ResolvePointers(text);
  return resolved.has_value() && Scan(resolved->text, level).Next().end > 0;
}

uint64_t Magnitude(const Json& integer) {
  if (integer.is_number_unsigned()) return integer.get<uint64_t>();
  const auto number = integer.get<int64_t>();
  return number < 0 ? uint64_t{0} - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
}

// A number without a fraction, such as a card's that was read as a floating-point number.
std::optional<std::string> LongNumber(double magnitude) {
  constexpr double kBeyondIntegers = 18446744073709551616.0;
  if (!(magnitude >= static_cast<double>(kLeastLongNumber) && magnitude < kBeyondIntegers)) return std::nullopt;
  if (magnitude != std::floor(magnitude)) return std::nullopt;
  return absl::StrCat(static_cast<uint64_t>(magnitude));
}

// A number as text, if it has enough digits to need masking.
std::optional<std::string> LongNumber(const Json& value) {
  if (value.is_number_float()) return LongNumber(std::abs(value.get<double>()));
  if (!value.is_number_integer() || Magnitude(value) < kLeastLongNumber) return std::nullopt;
  return value.dump();
}

void MaskValue(const Masker& masker, Json& value, bool secret);

using Members = std::vector<std::pair<const std::string, Json>>;  // The underlying type of an ordered object.

// {"name": "DB_PASSWORD", "value": …}: form of lists of variables and headers.
bool IsSecretPair(const Json& object) {
  if (!object.contains("value")) return false;
  for (const char* key : {"name", "key"}) {
    const auto name = object.find(key);
    if (name != object.end() && name->is_string() && IsSecretName(name->get_ref<const std::string&>())) return true;
  }
  return false;
}

bool IsSecretMember(const std::string& key, const Json& value) {
  if (IsSecretName(key)) return true;
  if (!IsPinName(key)) return false;
  if (value.is_string()) return IsPin(value.get_ref<const std::string&>());
  return value.is_number_integer() && IsPin(value.dump());
}

// {"kty": "EC", "d": "…"}.
bool IsPartOfPrivateKey(const Json& object, const std::string& key) {
  return IsPrivatePart(key) && object.contains(kKeyType) && object[key].is_string();
}

void MaskMembers(const Masker& masker, Json& object, bool secret) {
  const bool pair = IsSecretPair(object);
  Json masked = Json::object();
  // Appended directly, because insertion by key would search all members.
  Members& members = masked.get_ref<Json::object_t&>();
  members.reserve(object.size());
  absl::flat_hash_set<std::string> names;
  absl::flat_hash_map<std::string, int> counts;  // Number of keys that became equal.
  for (auto& [key, member] : object.items()) {
    if (IsPartOfPrivateKey(object, key)) member = "[masked:private-key]";
    MaskValue(masker, member, secret || IsSecretMember(key, member) || (pair && key == "value"));
    std::string name = masker.Mask(key);
    if (!names.insert(name).second) {
      int& count = counts.try_emplace(name, 1).first->second;
      std::string numbered;
      do {
        numbered = absl::StrCat(name, " (", ++count, ")");
      } while (!names.insert(numbered).second);
      name = std::move(numbered);
    }
    members.emplace_back(std::move(name), std::move(member));
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

std::string_view MaskKindName(MaskKind kind) { return kKindNames[static_cast<size_t>(kind)]; }

std::vector<MaskHit> Masker::FindHits(std::string_view text) const {
  const std::shared_ptr<const SecretMatcher> known = known_ == nullptr ? nullptr : known_->matcher();
  std::vector<MaskHit> by_value;
  if (known != nullptr) known->Find(text, by_value);
  std::vector<MaskHit> hits = FindHitsByForm(text, level_);
  if (by_value.empty()) return hits;
  hits.insert(hits.end(), by_value.begin(), by_value.end());
  return Joined(std::move(hits));
}

bool Masker::HasHit(std::string_view text) const {
  return known_ == nullptr ? HasHitByForm(text, level_) : !FindHits(text).empty();
}

std::optional<Masked> Masker::MaskIfNeeded(std::string_view text) const {
  const std::vector<MaskHit> hits = FindHits(text);
  if (hits.empty()) return std::nullopt;
  Masked masked;
  size_t copied = 0;
  for (const MaskHit& hit : hits) {
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

std::string MaskSecrets(std::string_view text) { return Masker(MaskLevel::kSecrets).Mask(text); }

bool Masker::NeedsMask(const Json& value) const {
  const auto has_hit = [this](std::string_view text) { return HasHit(text); };
  if (value.is_string()) return has_hit(value.get_ref<const std::string&>());
  if (value.is_array()) {
    return std::any_of(value.begin(), value.end(), [&](const Json& item) { return NeedsMask(item); });
  }
  if (value.is_object()) {
    for (auto member = value.begin(); member != value.end(); ++member) {
      if (IsPartOfPrivateKey(value, member.key())) return true;
      if (IsSecretMember(member.key(), *member) || has_hit(member.key()) || NeedsMask(*member)) return true;
    }
    return IsSecretPair(value);
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
