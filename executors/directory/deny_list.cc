#include "executors/directory/deny_list.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/text/fold_case.h"
#include "executors/directory/path.h"

namespace toolgate::executors::directory {
namespace {

constexpr size_t kMaxPatternBytes = 512;
constexpr std::string_view kAnyFolders = "**";

// Characters that take no room and that some file systems leave out of account when they compare names without case.
constexpr std::string_view kIgnorable[] = {"\u00AD", "\u034F", "\u200B", "\u200C", "\u200D", "\u200E",
                                           "\u200F", "\u2060", "\u2061", "\u2062", "\u2063", "\u2064",
                                           "\u202A", "\u202B", "\u202C", "\u202D", "\u202E", "\uFEFF"};

std::string FoldName(std::string_view name) {
  std::string folded = text::FoldCase(name);
  for (const std::string_view ignorable : kIgnorable) {
    for (size_t at = folded.find(ignorable); at != std::string::npos; at = folded.find(ignorable, at)) {
      folded.erase(at, ignorable.size());
    }
  }
  return folded;
}

// Linear in the product of the lengths, whatever the pattern.
bool NameMatches(std::string_view pattern, std::string_view name) {
  size_t p = 0;
  size_t n = 0;
  size_t star = std::string_view::npos;
  size_t resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

// Whether the pattern matches the names from `from` on, or a folder above the last of them.
bool MatchesFrom(const std::vector<std::string>& pattern, const std::vector<std::string>& names, size_t from) {
  // Names that a prefix of the pattern may have consumed, by count.
  std::vector<bool> reached(names.size() + 1, false);
  reached[from] = true;
  for (const std::string& component : pattern) {
    std::vector<bool> next(names.size() + 1, false);
    bool passed = false;
    for (size_t i = from; i <= names.size(); ++i) {
      passed = passed || reached[i];
      if (component == kAnyFolders) {
        next[i] = passed;
      } else if (reached[i] && i < names.size() && NameMatches(component, names[i])) {
        next[i + 1] = true;
      }
    }
    reached = std::move(next);
  }
  return std::find(reached.begin(), reached.end(), true) != reached.end();
}

}  // namespace

const std::vector<std::string_view>& DenyList::BuiltIn() {
  static const auto* const patterns = new std::vector<std::string_view>{
      ".toolgate", ".git",
      // Secrets.
      ".env", ".env.*", ".envrc", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "*.ppk",
      "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", ".netrc", "_netrc", ".pgpass", ".npmrc", ".pypirc",
      ".git-credentials", ".htpasswd", ".vault-token", ".ssh", ".gnupg", ".aws/credentials", ".azure", ".config/gcloud",
      ".docker/config.json", ".kube/config", "*.tfstate"};
  return *patterns;
}

absl::StatusOr<DenyList> DenyList::Create(const std::vector<std::string>& extra) {
  DenyList list;
  std::vector<std::string> all(BuiltIn().begin(), BuiltIn().end());
  all.insert(all.end(), extra.begin(), extra.end());
  for (const std::string& written : all) {
    Pattern pattern;
    pattern.written = written;
    pattern.anchored = !written.empty() && written.front() == '/';
    std::string_view rest = pattern.anchored ? std::string_view(written).substr(1) : written;
    if (!rest.empty() && rest.back() == '/') rest.remove_suffix(1);
    if (rest.size() > kMaxPatternBytes || !IsCanonical(rest)) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", written, "\" is no pattern of paths; write one such as \"*.secret\" or \"private/**\""));
    }
    for (const std::string_view part : ComponentsOf(rest)) pattern.components.push_back(FoldName(part));
    list.patterns_.push_back(std::move(pattern));
  }
  return list;
}

std::optional<std::string_view> DenyList::Find(std::string_view path) const {
  std::vector<std::string> names;
  for (const std::string_view name : ComponentsOf(path)) names.push_back(FoldName(name));
  for (const Pattern& pattern : patterns_) {
    const size_t starts = pattern.anchored ? 1 : names.size();
    for (size_t from = 0; from < starts; ++from) {
      if (MatchesFrom(pattern.components, names, from)) return pattern.written;
    }
  }
  return std::nullopt;
}

}  // namespace toolgate::executors::directory
