#include "coordination/limits/redis_limiter_store.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/clock.h"
#include "common/status_macros.h"

namespace toolgate::coordination::limits {
namespace {

// Times are microseconds since 1970 by Redis's clock, which doubles hold exactly. A clock that stepped back counts on
// from the newest charge, so that no window opens early.
#define TOOLGATE_NOW                                                         \
  "local time = redis.call('TIME')\n"                                        \
  "local now = time[1] * 1000000 + time[2]\n"                                \
  "local function text(number) return string.format('%.0f', number) end\n"   \
  "for _, key in ipairs(KEYS) do\n"                                          \
  "  local newest = redis.call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2]\n"   \
  "  if newest and tonumber(newest) > now then now = tonumber(newest) end\n" \
  "end\n"                                                                    \
  "local function count(key, length)\n"                                      \
  "  return redis.call('ZCOUNT', key, '(' .. text(now - length), '+inf')\n"  \
  "end\n"

// Arguments: the charge's name; for each key the number of its windows, and the calls and the length of each. Returns
// {1, the number of calls in each window} or {0, key, window, wait}, the last two of the window that is the last to
// have room.
constexpr redis::Script kCharge = {TOOLGATE_NOW R"lua(
local used, longest, refused = {1}, {}, nil
local at = 2
for i, key in ipairs(KEYS) do
  longest[i] = 0
  local windows = tonumber(ARGV[at])
  for w = 1, windows do
    local calls, length = tonumber(ARGV[at + 2 * w - 1]), tonumber(ARGV[at + 2 * w])
    longest[i] = math.max(longest[i], length)
    local present = count(key, length)
    used[#used + 1] = present + 1
    if present >= calls then
      local last = tonumber(redis.call('ZREVRANGE', key, calls - 1, calls - 1, 'WITHSCORES')[2])
      local wait = last + length - now
      if not refused or (refused[2] == i - 1 and wait > refused[4]) then
        refused = {0, i - 1, w - 1, math.max(wait, refused and refused[4] or 0)}
      else
        refused[4] = math.max(wait, refused[4])
      end
    end
  end
  at = at + 1 + 2 * windows
end
if refused then return refused end
for i, key in ipairs(KEYS) do
  redis.call('ZREMRANGEBYSCORE', key, '-inf', text(now - longest[i]))
  redis.call('ZADD', key, text(now), ARGV[1])
  redis.call('PEXPIREAT', key, text((now + longest[i]) / 1000 + 1))
end
return used
)lua",
                                   "limits.charge"};

constexpr redis::Script kGiveBack = {R"lua(
for _, key in ipairs(KEYS) do redis.call('ZREM', key, ARGV[1]) end
return 0
)lua",
                                     "limits.give_back"};

// Arguments: for each key the number of its windows, and the length of each. Returns the calls in each window and when
// the oldest of them leaves it.
constexpr redis::Script kUsage = {TOOLGATE_NOW R"lua(
local usage = {}
local at = 1
for _, key in ipairs(KEYS) do
  local windows = tonumber(ARGV[at])
  for w = 1, windows do
    local length = tonumber(ARGV[at + w])
    usage[#usage + 1] = count(key, length)
    local oldest = redis.call('ZRANGEBYSCORE', key, '(' .. text(now - length), '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
    usage[#usage + 1] = oldest and tonumber(oldest) + length or 0
  end
  at = at + 1 + windows
end
return usage
)lua",
                                  "limits.usage"};

#undef TOOLGATE_NOW

// Without the characters that have a meaning in a key.
void AppendEscaped(std::string_view text, std::string& key) {
  constexpr std::string_view kSpecial = "%{}:";
  for (const char c : text) {
    if (kSpecial.find(c) == std::string_view::npos) {
      key.push_back(c);
    } else {
      absl::StrAppend(&key, "%", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    }
  }
}

// The part in braces decides the slot: all logs of a subject are in one.
std::string KeyOf(const LogCheck& check) {
  constexpr std::string_view kKinds = "ugp";
  std::string key = "toolgate:limits:{";
  key.push_back(kKinds[static_cast<size_t>(check.subject.kind)]);
  key.push_back(':');
  AppendEscaped(check.subject.workspace_id, key);
  key.push_back(':');
  AppendEscaped(check.subject.name, key);
  key += "}:";
  AppendEscaped(check.log, key);
  return key;
}

// Checks of one subject, by their places among all.
using Group = absl::InlinedVector<size_t, 4>;

std::vector<Group> GroupsOf(std::span<const LogCheck> checks) {
  std::vector<Group> groups;
  for (size_t i = 0; i < checks.size(); ++i) {
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return checks[group.front()].subject == checks[i].subject;
    });
    Group& group = same == groups.end() ? groups.emplace_back() : *same;
    group.push_back(i);
  }
  return groups;
}

std::string MicrosOf(absl::Duration duration) { return absl::StrCat(absl::ToInt64Microseconds(duration)); }

absl::Status Unreadable() { return absl::UnavailableError("Redis replied to a script of limits with something else"); }

int64_t IntegerAt(const redis::Reply& reply, size_t index) {
  return index < reply.items.size() ? reply.items[index].integer : 0;
}

}  // namespace

RedisLimiterStore::RedisLimiterStore(std::unique_ptr<redis::Client> client, std::string process_id)
    : client_(std::move(client)), process_id_(std::move(process_id)) {}

absl::Time RedisLimiterStore::NextCharge() {
  absl::MutexLock lock(&mutex_);
  last_charge_ = std::max(Clock::Real().Now(), last_charge_ + absl::Nanoseconds(1));
  return last_charge_;
}

std::string RedisLimiterStore::NameOf(absl::Time charged_at) const {
  return absl::StrCat(process_id_, ":", absl::ToUnixNanos(charged_at));
}

absl::StatusOr<ChargeOutcome> RedisLimiterStore::CheckAndCharge(std::span<const LogCheck> checks) {
  ChargeOutcome outcome;
  outcome.charged_at = NextCharge();
  const std::vector<Group> groups = GroupsOf(checks);
  std::vector<redis::ScriptRun> runs;
  for (const Group& group : groups) {
    redis::ScriptRun& run = runs.emplace_back();
    run.arguments.push_back(NameOf(outcome.charged_at));
    for (const size_t i : group) {
      run.keys.push_back(KeyOf(checks[i]));
      run.arguments.push_back(absl::StrCat(checks[i].windows.size()));
      for (const Window& window : checks[i].windows) {
        run.arguments.push_back(absl::StrCat(window.max_calls));
        run.arguments.push_back(MicrosOf(window.length));
      }
    }
  }
  ASSIGN_OR_RETURN(const std::vector<redis::Reply> replies, client_->RunScript(kCharge, runs));
  outcome.used_shares.resize(checks.size());
  for (size_t g = 0; g < groups.size(); ++g) {
    RETURN_IF_ERROR(ReadCharge(checks, groups[g], replies[g], outcome));
  }
  if (outcome.kind == ChargeOutcome::Kind::kRefused) {
    GiveBack(checks, outcome.charged_at);
    outcome.used_shares.clear();
  }
  return outcome;
}

absl::Status RedisLimiterStore::ReadCharge(std::span<const LogCheck> checks, std::span<const size_t> group,
                                           const redis::Reply& reply, ChargeOutcome& outcome) {
  if (reply.kind != redis::Reply::Kind::kArray || reply.items.empty()) return Unreadable();
  if (IntegerAt(reply, 0) == 0) {
    const auto key = static_cast<size_t>(IntegerAt(reply, 1));
    const auto window = static_cast<size_t>(IntegerAt(reply, 2));
    if (reply.items.size() != 4 || key >= group.size() || window >= checks[group[key]].windows.size()) {
      return Unreadable();
    }
    if (outcome.kind != ChargeOutcome::Kind::kRefused || group[key] < outcome.check) {
      outcome.check = group[key];
      outcome.window = window;
    }
    outcome.kind = ChargeOutcome::Kind::kRefused;
    outcome.wait = std::max(outcome.wait, absl::Microseconds(IntegerAt(reply, 3)));
    return absl::OkStatus();
  }
  size_t next = 1;
  for (const size_t i : group) {
    for (const Window& window : checks[i].windows) {
      const double share = static_cast<double>(IntegerAt(reply, next++)) / static_cast<double>(window.max_calls);
      outcome.used_shares[i] = std::max(outcome.used_shares[i], share);
    }
  }
  return next == reply.items.size() ? absl::OkStatus() : Unreadable();
}

void RedisLimiterStore::GiveBack(std::span<const LogCheck> checks, absl::Time charged_at) {
  std::vector<redis::ScriptRun> runs;
  for (const Group& group : GroupsOf(checks)) {
    redis::ScriptRun& run = runs.emplace_back();
    for (const size_t i : group) run.keys.push_back(KeyOf(checks[i]));
    run.arguments.push_back(NameOf(charged_at));
  }
  client_->RunScript(kGiveBack, runs).status().IgnoreError();
}

absl::StatusOr<std::vector<std::vector<WindowUsage>>> RedisLimiterStore::Usage(std::span<const LogCheck> checks) {
  const std::vector<Group> groups = GroupsOf(checks);
  std::vector<redis::ScriptRun> runs;
  for (const Group& group : groups) {
    redis::ScriptRun& run = runs.emplace_back();
    for (const size_t i : group) {
      run.keys.push_back(KeyOf(checks[i]));
      run.arguments.push_back(absl::StrCat(checks[i].windows.size()));
      for (const Window& window : checks[i].windows) run.arguments.push_back(MicrosOf(window.length));
    }
  }
  std::vector<std::vector<WindowUsage>> usages(checks.size());
  if (runs.empty()) return usages;
  ASSIGN_OR_RETURN(const std::vector<redis::Reply> replies, client_->RunScript(kUsage, runs));
  for (size_t g = 0; g < groups.size(); ++g) {
    size_t next = 0;
    for (const size_t i : groups[g]) {
      for (size_t w = 0; w < checks[i].windows.size(); ++w, next += 2) {
        const int64_t resets = IntegerAt(replies[g], next + 1);
        usages[i].push_back(
            {IntegerAt(replies[g], next), resets == 0 ? absl::InfinitePast() : absl::FromUnixMicros(resets)});
      }
    }
    if (next != replies[g].items.size()) return Unreadable();
  }
  return usages;
}

}  // namespace toolgate::coordination::limits
