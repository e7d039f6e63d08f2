#include "services/grpc/data_service.h"

#include "services/api/data_api.h"
#include "services/grpc/import_call.h"
#include "services/grpc/stream_writer.h"

namespace toolgate::services::grpc {

::grpc::ServerBidiReactor<::grpc::ByteBuffer, ::grpc::ByteBuffer>* DataService::ImportBlocks(
    ::grpc::CallbackServerContext* context) {
  return new ImportCall(runtime_, *context);
}

::grpc::ServerWriteReactor<::grpc::ByteBuffer>* DataService::ExportBlocks(::grpc::CallbackServerContext* context,
                                                                          const ::grpc::ByteBuffer* request) {
  return StartStream(runtime_, *context, api::Rpc::kExportBlocks, *request, api::ExportBlocks);
}

::grpc::ServerWriteReactor<::grpc::ByteBuffer>* DataService::Backup(::grpc::CallbackServerContext* context,
                                                                    const ::grpc::ByteBuffer* request) {
  return StartStream(runtime_, *context, api::Rpc::kBackup, *request, api::Backup);
}

}  // namespace toolgate::services::grpc
