#include "executors/directory/deny_list.h"

#include <algorithm>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "executors/directory/folded_name.h"
#include "executors/directory/path.h"

namespace toolgate::executors::directory {
namespace {

constexpr size_t kMaxPatternBytes = 512;
constexpr std::string_view kAnyFolders = "**";

// A pattern that also covers files without secrets: those that settings are copied from.
constexpr std::string_view kSettings = ".env.*";
constexpr std::string_view kTemplates[] = {"example", "sample", "template", "tmpl", "tpl", "dist", "schema"};

// Whether a name ends in the word of a template: ".env.example", ".env.test.example", ".env.local-sample".
bool IsTemplate(std::string_view folded) {
  const std::string_view word = folded.substr(folded.find_last_of(".-_") + 1);
  return std::find(std::begin(kTemplates), std::end(kTemplates), word) != std::end(kTemplates);
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
    const bool anchored = !written.empty() && written.front() == '/';
    std::string_view rest = anchored ? std::string_view(written).substr(1) : written;
    if (!rest.empty() && rest.back() == '/') rest.remove_suffix(1);
    if (rest.size() > kMaxPatternBytes || !IsCanonical(rest)) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", written, "\" is no pattern of paths; write one such as \"*.secret\" or \"private/**\""));
    }
    const bool is_built_in = list.patterns_.size() < BuiltIn().size();
    list.Add(written, anchored, rest);
    list.components_.back().spares_templates = is_built_in && written == kSettings;
  }
  return list;
}

void DenyList::Add(std::string_view written, bool anchored, std::string_view path) {
  const auto first = static_cast<uint32_t>(components_.size());
  for (const std::string_view part : ComponentsOf(path)) {
    components_.push_back({FoldName(part), static_cast<uint32_t>(patterns_.size())});
  }
  components_.back().is_last = true;
  patterns_.emplace_back(written);
  if (anchored) {
    Open(first, top_);
    return;
  }
  starts_.push_back(first);
  for (uint32_t i = first; components_[i].glob == kAnyFolders && !components_[i].is_last; ++i) starts_.push_back(i + 1);
}

void DenyList::Open(uint32_t component, State& state) const {
  const auto at = std::lower_bound(state.open_.begin(), state.open_.end(), component);
  if (at != state.open_.end() && *at == component) return;
  state.open_.insert(at, component);
  // It may match no folder at all.
  if (components_[component].glob == kAnyFolders) Pass(component, state);
}

void DenyList::Pass(uint32_t component, State& state) const {
  if (components_[component].is_last) {
    state.denied_by_ = std::min(state.denied_by_, components_[component].pattern);
  } else {
    Open(component + 1, state);
  }
}

void DenyList::Match(uint32_t component, std::string_view folded, State& next) const {
  const std::string& glob = components_[component].glob;
  if (glob == kAnyFolders) {
    Open(component, next);
  } else if (NameMatches(glob, folded) && !(components_[component].spares_templates && IsTemplate(folded))) {
    Pass(component, next);
  }
}

DenyList::State DenyList::Step(const State& folder, std::string_view name) const {
  if (folder.is_denied()) return folder;
  const std::string folded = FoldName(name);
  State next;
  for (const uint32_t component : folder.open_) Match(component, folded, next);
  for (const uint32_t start : starts_) Match(start, folded, next);
  return next;
}

DenyList::State DenyList::StateOf(std::string_view path) const {
  State state = top_;
  for (const std::string_view name : ComponentsOf(path)) {
    if (state.is_denied()) break;
    state = Step(state, name);
  }
  return state;
}

std::optional<std::string_view> DenyList::FindBesideGit(std::string_view path) const {
  constexpr std::string_view kGit = ".git";
  State state = top_;
  for (const std::string_view name : ComponentsOf(path)) {
    state = Step(state, name);
    if (!state.is_denied()) continue;
    const std::optional<std::string_view> pattern = PatternOf(state);
    return name == kGit && pattern == kGit ? std::nullopt : pattern;
  }
  return std::nullopt;
}

std::optional<std::string_view> DenyList::PatternOf(const State& state) const {
  if (!state.is_denied()) return std::nullopt;
  return patterns_[state.denied_by_];
}

}  // namespace toolgate::executors::directory
