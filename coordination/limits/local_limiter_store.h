// Windows kept in this process.
#ifndef TOOLGATE_COORDINATION_LIMITS_LOCAL_LIMITER_STORE_H_
#define TOOLGATE_COORDINATION_LIMITS_LOCAL_LIMITER_STORE_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "common/clock.h"
#include "coordination/limits/limiter_store.h"
#include "coordination/limits/sliding_window.h"

namespace toolgate::coordination::limits {

// Thread-safe; one mutex per shard of subjects. Uses wall time, like a store that replicas share; if that steps back,
// charges get the latest time seen by their logs, so that no window ever opens early.
//
// Memory: at most `max_tracked_users` users and guests (ids of at most 128 bytes, and, for each limited tool that they
// called, 8 bytes for each call within its windows). Each is forgotten once its place is needed and none of its charges
// is in a window any more. They are spread evenly over the shards, so with more than a few thousand a shard may be full
// a few per cent before the whole is. Providers come from the configuration and are not counted.
class LocalLimiterStore final : public LimiterStore {
 public:
  // `clock` must outlive the store. INVALID_ARGUMENT unless `max_tracked_users` is positive.
  static absl::StatusOr<std::unique_ptr<LocalLimiterStore>> Create(int64_t max_tracked_users, const Clock& clock);

  absl::StatusOr<ChargeOutcome> CheckAndCharge(std::span<const LogCheck> checks) override;
  void GiveBack(std::span<const LogCheck> checks, absl::Time charged_at) override;
  absl::StatusOr<std::vector<std::vector<WindowUsage>>> Usage(std::span<const LogCheck> checks) override;
  bool MayWait() const override { return false; }

  // Users and guests that currently have a place.
  int64_t tracked_users() const;

 private:
  struct NamedLog {
    std::string name;
    SlidingWindow log;
  };
  struct SubjectState {
    Subject subject() const { return {kind, workspace_id, name}; }

    Subject::Kind kind;
    std::string workspace_id;
    std::string name;
    std::vector<NamedLog> logs;  // A handful: the limited tools that this user called.
    absl::Time idle_at;          // Time at which the last charge leaves its longest window.
  };
  using StatePtr = std::unique_ptr<SubjectState>;
  struct StateHash {
    using is_transparent = void;
    size_t operator()(const Subject& subject) const;
    size_t operator()(const StatePtr& state) const { return (*this)(state->subject()); }
  };
  struct StateEq {
    using is_transparent = void;
    static const Subject& Of(const Subject& subject) { return subject; }
    static Subject Of(const StatePtr& state) { return state->subject(); }
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return Of(a) == Of(b);
    }
  };
  // A user's place in its shard's queue of candidates to forget. `idle_at` may be earlier than the state's own: charges
  // move that later without updating the entry here.
  struct ForgetEntry {
    absl::Time idle_at;
    SubjectState* state;
    // For a heap whose top is the earliest.
    friend bool operator<(const ForgetEntry& a, const ForgetEntry& b) { return a.idle_at > b.idle_at; }
  };
  struct alignas(64) Shard {
    mutable absl::Mutex mutex;
    absl::flat_hash_set<StatePtr, StateHash, StateEq> subjects ABSL_GUARDED_BY(mutex);
    std::vector<ForgetEntry> forget_heap ABSL_GUARDED_BY(mutex);  // One entry a user; none for providers.
  };
  class ShardLocks;

  LocalLimiterStore(int64_t users_per_shard, size_t shard_count, const Clock& clock);

  size_t ShardIndexOf(const Subject& subject) const;
  // These three require the locks of all checks' shards, which the analysis cannot see.
  ChargeOutcome CheckLocked(std::span<const LogCheck> checks) const ABSL_NO_THREAD_SAFETY_ANALYSIS;
  ChargeOutcome ChargeLocked(std::span<const LogCheck> checks, absl::Time now) ABSL_NO_THREAD_SAFETY_ANALYSIS;
  void GiveBackLocked(std::span<const LogCheck> checks, absl::Time charged_at) ABSL_NO_THREAD_SAFETY_ANALYSIS;
  // nullptr if nothing was charged to it yet.
  static SlidingWindow* FindLog(const Shard& shard, const LogCheck& check) ABSL_EXCLUSIVE_LOCKS_REQUIRED(shard.mutex);
  // Created if absent.
  static SlidingWindow& LogOf(SubjectState& state, std::string_view name);
  // The subject's state, created if absent; nullptr if the shard is full of users with live charges.
  SubjectState* FindOrAdd(Shard& shard, const Subject& subject, absl::Time now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(shard.mutex);
  // Forgets the user that has been idle longest. False if none is idle.
  static bool ForgetOne(Shard& shard, absl::Time now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(shard.mutex);

  const size_t users_per_shard_;
  const Clock& clock_;
  std::vector<Shard> shards_;
};

}  // namespace toolgate::coordination::limits

#endif  // TOOLGATE_COORDINATION_LIMITS_LOCAL_LIMITER_STORE_H_
