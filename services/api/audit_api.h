// RPCs of toolgate.v1.AuditService.
#ifndef TOOLGATE_SERVICES_API_AUDIT_API_H_
#define TOOLGATE_SERVICES_API_AUDIT_API_H_

#include "absl/status/status.h"
#include "common/fibers/cancellation.h"
#include "services/api/known_call.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::services::api {

// Every answer includes what was audited before the question came: waiting entries are flushed first. May block; a
// status is safe to show. Thread-safe.

absl::Status SearchEntries(const KnownCall& call, const v1::SearchEntriesRequest& request,
                           v1::SearchEntriesResponse& response, fibers::Cancellation& cancellation);
absl::Status GetEntry(const KnownCall& call, const v1::GetEntryRequest& request, v1::GetEntryResponse& response,
                      fibers::Cancellation& cancellation);
absl::Status VerifyChain(const KnownCall& call, const v1::VerifyChainRequest& request,
                         v1::VerifyChainResponse& response, fibers::Cancellation& cancellation);

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_AUDIT_API_H_
