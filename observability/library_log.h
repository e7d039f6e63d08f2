// Redirects the logs of gRPC and Protobuf to the operator's log.
#ifndef TOOLGATE_OBSERVABILITY_LIBRARY_LOG_H_
#define TOOLGATE_OBSERVABILITY_LIBRARY_LOG_H_

#include "observability/logger.h"

namespace toolgate::observability {

// While it lives, both libraries log through `logger` instead of writing raw lines to standard error: as "library log"
// with the library, its message and the place in its code. Most of their errors are caused by a peer (a failed
// handshake, text that is not UTF-8) and become warnings; messages that end the process are errors. gRPC's own variable
// GRPC_VERBOSITY sets how much it logs.
//
// The hooks belong to the process: there may be one instance at a time, created before serving starts. Messages after
// its end are dropped.
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
