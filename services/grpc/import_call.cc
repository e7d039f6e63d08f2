#include "services/grpc/import_call.h"

#include <utility>

#include "common/status_macros.h"
#include "common/tool_error.h"
#include "services/api/known_call.h"
#include "services/api/take_up.h"
#include "services/grpc/inbound.h"
#include "services/grpc/message_bytes.h"
#include "services/grpc/rpc_status.h"
#include "services/grpc/worker_call.h"

namespace toolgate::services::grpc {

using api::Rpc;

ImportCall::ImportCall(GrpcRuntime& runtime, ::grpc::CallbackServerContext& context)
    : runtime_(runtime),
      context_(context),
      timer_(runtime.shared, Rpc::kImportBlocks, context),
      received_(timer_.started()) {
  runtime_.calls.Add(*this);
  Submit(&ImportCall::Begin);
}

void ImportCall::Submit(void (ImportCall::*work)()) {
  if (!runtime_.workers.Submit([this, work] { (this->*work)(); })) End(api::NoWorker(runtime_.shared));
}

void ImportCall::Begin() {
  if (const absl::Status status = Authenticate(); !status.ok()) {
    End(status);
  } else {
    StartRead(&received_bytes_);
  }
}

absl::Status ImportCall::Authenticate() {
  RETURN_IF_ERROR(TakeUp(runtime_.shared, context_, cancellation_, received_));
  ASSIGN_OR_RETURN(api::KnownCall known, api::KnownCall::Authenticate(runtime_.shared, Rpc::kImportBlocks,
                                                                      InboundOf(runtime_, context_, timer_)));
  import_.emplace(std::move(known));
  return absl::OkStatus();
}

void ImportCall::OnReadDone(bool ok) {
  received_ = runtime_.shared.clock.Monotonic();
  if (ok) {
    Submit(&ImportCall::Run);
  } else {
    End(absl::OkStatus());
  }
}

void ImportCall::OnWriteDone(bool ok) {
  if (ok) {
    StartRead(&received_bytes_);
  } else {
    End(MakeError(ErrorCode::kCancelled, "the client left during an import"));
  }
}

void ImportCall::OnDone() {
  runtime_.calls.Remove(*this);
  delete this;
}

void ImportCall::Run() {
  if (const absl::Status status = ImportBatch(); !status.ok()) return End(status);
  StartWrite(&response_bytes_);
}

absl::Status ImportCall::ImportBatch() {
  if (const absl::Status read = ReadBatch(); !read.ok()) return import_->Fail(request_, read);
  v1::ImportBlocksResponse response;
  RETURN_IF_ERROR(import_->Take(request_, response, cancellation_));
  // The next one may be long in coming.
  request_ = v1::ImportBlocksRequest();
  room_.Release();
  return WriteMessage(response, response_bytes_);
}

absl::Status ImportCall::ReadBatch() {
  RETURN_IF_ERROR(TakeUp(runtime_.shared, context_, cancellation_, received_));
  ASSIGN_OR_RETURN(room_, ReadMessage(import_->known(), received_bytes_, request_));
  received_bytes_.Clear();
  return absl::OkStatus();
}

void ImportCall::End(const absl::Status& status) {
  const ::grpc::Status end = ToGrpcStatus(status);
  timer_.Finished(end.error_code());
  Finish(end);
}

}  // namespace toolgate::services::grpc
