#include "observability/library_log.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>

#include <string>
#include <string_view>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "common/absl_bridge.h"

namespace toolgate::observability {
namespace {

struct Target {
  absl::Mutex mutex;
  Logger* logger ABSL_GUARDED_BY(mutex) = nullptr;
  LogMask mask ABSL_GUARDED_BY(mutex);
};

// Never destroyed: gRPC's threads may outlive main().
Target& TheTarget() {
  static Target& target = *new Target;
  return target;
}

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

void Tell(LogLevel level, std::string_view library, std::string_view text, const char* file, int line) {
  Target& target = TheTarget();
  const absl::ReaderMutexLock lock(&target.mutex);
  if (target.logger == nullptr || !target.logger->enabled(level)) return;
  target.logger->Log(level, "library log",
                     {LogField::Key("library", library),
                      {"text", target.mask(text)},
                      LogField::Key("source", absl::StrCat(ToAbsl(BaseName(file)), ":", line))});
}

void TellOfGrpc(gpr_log_func_args* said) {
  const LogLevel level = said->severity == GPR_LOG_SEVERITY_DEBUG  ? LogLevel::kDebug
                         : said->severity == GPR_LOG_SEVERITY_INFO ? LogLevel::kInfo
                                                                   : LogLevel::kWarning;
  Tell(level, "grpc", said->message, said->file, said->line);
}

void TellOfProtobuf(google::protobuf::LogLevel severity, const char* file, int line, const std::string& text) {
  const LogLevel level = severity == google::protobuf::LOGLEVEL_INFO    ? LogLevel::kInfo
                         : severity == google::protobuf::LOGLEVEL_FATAL ? LogLevel::kError
                                                                        : LogLevel::kWarning;
  Tell(level, "protobuf", text, file, line);
}

}  // namespace

LibraryLog::LibraryLog(Logger& logger, LogMask mask) {
  {
    Target& target = TheTarget();
    const absl::MutexLock lock(&target.mutex);
    target.logger = &logger;
    target.mask = std::move(mask);
  }
  gpr_set_log_function(TellOfGrpc);
  google::protobuf::SetLogHandler(TellOfProtobuf);
}

LibraryLog::~LibraryLog() {
  Target& target = TheTarget();
  const absl::MutexLock lock(&target.mutex);
  target.logger = nullptr;
  target.mask = nullptr;
}

}  // namespace toolgate::observability
