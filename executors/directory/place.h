// The identity of the disk that a workspace's files are on.
//
// The store may be shared by processes that do not share disks. A change of files is recovered, or undone, only where
// its files are: the claim and the undo entry hold the place, which is the content of .toolgate/place. A directory that
// was copied has the place of its original.
#ifndef TOOLGATE_EXECUTORS_DIRECTORY_PLACE_H_
#define TOOLGATE_EXECUTORS_DIRECTORY_PLACE_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/directory/directory.h"

namespace toolgate::executors::directory {

// The directory's place; "" if it has none yet.
absl::StatusOr<std::string> FindPlace(const Directory& directory);

// The directory's place, made durable if it had none. The caller holds the directory's lock.
absl::StatusOr<std::string> MakePlace(const Directory& directory);

// These return OK if `place` is the directory's, or empty: earlier releases recorded none. Otherwise
// FAILED_PRECONDITION without a ToolError, so that the claim stays for the process that has the disk,
absl::Status CheckPlaceForRecovery(const Directory& directory, std::string_view place);
// or CANNOT_UNDO.
absl::Status CheckPlaceForUndo(const Directory& directory, std::string_view place);

}  // namespace toolgate::executors::directory

#endif  // TOOLGATE_EXECUTORS_DIRECTORY_PLACE_H_
