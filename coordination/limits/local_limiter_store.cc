#include "coordination/limits/local_limiter_store.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/hash/hash.h"
#include "absl/status/status.h"
#include "common/absl_bridge.h"

namespace toolgate::coordination::limits {
namespace {

constexpr size_t kShards = 16;
// Below this many users there is only one shard, and the limit is exact.
constexpr int64_t kMinUsersToShard = 4096;

absl::Duration LongestOf(std::span<const Window> windows) {
  absl::Duration longest = absl::ZeroDuration();
  for (const Window& window : windows) longest = std::max(longest, window.length);
  return longest;
}

// Share of the fullest of `windows` that is used.
double UsedShare(const SlidingWindow& log, absl::Time now, std::span<const Window> windows) {
  double most = 0;
  for (const Window& window : windows) {
    most = std::max(most, static_cast<double>(log.Used(now, window.length)) / static_cast<double>(window.max_calls));
  }
  return most;
}

}  // namespace

// Locks the shards of all checks, always in the same order. The analysis of lock annotations cannot follow a number of
// locks that is known only at run time.
class LocalLimiterStore::ShardLocks {
 public:
  ShardLocks(LocalLimiterStore& store, std::span<const LogCheck> checks) ABSL_NO_THREAD_SAFETY_ANALYSIS
      : store_(store) {
    for (const LogCheck& check : checks) indices_.push_back(store.ShardIndexOf(check.subject));
    std::sort(indices_.begin(), indices_.end());
    indices_.erase(std::unique(indices_.begin(), indices_.end()), indices_.end());
    for (const size_t index : indices_) store_.shards_[index].mutex.Lock();
  }
  ~ShardLocks() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    for (const size_t index : indices_) store_.shards_[index].mutex.Unlock();
  }
  ShardLocks(const ShardLocks&) = delete;
  ShardLocks& operator=(const ShardLocks&) = delete;

 private:
  LocalLimiterStore& store_;
  absl::InlinedVector<size_t, 4> indices_;
};

size_t LocalLimiterStore::StateHash::operator()(const Subject& subject) const {
  return absl::HashOf(subject.kind, ToAbsl(subject.workspace_id), ToAbsl(subject.name));
}

absl::StatusOr<std::unique_ptr<LocalLimiterStore>> LocalLimiterStore::Create(int64_t max_tracked_users,
                                                                             const Clock& clock) {
  if (max_tracked_users <= 0) {
    return absl::InvalidArgumentError("rate_limiting.max_tracked_users must be at least 1");
  }
  const size_t shard_count = max_tracked_users < kMinUsersToShard ? 1 : kShards;
  const int64_t per_shard = max_tracked_users / static_cast<int64_t>(shard_count);
  return std::unique_ptr<LocalLimiterStore>(new LocalLimiterStore(per_shard, shard_count, clock));
}

LocalLimiterStore::LocalLimiterStore(int64_t users_per_shard, size_t shard_count, const Clock& clock)
    : users_per_shard_(static_cast<size_t>(users_per_shard)), clock_(clock), shards_(shard_count) {}

size_t LocalLimiterStore::ShardIndexOf(const Subject& subject) const {
  if (shards_.size() == 1) return 0;
  return (StateHash()(subject) >> 32) % shards_.size();  // The set inside a shard uses the low bits.
}

absl::StatusOr<ChargeOutcome> LocalLimiterStore::CheckAndCharge(std::span<const LogCheck> checks) {
  const ShardLocks locks(*this, checks);
  ChargeOutcome outcome = CheckLocked(checks);
  if (outcome.kind != ChargeOutcome::Kind::kAdmitted) return outcome;
  return ChargeLocked(checks, outcome.charged_at);
}

ChargeOutcome LocalLimiterStore::CheckLocked(std::span<const LogCheck> checks) const {
  absl::Time now = clock_.Now();
  absl::InlinedVector<const SlidingWindow*, 4> logs;
  for (const LogCheck& check : checks) {
    logs.push_back(FindLog(shards_[ShardIndexOf(check.subject)], check));
    if (logs.back() != nullptr) now = std::max(now, logs.back()->newest());
  }
  ChargeOutcome outcome;
  outcome.charged_at = now;
  for (size_t i = 0; i < checks.size(); ++i) {
    for (size_t w = 0; logs[i] != nullptr && w < checks[i].windows.size(); ++w) {
      const absl::Duration wait = logs[i]->Wait(now, checks[i].windows[w]);
      if (wait <= absl::ZeroDuration()) continue;
      if (outcome.kind == ChargeOutcome::Kind::kAdmitted || (outcome.check == i && wait > outcome.wait)) {
        outcome.check = i;
        outcome.window = w;
      }
      outcome.kind = ChargeOutcome::Kind::kRefused;
      outcome.wait = std::max(outcome.wait, wait);
    }
  }
  return outcome;
}

