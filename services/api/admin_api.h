// RPCs of toolgate.v1.AdminService.
#ifndef TOOLGATE_SERVICES_API_ADMIN_API_H_
#define TOOLGATE_SERVICES_API_ADMIN_API_H_

#include "absl/status/status.h"
#include "common/fibers/cancellation.h"
#include "services/api/known_call.h"
#include "toolgate/v1/admin_service.pb.h"

namespace toolgate::services::api {

// May block; a status is safe to show. Thread-safe.

absl::Status ListBreakers(const KnownCall& call, const v1::ListBreakersRequest& request,
                          v1::ListBreakersResponse& response, fibers::Cancellation& cancellation);
absl::Status ResetBreaker(const KnownCall& call, const v1::ResetBreakerRequest& request,
                          v1::ResetBreakerResponse& response, fibers::Cancellation& cancellation);

// UNIMPLEMENTED: it comes with tools that are not built in.
absl::Status ReloadCatalog(const KnownCall& call, const v1::ReloadCatalogRequest& request,
                           v1::ReloadCatalogResponse& response, fibers::Cancellation& cancellation);

absl::Status GetQuotaUsage(const KnownCall& call, const v1::GetQuotaUsageRequest& request,
                           v1::GetQuotaUsageResponse& response, fibers::Cancellation& cancellation);

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_ADMIN_API_H_
