// Settling what an effect has left to write.
#ifndef TOOLGATE_SERVICES_EXECUTION_SETTLEMENT_H_
#define TOOLGATE_SERVICES_EXECUTION_SETTLEMENT_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "executors/tool.h"

namespace toolgate::services::execution {

// Runs `commit`, which runs `acted.settle` in a transaction, after `acted.prepare`; and both again, a limited number of
// times, while what was prepared is out of date by then.
absl::Status SettlePrepared(const executors::Acted& acted, absl::FunctionRef<absl::Status()> commit);

}  // namespace toolgate::services::execution

#endif  // TOOLGATE_SERVICES_EXECUTION_SETTLEMENT_H_
