// How long a read may wait and run.
#ifndef TOOLGATE_STORAGE_READ_PATIENCE_H_
#define TOOLGATE_STORAGE_READ_PATIENCE_H_

#include "common/cancellation.h"

namespace toolgate::storage {

struct ReadPatience {
  // The call that the read is for. Once it is over, so are the wait for a snapshot, a search's wait for its index, and
  // every statement, with CANCELLED or TIMEOUT (ToolError). Borrowed; nullptr: nothing ends the read.
  const Cancellation* cancellation = nullptr;
  // False on a thread that others need to get on: then there is a snapshot at once, however many there are already.
  bool may_wait = true;
};

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_READ_PATIENCE_H_
