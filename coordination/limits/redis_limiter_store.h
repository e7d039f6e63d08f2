// Windows kept in Redis, which replicas share.
#ifndef TOOLGATE_COORDINATION_LIMITS_REDIS_LIMITER_STORE_H_
#define TOOLGATE_COORDINATION_LIMITS_REDIS_LIMITER_STORE_H_

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/redis/client.h"
#include "common/redis/reply.h"
#include "coordination/limits/limiter_store.h"

namespace toolgate::coordination::limits {

// Each log is a sorted set of the times at which calls were charged, by Redis's clock, and expires with the last of
// them. As exact as those of one process, until Redis forgets: after a failover or a restart, charges of up to the
// longest window may be lost.
//
// One exchange for a call, in which a user's logs and a provider's are asked side by side: they may be in different
// slots of a cluster. Thread-safe.
class RedisLimiterStore final : public LimiterStore {
 public:
  // `process_id` differs from that of every other process.
  RedisLimiterStore(std::unique_ptr<redis::Client> client, std::string process_id);

  absl::StatusOr<ChargeOutcome> CheckAndCharge(std::span<const LogCheck> checks) override;
  void GiveBack(std::span<const LogCheck> checks, absl::Time charged_at) override;
  absl::StatusOr<std::vector<std::vector<WindowUsage>>> Usage(std::span<const LogCheck> checks) override;
  bool MayWait() const override { return true; }

  redis::Client& client() { return *client_; }

 private:
  // Differs from all earlier ones of this process.
  absl::Time NextCharge() ABSL_LOCKS_EXCLUDED(mutex_);
  // Of a charge, among those of all processes.
  std::string NameOf(absl::Time charged_at) const;
  static absl::Status ReadCharge(std::span<const LogCheck> checks, std::span<const size_t> group,
                                 const redis::Reply& reply, ChargeOutcome& outcome);

  const std::unique_ptr<redis::Client> client_;
  const std::string process_id_;
  absl::Mutex mutex_;
  absl::Time last_charge_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

}  // namespace toolgate::coordination::limits

#endif  // TOOLGATE_COORDINATION_LIMITS_REDIS_LIMITER_STORE_H_
