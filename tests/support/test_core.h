// A core over a store and a catalogue of the test's choice: the whole pipeline, without a network.
#ifndef TOOLGATE_TESTS_SUPPORT_TEST_CORE_H_
#define TOOLGATE_TESTS_SUPPORT_TEST_CORE_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "common/clock.h"
#include "common/ids.h"
#include "coordination/breakers/breaker_registry.h"
#include "coordination/limits/local_limiter_store.h"
#include "executors/catalog.h"
#include "gtest/gtest.h"
#include "security/identity/identity_factory.h"
#include "services/core/core.h"

namespace toolgate::testing {

class SilentObservers final : public observability::CallObserver,
                              public security::rate_limit::LimitObserver,
                              public security::confirmation::ConfirmationObserver,
                              public security::safe_errors::ErrorLog {
 public:
  void OnCallStarted(const observability::CallStarted&) override {}
  void OnCallEnded(const observability::CallStarted&, const observability::CallEnded&) override {}
  void OnDecision(std::string_view, security::rate_limit::LimitCheck, security::rate_limit::LimitDecision) override {}
  void OnBreakerState(std::string_view, coordination::breakers::BreakerState) override {}
  void OnConfirmation(observability::ConfirmationEvent) override {}
  void Report(std::string_view, const security::ToolCall&, const absl::Status&) override {}
};

// One replica over a store that it may share with others. All arguments must outlive it.
class TestCore {
 public:
  TestCore(storage::Store& store, const Clock& clock, const config::v1::Config& config,
           std::shared_ptr<const executors::Catalog> catalog)
      : clock_(clock),
        identities_(security::identity::SecurityOf(config.server()), clock, [](const std::string&) {}),
        limiter_(coordination::limits::LocalLimiterStore::Create(1000, clock).value()),
        execution_(
            security::execution_tracking::ExecutionState::Create(catalog->tools(), config.execution_tracking(), clock)
                .value()),
        audit_(store, config.audit(), {}),
        process_state_{std::move(catalog),
                       store,
                       clock,
                       IdSource::Real(),
                       audit_,
                       observers_,
                       *limiter_,
                       breakers_,
                       observers_,
                       observers_,
                       *execution_,
                       observers_,
                       identities_,
                       running_claims_,
                       std::string(32, 'k'),
                       IdSource::Real().NewId(clock.Now())},
        core_(services::core::Core::Create(config, process_state_).value()) {}

  // A call of user "ann" in workspace "w" that has just arrived.
  std::unique_ptr<security::ToolCall> Call(std::string_view tool, std::string_view conversation = "") const {
    auto call = std::make_unique<security::ToolCall>();
    call->tool_id = tool;
    call->principal = core_->Authenticate({});
    call->claimed.workspace_id = "w";
    call->claimed.user_id = "ann";
    call->claimed.conversation_id = conversation;
    call->arrived = clock_.Now();
    call->arrived_monotonic = clock_.Monotonic();
    call->id = IdSource::Real().NewId(clock_.Now());
    call->audit_entry_id = IdSource::Real().NewId(clock_.Now());
    return call;
  }
  absl::StatusOr<security::ToolResult> Run(security::ToolCall& call) { return core_->pipeline().Run(call); }
  absl::StatusOr<security::ToolResult> Run(std::string_view tool, Json arguments = Json::object()) {
    const auto call = Call(tool);
    call->SetArguments(std::move(arguments));
    return Run(*call);
  }
  services::core::Core& core() const { return *core_; }
  std::shared_ptr<const services::core::Core> shared_core() const { return core_; }
  // Performs a reload.
  void Reload(const config::v1::Config& config) {
    core_ = services::core::Core::Create(config, process_state_).value();
  }
  // Result of a reload with `config`.
  absl::Status TryAgainWith(const config::v1::Config& config) {
    return services::core::Core::Create(config, process_state_).status();
  }
  void Flush() { EXPECT_TRUE(audit_.Flush().ok()); }

 private:
  const Clock& clock_;
  SilentObservers observers_;
  security::identity::IdentityFactory identities_;
  std::unique_ptr<coordination::limits::LocalLimiterStore> limiter_;
  coordination::breakers::BreakerRegistry breakers_{clock_};
  std::unique_ptr<security::execution_tracking::ExecutionState> execution_;
  services::audit::AuditQueue audit_;
  services::execution::RunningClaims running_claims_;
  services::core::ProcessState process_state_;
  std::shared_ptr<services::core::Core> core_;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_TEST_CORE_H_
