// What gRPC and Protobuf have to say, in the operator's log.
#ifndef TOOLGATE_OBSERVABILITY_LIBRARY_LOG_H_
#define TOOLGATE_OBSERVABILITY_LIBRARY_LOG_H_

#include "observability/logger.h"

namespace toolgate::observability {

// As long as it lives, both libraries log through `logger` instead of writing raw lines to standard error: as "library
// log" with the library, its own text and the place in its code. What they call an error is mostly a peer's doing (a
// handshake that failed, a text that is no UTF-8), and a warning here; what ends the process is an error. How much gRPC
// says is told by its own variable, GRPC_VERBOSITY.
//
// The hooks are the process's: one at a time, made before anything is served. What a thread of theirs says after the
// end is dropped.
class LibraryLog {
 public:
  // Borrows `logger`.
  LibraryLog(Logger& logger, LogMask mask);
  ~LibraryLog();
  LibraryLog(const LibraryLog&) = delete;
  LibraryLog& operator=(const LibraryLog&) = delete;
};

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_LIBRARY_LOG_H_
