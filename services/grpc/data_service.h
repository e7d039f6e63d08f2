// toolgate.v1.DataService on the wire.
#ifndef TOOLGATE_SERVICES_GRPC_DATA_SERVICE_H_
#define TOOLGATE_SERVICES_GRPC_DATA_SERVICE_H_

#include <grpcpp/support/byte_buffer.h>

#include "services/grpc/grpc_runtime.h"
#include "toolgate/v1/data_service.grpc.pb.h"

namespace toolgate::services::grpc {

// With bytes instead of messages: nothing is parsed before the caller is known.
using DataServiceOfBytes =
    v1::DataService::WithRawCallbackMethod_ImportBlocks<v1::DataService::WithRawCallbackMethod_ExportBlocks<
        v1::DataService::WithRawCallbackMethod_Backup<v1::DataService::Service>>>;

// Thread-safe.
class DataService final : public DataServiceOfBytes {
 public:
  // Borrows `runtime`.
  explicit DataService(GrpcRuntime& runtime) : runtime_(runtime) {}

  ::grpc::ServerBidiReactor<::grpc::ByteBuffer, ::grpc::ByteBuffer>* ImportBlocks(
      ::grpc::CallbackServerContext* context) override;
  ::grpc::ServerWriteReactor<::grpc::ByteBuffer>* ExportBlocks(::grpc::CallbackServerContext* context,
                                                               const ::grpc::ByteBuffer* request) override;
  ::grpc::ServerWriteReactor<::grpc::ByteBuffer>* Backup(::grpc::CallbackServerContext* context,
                                                         const ::grpc::ByteBuffer* request) override;

 private:
  GrpcRuntime& runtime_;
};

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_DATA_SERVICE_H_
