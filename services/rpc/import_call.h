// The RPC ImportBlocks.
#ifndef TOOLGATE_SERVICES_RPC_IMPORT_CALL_H_
#define TOOLGATE_SERVICES_RPC_IMPORT_CALL_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <cstdint>
#include <optional>
#include <string>

#include "common/cancellation.h"
#include "common/json.h"
#include "services/rpc/known_call.h"
#include "services/rpc/rpc_runtime.h"
#include "toolgate/v1/data_service.pb.h"

namespace toolgate::services::rpc {

// Authenticates the caller on a worker thread before it reads anything. Then reads a batch, commits it on a worker
// thread, reports, and reads the next. A batch that fails ends the stream; those before it stay. Owns itself.
class ImportCall final : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>, public TrackedCall {
 public:
  ImportCall(RpcRuntime& runtime, grpc::CallbackServerContext& context);

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
  int64_t BlocksInBatch() const;
  Json Params() const;  // What the audit log tells of a batch.
  absl::Status AdmitFirst();
  absl::Status CreateAll(storage::Transaction& tx, absl::Time now) const;
  void End(const absl::Status& status);

  RpcRuntime& runtime_;
  grpc::CallbackServerContext& context_;
  const RpcTimer timer_;
  Cancellation cancellation_;
  std::optional<KnownCall> known_;  // Since Begin.
  std::optional<Caller> caller_;    // Since the first message.
  std::string root_id_;
  grpc::ByteBuffer received_bytes_;
  v1::ImportBlocksRequest request_;
  grpc::ByteBuffer response_bytes_;
  absl::Duration received_;  // When the present batch, or at first the call, came, on the monotonic clock.
  int64_t taken_ = 0;        // Rows of the batches before.
  int64_t imported_ = 0;     // Those of them that are blocks.
};

}  // namespace toolgate::services::rpc

#endif  // TOOLGATE_SERVICES_RPC_IMPORT_CALL_H_
