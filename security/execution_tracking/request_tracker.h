// What the calls of one request use up together.
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

// What the configuration in force grants each request.
struct RequestSettings {
  int64_t max_calls = 0;
  absl::Duration max_execution_time;  // By tools that run inside the service.
  absl::Duration memory;              // How long a request is remembered after its last call.
};

// What the call of a tool needs from its request's budget.
struct CallNeeds {
  bool runs_inside = true;  // Runs inside the service, so that RequestSettings::max_execution_time bounds it.
  int64_t tokens = 0;       // Tokens to reserve.
};

// Calls, execution time and tokens by workspace, user and request id. What a request may use is said with each call, so
// that a new configuration finds what requests have used already. A request's own Budget can only tighten what the
// configuration says, and the tightest that any of its calls stated holds from then on. A call without a request id is
// a request of its own, and costs no entry. The step of an automation does not count as a call of the request (the
// automation did), but its time and tokens do.
//
// Thread-safe; one mutex per shard. Memory: at most `max_tracked_requests` entries (up to rounding among the shards),
// each with three ids of at most 128 bytes; for one more, the one idle for longest is forgotten.
class RequestTracker {
 private:
  struct Entry;
  struct Shard;

 public:
  // One call of a request, from its admission to its end, and its reservation of tokens. A ticket that ends without
  // having started gives back the call; one that ends without Finish stops its time at its end and its tokens count as
  // unused.
  class Ticket {
   public:
    Ticket(Ticket&& other) noexcept;
    Ticket& operator=(Ticket&&) = delete;
    ~Ticket();

    // Starts the execution time, once. The answer is how much there is of it; QUOTA_EXCEEDED when there is none.
    absl::StatusOr<absl::Duration> Start(absl::Duration now);
    // What Start answered, or what AdmitAndStart found.
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
    bool counted_;  // Not so for steps of automations.
    CallNeeds needs_;
    absl::Duration own_max_time_;  // For a call that is a request of its own.
    Phase phase_ = Phase::kAdmitted;
    absl::Duration remaining_ = absl::ZeroDuration();
  };

  // `max_tracked_requests` is at least 1; `clock` must outlive the tracker.
  RequestTracker(int64_t max_tracked_requests, const Clock& clock);
  ~RequestTracker();

  // INVALID_PARAMS when the call's Budget is negative or absurd; QUOTA_EXCEEDED, with the facts "budget", "limit" and
  // "used", when the request has used up its calls, its execution time or its tokens; OVERLOADED when nothing can be
  // forgotten to remember this request. `settings` must outlive the ticket.
  absl::StatusOr<Ticket> Admit(const RequestSettings& settings, const ToolCall& call, const CallNeeds& needs,
                               absl::Duration now) {
    return Admit(settings, call, needs, now, /*start=*/false);
  }
  // Admit and Ticket::Start in one step, for a call that need not wait in between.
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
  // Nullptr when the shard is full of requests with calls in flight.
  Entry* FindOrAdd(const RequestSettings& settings, Shard& shard, const Key& key, size_t hash,
                   absl::Duration now) const ABSL_NO_THREAD_SAFETY_ANALYSIS;
  static void ForgetExpired(const RequestSettings& settings, Shard& shard,
                            absl::Duration now) ABSL_NO_THREAD_SAFETY_ANALYSIS;
  static void Forget(Shard& shard, Entry* entry) ABSL_NO_THREAD_SAFETY_ANALYSIS;
  static void Leave(Shard& shard, Entry& entry, absl::Duration now) ABSL_NO_THREAD_SAFETY_ANALYSIS;
  static absl::Status Charge(const RequestSettings& settings, Entry& entry, const ToolCall& call,
                             const CallNeeds& needs, absl::Duration now);
  // How much execution time is left at `now`; zero or less when it is used up.
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
