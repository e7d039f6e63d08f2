// The RPC ImportBlocks on the wire.
#ifndef TOOLGATE_SERVICES_GRPC_IMPORT_CALL_H_
#define TOOLGATE_SERVICES_GRPC_IMPORT_CALL_H_

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/fibers/cancellation.h"
#include "services/api/block_import.h"
#include "services/grpc/call_tracker.h"
#include "services/grpc/grpc_runtime.h"
#include "services/grpc/rpc_timer.h"
#include "toolgate/v1/data_service.pb.h"

namespace toolgate::services::grpc {

// Authenticates the caller on a worker thread before it reads anything. Then reads a batch, has it committed on a
// worker thread, reports, and reads the next. A batch that fails ends the stream; those before it stay. Owns itself.
class ImportCall final : public ::grpc::ServerBidiReactor<::grpc::ByteBuffer, ::grpc::ByteBuffer>, public TrackedCall {
 public:
  ImportCall(GrpcRuntime& runtime, ::grpc::CallbackServerContext& context);

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override { cancellation_.Cancel(); }
  void OnDone() override;
  void Cancel() override { cancellation_.Cancel(); }

 private:
  void Submit(void (ImportCall::*work)());
  void Begin();
  absl::Status Authenticate();
  void Run();
  absl::Status ImportBatch();
  absl::Status ReadBatch();
  void End(const absl::Status& status);

  GrpcRuntime& runtime_;
  ::grpc::CallbackServerContext& context_;
  RpcTimer timer_;
  fibers::Cancellation cancellation_;
  std::optional<api::BlockImport> import_;  // Since Begin.
  ::grpc::ByteBuffer received_bytes_;
  v1::ImportBlocksRequest request_;
  api::InputBudget::Lease room_;  // Of the request.
  ::grpc::ByteBuffer response_bytes_;
  absl::Duration received_;  // When the present batch, or at first the call, came, on the monotonic clock.
};

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_SERVICES_GRPC_IMPORT_CALL_H_
