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
#include "services/pipeline/idempotency.h"
#include "services/pipeline/resolve.h"
#include "services/pipeline/tool_runner.h"
#include "storage/marked_store.h"

namespace toolgate::services {
namespace {

using executors::Tool;
using security::Layer;
using security::ToolCall;
using security::ToolResult;

// An approval holds for the policy and the schemas under which it was asked for.
absl::StatusOr<std::string> PolicyVersion(const config::v1::Config& config, const executors::Catalog& catalog) {
  std::string all = catalog.version();
  for (const google::protobuf::Message* part : std::initializer_list<const google::protobuf::Message*>{
           &config.confirmation(), &config.identity(), &config.provenance()}) {
    ASSIGN_OR_RETURN(const std::string bytes, SerializeProtoInFixedOrder(*part));
    absl::StrAppend(&all, ":", bytes.size(), ":", bytes);
  }
  return Sha256(all);
}

absl::Status Forbidden(std::string_view permission) {
  return MakeError(ErrorCode::kForbidden, absl::StrCat("this needs the permission ", ToAbsl(permission)));
}

}  // namespace

struct Core::Parts {
  Parts(const config::v1::Config& configuration, Foundation& base)
      : config(configuration),
        foundation(base),
        store(base.store),
        result_cap(static_cast<size_t>(config.execution_tracking().max_result_bytes())),
        argument_parser(config.param_validation()) {}

  absl::Status MakeLayers();
  std::vector<std::unique_ptr<Layer>> InOrder();
  void MakePipeline();
  absl::Status TakeIn(ToolCall& call, ToolResult& result);

  const config::v1::Config config;
  Foundation& foundation;
  storage::MarkedStore store;  // The foundation's, as layers and tools see it.
  const security::execution_tracking::ResultCap result_cap;
  security::safe_errors::Masker masker;
  const pipeline::AuditMask audit_mask{[this](const Json& json) { return masker.MaskJson(json); },
                                       [this](std::string_view text) { return masker.Mask(text); }};
  security::param_validation::ArgumentParser argument_parser;
  std::unique_ptr<security::identity::Identity> identity;

  // Owned by the pipeline once it is made; the core keeps using some of them.
  std::unique_ptr<security::safe_errors::SafeErrors> safe_errors;
  std::unique_ptr<security::injection_defence::InjectionDefence> injection_defence;
  std::unique_ptr<security::param_validation::ParamValidation> param_validation;
  std::unique_ptr<security::authorization::Authorization> authorization;
  std::unique_ptr<security::rate_limit::RateLimit> rate_limit;
  std::unique_ptr<security::confirmation::Confirmation> confirmation;
  std::unique_ptr<security::execution_tracking::ExecutionTracking> execution_tracking;
  security::safe_errors::SafeErrors* safe_errors_layer = nullptr;
  security::authorization::Authorization* authorization_layer = nullptr;
  std::unique_ptr<security::injection_defence::UntrustedOutput> untrusted_output;
  std::unique_ptr<security::provenance::Provenance> provenance;
  security::rate_limit::RateLimit* rate_limit_layer = nullptr;
  security::confirmation::Confirmation* confirmation_layer = nullptr;
  security::execution_tracking::ExecutionTracking* execution_tracking_layer = nullptr;

