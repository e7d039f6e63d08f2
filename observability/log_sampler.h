// Bounds how often log lines repeat.
#ifndef TOOLGATE_OBSERVABILITY_LOG_SAMPLER_H_
#define TOOLGATE_OBSERVABILITY_LOG_SAMPLER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "observability/log_field.h"

namespace toolgate::observability {

// Number of lines that may repeat. Lines are of one kind if they have the same level, message and key fields.
struct LogRepeats {
  int64_t max_lines = 0;  // Lines of one kind in an interval that are written in full; 0: no bound.
  absl::Duration interval = absl::Seconds(10);
};

// Decides which lines are written. Thread-safe. Times are readings of Clock::Monotonic.
//
// Memory is bounded: of each level, kMaxKinds kinds are told apart in an interval. Lines of further kinds count by
// their message alone, and once there are kMaxMessages messages of such lines, all together as one kind.
class LogSampler {
 public:
  static constexpr size_t kMaxKinds = 256;
  static constexpr size_t kMaxMessages = 64;
  static constexpr size_t kMaxKeyBytes = 256;  // Of a message or a key field that is kept.

  explicit LogSampler(LogRepeats repeats) : repeats_(repeats) {}

  // Kinds that are known keep the windows that they are in.
  void set_repeats(LogRepeats repeats);

  struct Verdict {
    bool write = true;
    int64_t repeated = 0;  // Lines of the kind that were left out since the last one that was written.
  };
  Verdict Judge(LogLevel level, std::string_view message, absl::Span<const LogField> fields, absl::Duration now);

  // Lines of one kind that no written line has told of.
  struct LeftOut {
    LogLevel level = LogLevel::kInfo;
    std::string message;
    std::vector<std::pair<std::string, std::string>> keys;  // Key fields: names and texts.
    int64_t lines = 0;
  };
  // Takes those of the kinds that have not repeated for an interval, and forgets these kinds; of all kinds if `all`.
  std::vector<LeftOut> TakeLeftOut(absl::Duration now, bool all);

 private:
  struct Kind {
    LeftOut left_out;
    absl::Duration window_began;
    int64_t written = 0;  // In the window.
  };
  // By a hash of message and keys; two kinds with one hash are taken for one.
  using Kinds = absl::flat_hash_map<uint64_t, Kind>;
  struct Level {
    Kinds kinds;
    Kinds messages;  // Of lines that found no place in `kinds`.
  };

  Kind& KindOf(LogLevel level, std::string_view message, absl::Span<const LogField> fields, absl::Duration now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void ForgetQuiet(Kinds& kinds, absl::Duration now) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TakeFrom(Kinds& kinds, absl::Duration now, bool all, std::vector<LeftOut>& taken)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  absl::Mutex mutex_;
  LogRepeats repeats_ ABSL_GUARDED_BY(mutex_);
  std::array<Level, 4> levels_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_LOG_SAMPLER_H_
