#include "security/param_validation/formats.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "common/absl_bridge.h"
#include "common/dates.h"
#include "security/param_validation/a_label.h"
#include "security/param_validation/ecma_regex.h"
#include "security/param_validation/uri.h"
#include "simdjson.h"

namespace toolgate::security::param_validation {
namespace {

bool IsAscii(char c) { return static_cast<unsigned char>(c) < 0x80; }

template <typename Predicate>
bool AllOf(std::string_view text, Predicate predicate) {
  return std::all_of(text.begin(), text.end(), predicate);
}

// A reader of fixed-width fields.
class Fields {
 public:
  explicit Fields(std::string_view text) : rest_(text) {}

  // Exactly `count` digits.
  std::optional<int> Number(size_t count) {
    if (rest_.size() < count || !AllOf(rest_.substr(0, count), absl::ascii_isdigit)) return std::nullopt;
    int value = 0;
    for (const char c : rest_.substr(0, count)) value = value * 10 + (c - '0');
    rest_.remove_prefix(count);
    return value;
  }
  bool Take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // All digits that follow.
  bool Digits() {
    const size_t before = rest_.size();
    while (!rest_.empty() && absl::ascii_isdigit(rest_.front())) rest_.remove_prefix(1);
    return rest_.size() != before;
  }
  std::string_view rest() const { return rest_; }
  bool done() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

int DaysInMonth(int year, int month) {
  constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : kDays[static_cast<size_t>(month - 1)];
}

// RFC 3339, full-date.
bool TakeDate(Fields& fields) {
  const std::optional<int> year = fields.Number(4);
  if (!year.has_value() || !fields.Take('-')) return false;
  const std::optional<int> month = fields.Number(2);
  if (!month.has_value() || *month < 1 || *month > 12 || !fields.Take('-')) return false;
  const std::optional<int> day = fields.Number(2);
  return day.has_value() && *day >= 1 && *day <= DaysInMonth(*year, *month);
}

// The offset in minutes, of "Z" or "+hh:mm".
std::optional<int> TakeOffset(Fields& fields) {
  if (fields.Take('Z') || fields.Take('z')) return 0;
  int sign = 1;
  if (!fields.Take('+')) {
    if (!fields.Take('-')) return std::nullopt;
    sign = -1;
  }
  const std::optional<int> hours = fields.Number(2);
  if (!hours.has_value() || *hours > 23 || !fields.Take(':')) return std::nullopt;
  const std::optional<int> minutes = fields.Number(2);
  if (!minutes.has_value() || *minutes > 59) return std::nullopt;
  return sign * (*hours * 60 + *minutes);
}

// RFC 3339, full-time. A leap second exists only at the end of a day of UTC.
bool TakeTime(Fields& fields) {
  const std::optional<int> hour = fields.Number(2);
  if (!hour.has_value() || *hour > 23 || !fields.Take(':')) return false;
  const std::optional<int> minute = fields.Number(2);
  if (!minute.has_value() || *minute > 59 || !fields.Take(':')) return false;
  const std::optional<int> second = fields.Number(2);
  if (!second.has_value() || *second > 60) return false;
  if (fields.Take('.') && !fields.Digits()) return false;
  const std::optional<int> offset = TakeOffset(fields);
  if (!offset.has_value()) return false;
  constexpr int kDay = 24 * 60;
  const int utc = ((*hour * 60 + *minute - *offset) % kDay + kDay) % kDay;
  return *second < 60 || utc == kDay - 1;
}

bool IsDate(std::string_view text) {
  Fields fields(text);
  return TakeDate(fields) && fields.done();
}

bool IsTime(std::string_view text) {
  Fields fields(text);
  return TakeTime(fields) && fields.done();
}

bool IsDateTime(std::string_view text) {
  Fields fields(text);
  if (!TakeDate(fields) || !(fields.Take('T') || fields.Take('t'))) return false;
  return TakeTime(fields) && fields.done();
}

// Elements such as "4D" in the order of `units`, each at most once, without a gap between two given ones.
bool TakeElements(Fields& fields, std::string_view units) {
  bool any = false;
  while (!fields.done() && absl::ascii_isdigit(fields.rest().front())) {
    if (!fields.Digits() || fields.done()) return false;
    const size_t at = units.find(fields.rest().front());
    if (at == std::string_view::npos || (any && at != 0)) return false;
    fields.Take(units[at]);
    units.remove_prefix(at + 1);
    any = true;
  }
  return any;
}

// RFC 3339, appendix A.
bool IsDuration(std::string_view text) {
  Fields fields(text);
  if (!fields.Take('P')) return false;
  if (text.ends_with('W')) return fields.Digits() && fields.Take('W') && fields.done();
  if (!fields.done() && fields.rest().front() != 'T' && !TakeElements(fields, "YMD")) return false;
  if (fields.Take('T')) return TakeElements(fields, "HMS") && fields.done();
  return fields.done() && text.size() > 1;
}

bool IsIpv4(std::string_view text) {
  for (int part = 0; part < 4; ++part) {
    if (part > 0) {
      if (text.empty() || text.front() != '.') return false;
      text.remove_prefix(1);
    }
    size_t digits = 0;
    int value = 0;
    while (digits < text.size() && digits < 4 && absl::ascii_isdigit(text[digits]))
      value = value * 10 + (text[digits++] - '0');
    if (digits == 0 || digits > 3 || value > 255 || (digits > 1 && text.front() == '0')) return false;
    text.remove_prefix(digits);
  }
  return text.empty();
}

// The number of 16-bit groups in colon-separated text, of which the last may be an IPv4 address; nothing if malformed.
std::optional<int> CountGroups(std::string_view text, bool may_end_in_ipv4) {
  if (text.empty()) return 0;
  int groups = 0;
  while (true) {
    const size_t colon = text.find(':');
    const std::string_view group = text.substr(0, colon);
    const bool last = colon == std::string_view::npos;
    if (last && may_end_in_ipv4 && IsIpv4(group)) return groups + 2;
    if (group.empty() || group.size() > 4 || !AllOf(group, absl::ascii_isxdigit)) return std::nullopt;
    ++groups;
    if (last) return groups;
    text.remove_prefix(colon + 1);
  }
}

// RFC 4291, section 2.2.
bool IsIpv6(std::string_view text) {
  const size_t gap = text.find("::");
  if (gap == std::string_view::npos) return CountGroups(text, true) == 8;
  const std::optional<int> before = CountGroups(text.substr(0, gap), false);
  const std::optional<int> after = CountGroups(text.substr(gap + 2), true);
  return before.has_value() && after.has_value() && *before + *after <= 7;
}

bool IsLabel(std::string_view label, bool international) {
  if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-') return false;
  if (!AllOf(label, [=](char c) { return absl::ascii_isalnum(c) || c == '-' || (international && !IsAscii(c)); })) {
    return false;
  }
  return !LooksLikeALabel(label) || IsSoundALabel(label);
}

bool IsHostOf(std::string_view text, bool international) {
  if (text.empty() || text.size() > 253) return false;
  while (true) {
    const size_t dot = text.find('.');
    if (!IsLabel(text.substr(0, dot), international)) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

// RFC 1123; an encoded label of another script must be a sound one.
bool IsHostname(std::string_view text) { return IsHostOf(text, false); }

bool IsQuotedLocalPart(std::string_view text, bool international) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return false;
  text = text.substr(1, text.size() - 2);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') return false;
    if (text[i] == '\\' && ++i == text.size()) return false;
    if (static_cast<unsigned char>(text[i]) < 0x20 || text[i] == 0x7F || (!international && !IsAscii(text[i]))) {
      return false;
    }
  }
  return true;
}

bool IsDotAtom(std::string_view text, bool international) {
  constexpr std::string_view kSpecial = "!#$%&'*+-/=?^_`{|}~.";
  if (text.empty() || text.front() == '.' || text.back() == '.') return false;
  if (text.find("..") != std::string_view::npos) return false;
  return AllOf(text, [&](char c) {
    return absl::ascii_isalnum(c) || kSpecial.find(c) != std::string_view::npos || (international && !IsAscii(c));
  });
}

// RFC 5321's Mailbox, or RFC 6531's if `international`.
bool IsMailbox(std::string_view text, bool international) {
  const size_t at = text.rfind('@');
  if (at == std::string_view::npos || at > 64 || text.size() > 320) return false;
  const std::string_view local = text.substr(0, at);
  std::string_view domain = text.substr(at + 1);
  if (!IsDotAtom(local, international) && !IsQuotedLocalPart(local, international)) return false;
  if (domain.size() > 2 && domain.front() == '[' && domain.back() == ']') {
    domain = domain.substr(1, domain.size() - 2);
    // Case is ignored in RFC 5321's literals.
    return absl::StartsWithIgnoreCase(ToAbsl(domain), "IPv6:") ? IsIpv6(domain.substr(5)) : IsIpv4(domain);
  }
  return IsHostOf(domain, international);
}

bool IsEmail(std::string_view text) { return IsMailbox(text, false); }
bool IsIdnEmail(std::string_view text) { return IsMailbox(text, true); }

// Only characters that are allowed in a URI, and well-formed percent escapes.
bool HasUriCharacters(std::string_view text, bool international, std::string_view extra) {
  constexpr std::string_view kAllowed = "-._~!$&'()*+,;=";
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size() || !absl::ascii_isxdigit(text[i + 1]) || !absl::ascii_isxdigit(text[i + 2]))
        return false;
      i += 2;
      continue;
    }
    const bool fine = absl::ascii_isalnum(c) || kAllowed.find(c) != std::string_view::npos ||
                      extra.find(c) != std::string_view::npos || (international && !IsAscii(c));
    if (!fine) return false;
  }
  return true;
}

