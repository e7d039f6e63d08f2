#include "common/http/signed_url.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/absl_bridge.h"

namespace toolgate::http {
namespace {

bool IsHexPair(std::string_view text) {
  return text.size() >= 2 && absl::ascii_isxdigit(static_cast<unsigned char>(text[0])) &&
         absl::ascii_isxdigit(static_cast<unsigned char>(text[1]));
}

// Undoes %XX; other percent signs stay.
std::string Unescape(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && IsHexPair(text.substr(i + 1))) {
      bytes += absl::HexStringToBytes(ToAbsl(text.substr(i + 1, 2)));
      i += 2;
    } else {
      bytes += text[i];
    }
  }
  return bytes;
}

std::string Escape(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_isalnum(byte) || std::string_view("-._~").find(c) != std::string_view::npos) {
      text += c;
    } else {
      absl::StrAppend(&text, "%", absl::AsciiStrToUpper(absl::BytesToHexString(absl::string_view(&c, 1))));
    }
  }
  return text;
}

std::string Rewrite(std::string_view text) { return Escape(Unescape(text)); }

std::string CanonicalPath(std::string_view path) {
  std::vector<std::string> segments;
  for (const absl::string_view segment : absl::StrSplit(ToAbsl(path), '/')) {
    segments.push_back(Rewrite(FromAbsl(segment)));
  }
  return absl::StrJoin(segments, "/");
}

// `query` without its question mark.
std::string CanonicalQuery(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> parameters;
  for (const absl::string_view part : absl::StrSplit(ToAbsl(query), '&', absl::SkipEmpty())) {
    const std::string_view parameter = FromAbsl(part);
    const size_t equals = std::min(parameter.find('='), parameter.size());
    const size_t value = std::min(equals + 1, parameter.size());
    parameters.emplace_back(Rewrite(parameter.substr(0, equals)), Rewrite(parameter.substr(value)));
  }
  std::sort(parameters.begin(), parameters.end());
  return absl::StrJoin(parameters, "&", absl::PairFormatter("="));
}

}  // namespace

HttpUrl CanonicalForSigning(HttpUrl url) {
  url.path = CanonicalPath(url.path);
  if (!url.query.empty()) {
    const std::string query = CanonicalQuery(std::string_view(url.query).substr(1));
    url.query = query.empty() ? "" : absl::StrCat("?", query);
  }
  return url;
}

}  // namespace toolgate::http
