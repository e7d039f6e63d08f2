#include "cli/load/driver/set_up.h"

#include <grpcpp/client_context.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "cli/load/driver/classify.h"
#include "toolgate/v1/tool_service.grpc.pb.h"

namespace toolgate::cli::load::driver {
namespace {

constexpr int64_t kThreads = 16;

class Runner {
 public:
  Runner(SharedState& shared, const std::function<void(int64_t, int64_t)>& progress, const std::function<bool()>& stop)
      : shared_(shared),
        plan_(shared.plan),
        progress_(progress),
        stop_(stop),
        stub_(v1::ToolService::NewStub(plan_.open_channel(plan_.targets.front()))) {
    for (const profile::SetupCalls& step : plan_.profile.setup) total_ += CallsOf(step);
  }

  std::optional<SetUpFailure> Run() {
    for (const profile::SetupCalls& step : plan_.profile.setup) {
      RunStep(step);
      const absl::MutexLock lock(&mutex_);
      if (failure_.has_value()) return std::move(failure_);
      if (stop_()) break;
    }
    return std::nullopt;
  }

 private:
  int64_t CallsOf(const profile::SetupCalls& step) const {
    return static_cast<int64_t>(plan_.callers.workspace_count()) * step.repeat;
  }

  void RunStep(const profile::SetupCalls& step) {
    std::atomic<int64_t> next{0};
    const int64_t calls = CallsOf(step);
    std::vector<std::thread> threads;
    for (int64_t i = 0; i < std::min(calls, kThreads); ++i) {
      threads.emplace_back([&] {
        for (int64_t call = next++; call < calls && !Ended(); call = next++) RunCall(step, call);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  bool Ended() {
    const absl::MutexLock lock(&mutex_);
    return failure_.has_value() || stop_();
  }

  void RunCall(const profile::SetupCalls& step, int64_t call) {
    const auto workspace = static_cast<size_t>(call) % plan_.callers.workspace_count();
    const CallerIdentity caller = plan_.callers.OfWorkspace(workspace);
    const auto stream = static_cast<uint64_t>(call) + (static_cast<uint64_t>(&step - plan_.profile.setup.data()) << 40);
    schedule::Random random(plan_.seed + 2, stream);
    v1::ExecuteRequest request;
    const bool expanded = step.arguments.Expand(
        {random, shared_.pools[workspace], call, plan_.run_id, caller.workspace, caller.user, plan_.today},
        *request.mutable_arguments_json());
    if (!expanded) return Fail({step.tool, caller.workspace, {}, "an earlier step brought no id for its arguments"});
    request.set_tool_id(step.tool);
    *request.mutable_caller() = plan_.caller;
    request.mutable_caller()->set_workspace_id(caller.workspace);
    request.mutable_caller()->set_user_id(caller.user);
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + absl::ToChronoNanoseconds(plan_.call_timeout));
    if (!caller.token.empty()) context.AddMetadata("authorization", absl::StrCat("Bearer ", caller.token));
    v1::ExecuteResponse response;
    const grpc::Status status = stub_->Execute(&context, request, &response);
    const stats::Outcome outcome = Classify(status, response);
    if (outcome.kind != stats::OutcomeKind::kOk) {
      return Fail({step.tool, caller.workspace, status, absl::StrCat(outcome.code, ": ", MessageOf(status, response))});
    }
    if (step.capture.has_value()) {
      std::optional<std::string> id = step.capture->Read(response.result().data_json());
      if (id.has_value()) shared_.pools[workspace].Add(step.capture->pool, *std::move(id), random);
    }
    const absl::MutexLock lock(&mutex_);
    progress_(++done_, total_);
  }

  void Fail(SetUpFailure failure) {
    const absl::MutexLock lock(&mutex_);
    if (!failure_.has_value()) failure_ = std::move(failure);
  }

  SharedState& shared_;
  const Plan& plan_;
  const std::function<void(int64_t, int64_t)>& progress_;
  const std::function<bool()>& stop_;
  const std::unique_ptr<v1::ToolService::Stub> stub_;
  int64_t total_ = 0;
  absl::Mutex mutex_;
  int64_t done_ ABSL_GUARDED_BY(mutex_) = 0;
  std::optional<SetUpFailure> failure_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

std::optional<SetUpFailure> SetUp(SharedState& shared, const std::function<void(int64_t, int64_t)>& progress,
                                  const std::function<bool()>& stop) {
  return Runner(shared, progress, stop).Run();
}

}  // namespace toolgate::cli::load::driver
