// The operator's log: one line for each event.
#ifndef TOOLGATE_OBSERVABILITY_LOGGER_H_
#define TOOLGATE_OBSERVABILITY_LOGGER_H_

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "common/clock.h"
#include "observability/log_field.h"
#include "observability/log_sampler.h"

namespace toolgate::observability {

// Removes secrets from a text. Thread-safe.
using LogMask = std::function<std::string(std::string_view)>;

enum class LogFormat { kJson, kText };

// "debug", "info", "warning", "error".
std::string_view LogLevelName(LogLevel level);
std::optional<LogLevel> LogLevelFromName(std::string_view name);

// Destination of log lines. Thread-safe.
class LogSink {
 public:
  virtual ~LogSink() = default;
  // `line` is one complete line including its line end.
  virtual void Write(std::string_view line) = 0;
};

// Writes to a borrowed file descriptor. A line that cannot be written is lost; there is no retry after an error.
class FdLogSink final : public LogSink {
 public:
  explicit FdLogSink(int fd) : fd_(fd) {}
  void Write(std::string_view line) override;
  bool is_terminal() const;

 private:
  const int fd_;
  absl::Mutex mutex_;  // A long line may take several writes.
};

// Thread-safe. A line is formatted on the caller's thread, in memory that the thread reuses.
//
//   logger.Info("listening", {{"address", address}, {"workers", 8}});
//
// As JSON: {"time":"2026-03-02T09:00:00.000000Z","level":"info","message":"listening","address":"…","workers":8}.
// As text: 2026-03-02T09:00:00.000000Z INFO    listening address=… workers=8.
// Control characters, bidi controls and line separators are escaped, ill-formed UTF-8 becomes U+FFFD: no value can
// forge a line or control a terminal. Values are cut at kMaxValueBytes, and a line never exceeds kMaxLineBytes: fields
// that do not fit are left out and marked by "truncated". Fields with an empty text are left out too. Callers must mask
// secrets.
//
// Repeats are bounded if LogRepeats says so: of the lines of one kind, the first `max_lines` in an interval are
// written, then one in each interval, with "repeated": the number of lines that were left out before it. When a kind
// ends to repeat, a last line without the fields that are no keys tells of the rest (WriteLeftOut). Lines of the level
// debug are not bounded. The kinds that are told apart are bounded as well (LogSampler).
class Logger {
 public:
  static constexpr size_t kMaxLineBytes = 16384;
  static constexpr size_t kMaxValueBytes = 4096;

  // Borrows the sink and the clock.
  Logger(LogSink& sink, const Clock& clock, LogLevel level, LogFormat format, LogRepeats repeats = {})
      : sink_(sink), clock_(clock), sampler_(repeats), format_(format), level_(level) {}
  // Writes what is left to tell of repeats.
  ~Logger() { WriteLeftOut(LeftOutOf::kAll); }
  Logger(const Logger&) = delete;
  Logger& operator=(const Logger&) = delete;

  bool enabled(LogLevel level) const { return level >= level_.load(std::memory_order_relaxed); }
  void set_level(LogLevel level) { level_.store(level, std::memory_order_relaxed); }
  void set_format(LogFormat format) { format_.store(format, std::memory_order_relaxed); }
  void set_repeats(LogRepeats repeats) { sampler_.set_repeats(repeats); }

  using Fields = std::initializer_list<LogField>;
  void Log(LogLevel level, std::string_view message, Fields fields = {}) {
    if (enabled(level)) Write(level, message, {fields.begin(), fields.size()});
  }
  void Debug(std::string_view message, Fields fields = {}) { Log(LogLevel::kDebug, message, fields); }
  void Info(std::string_view message, Fields fields = {}) { Log(LogLevel::kInfo, message, fields); }
  void Warning(std::string_view message, Fields fields = {}) { Log(LogLevel::kWarning, message, fields); }
  void Error(std::string_view message, Fields fields = {}) { Log(LogLevel::kError, message, fields); }

  // Tells of lines that were left out and that no later line of their kind has told of: of the kinds that have ended to
  // repeat, or of all. To be called now and then.
  enum class LeftOutOf { kEnded, kAll };
  void WriteLeftOut(LeftOutOf which);

  // Lines of a level that were written, and repeats that were left out.
  uint64_t written(LogLevel level) const { return CountOf(written_, level); }
  uint64_t left_out(LogLevel level) const { return CountOf(left_out_, level); }

 private:
  using Counts = std::array<std::atomic<uint64_t>, 4>;

  static uint64_t CountOf(const Counts& counts, LogLevel level) {
    return counts[static_cast<size_t>(level)].load(std::memory_order_relaxed);
  }
  // Writes the line, unless it repeats too often.
  void Write(LogLevel level, std::string_view message, absl::Span<const LogField> fields);
  // `repeated` is added as a field, unless it is 0.
  void WriteLine(LogLevel level, std::string_view message, absl::Span<const LogField> fields, int64_t repeated);

  LogSink& sink_;
  const Clock& clock_;
  LogSampler sampler_;
  std::atomic<LogFormat> format_;
  std::atomic<LogLevel> level_;
  Counts written_{};
  Counts left_out_{};
};

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_LOGGER_H_