ChargeOutcome LocalLimiterStore::ChargeLocked(std::span<const LogCheck> checks, absl::Time now) {
  ChargeOutcome outcome;
  outcome.charged_at = now;
  absl::InlinedVector<SubjectState*, 4> states;
  for (const LogCheck& check : checks) {
    Shard& shard = shards_[ShardIndexOf(check.subject)];
    states.push_back(FindOrAdd(shard, check.subject, now));
    if (states.back() != nullptr) continue;
    outcome.kind = ChargeOutcome::Kind::kTableFull;
    outcome.wait = shard.forget_heap.front().idle_at - now;
    return outcome;
  }
  for (size_t i = 0; i < checks.size(); ++i) {
    const absl::Duration longest = LongestOf(checks[i].windows);
    SlidingWindow& log = LogOf(*states[i], checks[i].log);
    log.Charge(now, longest);
    outcome.used_shares.push_back(UsedShare(log, now, checks[i].windows));
    states[i]->idle_at = std::max(states[i]->idle_at, now + longest);
  }
  return outcome;
}

void LocalLimiterStore::GiveBack(std::span<const LogCheck> checks, absl::Time charged_at) {
  const ShardLocks locks(*this, checks);
  GiveBackLocked(checks, charged_at);
}

void LocalLimiterStore::GiveBackLocked(std::span<const LogCheck> checks, absl::Time charged_at) {
  for (const LogCheck& check : checks) {
    SlidingWindow* log = FindLog(shards_[ShardIndexOf(check.subject)], check);
    if (log != nullptr) log->GiveBack(charged_at);
  }
}

absl::StatusOr<std::vector<std::vector<WindowUsage>>> LocalLimiterStore::Usage(std::span<const LogCheck> checks) {
  const absl::Time now = clock_.Now();
  std::vector<std::vector<WindowUsage>> usages;
  for (const LogCheck& check : checks) {
    Shard& shard = shards_[ShardIndexOf(check.subject)];
    absl::MutexLock lock(&shard.mutex);
    const SlidingWindow* log = FindLog(shard, check);
    std::vector<WindowUsage>& usage = usages.emplace_back(check.windows.size());
    for (size_t w = 0; log != nullptr && w < check.windows.size(); ++w) {
      const absl::Duration length = check.windows[w].length;
      usage[w] = {log->Used(now, length), log->ResetsAt(now, length)};
    }
  }
  return usages;
}

int64_t LocalLimiterStore::tracked_users() const {
  int64_t count = 0;
  for (const Shard& shard : shards_) {
    absl::MutexLock lock(&shard.mutex);
    count += static_cast<int64_t>(shard.forget_heap.size());
  }
  return count;
}

SlidingWindow* LocalLimiterStore::FindLog(const Shard& shard, const LogCheck& check) {
  const auto found = shard.subjects.find(check.subject);
  if (found == shard.subjects.end()) return nullptr;
  for (NamedLog& log : (*found)->logs) {
    if (log.name == check.log) return &log.log;
  }
  return nullptr;
}

SlidingWindow& LocalLimiterStore::LogOf(SubjectState& state, std::string_view name) {
  for (NamedLog& log : state.logs) {
    if (log.name == name) return log.log;
  }
  return state.logs.emplace_back(NamedLog{std::string(name), {}}).log;
}

LocalLimiterStore::SubjectState* LocalLimiterStore::FindOrAdd(Shard& shard, const Subject& subject, absl::Time now) {
  const auto found = shard.subjects.find(subject);
  if (found != shard.subjects.end()) return found->get();
  const bool is_user = subject.kind != Subject::Kind::kProvider;
  if (is_user && shard.forget_heap.size() >= users_per_shard_ && !ForgetOne(shard, now)) return nullptr;
  auto state = std::make_unique<SubjectState>(SubjectState{
      .kind = subject.kind,
      .workspace_id = std::string(subject.workspace_id),
      .name = std::string(subject.name),
      .logs = {},
      .idle_at = now,
  });
  if (is_user) {
    shard.forget_heap.push_back({now, state.get()});
    std::push_heap(shard.forget_heap.begin(), shard.forget_heap.end());
  }
  return shard.subjects.insert(std::move(state)).first->get();
}

bool LocalLimiterStore::ForgetOne(Shard& shard, absl::Time now) {
  auto& heap = shard.forget_heap;
  while (true) {
    const ForgetEntry top = heap.front();
    if (top.idle_at == top.state->idle_at && top.idle_at > now) return false;
    std::pop_heap(heap.begin(), heap.end());
    if (top.idle_at == top.state->idle_at) {
      heap.pop_back();
      shard.subjects.erase(shard.subjects.find(top.state->subject()));
      return true;
    }
    heap.back().idle_at = top.state->idle_at;  // Charged since; at most one such step for each charge.
    std::push_heap(heap.begin(), heap.end());
  }
}

}  // namespace toolgate::coordination::limits
