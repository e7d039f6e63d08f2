// A ToolService whose calls a test can hold, and a server around it.
#ifndef TOOLGATE_TESTS_UNIT_SERVICES_GRPC_TEST_SERVICE_H_
#define TOOLGATE_TESTS_UNIT_SERVICES_GRPC_TEST_SERVICE_H_

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "services/grpc/call_tracker.h"
#include "services/grpc/grpc_server.h"
#include "toolgate/v1/tool_service.grpc.pb.h"

namespace toolgate::services::grpc {

// Execute by tool id: "echo" returns its arguments; "hold" waits for Release or for its cancellation; "stubborn" waits
// for Release in any case.
class TestService final : public v1::ToolService::CallbackService {
 public:
  explicit TestService(CallTracker& calls) : calls_(calls) {}

  ::grpc::ServerUnaryReactor* Execute(::grpc::CallbackServerContext* context, const v1::ExecuteRequest* request,
                                      v1::ExecuteResponse* response) override {
    auto* result = response->mutable_result();
    result->set_success(true);
    result->set_data_json(request->arguments_json());
    if (request->tool_id() == "echo") {
      auto* reactor = context->DefaultReactor();
      reactor->Finish(::grpc::Status::OK);
      return reactor;
    }
    auto* reactor = new HeldCall(*this, request->tool_id() == "stubborn");
    reactor->Begin();
    return reactor;
  }

  // Blocks until `count` calls are held.
  void WaitForHeld(size_t count) {
    absl::MutexLock lock(&mutex_);
    const auto enough = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return held_.size() >= count; };
    mutex_.Await(absl::Condition(&enough));
  }

  // Lets all held calls finish.
  void Release() {
    absl::MutexLock lock(&mutex_);
    for (HeldCall* call : std::exchange(held_, {})) call->Finish(::grpc::Status::OK);
  }

 private:
  class HeldCall final : public ::grpc::ServerUnaryReactor, public TrackedCall {
   public:
    HeldCall(TestService& service, bool stubborn) : service_(service), stubborn_(stubborn) {}
    void Begin() {
      service_.calls_.Add(*this);
      absl::MutexLock lock(&service_.mutex_);
      if (cancelled_) {
        Finish(::grpc::Status::CANCELLED);
      } else {
        service_.held_.push_back(this);
      }
    }
    void Cancel() override {
      absl::MutexLock lock(&service_.mutex_);
      if (stubborn_) return;
      cancelled_ = true;
      if (std::erase(service_.held_, this) > 0) Finish(::grpc::Status::CANCELLED);
    }
    void OnDone() override {
      service_.calls_.Remove(*this);
      delete this;
    }

   private:
    TestService& service_;
    const bool stubborn_;
    bool cancelled_ = false;  // Guarded by the service's mutex.
  };

  CallTracker& calls_;
  absl::Mutex mutex_;
  std::vector<HeldCall*> held_ ABSL_GUARDED_BY(mutex_);
};

inline config::v1::Server TestConfig() {
  config::v1::Server config;
  config.set_listen("127.0.0.1:0");
  config.set_max_message_bytes(4 << 20);
  config.set_max_metadata_bytes(8192);
  config.set_max_streams_per_connection(100);
  config.set_max_connections(100);
  config.set_reflection(true);
  config.set_channelz(true);
  return config;
}

// A running server with one TestService.
struct TestServer {
  explicit TestServer(const config::v1::Server& config = TestConfig()) : service(calls) {
    auto started = GrpcServer::Start(config, {.services = {&service},
                                              .readiness_names = {"toolgate.v1.ToolService"},
                                              .calls = &calls,
                                              .credentials = nullptr});
    if (!started.ok()) throw std::runtime_error(started.status().ToString());
    server = *std::move(started);
  }

  // A channel with a connection of its own.
  std::shared_ptr<::grpc::Channel> Connect() const {
    ::grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
    return ::grpc::CreateCustomChannel(server->address(), ::grpc::InsecureChannelCredentials(), arguments);
  }

  CallTracker calls;
  TestService service;
  std::unique_ptr<GrpcServer> server;
};

// One call of Execute.
struct Call {
  ::grpc::ClientContext context;
  v1::ExecuteRequest request;
  v1::ExecuteResponse response;
  ::grpc::Status Run(const std::shared_ptr<::grpc::Channel>& channel, const std::string& tool) {
    request.set_tool_id(tool);
    return v1::ToolService::NewStub(channel)->Execute(&context, request, &response);
  }
};

}  // namespace toolgate::services::grpc

#endif  // TOOLGATE_TESTS_UNIT_SERVICES_GRPC_TEST_SERVICE_H_
