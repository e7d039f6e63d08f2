#include "security/authorization/permissions.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"

namespace toolgate::security::authorization {
namespace {

// Permissions for the service's own RPCs, and for the blocks of a workspace, which tools of several families need and
// which the configuration's default roles name. A family declares all others (Family::permissions).
// clang-format off
constexpr std::string_view kOfTheService[] = {
    "admin:read", "admin:write",
    "audit:read",
    "automation:read", "automation:trigger", "automation:create",
    "block:read", "block:create", "block:update", "block:delete", "block:move",
    "chat:use",
    "confirmation:decide",
    "database:read", "database:create", "database:update", "database:delete",
    "instruction:read", "instruction:write",
    "system:backup", "system:operate",
    "task:read", "task:create", "task:update", "task:delete", "task:assign",
};
// clang-format on

constexpr std::string_view kAny = "*";
constexpr std::string_view kSystem = "system";
constexpr size_t kMaxQuoted = 64;

absl::Status Refuse(std::string_view text, const std::string& why) {
  return absl::InvalidArgumentError(absl::StrCat("permission \"", ToAbsl(text.substr(0, kMaxQuoted)), "\": ", why));
}

bool IsName(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_islower(static_cast<unsigned char>(c)) || c == '_';
  });
}

}  // namespace

absl::StatusOr<PermissionTable> PermissionTable::Create(const std::vector<std::string>& declared) {
  PermissionTable table;
  const auto add = [&table](std::string_view domain, std::string_view action) {
    const std::vector<std::string> actions = table.KnownActions(domain);
    if (std::find(actions.begin(), actions.end(), action) != actions.end()) return;
    table.rows_.push_back({std::string(domain), std::string(action)});
  };
  for (const std::string_view name : kOfTheService) {
    const size_t colon = name.find(':');
    add(name.substr(0, colon), name.substr(colon + 1));
  }
  for (const std::string_view name : declared) {
    const size_t colon = name.find(':');
    if (colon == std::string_view::npos || !IsName(name.substr(0, colon)) || !IsName(name.substr(colon + 1))) {
      return Refuse(name, "must be declared as \"domain:action\", of the characters a-z and _");
    }
    if (name.substr(0, colon) == kSystem) return Refuse(name, "the domain system is the service's own");
    add(name.substr(0, colon), name.substr(colon + 1));
  }
  if (table.rows_.size() > kMaxPermissions) {
    return absl::InvalidArgumentError(absl::StrCat("there are ", table.rows_.size(), " permissions, of which at most ",
                                                   kMaxPermissions, " are possible"));
  }
  std::stable_sort(table.rows_.begin(), table.rows_.end(),
                   [](const Permission& a, const Permission& b) { return a.domain < b.domain; });
  return table;
}

std::vector<std::string> PermissionTable::KnownDomains() const {
  std::vector<std::string> domains;
  for (const Permission& permission : rows_) {
    if (domains.empty() || domains.back() != permission.domain) domains.push_back(permission.domain);
  }
  return domains;
}

std::vector<std::string> PermissionTable::KnownActions(std::string_view domain) const {
  std::vector<std::string> actions;
  for (const Permission& permission : rows_) {
    if (permission.domain == domain) actions.push_back(permission.action);
  }
  return actions;
}

absl::StatusOr<PermissionSet> PermissionTable::ParsePattern(std::string_view pattern) const {
  PermissionSet set;
  if (pattern == kAny) {
    for (size_t i = 0; i < rows_.size(); ++i) set.set(i, rows_[i].domain != kSystem);
    return set;
  }
  const size_t colon = pattern.find(':');
  if (colon == 0 || colon == std::string_view::npos || colon + 1 == pattern.size()) {
    return Refuse(pattern, "must be written as \"domain:action\", \"domain:*\" or \"*\"");
  }
  const std::string_view domain = pattern.substr(0, colon);
  const std::string_view action = pattern.substr(colon + 1);
  const std::vector<std::string> actions = KnownActions(domain);
  if (actions.empty()) {
    return Refuse(pattern, absl::StrCat("unknown domain; the domains are ", absl::StrJoin(KnownDomains(), ", ")));
  }
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].domain == domain && (action == kAny || rows_[i].action == action)) set.set(i);
  }
  if (set.any()) return set;
  return Refuse(pattern,
                absl::StrCat("unknown action; the actions of ", ToAbsl(domain), " are ", absl::StrJoin(actions, ", ")));
}

absl::StatusOr<PermissionSet> PermissionTable::ParsePermission(std::string_view permission) const {
  if (permission.find('*') != std::string_view::npos) {
    return Refuse(permission, "a wildcard stands for many; name one permission as \"domain:action\"");
  }
  return ParsePattern(permission);
}

std::vector<std::string> PermissionTable::DomainPatterns() const {
  std::vector<std::string> patterns;
  for (const std::string& domain : KnownDomains()) {
    for (const std::string& action : KnownActions(domain)) patterns.push_back(absl::StrCat(domain, ":", action));
    patterns.push_back(absl::StrCat(domain, ":", ToAbsl(kAny)));
  }
  return patterns;
}

std::vector<std::string> PermissionTable::NamesOf(const PermissionSet& set) const {
  std::vector<std::string> names;
  for (size_t i = 0; i < rows_.size(); ++i) {
    if (set.test(i)) names.push_back(absl::StrCat(rows_[i].domain, ":", rows_[i].action));
  }
  return names;
}

}  // namespace toolgate::security::authorization
