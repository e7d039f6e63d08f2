#include "cli/load/driver/callers.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/absl_bridge.h"
#include "common/json.h"

namespace toolgate::cli::load::driver {
namespace {

absl::StatusOr<CallerIdentity> ParseLine(std::string_view line) {
  const absl::StatusOr<Json> json = ParseJson(line);
  if (!json.ok()) return json.status();
  if (!json->is_object()) return absl::InvalidArgumentError("must be an object");
  CallerIdentity identity;
  for (const auto& [key, value] : json->items()) {
    std::string* const target = key == "workspace" ? &identity.workspace
                                : key == "user"    ? &identity.user
                                : key == "token"   ? &identity.token
                                                   : nullptr;
    if (target == nullptr || !value.is_string()) {
      return absl::InvalidArgumentError("must have the texts workspace, user and token, and nothing else");
    }
    *target = value.get<std::string>();
  }
  const bool clean =
      std::all_of(identity.token.begin(), identity.token.end(), [](char c) { return c > ' ' && c < 127; });
  if (!clean) return absl::InvalidArgumentError("holds no token in \"token\"");
  // The ids of results are kept by workspace, also if a token would say it.
  if (identity.workspace.empty()) return absl::InvalidArgumentError("needs a \"workspace\"");
  return identity;
}

}  // namespace

Callers Callers::Generated(std::string workspace_prefix, std::string user_prefix, size_t workspaces, size_t users,
                           std::string token) {
  Callers callers;
  callers.workspace_prefix_ = std::move(workspace_prefix);
  callers.user_prefix_ = std::move(user_prefix);
  callers.token_ = std::move(token);
  callers.workspaces_ = workspaces;
  callers.users_ = users;
  return callers;
}

Callers Callers::Single(std::string workspace, std::string user, std::string token) {
  Callers callers;
  callers.listed_.push_back({0, std::move(workspace), std::move(user), std::move(token)});
  return callers;
}

absl::StatusOr<Callers> Callers::Parse(std::string_view text) {
  Callers callers;
  std::map<std::string, size_t> workspaces;
  int number = 0;
  for (const absl::string_view line : absl::StrSplit(ToAbsl(text), '\n')) {
    ++number;
    if (line.find_first_not_of(" \t\r") == absl::string_view::npos) continue;
    absl::StatusOr<CallerIdentity> identity = ParseLine(FromAbsl(line));
    if (!identity.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("line ", number, ": ", identity.status().message()));
    }
    identity->workspace_index = workspaces.emplace(identity->workspace, workspaces.size()).first->second;
    callers.listed_.push_back(*std::move(identity));
  }
  if (callers.listed_.empty()) return absl::InvalidArgumentError("lists no callers");
  callers.workspaces_ = workspaces.size();
  return callers;
}

bool Callers::have_tokens() const {
  return !token_.empty() ||
         std::any_of(listed_.begin(), listed_.end(), [](const CallerIdentity& row) { return !row.token.empty(); });
}

CallerIdentity Callers::At(size_t index) const {
  if (!listed_.empty()) return listed_[index];
  const size_t workspace = index % workspaces_;
  return {workspace, absl::StrCat(workspace_prefix_, "-", workspace + 1),
          absl::StrCat(user_prefix_, "-", index / workspaces_ + 1), token_};
}

CallerIdentity Callers::OfWorkspace(size_t workspace_index) const {
  if (listed_.empty()) return At(workspace_index);
  return *std::find_if(listed_.begin(), listed_.end(),
                       [&](const CallerIdentity& row) { return row.workspace_index == workspace_index; });
}

}  // namespace toolgate::cli::load::driver
