// Limits the waiting and running time of a read, and names the call that it is for.
#ifndef TOOLGATE_STORAGE_READ_PATIENCE_H_
#define TOOLGATE_STORAGE_READ_PATIENCE_H_

#include "common/fairness/fair_shares.h"
#include "common/fibers/cancellation.h"
#include "observability/tracing/call_span.h"

namespace toolgate::storage {

struct ReadPatience {
  // The call that the read is for. When it ends, the wait for a snapshot, a search's wait for its index, and every
  // statement end too, with CANCELLED or TIMEOUT (ToolError). Borrowed; nullptr: nothing ends the read.
  const fibers::Cancellation* cancellation = nullptr;
  // False on a thread that must not block: then a snapshot is made at once, however many there are already.
  bool may_wait = true;
  // The call's place in its trace.
  observability::tracing::CallSpan call_span = {};
  // Caller of the read. Snapshots are few, and a user and a workspace have shares of them. Borrowed.
  fairness::Party party = {};
  // Reads much, for a client that takes it in as it comes: an export, a search of the audit log. Such reads have
  // snapshots of their own, so that they keep no other read waiting.
  bool is_long = false;
};

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_READ_PATIENCE_H_
