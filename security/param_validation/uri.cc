#include "security/param_validation/uri.h"

#include <cctype>

#include "common/text/hex_digit.h"

namespace toolgate::security::param_validation {
namespace {

// Section 5.2.4.
std::string RemoveDotSegments(std::string_view input) {
  std::string output;
  const auto drop_last = [&output] {
    const size_t slash = output.rfind('/');
    output.resize(slash == std::string::npos ? 0 : slash);
  };
  while (!input.empty()) {
    if (input.starts_with("../")) {
      input.remove_prefix(3);
    } else if (input.starts_with("./") || input.starts_with("/./")) {
      input.remove_prefix(2);
    } else if (input == "/.") {
      input = "/";
    } else if (input.starts_with("/../")) {
      input.remove_prefix(3);
      drop_last();
    } else if (input == "/..") {
      input = "/";
      drop_last();
    } else if (input == "." || input == "..") {
      input = {};
    } else {
      const size_t end = input.find('/', 1);
      output += input.substr(0, end);
      input.remove_prefix(end == std::string_view::npos ? input.size() : end);
    }
  }
  return output;
}

// Section 5.2.3.
std::string MergePaths(const UriParts& base, std::string_view path) {
  if (base.authority.has_value() && base.path.empty()) return "/" + std::string(path);
  const size_t slash = base.path.rfind('/');
  if (slash == std::string_view::npos) return std::string(path);
  return std::string(base.path.substr(0, slash + 1)) + std::string(path);
}

// Section 5.3.
std::string Compose(const UriParts& parts, std::string_view path) {
  std::string out;
  if (parts.scheme.has_value()) out.append(*parts.scheme).append(":");
  if (parts.authority.has_value()) out.append("//").append(*parts.authority);
  out += path;
  if (parts.query.has_value()) out.append("?").append(*parts.query);
  if (parts.fragment.has_value()) out.append("#").append(*parts.fragment);
  return out;
}

}  // namespace

UriParts SplitUri(std::string_view text) {
  UriParts parts;
  if (const size_t hash = text.find('#'); hash != std::string_view::npos) {
    parts.fragment = text.substr(hash + 1);
    text = text.substr(0, hash);
  }
  if (const size_t mark = text.find('?'); mark != std::string_view::npos) {
    parts.query = text.substr(mark + 1);
    text = text.substr(0, mark);
  }
  const size_t colon = text.find_first_of(":/");
  if (colon != std::string_view::npos && colon > 0 && text[colon] == ':') {
    parts.scheme = text.substr(0, colon);
    text.remove_prefix(colon + 1);
  }
  if (text.starts_with("//")) {
    text.remove_prefix(2);
    const size_t slash = text.find('/');
    parts.authority = text.substr(0, slash);
    text = slash == std::string_view::npos ? std::string_view() : text.substr(slash);
  }
  parts.path = text;
  return parts;
}

std::string ResolveUri(std::string_view base_text, std::string_view reference) {
  UriParts target = SplitUri(reference);
  if (target.scheme.has_value()) return Compose(target, RemoveDotSegments(target.path));
  const UriParts base = SplitUri(base_text);
  target.scheme = base.scheme;
  if (target.authority.has_value()) return Compose(target, RemoveDotSegments(target.path));
  target.authority = base.authority;
  if (target.path.empty()) {
    if (!target.query.has_value()) target.query = base.query;
    return Compose(target, base.path);
  }
  if (target.path.starts_with('/')) return Compose(target, RemoveDotSegments(target.path));
  return Compose(target, RemoveDotSegments(MergePaths(base, target.path)));
}

std::string PercentDecode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && text::HexDigit(text[i + 1]) >= 0 && text::HexDigit(text[i + 2]) >= 0) {
      out += static_cast<char>(text::HexDigit(text[i + 1]) * 16 + text::HexDigit(text[i + 2]));
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

}  // namespace toolgate::security::param_validation
