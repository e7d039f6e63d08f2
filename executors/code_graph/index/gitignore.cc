#include "executors/code_graph/index/gitignore.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"

namespace toolgate::executors::code_graph::index {
namespace {

using Verdict = Gitignore::Verdict;

bool IsInClass(std::string_view name, unsigned char c) {
  if (name == "alnum") return absl::ascii_isalnum(c);
  if (name == "alpha") return absl::ascii_isalpha(c);
  if (name == "blank") return c == ' ' || c == '\t';
  if (name == "cntrl") return absl::ascii_iscntrl(c);
  if (name == "digit") return absl::ascii_isdigit(c);
  if (name == "graph") return absl::ascii_isgraph(c);
  if (name == "lower") return absl::ascii_islower(c);
  if (name == "print") return absl::ascii_isprint(c);
  if (name == "punct") return absl::ascii_ispunct(c);
  if (name == "space") return absl::ascii_isspace(c);
  if (name == "upper") return absl::ascii_isupper(c);
  if (name == "xdigit") return absl::ascii_isxdigit(c);
  return false;
}

// The position after the bracket expression that begins at `at`, or nothing when it has no end.
std::optional<size_t> BracketEnd(std::string_view pattern, size_t at) {
  size_t i = at + 1;
  if (i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^')) ++i;
  for (bool first = true; i < pattern.size(); first = false) {
    if (pattern[i] == ']' && !first) return i + 1;
    if (pattern[i] == '\\') {
      i += 2;
    } else if (pattern.substr(i, 2) == "[:" && pattern.find(":]", i + 2) != std::string_view::npos) {
      i = pattern.find(":]", i + 2) + 2;
    } else {
      ++i;
    }
  }
  return std::nullopt;
}

// Whether the bracket expression `text`, brackets included, stands for `c`.
bool MatchBracket(std::string_view text, unsigned char c) {
  size_t i = 1;
  const size_t end = text.size() - 1;
  const bool negated = text[i] == '!' || text[i] == '^';
  if (negated) ++i;
  bool found = false;
  while (i < end) {
    if (text.substr(i, 2) == "[:") {
      const size_t close = text.find(":]", i + 2);
      if (close != std::string_view::npos && close < end) {
        found |= IsInClass(text.substr(i + 2, close - i - 2), c);
        i = close + 2;
        continue;
      }
    }
    const auto take = [&] {
      if (text[i] == '\\' && i + 1 < end) ++i;
      return static_cast<unsigned char>(text[i++]);
    };
    const unsigned char low = take();
    unsigned char high = low;
    if (i + 1 < end && text[i] == '-') {
      ++i;
      high = take();
    }
    found |= low <= c && c <= high;
  }
  return found != negated;
}

// One element of a pattern within a segment.
struct Element {
  enum class Kind { kStar, kAny, kBracket, kByte, kNever };
  Kind kind = Kind::kNever;
  size_t size = 1;  // In the pattern.
  std::string_view bracket = {};
  char byte = 0;
};

Element ElementAt(std::string_view pattern, size_t at) {
  switch (pattern[at]) {
    case '*':
      return {Element::Kind::kStar};
    case '?':
      return {Element::Kind::kAny};
    case '[': {
      const std::optional<size_t> end = BracketEnd(pattern, at);
      if (!end.has_value()) return {};
      return {Element::Kind::kBracket, *end - at, pattern.substr(at, *end - at)};
    }
    case '\\':
      if (at + 1 == pattern.size()) return {};
      return {Element::Kind::kByte, 2, {}, pattern[at + 1]};
    default:
      return {Element::Kind::kByte, 1, {}, pattern[at]};
  }
}

bool MatchesByte(const Element& element, char c) {
  if (element.kind == Element::Kind::kAny) return true;
  if (element.kind == Element::Kind::kBracket) return MatchBracket(element.bracket, static_cast<unsigned char>(c));
  return element.kind == Element::Kind::kByte && element.byte == c;
}

// Whether a pattern without slashes matches a name. Only the last star need be tried again: what stands before it has
// matched already, and a longer match for an earlier star leaves less for it.
bool MatchSegment(std::string_view pattern, std::string_view name) {
  size_t p = 0;
  size_t n = 0;
  size_t after_star = std::string_view::npos;
  size_t star_ends = 0;
  while (n < name.size() || p < pattern.size()) {
    if (p < pattern.size()) {
      const Element element = ElementAt(pattern, p);
      if (element.kind == Element::Kind::kStar) {
        after_star = ++p;
        star_ends = n;
        continue;
      }
      if (n < name.size() && MatchesByte(element, name[n])) {
        p += element.size;
        ++n;
        continue;
      }
    }
    if (after_star == std::string_view::npos || star_ends >= name.size()) return false;
    p = after_star;
    n = ++star_ends;
  }
  return true;
}

// Whether the last byte allows a match: most patterns of long lists are of an extension, which most names do not have.
bool MayMatch(std::string_view pattern, std::string_view name) {
  const char last = pattern.back();
  const bool is_plain = pattern.find_first_of("?[\\") == std::string_view::npos && last != '*';
  return !is_plain || name.empty() || name.back() == last;
}

// Splits at slashes that are not part of a bracket expression.
std::vector<std::string> SplitPattern(std::string_view pattern) {
  std::vector<std::string> segments(1);
  for (size_t i = 0; i < pattern.size();) {
    size_t size = 1;
    if (pattern[i] == '\\' && i + 1 < pattern.size()) size = 2;
    if (pattern[i] == '[') size = BracketEnd(pattern, i).value_or(i + 1) - i;
    if (pattern.substr(i, size) == "/" || pattern.substr(i, size) == "\\/") {
      segments.emplace_back();
    } else {
      segments.back() += pattern.substr(i, size);
    }
    i += size;
  }
  // More stars than two mean the same.
  for (std::string& segment : segments) {
    if (segment.size() > 2 && segment.find_first_not_of('*') == std::string::npos) segment = "**";
  }
  return segments;
}

// Without the blanks at its end, unless the last of them is escaped.
std::string_view TrimEnd(std::string_view line) {
  size_t end = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == ' ') continue;
    if (line[i] == '\\') ++i;
    end = std::min(i + 1, line.size());
  }
  return line.substr(0, end);
}

}  // namespace

