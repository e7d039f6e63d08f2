// Objects of a git repository, which others may use once they are there.
#ifndef TOOLGATE_EXECUTORS_DIRECTORY_GIT_OBJECTS_H_
#define TOOLGATE_EXECUTORS_DIRECTORY_GIT_OBJECTS_H_

#include <vector>

#include "absl/status/status.h"
#include "executors/directory/directory.h"
#include "executors/directory/file_state.h"

namespace toolgate::executors::directory {

// Turns removals of objects into no change, but for those in a repository that is itself removed: a commit or tag of
// someone else's may need them by now, and objects that nothing needs do no harm. CONFLICT when objects that an
// earlier undo has left, and that the changes build on, are gone.
absl::Status LeaveObjects(const Directory& directory, std::vector<Change>& changes);

}  // namespace toolgate::executors::directory

#endif  // TOOLGATE_EXECUTORS_DIRECTORY_GIT_OBJECTS_H_