bool IsIpLiteral(std::string_view host) {
  if (IsIpv6(host)) return true;
  // IPvFuture: "v", hex digits, ".", characters.
  if (host.size() < 4 || (host.front() != 'v' && host.front() != 'V')) return false;
  const size_t dot = host.find('.');
  return dot != std::string_view::npos && dot > 1 && dot + 1 < host.size() &&
         AllOf(host.substr(1, dot - 1), absl::ascii_isxdigit) && HasUriCharacters(host.substr(dot + 1), false, ":") &&
         host.find('%') == std::string_view::npos;
}

bool IsAuthority(std::string_view authority, bool international) {
  if (const size_t at = authority.rfind('@'); at != std::string_view::npos) {
    if (!HasUriCharacters(authority.substr(0, at), international, ":")) return false;
    authority.remove_prefix(at + 1);
  }
  std::string_view host = authority;
  std::string_view port;
  if (authority.starts_with('[')) {
    const size_t end = authority.find(']');
    if (end == std::string_view::npos || !IsIpLiteral(authority.substr(1, end - 1))) return false;
    port = authority.substr(end + 1);
    if (!port.empty() && port.front() != ':') return false;
    if (!port.empty()) port.remove_prefix(1);
    return AllOf(port, absl::ascii_isdigit);
  }
  if (const size_t colon = authority.find(':'); colon != std::string_view::npos) {
    host = authority.substr(0, colon);
    port = authority.substr(colon + 1);
  }
  return AllOf(port, absl::ascii_isdigit) && HasUriCharacters(host, international, "");
}

