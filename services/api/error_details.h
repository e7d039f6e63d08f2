// Refusals in the form in which clients of every transport get them.
#ifndef TOOLGATE_SERVICES_API_ERROR_DETAILS_H_
#define TOOLGATE_SERVICES_API_ERROR_DETAILS_H_

#include "absl/status/status.h"
#include "google/rpc/status.pb.h"

namespace toolgate::services::api {

// Form of `status` for clients. It is not OK and carries a ToolError. The code is that of `status`, the message
// the ToolError's, and the details are exactly one ErrorInfo (reason = the error's code, domain "toolgate.v1", metadata
// = its facts), and BadRequest (violations), RetryInfo (retry_after) and QuotaFailure (limits) where they apply.
//
// The whole stays below the 8 KiB of trailers that gRPC clients accept by default: long texts are cut, and violations
// that do not fit are counted in the metadata "violationsOmitted".
//
// A failure without a ToolError has not passed layer 5, so nothing of it may be shown: the answer is then INTERNAL,
// reason EXECUTION_ERROR, with a neutral message.
google::rpc::Status ToRpcStatus(const absl::Status& status);

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_ERROR_DETAILS_H_
