// How long a read may wait before it begins.
#ifndef TOOLGATE_STORAGE_READ_PATIENCE_H_
#define TOOLGATE_STORAGE_READ_PATIENCE_H_

#include "common/cancellation.h"

namespace toolgate::storage {

struct ReadPatience {
  // Ends the wait for a snapshot, and a search's wait for its index. Borrowed; nullptr: nothing ends it.
  const Cancellation* cancellation = nullptr;
  // False on a thread that others need to get on: then there is a snapshot at once, however many there are already.
  bool may_wait = true;
};

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_READ_PATIENCE_H_
