#include "services/grpc/rpc_timer.h"

#include <array>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "services/grpc/inbound.h"

namespace toolgate::services::grpc {
namespace {

using FullNames = std::array<std::string, api::kRpcTable.size()>;

// "package.Service/Method", by the index in kRpcTable. Lives for ever.
std::string_view FullName(size_t method) {
  static const auto* const names = [] {
    auto* all = new FullNames;
    for (size_t i = 0; i < all->size(); ++i) {
      (*all)[i] = absl::StrCat(ToAbsl(api::kRpcTable[i].service), "/", ToAbsl(api::kRpcTable[i].method));
    }
    return all;
  }();
  return (*names)[method];
}

}  // namespace

RpcTimer::RpcTimer(api::ApiRuntime& runtime, api::Rpc rpc, const ::grpc::ServerContextBase& context)
    : runtime_(runtime),
      method_(static_cast<size_t>(rpc)),
      start_(runtime.clock.Monotonic()),
      trace_(runtime.tracer.Begin(ClientSpanOf(context))) {
  runtime_.metrics.RpcStarted(method_);
}

void RpcTimer::Finished(::grpc::StatusCode code) {
  runtime_.metrics.RpcHandled(method_, static_cast<int>(code), runtime_.clock.Monotonic() - start_);
  if (trace_.recording() == nullptr) return;
  runtime_.tracer.End(trace_, FullName(method_), static_cast<int>(code), absl::ToInt64Nanoseconds(start_));
}

}  // namespace toolgate::services::grpc