bool IsScheme(std::string_view scheme) {
  return !scheme.empty() && absl::ascii_isalpha(scheme.front()) &&
         AllOf(scheme, [](char c) { return absl::ascii_isalnum(c) || c == '+' || c == '-' || c == '.'; });
}

// RFC 3986, or RFC 3987 if `international`.
bool IsReference(std::string_view text, bool international, bool absolute) {
  if (international && !simdjson::validate_utf8(text.data(), text.size())) return false;
  const UriParts parts = SplitUri(text);
  if (absolute && !parts.scheme.has_value()) return false;
  if (parts.scheme.has_value() && !IsScheme(*parts.scheme)) return false;
  // A colon in the first segment of a relative path would be read as a scheme.
  if (!parts.scheme.has_value() && !parts.authority.has_value() &&
      parts.path.substr(0, parts.path.find('/')).find(':') != std::string_view::npos) {
    return false;
  }
  if (parts.authority.has_value() && !IsAuthority(*parts.authority, international)) return false;
  return HasUriCharacters(parts.path, international, ":@/") &&
         HasUriCharacters(parts.query.value_or(""), international, ":@/?") &&
         HasUriCharacters(parts.fragment.value_or(""), international, ":@/?");
}

bool IsUri(std::string_view text) { return IsReference(text, false, true); }
bool IsUriReference(std::string_view text) { return IsReference(text, false, false); }
bool IsIri(std::string_view text) { return IsReference(text, true, true); }
bool IsIriReference(std::string_view text) { return IsReference(text, true, false); }

// One variable of RFC 6570: a dotted name, perhaps ":123" or "*".
bool IsTemplateVariable(std::string_view text) {
  if (text.ends_with('*')) {
    text.remove_suffix(1);
  } else if (const size_t colon = text.find(':'); colon != std::string_view::npos) {
    const std::string_view length = text.substr(colon + 1);
    if (length.empty() || length.size() > 4 || length.front() == '0' || !AllOf(length, absl::ascii_isdigit))
      return false;
    text = text.substr(0, colon);
  }
  if (text.empty() || text.front() == '.' || text.back() == '.' || text.find("..") != std::string_view::npos)
    return false;
  return HasUriCharacters(text, false, "") &&
         AllOf(text, [](char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '%'; });
}

