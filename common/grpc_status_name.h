// Names of gRPC status codes.
#ifndef TOOLGATE_COMMON_GRPC_STATUS_NAME_H_
#define TOOLGATE_COMMON_GRPC_STATUS_NAME_H_

#include <string_view>

namespace toolgate {

// Name of a gRPC status code as gRPC's documents and OpenTelemetry's conventions write it, such as "NOT_FOUND". A
// number that is no code is "UNKNOWN", as clients of gRPC read it. Static text.
std::string_view GrpcStatusName(int code);

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_GRPC_STATUS_NAME_H_
