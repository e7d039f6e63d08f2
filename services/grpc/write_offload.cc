#include "services/grpc/write_offload.h"

#include <grpc/grpc.h>

namespace toolgate::services::grpc {

// grpc_core::Executor::SetThreadingDefault(bool) of gRPC's src/core/lib/iomgr/executor.h, which is not installed: ends
// or starts the threads of the pool for work that is to leave the calling thread. DNS has a pool of its own. Weak: null
// where gRPC has no such function.
void SetThreadingDefault(bool enable) __asm__("_ZN9grpc_core8Executor19SetThreadingDefaultEb") __attribute__((weak));

void StopWriteOffload() {
  grpc_init();  // Never undone: a gRPC that ends and starts again would have the pool again.
  if (SetThreadingDefault != nullptr) SetThreadingDefault(false);
}

}  // namespace toolgate::services::grpc
