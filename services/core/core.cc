#include "services/core/core.h"

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/digest.h"
#include "common/proto_bytes.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/internal_tool.h"
#include "google/protobuf/message.h"
#include "security/authorization/authorization.h"
#include "security/confirmation/confirmation.h"
#include "security/execution_tracking/execution_tracking.h"
#include "security/execution_tracking/result_cap.h"
#include "security/identity/authenticate.h"
#include "security/identity/identity.h"
#include "security/injection_defence/injection_defence.h"
#include "security/injection_defence/untrusted_output.h"
#include "security/param_validation/argument_parser.h"
#include "security/param_validation/param_validation.h"
#include "security/provenance/provenance.h"
#include "security/safe_errors/safe_errors.h"
#include "services/audit/audit_entry.h"
#include "services/execution/claim_renewal.h"
#include "services/execution/execution.h"
#include "services/execution/outside_text.h"
#include "services/execution/recovery.h"
#include "services/pipeline/idempotency.h"
#include "services/pipeline/resolve.h"

namespace toolgate::services::core {
namespace {

using executors::Tool;
using security::Layer;
using security::ToolCall;
using security::ToolResult;

// An approval holds for the policy and the schemas under which it was asked for. How many questions may wait is no part
// of that: an operator who raises the bounds does it for the sake of those that wait.
absl::StatusOr<std::string> PolicyVersion(const config::v1::Config& config, const executors::Catalog& catalog) {
  config::v1::Confirmation confirmation = config.confirmation();
  confirmation.clear_max_pending_per_user();
  confirmation.clear_max_pending_per_workspace();
  confirmation.clear_max_question_bytes();
  std::string all = catalog.version();
  for (const google::protobuf::Message* part : std::initializer_list<const google::protobuf::Message*>{
           &confirmation, &config.identity(), &config.provenance()}) {
    ASSIGN_OR_RETURN(const std::string bytes, SerializeProtoInFixedOrder(*part));
    absl::StrAppend(&all, ":", bytes.size(), ":", bytes);
  }
  return Sha256(all);
}

absl::Status Forbidden(std::string_view permission) {
  return MakeError(ErrorCode::kForbidden, absl::StrCat("this needs the permission ", ToAbsl(permission)));
}

}  // namespace

// The layers are members by their names, and each is given those that it asks, by reference: who calls whom stands in
// MakeLayers. They are made in an order in which each finds what it needs, and called in that of InOrder.
struct Core::Impl final : execution::CallRunner {
  Impl(const config::v1::Config& configuration, ProcessState& state)
      : config(configuration),
        process_state(state),
        store(state.store),
        result_cap(static_cast<size_t>(config.execution_tracking().max_result_bytes())),
        masker(security::safe_errors::MaskLevel::kAll, state.secrets),
        argument_parser(config.param_validation()) {}

  absl::Status MakeLayers();
  absl::Status MakeConfirmation();
  void MakeExecution();
  // Outermost first. It is what security rests on: a call must be known before it is looked at, looked at before it is
  // believed, allowed before it is counted, counted before anybody is asked, and approved before it runs.
  std::vector<Layer*> InOrder() const {
    return {safe_errors.get(),  // Layer 5: fifth in time, outermost in nesting.
            authenticate.get(),      resolve.get(),
            injection_defence.get(),  // Layer 1.
            param_validation.get(),   // Layer 2.
            authorization.get(),     replay.get(),
            rate_limit.get(),                                    // Layer 3.
            confirmation.get(),      execution_tracking.get()};  // Layer 4.
  }
  // A step of an automation goes through the same layers as any other call.
  absl::StatusOr<ToolResult> RunCall(ToolCall& call) override { return pipeline->Run(call); }

  const config::v1::Config config;
  ProcessState& process_state;
  storage::Store& store;  // Of the process state.
  const security::execution_tracking::ResultCap result_cap;
  const security::safe_errors::Masker masker;
  const security::param_validation::ArgumentParser argument_parser;
  std::unique_ptr<security::identity::Identity> identity;
  std::unique_ptr<security::injection_defence::UntrustedOutput> untrusted_output;
  std::unique_ptr<security::provenance::Provenance> provenance;
  std::unique_ptr<execution::OutsideText> outside_text;

  std::unique_ptr<security::safe_errors::SafeErrors> safe_errors;
  std::unique_ptr<security::identity::Authenticate> authenticate;
  std::unique_ptr<pipeline::Resolve> resolve;
  std::unique_ptr<security::injection_defence::InjectionDefence> injection_defence;
  std::unique_ptr<security::param_validation::ParamValidation> param_validation;
  std::unique_ptr<security::authorization::Authorization> authorization;
  std::unique_ptr<pipeline::Replay> replay;
  std::unique_ptr<security::rate_limit::RateLimit> rate_limit;
  std::unique_ptr<security::confirmation::Confirmation> confirmation;
  std::unique_ptr<security::execution_tracking::ExecutionTracking> execution_tracking;

