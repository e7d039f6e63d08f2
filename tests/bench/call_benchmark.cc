// A whole call in the process, without gRPC: the request's bytes are read, every layer acts, the tool reads the SQLite
// store or the call is refused, the answer's bytes are written, the entry goes to the audit log. The server adds only
// gRPC's costs to this, and the log's for a refusal.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "absl/synchronization/mutex.h"
#include "benchmark/benchmark.h"
#include "common/clock.h"
#include "common/json.h"
#include "executors/registration/registration.h"
#include "services/api/convert.h"
#include "services/config/config.h"
#include "services/grpc/rpc_status.h"
#include "storage/store.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_core.h"
#include "tests/support/test_store.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::services {
namespace {

template <typename T>
T OrDie(absl::StatusOr<T> value) {
  if (!value.ok()) {
    std::fprintf(stderr, "%s\n", std::string(value.status().message()).c_str());
    std::abort();
  }
  return *std::move(value);
}

class Service {
 public:
  Service() {
    // As `toolgate serve` does: Debian's Abseil looks for deadlocks at every lock.
    absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
    testing::TestStoreOptions options;
    options.data_dir = dir_.path();
    store_ = testing::MakeTestStore(options);
    core_ = std::make_unique<testing::TestCore>(*store_, Clock::Real(), OrDie(config::Load({})),
                                                OrDie(executors::registration::BuiltInCatalog()));
  }

  std::string NewPage() {
    const auto made = core_->Run("create_block", Json::parse(R"({"type":"page","data":{"title":"A page to read"}})"));
    return Json::parse(OrDie(made).data_json)["blockId"];
  }

  std::string Execute(const std::string& bytes) {
    v1::ExecuteRequest request;
    request.ParseFromString(bytes);
    const auto call = core_->Call(request.tool_id());
    v1::ExecuteResponse response;
    api::FillCall(request, *call);
    auto result = core_->Run(*call);
    if (!result.ok()) return grpc::ToGrpcStatus(result.status()).error_details();
    api::FillResponse(*call, *std::move(result), response);
    return response.SerializeAsString();
  }

 private:
  testing::TempDir dir_;
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<testing::TestCore> core_;
};

// A get_block of a page, whose id is given as `property`.
void Run(benchmark::State& state, const std::string& property) {
  static auto* const service = new Service;
  static const std::string* const block = new std::string(service->NewPage());
  v1::ExecuteRequest request;
  request.set_tool_id("get_block");
  request.set_arguments_json(Json{{property, *block}}.dump());
  request.mutable_caller()->set_workspace_id("w");
  request.mutable_caller()->set_user_id("ann");
  const std::string bytes = request.SerializeAsString();
  for (auto _ : state) benchmark::DoNotOptimize(service->Execute(bytes));
}

void BM_GetBlock(benchmark::State& state) { Run(state, "blockId"); }
BENCHMARK(BM_GetBlock)->Threads(1)->Threads(2)->UseRealTime();

void BM_RefusedForAnUnknownProperty(benchmark::State& state) { Run(state, "blockID"); }
BENCHMARK(BM_RefusedForAnUnknownProperty)->Threads(1)->Threads(2)->UseRealTime();

}  // namespace
}  // namespace toolgate::services

BENCHMARK_MAIN();
