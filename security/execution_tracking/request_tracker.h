// Combined usage of the calls of one request.
#ifndef TOOLGATE_SECURITY_EXECUTION_TRACKING_REQUEST_TRACKER_H_
#define TOOLGATE_SECURITY_EXECUTION_TRACKING_REQUEST_TRACKER_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "security/execution_tracking/busy_time.h"
#include "security/tool_call.h"

namespace toolgate::security::execution_tracking {

// Limits of each request in the current configuration.
struct RequestSettings {
  int64_t max_calls = 0;
  absl::Duration max_execution_time;  // By tools that run inside the service.
  absl::Duration memory;              // Time for which a request is remembered after its last call.
};

// Needs of one call of a tool from its request's budget.
struct CallNeeds {
  bool runs_inside = true;  // Runs inside the service, so that RequestSettings::max_execution_time limits it.
  int64_t tokens = 0;       // Tokens to reserve.
};

// Tracks calls, execution time and tokens by workspace, user and request id. The limits are passed with each call, so
// that a new configuration takes past usage into account. A request's own Budget can only tighten the configured
// limits, and the tightest that any of its calls stated applies from then on. A call without a request id is a request
// of its own, and costs no entry. A step of an automation does not count as a call of the request (the automation did),
// but its time and tokens count.
//
// Thread-safe; one mutex per shard. Memory: at most `max_tracked_requests` entries (up to rounding among the shards),
// each with three ids of at most 128 bytes; beyond that, the request that has been idle longest is forgotten.
class RequestTracker {
 private:
  struct Entry;
  struct Shard;

 public:
  // One call of a request, from its admission to its end, with its reserved tokens. A ticket that is destroyed before
  // Start gives back the call; one destroyed without Finish stops its time then, and its tokens count as unused.
  class Ticket {
   public:
    Ticket(Ticket&& other) noexcept;
    Ticket& operator=(Ticket&&) = delete;
    ~Ticket();

    // Starts the execution time, once. Returns the remaining time; QUOTA_EXCEEDED if there is none.
    absl::StatusOr<absl::Duration> Start(absl::Duration now);
    // Result of Start or AdmitAndStart.
    absl::Duration remaining() const { return remaining_; }
    // Stops the execution time and settles the reservation. Once, after Start.
    void Finish(absl::Duration now, int64_t tokens_used);

   private:
    friend class RequestTracker;
    enum class Phase { kAdmitted, kStarted, kFinished };
    Ticket(const RequestTracker& tracker, const RequestSettings& settings, Shard* shard, Entry* entry,
           const ToolCall& call, const CallNeeds& needs);
    void StartLocked(absl::Duration now) ABSL_NO_THREAD_SAFETY_ANALYSIS;
    void Stop(absl::Duration now, int64_t tokens_used);

    const RequestTracker* tracker_;
    const RequestSettings* settings_;
    Shard* shard_;  // Null for a call that is a request of its own; then entry_ is, too.
    Entry* entry_;
    bool counted_;  // False for steps of automations.
    CallNeeds needs_;
    absl::Duration own_max_time_;  // For a call that is a request of its own.
    Phase phase_ = Phase::kAdmitted;
    absl::Duration remaining_ = absl::ZeroDuration();
  };

  // `max_tracked_requests` is at least 1; `clock` must outlive the tracker.
  RequestTracker(int64_t max_tracked_requests, const Clock& clock);
  ~RequestTracker();

  // INVALID_PARAMS if the call's Budget is negative or absurd; QUOTA_EXCEEDED, with the facts "budget", "limit" and
  // "used", if the request has used up its calls, its execution time or its tokens; OVERLOADED if there is no room to
  // remember this request, and none can be forgotten. `settings` must outlive the ticket.
  absl::StatusOr<Ticket> Admit(const RequestSettings& settings, const ToolCall& call, const CallNeeds& needs,
                               absl::Duration now) {
    return Admit(settings, call, needs, now, /*start=*/false);
  }
  // Admit and Ticket::Start in one step, for a call without a wait in between.
  absl::StatusOr<Ticket> AdmitAndStart(const RequestSettings& settings, const ToolCall& call, const CallNeeds& needs,
                                       absl::Duration now) {
    return Admit(settings, call, needs, now, /*start=*/true);
  }

  // Requests remembered now.
  int64_t tracked_requests() const;

 private:
  static constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

  struct Key {
    std::string_view workspace_id;
    std::string_view user_id;
    std::string_view request_id;
    friend bool operator==(const Key& a, const Key& b) = default;
  };
  using EntryList = std::list<Entry*>;
  using EntryPtr = std::unique_ptr<Entry>;
  struct EntryHash {
    using is_transparent = void;
    size_t operator()(const Key& key) const;
    size_t operator()(const EntryPtr& entry) const;
  };
  struct EntryEq {
    using is_transparent = void;
    static const Key& Of(const Key& key) { return key; }
    static Key Of(const EntryPtr& entry);
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      return Of(a) == Of(b);
    }
  };

  absl::StatusOr<Ticket> Admit(const RequestSettings& settings, const ToolCall& call, const CallNeeds& needs,
                               absl::Duration now, bool start);
  Shard& ShardOf(size_t hash);
  static absl::Status AdmitAlone(const ToolCall& call, const CallNeeds& needs);
  // These four run with the shard's mutex held, which the analysis cannot see: Shard is known to the .cc file only.
  // Returns nullptr if the shard is full of requests with calls in flight.
  Entry* FindOrAdd(const RequestSettings& settings, Shard& shard, const Key& key, size_t hash,
                   absl::Duration now) const ABSL_NO_THREAD_SAFETY_ANALYSIS;
  static void ForgetExpired(const RequestSettings& settings, Shard& shard,
                            absl::Duration now) ABSL_NO_THREAD_SAFETY_ANALYSIS;
  static void Forget(Shard& shard, Entry* entry) ABSL_NO_THREAD_SAFETY_ANALYSIS;
  static void Leave(Shard& shard, Entry& entry, absl::Duration now) ABSL_NO_THREAD_SAFETY_ANALYSIS;
  static absl::Status Charge(const RequestSettings& settings, Entry& entry, const ToolCall& call,
                             const CallNeeds& needs, absl::Duration now);
  // Remaining execution time at `now`; zero or less if it is used up.
  static absl::Duration RemainingTime(const RequestSettings& settings, const Entry& entry, bool runs_inside,
                                      absl::Duration now);
  static absl::Status TimeUsedUp(const RequestSettings& settings, const Entry& entry, bool runs_inside,
                                 absl::Duration now);

  const Clock& clock_;
  std::vector<Shard> shards_;
  const size_t entries_per_shard_;
};

}  // namespace toolgate::security::execution_tracking

#endif  // TOOLGATE_SECURITY_EXECUTION_TRACKING_REQUEST_TRACKER_H_
