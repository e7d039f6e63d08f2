// toolgate.v1.DataService on the wire.
#ifndef TOOLGATE_SERVICES_RPC_DATA_SERVICE_H_
#define TOOLGATE_SERVICES_RPC_DATA_SERVICE_H_

#include "services/rpc/rpc_runtime.h"
#include "toolgate/v1/data_service.grpc.pb.h"

namespace toolgate::services::rpc {

// Bulk work for operators. It goes by the block model's rules, but not through the layers around tools: an import is
// neither limited nor undoable, and each batch leaves one audit entry. Thread-safe.
class DataService final : public v1::DataService::CallbackService {
 public:
  // Borrows `runtime`.
  explicit DataService(RpcRuntime& runtime) : runtime_(runtime) {}

  grpc::ServerBidiReactor<v1::ImportBlocksRequest, v1::ImportBlocksResponse>* ImportBlocks(
      grpc::CallbackServerContext* context) override;
  grpc::ServerWriteReactor<v1::ExportBlocksResponse>* ExportBlocks(grpc::CallbackServerContext* context,
                                                                   const v1::ExportBlocksRequest* request) override;
  grpc::ServerWriteReactor<v1::BackupResponse>* Backup(grpc::CallbackServerContext* context,
                                                       const v1::BackupRequest* request) override;

 private:
  RpcRuntime& runtime_;
};

}  // namespace toolgate::services::rpc

#endif  // TOOLGATE_SERVICES_RPC_DATA_SERVICE_H_
