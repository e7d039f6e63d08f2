// Which thread writes answers to the network.
//
// gRPC 1.51 runs all work on a connection one piece after the other (its "combiner"). A thread that ends a call while
// another one is at work on the same connection hands the writing to one more thread, of gRPC's own pool. That costs
// two wake-ups, and did for every eighth call of a connection with 16 in flight. Without the pool the thread writes by
// itself.
//
// gRPC has no public switch for this, only the function that its handling of fork() uses. A newer gRPC without that
// function lets this file go; the program then links all the same, and StopWriteOffload does nothing.
#ifndef TOOLGATE_SERVICES_GRPC_WRITE_OFFLOAD_H_
#define TOOLGATE_SERVICES_GRPC_WRITE_OFFLOAD_H_

namespace toolgate::services::grpc {

// For the whole process, whose gRPC it starts and keeps. To be called before anything else uses gRPC, since the end of
// the pool is not safe while others give it work.
void StopWriteOffload();

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_WRITE_OFFLOAD_H_
