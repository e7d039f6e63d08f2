// Changes as effects and journals store them.
#ifndef TOOLGATE_EXECUTORS_DIRECTORY_STORED_CHANGE_H_
#define TOOLGATE_EXECUTORS_DIRECTORY_STORED_CHANGE_H_

#include "executors/directory/changes.pb.h"
#include "executors/directory/file_state.h"

namespace toolgate::executors::directory {

// Without old contents.
PathChange ToProto(const Change& change);
Change FromProto(const PathChange& row);

}  // namespace toolgate::executors::directory

#endif  // TOOLGATE_EXECUTORS_DIRECTORY_STORED_CHANGE_H_