  std::unique_ptr<execution::Environment> environment;
  std::unique_ptr<execution::Execution> execution;
  std::unique_ptr<pipeline::Pipeline> pipeline;
};

absl::Status Core::Impl::MakeLayers() {
  namespace injection = security::injection_defence;
  const std::vector<Tool>& tools = process_state.catalog->tools();
  const config::v1::Identity& roles = config.identity();
  safe_errors = std::make_unique<security::safe_errors::SafeErrors>(masker, process_state.ids, process_state.clock,
                                                                    process_state.error_log);
  ASSIGN_OR_RETURN(identity, process_state.identities.Make(roles));
  authenticate = std::make_unique<security::identity::Authenticate>(*identity);
  resolve = std::make_unique<pipeline::Resolve>(process_state.catalog, store, argument_parser);
  ASSIGN_OR_RETURN(injection_defence, injection::InjectionDefence::Create(tools, config.injection_defence()));
  untrusted_output = std::make_unique<injection::UntrustedOutput>(injection_defence->detector(), process_state.ids);
  ASSIGN_OR_RETURN(param_validation, security::param_validation::ParamValidation::Create(tools, roles));
  ASSIGN_OR_RETURN(auto permissions,
                   security::authorization::PermissionTable::Create(process_state.catalog->permissions()));
  ASSIGN_OR_RETURN(authorization, security::authorization::Authorization::Create(tools, std::move(permissions), roles));
  ASSIGN_OR_RETURN(provenance, security::provenance::Provenance::Create(tools, config.provenance(), store));
  outside_text = std::make_unique<execution::OutsideText>(*untrusted_output, *provenance, process_state.clock);
  replay = std::make_unique<pipeline::Replay>(store, process_state.clock, *outside_text);
  ASSIGN_OR_RETURN(rate_limit, security::rate_limit::RateLimit::Create(
                                   tools, config.rate_limiting(), process_state.clock, process_state.limiter_store,
                                   process_state.breakers, &process_state.limit_observer, roles));
  ASSIGN_OR_RETURN(execution_tracking,
                   security::execution_tracking::ExecutionTracking::Create(
                       tools, config.execution_tracking(), process_state.clock, process_state.execution_state));
  return MakeConfirmation();
}

absl::Status Core::Impl::MakeConfirmation() {
  ASSIGN_OR_RETURN(std::string policy_version, PolicyVersion(config, *process_state.catalog));
  ASSIGN_OR_RETURN(confirmation, security::confirmation::Confirmation::Create(
                                     {config.confirmation(), process_state.catalog->tools(), std::move(policy_version),
                                      process_state.signing_key, store, process_state.clock, process_state.ids,
                                      *authorization, *provenance, masker, process_state.confirmation_observer,
                                      *outside_text, *execution_tracking, process_state.execution_state.waits()}));
  return absl::OkStatus();
}

std::vector<std::string_view> Core::StepNames() {
  return {"safe_errors", "authenticate", "resolve",      "injection_defence",  "param_validation", "authorization",
          "idempotency", "rate_limit",   "confirmation", "execution_tracking", "execute"};
}

void Core::Impl::MakeExecution() {
  environment = std::make_unique<execution::Environment>(execution::Environment{
      store, process_state.clock, process_state.ids, *safe_errors, masker, result_cap, *outside_text,
      process_state.audit_queue, *this, process_state.execution_state.waits(), process_state.process_id,
      process_state.catalog->Find(executors::IdOf(executors::InternalTool::kUndo))});
  execution = std::make_unique<execution::Execution>(*environment, process_state.running_claims);
  pipeline = std::make_unique<pipeline::Pipeline>(
      pipeline::Pipeline::Dependencies{InOrder(), *execution, process_state.observer, process_state.audit_queue,
                                       process_state.clock, masker, *safe_errors});
}

absl::StatusOr<std::unique_ptr<Core>> Core::Create(const config::v1::Config& config, ProcessState& process_state) {
  auto impl = std::make_unique<Impl>(config, process_state);
  RETURN_IF_ERROR(impl->MakeLayers());
  impl->MakeExecution();
  // StepNames is what metrics are labelled by and what a test pins; a pipeline in another order must not start.
  if (impl->pipeline->StepNames() != StepNames()) {
    return absl::InternalError("the pipeline's steps are not in the order that Core::StepNames states");
  }
  return absl::WrapUnique(new Core(std::move(impl)));
}

Core::Core(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Core::~Core() = default;

absl::StatusOr<int64_t> Core::ResolveAbandonedClaims(execution::Recovery::Abandoned which,
                                                     const execution::Recovery::Report& report) const {
  const execution::Recovery recovery(*impl_->environment, impl_->execution->effects(), catalog(),
                                     impl_->process_state.running_claims, report);
  return recovery.Resolve(which);
}

absl::Status Core::RenewRunningClaims() const {
  return execution::ClaimRenewal(*impl_->environment, impl_->process_state.running_claims).Run();
}

const executors::Catalog& Core::catalog() const { return *impl_->process_state.catalog; }

const pipeline::Pipeline& Core::pipeline() const { return *impl_->pipeline; }

const security::rate_limit::RateLimit& Core::rate_limit() const { return *impl_->rate_limit; }

absl::StatusOr<coordination::breakers::BreakerSnapshot> Core::ResetBreaker(const Caller& caller,
                                                                           std::string_view name) const {
  security::rate_limit::RateLimit& limits = *impl_->rate_limit;
  RETURN_IF_ERROR(Record(caller, "breaker.reset", Json{{"name", name}}, limits.GetBreaker(name).status()));
  return limits.ResetBreaker(name);
}

const JsonLimits& Core::argument_limits() const { return impl_->argument_parser.limits(); }

size_t Core::max_result_bytes() const { return impl_->result_cap.max_bytes(); }

void Core::Shorten(const ToolCall& call, size_t max_bytes, ToolResult& result) const {
  impl_->execution->kept_results().Shorten(call, max_bytes, result);
}

int64_t Core::waiting_calls() const {
  int64_t waiting = 0;
  for (const auto& load : impl_->process_state.execution_state.ListLoads()) waiting += load.waiting;
  return waiting;
}

absl::StatusOr<security::Principal> Core::Authenticate(const security::Connection& connection) const {
  return impl_->identity->Authenticate(connection);
}

absl::StatusOr<Caller> Core::Identify(const security::Principal& principal, const Caller& claimed) const {
  absl::StatusOr<Caller> caller = impl_->identity->Identify(principal, claimed);
  if (!caller.ok()) return Safe(caller.status());
  return caller;
}

absl::Status Core::CheckPermissions(const Caller& caller, std::span<const std::string_view> permissions) const {
  for (const std::string_view permission : permissions) {
    if (!May(caller, permission)) return Safe(Forbidden(permission));
  }
  return absl::OkStatus();
}

bool Core::May(const Caller& caller, std::string_view permission) const {
  return impl_->authorization->May(caller, permission);
}

bool Core::MayUse(const Caller& caller, const Tool& tool) const { return impl_->authorization->MayUse(caller, tool); }

bool Core::RunsAtOnce(const Tool& tool) const {
  if (impl_->store.ReadsMayWait() || impl_->process_state.limiter_store.MayWait()) return false;
  // A question to a person is a commit.
  return tool.definition.inline_reads && !impl_->confirmation->MayAskAbout(tool) &&
         !impl_->provenance->Concerns(tool) && impl_->execution_tracking->HasRoomFor(tool);
}

absl::Status Core::Record(const Caller& caller, std::string_view action, const Json& params,
                          const absl::Status& outcome) const {
  const absl::Time now = impl_->process_state.clock.Now();
  absl::Status safe = Safe(outcome);
  audit::OperatorAction entry{impl_->process_state.ids.NewId(now), std::string(action), params};
  if (!safe.ok()) entry.error = GetToolError(safe);
  RETURN_IF_ERROR(Safe(impl_->process_state.audit_queue.Add(OperatorEntry(entry, caller, now))));
  return safe;
}

v1::AuditEntry Core::OperatorEntry(const audit::OperatorAction& action, const Caller& caller, absl::Time now) const {
  return audit::MakeOperatorEntry(action, caller, now, impl_->masker);
}

const security::safe_errors::Masker& Core::masker() const { return impl_->masker; }

std::string Core::AsAudited(std::string_view id) const { return impl_->masker.Mask(id); }

audit::ShownArguments Core::ArgumentsAsAudited(const ToolCall& call) const {
  return audit::ShowArguments(call.arguments(), call.tool, impl_->masker);
}

absl::Status Core::Safe(const absl::Status& status) const {
  if (status.ok()) return status;
  return ToStatus(impl_->safe_errors->Sanitise(status, ToolCall()));
}

}  // namespace toolgate::services::core
