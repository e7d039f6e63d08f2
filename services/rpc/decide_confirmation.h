// A person's decision on a pending confirmation.
#ifndef TOOLGATE_SERVICES_RPC_DECIDE_CONFIRMATION_H_
#define TOOLGATE_SERVICES_RPC_DECIDE_CONFIRMATION_H_

#include "absl/status/status.h"
#include "common/cancellation.h"
#include "services/rpc/known_call.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::services::rpc {

// Stores the decision together with its audit entry. Deciding again the same way answers the same; deciding otherwise,
// or too late, is a CONFLICT. The status is safe to show.
absl::Status DecideConfirmationFor(const KnownCall& call, const v1::DecideConfirmationRequest& request,
                                   const Cancellation& cancellation, v1::DecideConfirmationResponse& response);

}  // namespace toolgate::services::rpc

#endif  // TOOLGATE_SERVICES_RPC_DECIDE_CONFIRMATION_H_
