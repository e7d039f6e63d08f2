#include "cli/load/driver/classify.h"

#include <grpcpp/support/status.h>

#include <cstddef>
#include <string_view>

#include "common/grpc_status_name.h"
#include "common/proto_bytes.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace toolgate::cli::load::driver {
namespace {

using stats::Outcome;
using stats::OutcomeKind;

// Reason of the ErrorInfo in the status; empty if there is none.
std::string ReasonOf(const grpc::Status& status) {
  google::rpc::Status details;
  if (status.error_details().empty() || !ParseProto(status.error_details(), details).ok()) return "";
  for (const google::protobuf::Any& detail : details.details()) {
    if (google::rpc::ErrorInfo info; UnpackProto(detail, info)) return info.reason();
  }
  return "";
}

}  // namespace

Outcome Classify(const grpc::Status& status, const v1::ExecuteResponse& response) {
  if (!status.ok()) {
    std::string name(GrpcStatusName(status.error_code()));
    std::string reason = ReasonOf(status);
    if (reason.empty()) return {OutcomeKind::kTransport, name, name};
    return {OutcomeKind::kRefused, std::move(reason), std::move(name)};
  }
  if (response.has_confirmation_request()) return {OutcomeKind::kConfirmation, "CONFIRMATION_REQUIRED"};
  if (response.has_result() && !response.result().success()) {
    const std::string& code = response.result().error().code();
    return {OutcomeKind::kToolFailed, code.empty() ? "UNKNOWN" : code};
  }
  return {};
}

Outcome RequireFinding(Outcome outcome, const v1::ExecuteResponse& response) {
  if (outcome.kind == OutcomeKind::kOk && response.result().injection_findings().empty()) {
    outcome.code = stats::kNotDetected;
  }
  return outcome;
}

std::string MessageOf(const grpc::Status& status, const v1::ExecuteResponse& response) {
  if (!status.ok()) return status.error_message();
  if (response.has_confirmation_request()) return response.confirmation_request().summary();
  return response.result().error().message();
}

}  // namespace toolgate::cli::load::driver
