// toolgate.v1.DataService on the wire.
#ifndef TOOLGATE_SERVICES_RPC_DATA_SERVICE_H_
#define TOOLGATE_SERVICES_RPC_DATA_SERVICE_H_

#include <grpcpp/support/byte_buffer.h>

#include "services/rpc/rpc_runtime.h"
#include "toolgate/v1/data_service.grpc.pb.h"

namespace toolgate::services::rpc {

// With bytes instead of messages: nothing is parsed before the caller is known.
using DataServiceOfBytes =
    v1::DataService::WithRawCallbackMethod_ImportBlocks<v1::DataService::WithRawCallbackMethod_ExportBlocks<
        v1::DataService::WithRawCallbackMethod_Backup<v1::DataService::Service>>>;

// Bulk work for operators. It goes by the block model's rules, but not through the layers around tools: an import is
// neither limited nor undoable, and each batch leaves one audit entry. Thread-safe.
class DataService final : public DataServiceOfBytes {
 public:
  // Borrows `runtime`.
  explicit DataService(RpcRuntime& runtime) : runtime_(runtime) {}

  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* ImportBlocks(
      grpc::CallbackServerContext* context) override;
  grpc::ServerWriteReactor<grpc::ByteBuffer>* ExportBlocks(grpc::CallbackServerContext* context,
                                                           const grpc::ByteBuffer* request) override;
  grpc::ServerWriteReactor<grpc::ByteBuffer>* Backup(grpc::CallbackServerContext* context,
                                                     const grpc::ByteBuffer* request) override;

 private:
  RpcRuntime& runtime_;
};

}  // namespace toolgate::services::rpc

#endif  // TOOLGATE_SERVICES_RPC_DATA_SERVICE_H_
