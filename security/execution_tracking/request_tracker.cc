#include "security/execution_tracking/request_tracker.h"

#include <algorithm>
#include <utility>

#include "absl/hash/hash.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"

namespace toolgate::security::execution_tracking {
namespace {

constexpr size_t kShards = 16;
// Below this many requests there is only one shard, and the limit is exact.
constexpr int64_t kMinRequestsToShard = 4096;
constexpr int kForgetAtOnce = 2;

// A stated budget above these is a mistake.
constexpr int kAbsurdCalls = 1'000'000;
constexpr absl::Duration kAbsurdTime = absl::Hours(24);
constexpr int64_t kAbsurdTokens = 1'000'000'000'000;

constexpr absl::Duration kFullRetry = absl::Seconds(1);

absl::Status CheckBudget(const Budget& budget) {
  const auto refuse = [](std::string_view name, std::string_view range) {
    ToolError error;
    error.code = ErrorCode::kInvalidParams;
    error.message = absl::StrCat("the call's budget: ", ToAbsl(name), " must be ", ToAbsl(range));
    error.facts.emplace_back("budget", name);
    return ToStatus(error);
  };
  if (budget.max_calls < 0 || budget.max_calls > kAbsurdCalls) {
    return refuse("max_calls", "between 0 (none stated) and 1000000");
  }
  if (budget.max_execution_time < absl::ZeroDuration() || budget.max_execution_time > kAbsurdTime) {
    return refuse("max_execution_time", "between 0 (none stated) and 24h");
  }
  if (budget.max_tokens < 0 || budget.max_tokens > kAbsurdTokens) {
    return refuse("max_tokens", "between 0 (none stated) and 1000000000000");
  }
  return absl::OkStatus();
}

// A retry does not help, so it is not retryable.
absl::Status UsedUp(std::string_view budget, std::string_view limit, std::string_view used) {
  ToolError error;
  error.code = ErrorCode::kQuotaExceeded;
  error.message = absl::StrCat("this request has used up its budget of ", ToAbsl(budget), ": ", ToAbsl(used), " of ",
                               ToAbsl(limit));
  error.facts = {{"budget", std::string(budget)}, {"limit", std::string(limit)}, {"used", std::string(used)}};
  return ToStatus(error);
}

absl::Status TooManyRequests() {
  ToolError error;
  error.code = ErrorCode::kOverloaded;
  error.message = "too many requests are running to take on another one at the moment";
  error.retryable = true;
  error.retry_after = kFullRetry;
  return ToStatus(error);
}

}  // namespace

// All members are guarded by the shard's mutex.
struct RequestTracker::Entry {
  Entry(const Key& key, absl::Duration now)
      : workspace_id(key.workspace_id), user_id(key.user_id), request_id(key.request_id), idle_since(now) {}
  Key key() const { return {workspace_id, user_id, request_id}; }

