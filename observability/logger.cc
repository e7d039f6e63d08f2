#include "observability/logger.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <ctime>
#include <vector>

#include "observability/log_escape.h"

namespace toolgate::observability {
namespace {

constexpr std::array<std::string_view, 4> kLevelNames = {"debug", "info", "warning", "error"};
constexpr std::array<std::string_view, 4> kPaddedLevels = {"DEBUG  ", "INFO   ", "WARNING", "ERROR  "};
constexpr std::string_view kTruncatedJson = ",\"truncated\":true";
constexpr std::string_view kTruncatedText = " truncated=true";
// Space for the mark above, the number of repeats and the end of the line.
constexpr size_t kReserve = 80;

void AppendPadded(int64_t value, int digits, std::string& out) {
  int64_t unit = 1;
  for (int i = 1; i < digits; ++i) unit *= 10;
  for (; unit > 0; unit /= 10) out += static_cast<char>('0' + value / unit % 10);
}

// "2026-03-02T09:00:00.123456Z". absl::FormatTime is ten times as slow.
void AppendTime(absl::Time time, std::string& out) {
  const int64_t micros = absl::ToUnixMicros(time);
  int64_t seconds = micros / 1'000'000;
  if (micros % 1'000'000 < 0) --seconds;
  const auto whole = static_cast<time_t>(seconds);
  tm parts;
  gmtime_r(&whole, &parts);
  AppendPadded(parts.tm_year + 1900, 4, out);
  out += '-';
  AppendPadded(parts.tm_mon + 1, 2, out);
  out += '-';
  AppendPadded(parts.tm_mday, 2, out);
  out += 'T';
  AppendPadded(parts.tm_hour, 2, out);
  out += ':';
  AppendPadded(parts.tm_min, 2, out);
  out += ':';
  AppendPadded(parts.tm_sec, 2, out);
  out += '.';
  AppendPadded(micros - seconds * 1'000'000, 6, out);
  out += 'Z';
}

template <typename T>
void AppendNumber(T value, std::string& out) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

void AppendQuoted(std::string_view text, std::string& out) {
  out += '"';
  AppendEscaped(text, Logger::kMaxValueBytes, out);
  out += '"';
}

// In the text format, a word has no quotes.
bool IsWord(std::string_view text) {
  if (text.empty()) return false;
  for (const char c : text) {
    if (c <= ' ' || c >= 0x7F || c == '"' || c == '\\' || c == '=') return false;
  }
  return true;
}

struct AppendValue {
  LogFormat format;
  std::string& out;

  void operator()(std::string_view text) const {
    if (format == LogFormat::kText && text.size() <= Logger::kMaxValueBytes && IsWord(text)) {
      out += text;
    } else {
      AppendQuoted(text, out);
    }
  }
  void operator()(bool value) const { out += value ? "true" : "false"; }
  void operator()(int64_t value) const { AppendNumber(value, out); }
  void operator()(uint64_t value) const { AppendNumber(value, out); }
  void operator()(double value) const {
    if (std::isfinite(value)) {
      AppendNumber(value, out);
    } else {
      out += std::isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    }
  }
};

void AppendField(const LogField& field, LogFormat format, std::string& out) {
  if (format == LogFormat::kJson) {
    out += ",";
    AppendQuoted(field.name(), out);
    out += ':';
  } else {
    out += ' ';
    AppendEscaped(field.name(), Logger::kMaxValueBytes, out);
    out += '=';
  }
  std::visit(AppendValue{format, out}, field.value());
}

void AppendStart(absl::Time time, LogLevel level, std::string_view message, LogFormat format, std::string& out) {
  const auto index = static_cast<size_t>(level);
  if (format == LogFormat::kJson) {
    out += "{\"time\":\"";
    AppendTime(time, out);
    out += "\",\"level\":\"";
    out += kLevelNames[index];
    out += "\",\"message\":";
    AppendQuoted(message, out);
  } else {
    AppendTime(time, out);
    out += ' ';
    out += kPaddedLevels[index];
    out += ' ';
    AppendEscaped(message, Logger::kMaxValueBytes, out);
  }
}

}  // namespace

std::string_view LogLevelName(LogLevel level) { return kLevelNames[static_cast<size_t>(level)]; }

std::optional<LogLevel> LogLevelFromName(std::string_view name) {
  for (size_t i = 0; i < kLevelNames.size(); ++i) {
    if (kLevelNames[i] == name) return static_cast<LogLevel>(i);
  }
  return std::nullopt;
}

void FdLogSink::Write(std::string_view line) {
  absl::MutexLock lock(&mutex_);
  while (!line.empty()) {
    const ssize_t written = write(fd_, line.data(), line.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    line.remove_prefix(static_cast<size_t>(written));
  }
}

bool FdLogSink::is_terminal() const { return isatty(fd_) == 1; }

void Logger::Write(LogLevel level, std::string_view message, absl::Span<const LogField> fields) {
  const LogSampler::Verdict verdict = sampler_.Judge(level, message, fields, clock_.Monotonic());
  if (verdict.write) {
    WriteLine(level, message, fields, verdict.repeated);
  } else {
    left_out_[static_cast<size_t>(level)].fetch_add(1, std::memory_order_relaxed);
  }
}

void Logger::WriteLeftOut(LeftOutOf which) {
  for (const LogSampler::LeftOut& left_out : sampler_.TakeLeftOut(clock_.Monotonic(), which == LeftOutOf::kAll)) {
    std::vector<LogField> fields;
    for (const auto& [name, text] : left_out.keys) fields.emplace_back(name, text);
    WriteLine(left_out.level, left_out.message, fields, left_out.lines);
  }
}

void Logger::WriteLine(LogLevel level, std::string_view message, absl::Span<const LogField> fields, int64_t repeated) {
  thread_local std::string line;
  line.clear();
  const LogFormat format = format_.load(std::memory_order_relaxed);
  AppendStart(clock_.Now(), level, message, format, line);
  bool truncated = false;
  for (const LogField& field : fields) {
    const auto* text = std::get_if<std::string_view>(&field.value());
    if (text != nullptr && text->empty()) continue;
    const size_t before = line.size();
    AppendField(field, format, line);
    if (line.size() + kReserve <= kMaxLineBytes) continue;
    line.resize(before);
    truncated = true;
  }
  if (repeated > 0) AppendField({"repeated", repeated}, format, line);
  written_[static_cast<size_t>(level)].fetch_add(1, std::memory_order_relaxed);
  const bool json = format == LogFormat::kJson;
  if (truncated) line += json ? kTruncatedJson : kTruncatedText;
  line += json ? "}\n" : "\n";
  sink_.Write(line);
}

}  // namespace toolgate::observability
