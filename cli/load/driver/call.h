// One call of a load test, with all the RPCs that it leads to.
#ifndef TOOLGATE_CLI_LOAD_DRIVER_CALL_H_
#define TOOLGATE_CLI_LOAD_DRIVER_CALL_H_

#include <grpcpp/client_context.h>
#include <grpcpp/support/async_stream.h>
#include <grpcpp/support/async_unary_call.h>
#include <grpcpp/support/status.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "cli/load/driver/callers.h"
#include "cli/load/profile/profile.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::cli::load::driver {

// RPCs of a call. Each is an operation of its own in the report.
enum class Phase { kCall, kDecision, kRepeat };
inline constexpr size_t kPhases = 3;

// Event that a streamed RPC waits for. Unary RPCs only wait for kFinish.
enum class Awaited { kStart, kRead, kFinish };

// Tag of the completion queue. Used by one thread at a time.
struct Call {
  const profile::CallKind* kind = nullptr;
  size_t kind_index = 0;
  int64_t number = 0;  // In the run.
  CallerIdentity caller;
  size_t target = 0;
  size_t connection = 0;

  // The current RPC.
  Phase phase = Phase::kCall;
  Awaited awaited = Awaited::kFinish;
  int64_t intended = 0;
  int64_t started = 0;
  std::unique_ptr<grpc::ClientContext> context;
  grpc::Status status;
  std::unique_ptr<grpc::ClientAsyncResponseReader<v1::ExecuteResponse>> unary;
  std::unique_ptr<grpc::ClientAsyncReader<v1::ExecuteStreamResponse>> stream;
  std::unique_ptr<grpc::ClientAsyncResponseReader<v1::DecideConfirmationResponse>> decision;

  v1::ExecuteRequest request;
  v1::ExecuteResponse response;
  v1::ExecuteStreamResponse event;
  v1::DecideConfirmationResponse decided;
  int64_t events = 0;  // Of the stream.

  // Neighbours in the list of running calls.
  Call* previous = nullptr;
  Call* next = nullptr;
};

}  // namespace toolgate::cli::load::driver

#endif  // TOOLGATE_CLI_LOAD_DRIVER_CALL_H_