  const std::string workspace_id;
  const std::string user_id;
  const std::string request_id;
  int64_t max_calls = kNoLimit;  // From the request's own budgets.
  int64_t max_tokens = kNoLimit;
  absl::Duration max_time = absl::InfiniteDuration();
  int64_t calls = 0;
  int64_t tokens_used = 0;
  int64_t tokens_reserved = 0;
  BusyTime inside;  // Of the tools that run inside the service.
  BusyTime all;
  int in_flight = 0;
  absl::Duration idle_since;
  EntryList::iterator place;  // In the shard's idle list when in_flight is 0, else in its live list.
};

struct alignas(64) RequestTracker::Shard {
  mutable absl::Mutex mutex;
  absl::flat_hash_set<EntryPtr, EntryHash, EntryEq> entries ABSL_GUARDED_BY(mutex);
  EntryList idle ABSL_GUARDED_BY(mutex);  // Longest first.
  EntryList live ABSL_GUARDED_BY(mutex);
};

size_t RequestTracker::EntryHash::operator()(const Key& key) const {
  return absl::HashOf(ToAbsl(key.workspace_id), ToAbsl(key.user_id), ToAbsl(key.request_id));
}
size_t RequestTracker::EntryHash::operator()(const EntryPtr& entry) const { return (*this)(entry->key()); }
RequestTracker::Key RequestTracker::EntryEq::Of(const EntryPtr& entry) { return entry->key(); }

RequestTracker::RequestTracker(int64_t max_tracked_requests, const Clock& clock)
    : clock_(clock),
      shards_(max_tracked_requests < kMinRequestsToShard ? 1 : kShards),
      entries_per_shard_(static_cast<size_t>(max_tracked_requests) / shards_.size()) {}

RequestTracker::~RequestTracker() = default;

RequestTracker::Shard& RequestTracker::ShardOf(size_t hash) {
  return shards_[(hash >> 32) % shards_.size()];  // The set inside a shard uses the low bits.
}

absl::StatusOr<RequestTracker::Ticket> RequestTracker::Admit(const RequestSettings& settings, const ToolCall& call,
                                                             const CallNeeds& needs, absl::Duration now, bool start) {
  RETURN_IF_ERROR(CheckBudget(call.budget));
  if (call.request_id.empty()) {
    RETURN_IF_ERROR(AdmitAlone(call, needs));
    Ticket ticket(*this, settings, nullptr, nullptr, call, needs);
    if (start) ticket.StartLocked(now);
    return ticket;
  }
  const Key key{call.caller.workspace_id, call.caller.user_id, call.request_id};
  const size_t hash = EntryHash()(key);
  Shard& shard = ShardOf(hash);
  absl::MutexLock lock(&shard.mutex);
  Entry* entry = FindOrAdd(settings, shard, key, hash, now);
  if (entry == nullptr) return TooManyRequests();
  RETURN_IF_ERROR(Charge(settings, *entry, call, needs, now));
  if (entry->in_flight++ == 0) shard.live.splice(shard.live.end(), shard.idle, entry->place);
  Ticket ticket(*this, settings, &shard, entry, call, needs);
  if (start) ticket.StartLocked(now);  // Charge has checked that there is time left.
  return ticket;
}

// A call that is a request of its own starts with nothing used, so only its tokens can be too many.
absl::Status RequestTracker::AdmitAlone(const ToolCall& call, const CallNeeds& needs) {
  if (call.budget.max_tokens == 0 || needs.tokens <= call.budget.max_tokens) return absl::OkStatus();
  return UsedUp("tokens", absl::StrCat(call.budget.max_tokens), "0");
}

RequestTracker::Entry* RequestTracker::FindOrAdd(const RequestSettings& settings, Shard& shard, const Key& key,
                                                 size_t hash, absl::Duration now) const {
  const auto found = shard.entries.find(key, hash);
  if (found != shard.entries.end()) {
    Entry* entry = found->get();
    if (entry->in_flight > 0 || now - entry->idle_since < settings.memory) return entry;
    Forget(shard, entry);
  }
  ForgetExpired(settings, shard, now);
  if (shard.entries.size() >= entries_per_shard_) {
    if (shard.idle.empty()) return nullptr;
    Forget(shard, shard.idle.front());
  }
  auto added = std::make_unique<Entry>(key, now);
  Entry* entry = added.get();
  entry->place = shard.idle.insert(shard.idle.end(), entry);
  shard.entries.insert(std::move(added));
  return entry;
}

void RequestTracker::ForgetExpired(const RequestSettings& settings, Shard& shard, absl::Duration now) {
  for (int i = 0; i < kForgetAtOnce && !shard.idle.empty(); ++i) {
    if (now - shard.idle.front()->idle_since < settings.memory) return;
    Forget(shard, shard.idle.front());
  }
}

void RequestTracker::Forget(Shard& shard, Entry* entry) {
  shard.idle.erase(entry->place);
  shard.entries.erase(shard.entries.find(entry->key()));
}

absl::Status RequestTracker::Charge(const RequestSettings& settings, Entry& entry, const ToolCall& call,
                                    const CallNeeds& needs, absl::Duration now) {
  const Budget& budget = call.budget;
  if (budget.max_calls > 0) entry.max_calls = std::min<int64_t>(entry.max_calls, budget.max_calls);
  if (budget.max_tokens > 0) entry.max_tokens = std::min(entry.max_tokens, budget.max_tokens);
  if (budget.max_execution_time > absl::ZeroDuration()) {
    entry.max_time = std::min(entry.max_time, budget.max_execution_time);
  }
  const bool counts = !call.is_step();
  const int64_t max_calls = std::min(entry.max_calls, settings.max_calls);
  if (counts && entry.calls >= max_calls) return UsedUp("calls", absl::StrCat(max_calls), absl::StrCat(entry.calls));
  if (RemainingTime(settings, entry, needs.runs_inside, now) <= absl::ZeroDuration()) {
    return TimeUsedUp(settings, entry, needs.runs_inside, now);
  }
  const int64_t tokens = entry.tokens_used + entry.tokens_reserved;
  if (needs.tokens > 0 && tokens + needs.tokens > entry.max_tokens) {
    return UsedUp("tokens", absl::StrCat(entry.max_tokens), absl::StrCat(tokens));
  }
  if (counts) ++entry.calls;
  entry.tokens_reserved += needs.tokens;
  return absl::OkStatus();
}

absl::Duration RequestTracker::RemainingTime(const RequestSettings& settings, const Entry& entry, bool runs_inside,
                                             absl::Duration now) {
  const absl::Duration of_stated = entry.max_time - entry.all.Used(now);
  if (!runs_inside) return of_stated;
  return std::min(of_stated, settings.max_execution_time - entry.inside.Used(now));
}

absl::Status RequestTracker::TimeUsedUp(const RequestSettings& settings, const Entry& entry, bool runs_inside,
                                        absl::Duration now) {
  const absl::Duration all = entry.all.Used(now);
  const bool stated = all >= entry.max_time || !runs_inside;
  return UsedUp("execution time", absl::FormatDuration(stated ? entry.max_time : settings.max_execution_time),
                absl::FormatDuration(stated ? all : entry.inside.Used(now)));
}

void RequestTracker::Leave(Shard& shard, Entry& entry, absl::Duration now) {
  if (--entry.in_flight > 0) return;
  entry.idle_since = now;
  shard.idle.splice(shard.idle.end(), shard.live, entry.place);
}

int64_t RequestTracker::tracked_requests() const {
  int64_t count = 0;
  for (const Shard& shard : shards_) {
    absl::MutexLock lock(&shard.mutex);
    count += static_cast<int64_t>(shard.entries.size());
  }
  return count;
}

RequestTracker::Ticket::Ticket(const RequestTracker& tracker, const RequestSettings& settings, Shard* shard,
                               Entry* entry, const ToolCall& call, const CallNeeds& needs)
    : tracker_(&tracker),
      settings_(&settings),
      shard_(shard),
      entry_(entry),
      counted_(!call.is_step()),
      needs_(needs),
      own_max_time_(call.budget.max_execution_time > absl::ZeroDuration() ? call.budget.max_execution_time
                                                                          : absl::InfiniteDuration()) {}

RequestTracker::Ticket::Ticket(Ticket&& other) noexcept
    : tracker_(other.tracker_),
      settings_(other.settings_),
      shard_(other.shard_),
      entry_(other.entry_),
      counted_(other.counted_),
      needs_(other.needs_),
      own_max_time_(other.own_max_time_),
      phase_(std::exchange(other.phase_, Phase::kFinished)),
      remaining_(other.remaining_) {}

RequestTracker::Ticket::~Ticket() {
  if (phase_ == Phase::kFinished || entry_ == nullptr) return;
  Stop(tracker_->clock_.Monotonic(), 0);
}

absl::StatusOr<absl::Duration> RequestTracker::Ticket::Start(absl::Duration now) {
  if (entry_ == nullptr) {
    StartLocked(now);
    return remaining_;
  }
  absl::MutexLock lock(&shard_->mutex);
  if (RemainingTime(*settings_, *entry_, needs_.runs_inside, now) <= absl::ZeroDuration()) {
    return TimeUsedUp(*settings_, *entry_, needs_.runs_inside, now);
  }
  StartLocked(now);
  return remaining_;
}

// Requires the shard's mutex, if there is a shard.
void RequestTracker::Ticket::StartLocked(absl::Duration now) {
  phase_ = Phase::kStarted;
  if (entry_ == nullptr) {
    remaining_ = needs_.runs_inside ? std::min(own_max_time_, settings_->max_execution_time) : own_max_time_;
    return;
  }
  remaining_ = RemainingTime(*settings_, *entry_, needs_.runs_inside, now);
  entry_->all.Start(now);
  if (needs_.runs_inside) entry_->inside.Start(now);
}

void RequestTracker::Ticket::Finish(absl::Duration now, int64_t tokens_used) {
  if (entry_ != nullptr) Stop(now, tokens_used);
  phase_ = Phase::kFinished;
}

void RequestTracker::Ticket::Stop(absl::Duration now, int64_t tokens_used) {
  absl::MutexLock lock(&shard_->mutex);
  if (phase_ == Phase::kStarted) {
    entry_->all.Stop(now);
    if (needs_.runs_inside) entry_->inside.Stop(now);
  } else if (counted_) {
    --entry_->calls;
  }
  entry_->tokens_reserved -= needs_.tokens;
  entry_->tokens_used += std::max<int64_t>(tokens_used, 0);
  Leave(*shard_, *entry_, now);
}

}  // namespace toolgate::security::execution_tracking
