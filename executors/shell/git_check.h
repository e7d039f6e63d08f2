// A look at what a command leaves in repositories, before it is kept.
#ifndef TOOLGATE_EXECUTORS_SHELL_GIT_CHECK_H_
#define TOOLGATE_EXECUTORS_SHELL_GIT_CHECK_H_

#include "absl/status/status.h"
#include "common/fibers/cancellation.h"
#include "executors/directory/directory.h"
#include "executors/shell/change_plan.h"

namespace toolgate::executors::shell {

// FORBIDDEN, naming the path and the remedy, when what the plan makes of a repository would have a later git run
// something, write into a repository's folder, or lose files that commands do not see. CONFLICT when some other git is
// at work in a repository that the plan changes. `upper` has the contents of the plan's files.
absl::Status CheckRepositories(const directory::Directory& directory, int upper, const ChangePlan& plan,
                               const fibers::Cancellation& cancellation);

}  // namespace toolgate::executors::shell

#endif  // TOOLGATE_EXECUTORS_SHELL_GIT_CHECK_H_
