// An RPC whose credentials are good, and a line in the operator's log about those whose are not.
#ifndef TOOLGATE_SERVICES_API_KNOWN_CALL_H_
#define TOOLGATE_SERVICES_API_KNOWN_CALL_H_

#include <memory>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/caller.h"
#include "common/fibers/cancellation.h"
#include "common/json.h"
#include "observability/tracing/call_span.h"
#include "services/api/api_runtime.h"
#include "services/api/inbound_rpc.h"
#include "services/api/rpc_table.h"
#include "storage/read_patience.h"
#include "toolgate/v1/caller.pb.h"

namespace toolgate::services::api {

// One RPC, from the moment when its credentials have been verified. A transport makes it before it parses a byte of the
// request, so that a caller without good credentials learns nothing else, and costs nothing else.
// It ends in the core in which it began, which it keeps. Borrows the runtime; lives within the RPC. Thread-compatible.
class KnownCall {
 public:
  // UNAUTHORIZED without good credentials, OVERLOADED when they cannot be verified now: safe to show, and recorded, by
  // the pipeline for the call of a tool and in the operator's log for any other.
  static absl::StatusOr<KnownCall> Authenticate(ApiRuntime& runtime, Rpc rpc, InboundRpc inbound);

  // The caller, who holds the permissions of the RPC. A refusal is logged, and safe to show.
  absl::StatusOr<Caller> Admit(const v1::Caller& claimed) const;

  // As Admit, for a caller who wants to do `action` outside of the pipeline. A refusal for want of a permission is
  // audited instead.
  absl::StatusOr<Caller> AdmitTo(std::string_view action, const Json& params, const v1::Caller& claimed) const;

  // Logs "rpc refused" with the method, the code, the caller, the peer and the trace id. `refusal` is safe already.
  void LogRefusal(const Caller& caller, const absl::Status& refusal) const;

  ApiRuntime& runtime() const { return runtime_; }
  // Without the credentials, which have served their purpose.
  const InboundRpc& inbound() const { return inbound_; }
  const Core& core() const { return *core_; }
  const security::Principal& principal() const { return principal_; }
  // For reads of `caller`'s on behalf of an RPC that calls no tool. Borrows both and this.
  storage::ReadPatience PatienceOf(const Caller& caller, const fibers::Cancellation& cancellation) const {
    return {&cancellation, /*may_wait=*/true, call_span(), {caller.workspace_id, caller.user_id}};
  }
  // For other work on behalf of such an RPC. Borrows this.
  observability::tracing::CallSpan call_span() const { return {&inbound_.trace, inbound_.recording}; }

 private:
  KnownCall(ApiRuntime& runtime, Rpc rpc, InboundRpc inbound, std::shared_ptr<const Core> core,
            security::Principal principal)
      : runtime_(runtime),
        rpc_(rpc),
        inbound_(std::move(inbound)),
        core_(std::move(core)),
        principal_(std::move(principal)) {}

  absl::StatusOr<Caller> Identify(const v1::Caller& claimed) const;

  ApiRuntime& runtime_;
  Rpc rpc_;
  InboundRpc inbound_;
  std::shared_ptr<const Core> core_;
  security::Principal principal_;
};

// For a method that no service has: OK for a caller with good credentials, otherwise as KnownCall::Authenticate.
absl::Status AuthenticateUnknownMethod(const ApiRuntime& runtime, const InboundRpc& inbound);

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_KNOWN_CALL_H_
