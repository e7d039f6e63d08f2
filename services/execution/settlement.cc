#include "services/execution/settlement.h"

#include "common/status_macros.h"
#include "services/execution/transaction_runner.h"

namespace toolgate::services::execution {
namespace {

// Each attempt loses to another call's commit, so that many in a row hardly happen.
constexpr int kMaxSettleAttempts = 16;

}  // namespace

absl::Status SettlePrepared(const executors::Acted& acted, absl::FunctionRef<absl::Status()> commit) {
  if (acted.prepare == nullptr) return commit();
  absl::Status settled;
  for (int attempt = 1; attempt <= kMaxSettleAttempts; ++attempt) {
    RETURN_IF_ERROR(acted.prepare());
    settled = commit();
    if (!IsOutOfDate(settled)) return settled;
  }
  return settled;
}

}  // namespace toolgate::services::execution
