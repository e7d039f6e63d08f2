// Callers of a load test.
#ifndef TOOLGATE_CLI_LOAD_DRIVER_CALLERS_H_
#define TOOLGATE_CLI_LOAD_DRIVER_CALLERS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace toolgate::cli::load::driver {

// One user of one workspace.
struct CallerIdentity {
  size_t workspace_index = 0;
  std::string workspace;
  std::string user;
  std::string token;  // Bearer token; may be empty.
};

// Immutable.
class Callers {
 public:
  // `workspaces` times `users` callers named PREFIX-1 and so on, with one token for all.
  static Callers Generated(std::string workspace_prefix, std::string user_prefix, size_t workspaces, size_t users,
                           std::string token);
  // A single caller with exactly these names.
  static Callers Single(std::string workspace, std::string user, std::string token);
  // Reads JSON Lines {"workspace", "user", "token"?}. INVALID_ARGUMENT with the line.
  static absl::StatusOr<Callers> Parse(std::string_view text);

  size_t size() const { return listed_.empty() ? workspaces_ * users_ : listed_.size(); }
  size_t workspace_count() const { return workspaces_; }
  bool have_tokens() const;
  CallerIdentity At(size_t index) const;
  // Some caller of a workspace, for its set-up.
  CallerIdentity OfWorkspace(size_t workspace_index) const;

 private:
  std::vector<CallerIdentity> listed_;
  std::string workspace_prefix_;
  std::string user_prefix_;
  std::string token_;
  size_t workspaces_ = 1;
  size_t users_ = 1;
};

}  // namespace toolgate::cli::load::driver

#endif  // TOOLGATE_CLI_LOAD_DRIVER_CALLERS_H_
