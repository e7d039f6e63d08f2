#include "security/authorization/permissions.h"

#include <algorithm>
#include <array>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/absl_bridge.h"

namespace toolgate::security::authorization {
namespace {

struct Permission {
  std::string_view domain;
  std::string_view action;
};

// A permission's bit is its position. Positions may change, because nothing outside of this file knows them.
constexpr auto kPermissions = std::to_array<Permission>({
    {"admin", "read"},      {"admin", "write"},         {"artifact", "generate"}, {"audit", "read"},
    {"automation", "read"}, {"automation", "trigger"},  {"automation", "create"}, {"block", "read"},
    {"block", "create"},    {"block", "update"},        {"block", "delete"},      {"block", "move"},
    {"calendar", "read"},   {"calendar", "create"},     {"calendar", "update"},   {"calendar", "delete"},
    {"chat", "use"},        {"confirmation", "decide"}, {"database", "read"},     {"database", "create"},
    {"database", "update"}, {"database", "delete"},     {"file", "read"},         {"file", "write"},
    {"graph", "read"},      {"image", "generate"},      {"instruction", "read"},  {"instruction", "write"},
    {"journal", "read"},    {"journal", "create"},      {"journal", "update"},    {"journal", "delete"},
    {"kanban", "read"},     {"kanban", "create"},       {"kanban", "update"},     {"kanban", "delete"},
    {"link", "read"},       {"link", "create"},         {"link", "update"},       {"link", "delete"},
    {"memory", "write"},    {"note", "read"},           {"note", "create"},       {"note", "update"},
    {"note", "delete"},     {"shell", "execute"},       {"sql", "execute"},       {"system", "backup"},
    {"system", "operate"},  {"task", "read"},           {"task", "create"},       {"task", "update"},
    {"task", "delete"},     {"task", "assign"},         {"web", "search"},
});
static_assert(kPermissions.size() <= kMaxPermissions);

constexpr std::string_view kAny = "*";
constexpr std::string_view kSystem = "system";
constexpr size_t kMaxQuoted = 64;

std::vector<std::string> KnownDomains() {
  std::vector<std::string> domains;
  for (const Permission& permission : kPermissions) {
    if (domains.empty() || domains.back() != permission.domain) domains.emplace_back(permission.domain);
  }
  return domains;
}

std::vector<std::string> KnownActions(std::string_view domain) {
  std::vector<std::string> actions;
  for (const Permission& permission : kPermissions) {
    if (permission.domain == domain) actions.emplace_back(permission.action);
  }
  return actions;
}

absl::Status Refuse(std::string_view text, const std::string& why) {
  return absl::InvalidArgumentError(absl::StrCat("permission \"", ToAbsl(text.substr(0, kMaxQuoted)), "\": ", why));
}

}  // namespace

absl::StatusOr<PermissionSet> ParsePattern(std::string_view pattern) {
  PermissionSet set;
  if (pattern == kAny) {
    for (size_t i = 0; i < kPermissions.size(); ++i) set.set(i, kPermissions[i].domain != kSystem);
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
  for (size_t i = 0; i < kPermissions.size(); ++i) {
    if (kPermissions[i].domain == domain && (action == kAny || kPermissions[i].action == action)) set.set(i);
  }
  if (set.any()) return set;
  return Refuse(pattern,
                absl::StrCat("unknown action; the actions of ", ToAbsl(domain), " are ", absl::StrJoin(actions, ", ")));
}

absl::StatusOr<PermissionSet> ParsePermission(std::string_view permission) {
  if (permission.find('*') != std::string_view::npos) {
    return Refuse(permission, "a wildcard stands for many; name one permission as \"domain:action\"");
  }
  return ParsePattern(permission);
}

std::vector<std::string> DomainPatterns() {
  std::vector<std::string> patterns;
  for (const std::string& domain : KnownDomains()) {
    for (const std::string& action : KnownActions(domain)) patterns.push_back(absl::StrCat(domain, ":", action));
    patterns.push_back(absl::StrCat(domain, ":", ToAbsl(kAny)));
  }
  return patterns;
}

std::vector<std::string> NamesOf(const PermissionSet& set) {
  std::vector<std::string> names;
  for (size_t i = 0; i < kPermissions.size(); ++i) {
    if (set.test(i)) names.push_back(absl::StrCat(ToAbsl(kPermissions[i].domain), ":", ToAbsl(kPermissions[i].action)));
  }
  return names;
}

}  // namespace toolgate::security::authorization
