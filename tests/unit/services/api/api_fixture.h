// RPCs without a transport: a core over a scratch store, and connections of the test's making.
#ifndef TOOLGATE_TESTS_UNIT_SERVICES_API_API_FIXTURE_H_
#define TOOLGATE_TESTS_UNIT_SERVICES_API_API_FIXTURE_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "common/fibers/cancellation.h"
#include "common/fibers/wait_timer.h"
#include "common/ids.h"
#include "common/status_macros.h"
#include "coordination/signals/local_signals.h"
#include "executors/registration/registration.h"
#include "gtest/gtest.h"
#include "observability/logger.h"
#include "observability/metrics.h"
#include "observability/trace_ids.h"
#include "observability/tracing/tracer.h"
#include "security/confirmation/decision_watch.h"
#include "services/api/api_runtime.h"
#include "services/api/known_call.h"
#include "services/api/tool_api.h"
#include "services/audit/audit_queue.h"
#include "services/config/config.h"
#include "storage/store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/memory_sink.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_core.h"
#include "tests/support/test_store.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::services::api {

// Every tool that is built in, for user "ann" of workspace "w".
class ApiFixture : public ::testing::Test {
 protected:
  // As the defaults are, but for what `config` says.
  explicit ApiFixture(const toolgate::config::v1::Config& config = {}) {
    toolgate::config::v1::Config merged = config::Load({}).value();
    merged.MergeFrom(config);
    core_ =
        std::make_unique<testing::TestCore>(*store_, clock_, merged, executors::registration::BuiltInCatalog().value());
  }

  static InboundRpc Inbound() {
    InboundRpc inbound;
    inbound.peer = [] { return std::string("ipv4:203.0.113.7:4711"); };
    return inbound;
  }

  KnownCall Known(Rpc rpc) { return KnownCall::Authenticate(runtime_, rpc, Inbound()).value(); }

  template <typename Request>
  static Request As(std::string user = "ann") {
    Request request;
    request.mutable_caller()->set_workspace_id("w");
    request.mutable_caller()->set_user_id(std::move(user));
    return request;
  }

  absl::StatusOr<v1::ExecuteResponse> RunTool(const std::string& tool, const std::string& arguments) {
    auto request = As<v1::ExecuteRequest>();
    request.set_tool_id(tool);
    request.set_arguments_json(arguments);
    v1::ExecuteResponse response;
    RETURN_IF_ERROR(Execute(Known(Rpc::kExecute), request, response, cancellation_));
    return response;
  }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  testing::MemorySink log_;
  observability::Logger logger_{log_, clock_, observability::LogLevel::kInfo, observability::LogFormat::kJson};
  observability::Metrics metrics_{{}};
  observability::TraceIds trace_ids_{IdSource::Real()};
  observability::tracing::Tracer tracer_{trace_ids_, clock_, std::nullopt};
  coordination::signals::LocalSignals signals_;
  std::unique_ptr<storage::Store> store_ = MakeStore();
  audit::AuditQueue audit_queue_{*store_, config::Load({}).value().audit(), {}};
  std::unique_ptr<testing::TestCore> core_;
  fibers::WaitTimer waits_{clock_};
  security::confirmation::DecisionWatch decisions_{*store_, signals_, clock_, waits_};
  ApiRuntime runtime_{[this] { return core_->shared_core(); },
                      *store_,
                      audit_queue_,
                      metrics_,
                      tracer_,
                      logger_,
                      clock_,
                      IdSource::Real(),
                      decisions_,
                      dir_.path()};
  fibers::Cancellation cancellation_;

 private:
  std::unique_ptr<storage::Store> MakeStore() {
    testing::TestStoreOptions options;
    options.data_dir = dir_.path();
    options.clock = &clock_;
    options.on_signal = [this](std::string_view subject) { signals_.Send(subject); };
    return testing::MakeTestStore(options);
  }
};

}  // namespace toolgate::services::api

#endif  // TOOLGATE_TESTS_UNIT_SERVICES_API_API_FIXTURE_H_
