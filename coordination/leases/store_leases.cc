#include "coordination/leases/store_leases.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "common/fibers/cancellation.h"
#include "common/json.h"
#include "common/status_macros.h"

namespace toolgate::coordination::leases {
namespace {

constexpr char kKind[] = "lease";
constexpr char kHolder[] = "holder";
constexpr char kUntil[] = "untilMicros";

std::string Held(const std::string& holder, absl::Time until) {
  return Json{{kHolder, holder}, {kUntil, absl::ToUnixMicros(until)}}.dump();
}

// Its holder, unless it has lapsed. One that cannot be read is no one's.
std::string HolderOf(const std::optional<std::string>& document, absl::Time now) {
  if (!document.has_value()) return "";
  const Json lease = Json::parse(*document, nullptr, /*allow_exceptions=*/false);
  if (!lease.is_object() || lease.value(kUntil, int64_t{0}) <= absl::ToUnixMicros(now)) return "";
  return lease.value(kHolder, std::string());
}

}  // namespace

absl::Status StoreLeases::Change(
    const LeaseName& name,
    absl::FunctionRef<absl::Status(storage::Transaction&, const std::string& holder, absl::Time now)> change) {
  const absl::Time now = clock_.Now();
  const storage::WriteContext context{name.workspace_id, "", "", now};
  return store_.Commit(context, storage::CommitMode::kDurable, fibers::Cancellation(),
                       [&](storage::Transaction& transaction) -> absl::Status {
                         ASSIGN_OR_RETURN(const auto document, transaction.FindDocument(kKind, name.subject));
                         return change(transaction, HolderOf(document, now), now);
                       });
}

absl::StatusOr<bool> StoreLeases::Take(const LeaseName& name) {
  {
    absl::MutexLock lock(&mutex_);
    if (!held_.insert(name).second) return false;
  }
  bool taken = false;
  const absl::Status status =
      Change(name, [&](storage::Transaction& transaction, const std::string& holder, absl::Time now) -> absl::Status {
        taken = holder.empty() || holder == process_id_;
        if (!taken) return absl::OkStatus();
        return transaction.PutDocument(kKind, name.subject, Held(process_id_, now + kLeaseTime));
      });
  if (status.ok() && taken) return true;
  absl::MutexLock lock(&mutex_);
  held_.erase(name);
  if (!status.ok()) return status;
  return false;
}

absl::Status StoreLeases::Renew() {
  std::vector<LeaseName> names;
  {
    absl::MutexLock lock(&mutex_);
    names.assign(held_.begin(), held_.end());
  }
  absl::Status failure;
  for (const LeaseName& name : names) {
    failure.Update(Change(name, [&](storage::Transaction& transaction, const std::string& holder, absl::Time now) {
      // It may have ended since, or lapsed and be another's.
      if (holder != process_id_) return absl::OkStatus();
      return transaction.PutDocument(kKind, name.subject, Held(process_id_, now + kLeaseTime));
    }));
  }
  return failure;
}

void StoreLeases::Release(const LeaseName& name) {
  Change(name, [&](storage::Transaction& transaction, const std::string& holder, absl::Time) {
    return holder == process_id_ ? transaction.DeleteDocument(kKind, name.subject) : absl::OkStatus();
  }).IgnoreError();
  absl::MutexLock lock(&mutex_);
  held_.erase(name);
}

}  // namespace toolgate::coordination::leases