  std::unique_ptr<pipeline::ToolRunner> runner;
  std::unique_ptr<pipeline::Pipeline> pipeline;
};

absl::Status Core::Parts::MakeLayers() {
  const std::vector<Tool>& tools = foundation.catalog->tools();
  ASSIGN_OR_RETURN(identity, foundation.identities.Make(config.identity()));
  safe_errors = std::make_unique<security::safe_errors::SafeErrors>(masker, foundation.ids, foundation.clock,
                                                                    foundation.error_log);
  ASSIGN_OR_RETURN(injection_defence,
                   security::injection_defence::InjectionDefence::Create(tools, config.injection_defence()));
  untrusted_output =
      std::make_unique<security::injection_defence::UntrustedOutput>(injection_defence->detector(), foundation.ids);
  ASSIGN_OR_RETURN(provenance, security::provenance::Provenance::Create(tools, config.provenance(), store));
  ASSIGN_OR_RETURN(param_validation, security::param_validation::ParamValidation::Create(tools, config.identity()));
  ASSIGN_OR_RETURN(authorization, security::authorization::Authorization::Create(tools, config.identity()));
  ASSIGN_OR_RETURN(rate_limit, security::rate_limit::RateLimit::Create(tools, config.rate_limiting(), foundation.clock,
                                                                       foundation.limiter_store,
                                                                       &foundation.limit_observer, config.identity()));
  ASSIGN_OR_RETURN(execution_tracking, security::execution_tracking::ExecutionTracking::Create(
                                           tools, config.execution_tracking(), foundation.clock, foundation.execution));
  safe_errors_layer = safe_errors.get();
  authorization_layer = authorization.get();
  rate_limit_layer = rate_limit.get();
  execution_tracking_layer = execution_tracking.get();
  ASSIGN_OR_RETURN(std::string policy_version, PolicyVersion(config, *foundation.catalog));
  ASSIGN_OR_RETURN(
      confirmation,
      security::confirmation::Confirmation::Create(
          {config.confirmation(), tools, std::move(policy_version), foundation.signing_key, store, foundation.clock,
           foundation.ids,
           [this](const Caller& caller, const Tool& tool) { return authorization_layer->AutoApproves(caller, tool); },
           [this](ToolCall& call) { return provenance->Decide(call); },
           [this](const Json& arguments) { return masker.MaskJson(arguments); },
           [this](std::string_view text) { return masker.Mask(text); }, foundation.on_confirmation}));
  confirmation_layer = confirmation.get();
  return absl::OkStatus();
}

// The order, outermost first. It is what security rests on: a call must be known before it is looked at, looked at
// before it is believed, allowed before it is counted, counted before anybody is asked, and approved before it runs.
std::vector<std::unique_ptr<Layer>> Core::Parts::InOrder() {
  std::vector<std::unique_ptr<Layer>> layers;
  layers.push_back(std::move(safe_errors));  // Layer 5: fifth in time, outermost in nesting.
  layers.push_back(std::make_unique<security::identity::Authenticate>(*identity));
  layers.push_back(std::make_unique<pipeline::Resolve>(
      foundation.catalog, store, [this](std::string_view text) { return argument_parser.Parse(text); }));
  layers.push_back(std::move(injection_defence));  // Layer 1.
  layers.push_back(std::move(param_validation));   // Layer 2.
  layers.push_back(std::move(authorization));
  layers.push_back(std::make_unique<pipeline::Replay>(
      store, foundation.clock, [this](ToolCall& call, ToolResult& result) { return TakeIn(call, result); }));
  layers.push_back(std::move(rate_limit));  // Layer 3.
  layers.push_back(std::move(confirmation));
  layers.push_back(std::move(execution_tracking));  // Layer 4.
  return layers;
}

std::vector<std::string_view> Core::StepNames() {
  return {"safe_errors", "authenticate", "resolve",      "injection_defence",  "param_validation", "authorization",
          "idempotency", "rate_limit",   "confirmation", "execution_tracking", "execute"};
}

void Core::Parts::MakePipeline() {
  const pipeline::Pipeline::SafeError safe_error = [this](const absl::Status& status, const ToolCall& call) {
    return safe_errors_layer->Sanitise(status, call);
  };
  runner = std::make_unique<pipeline::ToolRunner>(
      pipeline::ToolRunner::Dependencies{store, foundation.clock, foundation.ids, safe_error, audit_mask, result_cap,
                                         [this](ToolCall& call, ToolResult& result) { return TakeIn(call, result); },
                                         [this](ToolCall& step) { return pipeline->Run(step); },
                                         [this](const v1::AuditEntry& entry) { return foundation.audit.Add(entry); }});
  pipeline = std::make_unique<pipeline::Pipeline>(pipeline::Pipeline::Dependencies{
      InOrder(), [this](ToolCall& call) { return runner->Run(call); }, foundation.observer, foundation.audit,
      foundation.clock, audit_mask, safe_error});
}

// Data from outside: scanned, given marks of its own to stand between, and its conversation marked.
absl::Status Core::Parts::TakeIn(ToolCall& call, ToolResult& result) {
  result.boundary = untrusted_output->NewBoundary();
  const std::vector<security::Finding> findings = untrusted_output->Scan(result.data_json, "result");
  call.findings.insert(call.findings.end(), findings.begin(), findings.end());
  return provenance->Mark(call, foundation.clock.Now());
}

absl::StatusOr<std::unique_ptr<Core>> Core::Create(const config::v1::Config& config, Foundation& foundation) {
  auto parts = std::make_unique<Parts>(config, foundation);
  RETURN_IF_ERROR(parts->MakeLayers());
  parts->MakePipeline();
  // StepNames is what metrics are labelled by and what a test pins; a pipeline in another order must not start.
  if (parts->pipeline->StepNames() != StepNames()) {
    return absl::InternalError("the pipeline's steps are not in the order that Core::StepNames states");
  }
  return absl::WrapUnique(new Core(std::move(parts)));
}

Core::Core(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Core::~Core() = default;

const executors::Catalog& Core::catalog() const { return *parts_->foundation.catalog; }

const pipeline::Pipeline& Core::pipeline() const { return *parts_->pipeline; }

const security::rate_limit::RateLimit& Core::rate_limit() const { return *parts_->rate_limit_layer; }

absl::StatusOr<security::rate_limit::BreakerSnapshot> Core::ResetBreaker(const Caller& caller,
                                                                         std::string_view name) const {
  security::rate_limit::RateLimit& limits = *parts_->rate_limit_layer;
  RETURN_IF_ERROR(Record(caller, "breaker.reset", Json{{"name", name}}, limits.GetBreaker(name).status()));
  return limits.ResetBreaker(name);
}

size_t Core::max_result_bytes() const { return parts_->result_cap.max_bytes(); }

void Core::Shorten(const ToolCall& call, size_t max_bytes, ToolResult& result) const {
  parts_->runner->Shorten(call, max_bytes, result);
}

int64_t Core::waiting_calls() const {
  int64_t waiting = 0;
  for (const auto& load : parts_->foundation.execution.ListLoads()) waiting += load.waiting;
  return waiting;
}

absl::StatusOr<security::Principal> Core::Authenticate(const security::Connection& connection) const {
  return parts_->identity->Authenticate(connection);
}

absl::StatusOr<Caller> Core::Identify(const security::Principal& principal, const Caller& claimed) const {
  absl::StatusOr<Caller> caller = parts_->identity->Identify(principal, claimed);
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
  return parts_->authorization_layer->May(caller, permission);
}

bool Core::MayUse(const Caller& caller, const Tool& tool) const {
  return parts_->authorization_layer->MayUse(caller, tool);
}

bool Core::RunsAtOnce(const Tool& tool) const {
  // A question to a person is a commit.
  return tool.definition.inline_reads && !parts_->confirmation_layer->MayAskAbout(tool) &&
         !parts_->provenance->Concerns(tool) && parts_->execution_tracking_layer->HasPlaceFor(tool);
}

absl::Status Core::Record(const Caller& caller, std::string_view action, const Json& params,
                          const absl::Status& outcome) const {
  const absl::Time now = parts_->foundation.clock.Now();
  absl::Status safe = Safe(outcome);
  pipeline::OperatorAction entry{parts_->foundation.ids.NewId(now), std::string(action), params};
  if (!safe.ok()) entry.error = GetToolError(safe);
  RETURN_IF_ERROR(Safe(parts_->foundation.audit.Add(OperatorEntry(entry, caller, now))));
  return safe;
}

v1::AuditEntry Core::OperatorEntry(const pipeline::OperatorAction& action, const Caller& caller, absl::Time now) const {
  return pipeline::MakeOperatorEntry(action, caller, now, parts_->audit_mask);
}

std::string Core::AsAudited(std::string_view id) const { return parts_->audit_mask.text(id); }

absl::Status Core::Safe(const absl::Status& status) const {
  if (status.ok()) return status;
  return ToStatus(parts_->safe_errors_layer->Sanitise(status, ToolCall()));
}

}  // namespace toolgate::services
