#include "executors/artifacts/checks/mermaid/front_matter.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "common/text/words.h"
#include "re2/re2.h"

namespace toolgate::executors::artifacts::checks::mermaid {
namespace {

struct Mapping {
  size_t indentation;
  std::set<std::string, std::less<>> keys = {};
};

}  // namespace

bool IsPlainYaml(std::string_view yaml) {
  static const RE2* const kLine =
      new RE2(R"(( *)([A-Za-z_][\w-]*):(?: +("[^"\\%]*"|'[^'%]*'|[A-Za-z0-9_.][^:#"'{}\[\]%]*))? *)");
  std::vector<Mapping> open;
  bool may_nest = false;
  for (size_t at = 0; at < yaml.size();) {
    const size_t end = std::min(yaml.find('\n', at), yaml.size());
    const std::string_view line = yaml.substr(at, end - at);
    at = end + 1;
    if (text::Trim(line).empty()) continue;
    re2::StringPiece blanks;
    re2::StringPiece key;
    re2::StringPiece value;
    if (!RE2::FullMatch(line, *kLine, &blanks, &key, &value)) return false;
    if (open.empty() || (may_nest && blanks.size() > open.back().indentation)) open.push_back({blanks.size()});
    while (open.size() > 1 && blanks.size() < open.back().indentation) open.pop_back();
    if (blanks.size() != open.back().indentation || !open.back().keys.insert(key.as_string()).second) return false;
    may_nest = value.empty();
  }
  return !open.empty();
}

bool HasPlainTheme(std::string_view settings) {
  static const RE2* const kTheme =
      new RE2(R"(themeVariables['"]?\s*:\s*\{?(?:[\s,]*['"]?\w+['"]?\s*:\s*['"]#(?:[0-9a-fA-F]{3}){1,2}['"])+\s*)"
              R"((?:\}[\s}%]*|$))");
  re2::StringPiece rest(settings.data(), settings.size());
  return settings.find("themeVariables") == std::string_view::npos || RE2::PartialMatch(rest, *kTheme);
}

}  // namespace toolgate::executors::artifacts::checks::mermaid