bool IsTemplateExpression(std::string_view text) {
  constexpr std::string_view kOperators = "+#./;?&";
  if (!text.empty() && kOperators.find(text.front()) != std::string_view::npos) text.remove_prefix(1);
  while (true) {
    const size_t comma = text.find(',');
    if (!IsTemplateVariable(text.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    text.remove_prefix(comma + 1);
  }
}

bool IsUriTemplate(std::string_view text) {
  // RFC 6570, section 2.1, with its erratum 6937, which allows an apostrophe.
  constexpr std::string_view kForbidden = " \"<>\\^`|}";
  while (!text.empty()) {
    const char c = text.front();
    if (c == '{') {
      const size_t end = text.find('}');
      if (end == std::string_view::npos || !IsTemplateExpression(text.substr(1, end - 1))) return false;
      text.remove_prefix(end + 1);
      continue;
    }
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F || kForbidden.find(c) != std::string_view::npos) return false;
    if (c == '%' && (text.size() < 3 || !absl::ascii_isxdigit(text[1]) || !absl::ascii_isxdigit(text[2]))) return false;
    text.remove_prefix(1);
  }
  return true;
}

// RFC 4122: 8-4-4-4-12 hex digits.
bool IsUuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool hyphen = i == 8 || i == 13 || i == 18 || i == 23;
    if (hyphen ? text[i] != '-' : !absl::ascii_isxdigit(text[i])) return false;
  }
  return true;
}

// RFC 6901.
bool IsJsonPointer(std::string_view text) {
  if (!text.empty() && text.front() != '/') return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '~' && (i + 1 == text.size() || (text[i + 1] != '0' && text[i + 1] != '1'))) return false;
  }
  return true;
}

bool IsRelativeJsonPointer(std::string_view text) {
  const size_t digits =
      static_cast<size_t>(std::find_if_not(text.begin(), text.end(), absl::ascii_isdigit) - text.begin());
  if (digits == 0 || (digits > 1 && text.front() == '0')) return false;
  text.remove_prefix(digits);
  return text == "#" || IsJsonPointer(text);
}

// The day that words mean depends on the moment; whether they mean one does not.
bool IsDateOrWords(std::string_view text) { return ParseDate(text, absl::UnixEpoch(), absl::UTCTimeZone()).ok(); }

constexpr std::array kFormats = {
    Format{"date", IsDate, "2026-01-31"},
    Format{"date-time", IsDateTime, "2026-01-31T09:30:00Z"},
    Format{"duration", IsDuration, "P1DT12H"},
    Format{"email", IsEmail, "name@example.com"},
    Format{"hostname", IsHostname, "www.example.com"},
    Format{"idn-email", IsIdnEmail, "name@example.com"},
    Format{"ipv4", IsIpv4, "192.0.2.1"},
    Format{"ipv6", IsIpv6, "2001:db8::1"},
    Format{"iri", IsIri, "https://example.com/page"},
    Format{"iri-reference", IsIriReference, "/page"},
    Format{"json-pointer", IsJsonPointer, "/items/0"},
    Format{"regex", IsEcmaRegex, "^[a-z]+$"},
    Format{"relative-json-pointer", IsRelativeJsonPointer, "1/name"},
    Format{"time", IsTime, "09:30:00Z"},
    Format{"uri", IsUri, "https://example.com/page"},
    Format{"uri-reference", IsUriReference, "/page"},
    Format{"uri-template", IsUriTemplate, "https://example.com/{id}"},
    Format{"uuid", IsUuid, "123e4567-e89b-12d3-a456-426614174000"},
};

constexpr Format kDateOrWords = {"date-or-words", IsDateOrWords, "tomorrow", kDateForms};

}  // namespace

std::string Format::Expected() const {
  return forms.empty() ? absl::StrCat(ToAbsl(name), ", for example ", ToAbsl(example)) : std::string(forms);
}

const Format* FindOwnFormat(std::string_view name) { return name == kDateOrWords.name ? &kDateOrWords : nullptr; }

const Format* FindFormat(std::string_view name) {
  for (const Format& format : kFormats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

std::vector<std::string_view> FormatNames() {
  std::vector<std::string_view> names;
  names.reserve(std::size(kFormats));
  for (const Format& format : kFormats) names.push_back(format.name);
  return names;
}

}  // namespace toolgate::security::param_validation
