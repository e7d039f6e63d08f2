#include "services/grpc/unknown_methods.h"

#include <grpcpp/support/byte_buffer.h>

#include "absl/strings/str_cat.h"
#include "services/api/unimplemented.h"
#include "services/grpc/rpc_status.h"

namespace toolgate::services::grpc {
namespace {

constexpr size_t kMaxShownBytes = 100;

// Ends the call, and then itself.
class Refusal final : public ::grpc::ServerGenericBidiReactor {
 public:
  explicit Refusal(const ::grpc::Status& status) { Finish(status); }
  void OnDone() override { delete this; }
};

}  // namespace

::grpc::ServerGenericBidiReactor* UnknownMethods::CreateReactor(::grpc::GenericCallbackServerContext* context) {
  if (authenticate_ != nullptr) {
    if (const absl::Status refusal = authenticate_(*context); !refusal.ok()) return new Refusal(ToGrpcStatus(refusal));
  }
  // A path is of printable ASCII, HTTP/2 sees to it; a client may still have sent a long one.
  const std::string& method = context->method();
  const std::string shown = method.size() > kMaxShownBytes ? method.substr(0, kMaxShownBytes) + "…" : method;
  return new Refusal(ToGrpcStatus(api::Unimplemented(absl::StrCat("this service does not serve ", shown))));
}

}  // namespace toolgate::services::grpc
