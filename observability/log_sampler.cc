#include "observability/log_sampler.h"

#include <utility>
#include <variant>

#include "absl/hash/hash.h"
#include "common/absl_bridge.h"

namespace toolgate::observability {
namespace {

std::string_view TextOf(const LogField& field) {
  const auto* const text = std::get_if<std::string_view>(&field.value());
  return text == nullptr ? std::string_view() : *text;
}

uint64_t HashOf(std::string_view message, absl::Span<const LogField> fields) {
  uint64_t hash = absl::HashOf(ToAbsl(message));
  for (const LogField& field : fields) {
    if (field.is_key()) hash = absl::HashOf(hash, ToAbsl(field.name()), ToAbsl(TextOf(field)));
  }
  return hash;
}

std::string Kept(std::string_view text) { return std::string(text.substr(0, LogSampler::kMaxKeyBytes)); }

LogSampler::LeftOut Nothing(LogLevel level, std::string_view message, absl::Span<const LogField> fields) {
  LogSampler::LeftOut left_out{level, Kept(message), {}, 0};
  for (const LogField& field : fields) {
    if (field.is_key()) left_out.keys.emplace_back(field.name(), Kept(TextOf(field)));
  }
  return left_out;
}

}  // namespace

void LogSampler::set_repeats(LogRepeats repeats) {
  absl::MutexLock lock(&mutex_);
  repeats_ = repeats;
}

LogSampler::Verdict LogSampler::Judge(LogLevel level, std::string_view message, absl::Span<const LogField> fields,
                                      absl::Duration now) {
  if (level == LogLevel::kDebug) return {};
  absl::MutexLock lock(&mutex_);
  if (repeats_.max_lines <= 0) return {};
  Kind& kind = KindOf(level, message, fields, now);
  if (now - kind.window_began >= repeats_.interval) {
    kind.window_began = now;
    const int64_t repeated = std::exchange(kind.left_out.lines, 0);
    // A kind that goes on repeating has one line in each interval.
    kind.written = repeated > 0 ? repeats_.max_lines : 1;
    return {true, repeated};
  }
  if (kind.written < repeats_.max_lines) {
    ++kind.written;
    return {};
  }
  ++kind.left_out.lines;
  return {false, 0};
}

LogSampler::Kind& LogSampler::KindOf(LogLevel level, std::string_view message, absl::Span<const LogField> fields,
                                     absl::Duration now) {
  Level& of_level = levels_[static_cast<size_t>(level)];
  const uint64_t hash = HashOf(message, fields);
  if (const auto known = of_level.kinds.find(hash); known != of_level.kinds.end()) return known->second;
  if (of_level.kinds.size() >= kMaxKinds) ForgetQuiet(of_level.kinds, now);
  if (of_level.kinds.size() < kMaxKinds) {
    return of_level.kinds.emplace(hash, Kind{Nothing(level, message, fields), now}).first->second;
  }
  const uint64_t message_hash = HashOf(message, {});
  if (const auto known = of_level.messages.find(message_hash); known != of_level.messages.end()) return known->second;
  if (of_level.messages.size() < kMaxMessages) {
    return of_level.messages.emplace(message_hash, Kind{Nothing(level, message, {}), now}).first->second;
  }
  return of_level.messages.try_emplace(0, Kind{Nothing(level, "other lines", {}), now}).first->second;
}

void LogSampler::ForgetQuiet(Kinds& kinds, absl::Duration now) {
  absl::erase_if(kinds, [&](const auto& entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return entry.second.left_out.lines == 0 && now - entry.second.window_began >= repeats_.interval;
  });
}

void LogSampler::TakeFrom(Kinds& kinds, absl::Duration now, bool all, std::vector<LeftOut>& taken) {
  absl::erase_if(kinds, [&](auto& entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    Kind& kind = entry.second;
    // In the interval after its window, a further line of the kind would have told of those that were left out.
    const absl::Duration quiet = kind.left_out.lines > 0 ? 2 * repeats_.interval : repeats_.interval;
    if (!all && now - kind.window_began < quiet) return false;
    if (kind.left_out.lines > 0) taken.push_back(std::move(kind.left_out));
    return true;
  });
}

std::vector<LogSampler::LeftOut> LogSampler::TakeLeftOut(absl::Duration now, bool all) {
  std::vector<LeftOut> taken;
  absl::MutexLock lock(&mutex_);
  for (Level& level : levels_) {
    TakeFrom(level.kinds, now, all, taken);
    TakeFrom(level.messages, now, all, taken);
  }
  return taken;
}

}  // namespace toolgate::observability