Gitignore Gitignore::Parse(std::string_view text) {
  if (text.substr(0, 3) == "\xEF\xBB\xBF") text.remove_prefix(3);
  Gitignore rules;
  while (!text.empty() && rules.patterns_.size() < kMaxPatterns) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (end != std::string_view::npos && !line.empty() && line.back() == '\r') line.remove_suffix(1);
    Pattern pattern;
    if (ParsePattern(line, pattern)) rules.patterns_.push_back(std::move(pattern));
  }
  return rules;
}

bool Gitignore::ParsePattern(std::string_view line, Pattern& pattern) {
  if (!line.empty() && line.front() == '#') return false;
  line = TrimEnd(line);
  if (!line.empty() && line.front() == '!') {
    pattern.negated = true;
    line.remove_prefix(1);
  }
  if (!line.empty() && line.back() == '/') {
    pattern.directories_only = true;
    line.remove_suffix(1);
  }
  if (line.empty()) return false;
  pattern.any_depth = line.find('/') == std::string_view::npos;
  if (line.front() == '/') line.remove_prefix(1);
  pattern.segments = SplitPattern(line);
  pattern.is_literal = pattern.any_depth && line.find_first_of("*?[\\") == std::string_view::npos;
  return true;
}

bool Gitignore::MatchPath(const Pattern& pattern, std::string_view path, std::string_view name) {
  if (pattern.is_literal) return pattern.segments.front() == name;
  if (pattern.any_depth)
    return MayMatch(pattern.segments.front(), name) && MatchSegment(pattern.segments.front(), name);
  // As in MatchSegment, with segments for bytes and "**" for the star.
  const std::vector<std::string>& segments = pattern.segments;
  constexpr size_t kNever = std::string_view::npos;
  const auto end_of = [&](size_t at) { return std::min(path.find('/', at), path.size()); };
  size_t p = 0;
  size_t at = 0;  // Beginning of a segment of the path; beyond its end when all are matched.
  size_t after_star = kNever;
  size_t star_ends = 0;
  while (at <= path.size() || p < segments.size()) {
    if (p < segments.size()) {
      if (segments[p] == "**") {
        // At the end, it stands for what is inside of a folder: one segment at least.
        if (p + 1 == segments.size()) return at < path.size();
        after_star = ++p;
        star_ends = at;
        continue;
      }
      if (at <= path.size() && MatchSegment(segments[p], path.substr(at, end_of(at) - at))) {
        ++p;
        at = end_of(at) + 1;
        continue;
      }
    }
    if (after_star == kNever || star_ends > path.size()) return false;
    star_ends = end_of(star_ends) + 1;
    p = after_star;
    at = star_ends;
    if (at > path.size()) return false;
  }
  return true;
}

Verdict Gitignore::Match(std::string_view path, bool is_directory) const {
  const size_t last_slash = path.rfind('/');
  const std::string_view name = last_slash == std::string_view::npos ? path : path.substr(last_slash + 1);
  for (auto pattern = patterns_.rbegin(); pattern != patterns_.rend(); ++pattern) {
    if (pattern->directories_only && !is_directory) continue;
    if (MatchPath(*pattern, path, name)) return pattern->negated ? Verdict::kIncluded : Verdict::kIgnored;
  }
  return Verdict::kNone;
}

}  // namespace toolgate::executors::code_graph::index
