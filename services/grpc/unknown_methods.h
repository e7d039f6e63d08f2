// Methods that no service has.
#ifndef TOOLGATE_SERVICES_GRPC_UNKNOWN_METHODS_H_
#define TOOLGATE_SERVICES_GRPC_UNKNOWN_METHODS_H_

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <functional>
#include <utility>

#include "absl/status/status.h"

namespace toolgate::services::grpc {

// Answers every method that no service of the server has UNIMPLEMENTED in words: gRPC by itself says nothing.
// Thread-safe.
class UnknownMethods final : public ::grpc::CallbackGenericService {
 public:
  // Verifies the credentials of a call; anything but OK is the answer, safe to show. Runs on gRPC's threads.
  using Authenticate = std::function<absl::Status(const ::grpc::ServerContextBase& context)>;

  // Null: no credentials are needed.
  explicit UnknownMethods(Authenticate authenticate) : authenticate_(std::move(authenticate)) {}

 private:
  ::grpc::ServerGenericBidiReactor* CreateReactor(::grpc::GenericCallbackServerContext* context) override;

  const Authenticate authenticate_;
};

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_UNKNOWN_METHODS_H_
