// Outcomes of RPCs.
#ifndef TOOLGATE_CLI_LOAD_DRIVER_CLASSIFY_H_
#define TOOLGATE_CLI_LOAD_DRIVER_CLASSIFY_H_

#include <string>

#include "cli/load/stats/outcome.h"
#include "toolgate/v1/tool_service.pb.h"

namespace grpc {
class Status;
}  // namespace grpc

namespace toolgate::cli::load::driver {

// Outcome of Execute, or of another RPC whose success leaves `response` empty.
stats::Outcome Classify(const grpc::Status& status, const v1::ExecuteResponse& response);

// Makes an OK answer of Execute in which layer 1 has found nothing stats::kNotDetected.
stats::Outcome RequireFinding(stats::Outcome outcome, const v1::ExecuteResponse& response);

// Explanation of an outcome for people; may be empty.
std::string MessageOf(const grpc::Status& status, const v1::ExecuteResponse& response);

}  // namespace toolgate::cli::load::driver

#endif  // TOOLGATE_CLI_LOAD_DRIVER_CLASSIFY_H_
