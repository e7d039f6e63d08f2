// The operator's log: one line for each event.
#ifndef TOOLGATE_OBSERVABILITY_LOGGER_H_
#define TOOLGATE_OBSERVABILITY_LOGGER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"

namespace toolgate::observability {

// Removes secrets from a text. Thread-safe.
using LogMask = std::function<std::string(std::string_view)>;

enum class LogLevel { kDebug, kInfo, kWarning, kError };
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

// A name and a value, on the stack of the call that logs. Names are snake_case.
class LogField {
 public:
  using Value = std::variant<std::string_view, int64_t, uint64_t, double, bool>;

  template <typename T>
  LogField(std::string_view name, const T& value) : name_(name), value_(Convert(value)) {}  // NOLINT: {"name", value}

  std::string_view name() const { return name_; }
  const Value& value() const { return value_; }

 private:
  template <typename T>
  static Value Convert(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      return value;
    } else if constexpr (std::is_floating_point_v<T>) {
      return static_cast<double>(value);
    } else if constexpr (std::is_same_v<T, absl::Duration>) {
      return absl::ToDoubleSeconds(value);
    } else if constexpr (std::is_integral_v<T> && std::is_unsigned_v<T>) {
      return static_cast<uint64_t>(value);
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<int64_t>(value);
    } else {
      return std::string_view(value);
    }
  }

  std::string_view name_;
  Value value_;
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
class Logger {
 public:
  static constexpr size_t kMaxLineBytes = 16384;
  static constexpr size_t kMaxValueBytes = 4096;

  // Borrows both arguments.
  Logger(LogSink& sink, const Clock& clock, LogLevel level, LogFormat format)
      : sink_(sink), clock_(clock), format_(format), level_(level) {}

  bool enabled(LogLevel level) const { return level >= level_.load(std::memory_order_relaxed); }
  void set_level(LogLevel level) { level_.store(level, std::memory_order_relaxed); }

  using Fields = std::initializer_list<LogField>;
  void Log(LogLevel level, std::string_view message, Fields fields = {}) {
    if (enabled(level)) Write(level, message, fields);
  }
  void Debug(std::string_view message, Fields fields = {}) { Log(LogLevel::kDebug, message, fields); }
  void Info(std::string_view message, Fields fields = {}) { Log(LogLevel::kInfo, message, fields); }
  void Warning(std::string_view message, Fields fields = {}) { Log(LogLevel::kWarning, message, fields); }
  void Error(std::string_view message, Fields fields = {}) { Log(LogLevel::kError, message, fields); }

 private:
  void Write(LogLevel level, std::string_view message, Fields fields);

  LogSink& sink_;
  const Clock& clock_;
  const LogFormat format_;
  std::atomic<LogLevel> level_;
};

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_LOGGER_H_
