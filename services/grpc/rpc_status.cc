#include "services/grpc/rpc_status.h"

#include "common/proto_bytes.h"
#include "google/rpc/status.pb.h"
#include "services/api/error_details.h"

namespace toolgate::services::grpc {

::grpc::Status ToGrpcStatus(const absl::Status& status) {
  if (status.ok()) return ::grpc::Status::OK;
  const google::rpc::Status details = api::ToRpcStatus(status);
  return ::grpc::Status(static_cast<::grpc::StatusCode>(details.code()), details.message(),
                        SerializeProto(details).value_or(""));
}

}  // namespace toolgate::services::grpc
