// Everything that one configuration and one catalogue make: the layers in their order, and what other RPCs need of
// them.
#ifndef TOOLGATE_SERVICES_CORE_CORE_H_
#define TOOLGATE_SERVICES_CORE_CORE_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/caller.h"
#include "common/json.h"
#include "executors/catalog.h"
#include "security/rate_limit/rate_limit.h"
#include "security/safe_errors/masker.h"
#include "security/tool_call.h"
#include "services/audit/audit_entry.h"
#include "services/core/process_state.h"
#include "services/execution/recovery.h"
#include "services/pipeline/pipeline.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::services::core {

// Immutable after Create, hence thread-safe. A reload makes a new one; what must survive it (store, windows, request
// budgets, breakers, calls in flight, audit queue) is in the ProcessState.
class Core {
 public:
  // INVALID_ARGUMENT naming what is impossible in the configuration. Borrows `process_state`.
  static absl::StatusOr<std::unique_ptr<Core>> Create(const toolgate::config::v1::Config& config,
                                                      ProcessState& process_state);
  // The steps of every core's pipeline, outermost first: the order that security needs, pinned by a test.
  static std::vector<std::string_view> StepNames();
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  const executors::Catalog& catalog() const;
  const pipeline::Pipeline& pipeline() const;

  // Verifies a call's credentials, before anything of its request is read. UNAUTHORIZED, OVERLOADED; the error is not
  // sanitised, since the pipeline does that for a tool call.
  absl::StatusOr<security::Principal> Authenticate(const security::Connection& connection) const;
  // For RPCs beside the tool calls: the caller, from the claim of a principal that this core authenticated. The error
  // is safe to show.
  absl::StatusOr<Caller> Identify(const security::Principal& principal, const Caller& claimed) const;
  // FORBIDDEN, naming the first of `permissions` that the caller lacks. Safe to show.
  absl::Status CheckPermissions(const Caller& caller, std::span<const std::string_view> permissions) const;
  bool May(const Caller& caller, std::string_view permission) const;
  bool MayUse(const Caller& caller, const executors::Tool& tool) const;
  // Whether a call of this tool that has no idempotency key neither waits nor commits at the moment: it may run on
  // gRPC's threads.
  bool RunsAtOnce(const executors::Tool& tool) const;

  // Resolves effects that a crash, or a failing store, left open in the journal (execution::Recovery::Resolve). One
  // call at a time.
  absl::StatusOr<int64_t> ResolveAbandonedClaims(execution::Recovery::Abandoned which,
                                                 const execution::Recovery::Report& report) const;
  // Renews the claims of effects that run long (execution::ClaimRenewal::Run). One call at a time.
  absl::Status RenewRunningClaims() const;

  // For AdminService.
  const security::rate_limit::RateLimit& rate_limit() const;
  // Closes a circuit breaker once that is audited. NOT_FOUND when there is none of that name, which is audited, too;
  // the error is already safe.
  absl::StatusOr<coordination::breakers::BreakerSnapshot> ResetBreaker(const Caller& caller,
                                                                       std::string_view name) const;

  // Layer 2's bounds on arguments, which what comes in around them is measured by.
  const JsonLimits& argument_limits() const;
  // The most bytes of an answer's data.
  size_t max_result_bytes() const;
  // Cuts what the pipeline answered to `call` to `max_bytes` of data, so that ReadResult answers the rest.
  void Shorten(const security::ToolCall& call, size_t max_bytes, security::ToolResult& result) const;

  // Calls that wait for a place in a bulkhead.
  int64_t waiting_calls() const;

  // Audits something that an operator did outside of the pipeline, for example "data.export", or tried to do. Answers
  // `outcome`, safe to show, or why it could not be recorded.
  absl::Status Record(const Caller& caller, std::string_view action, const Json& params,
                      const absl::Status& outcome) const;

  // The same entry, to be committed with the action.
  v1::AuditEntry OperatorEntry(const audit::OperatorAction& action, const Caller& caller, absl::Time now) const;
  // Id of a conversation or a request as the audit log shows it: the id itself, unless it holds personal data or a
  // secret. Ids that are masked alike are found together.
  std::string AsAudited(std::string_view id) const;
  // For what leaves the service and is no call's.
  const security::safe_errors::Masker& masker() const;
  // A call's arguments as its audit entry shows them: with personal data and secrets masked.
  audit::ShownArguments ArgumentsAsAudited(const security::ToolCall& call) const;

  // `status` as a caller may see it; layer 5's word on failures outside of the pipeline.
  absl::Status Safe(const absl::Status& status) const;

 private:
  struct Impl;
  explicit Core(std::unique_ptr<Impl> impl);

  const std::unique_ptr<Impl> impl_;
};

}  // namespace toolgate::services::core

#endif  // TOOLGATE_SERVICES_CORE_CORE_H_
