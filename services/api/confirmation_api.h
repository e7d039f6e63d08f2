// RPCs of toolgate.v1.ToolService with which people decide on pending confirmations.
#ifndef TOOLGATE_SERVICES_API_CONFIRMATION_API_H_
#define TOOLGATE_SERVICES_API_CONFIRMATION_API_H_

#include "absl/status/status.h"
#include "common/fibers/cancellation.h"
#include "services/api/known_call.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::services::api {

// May block; a status is safe to show. Thread-safe.

// Pending confirmations of the caller's workspace.
absl::Status ListConfirmations(const KnownCall& call, const v1::ListConfirmationsRequest& request,
                               v1::ListConfirmationsResponse& response, fibers::Cancellation& cancellation);

// Stores the decision together with its audit entry. Deciding again the same way answers the same; deciding otherwise,
// or too late, is a CONFLICT.
absl::Status DecideConfirmation(const KnownCall& call, const v1::DecideConfirmationRequest& request,
                                v1::DecideConfirmationResponse& response, fibers::Cancellation& cancellation);

// Waits for a decision, on a fiber that holds no thread meanwhile. NOT_FOUND unless the caller asked the question or
// may decide it; OVERLOADED when too many wait already.
absl::Status WaitConfirmation(const KnownCall& call, const v1::WaitConfirmationRequest& request,
                              v1::WaitConfirmationResponse& response, fibers::Cancellation& cancellation);

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_CONFIRMATION_API_H_
