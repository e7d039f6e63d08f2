// A log that stays in memory.
#ifndef TOOLGATE_TESTS_SUPPORT_MEMORY_SINK_H_
#define TOOLGATE_TESTS_SUPPORT_MEMORY_SINK_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_join.h"
#include "absl/synchronization/mutex.h"
#include "common/json.h"
#include "observability/logger.h"

namespace toolgate::testing {

// Keeps all logged lines. Thread-safe.
class MemorySink final : public observability::LogSink {
 public:
  void Write(std::string_view line) override {
    absl::MutexLock lock(&mutex_);
    lines_.emplace_back(line);
  }
  // Each with its end.
  std::vector<std::string> lines() const {
    absl::MutexLock lock(&mutex_);
    return lines_;
  }
  std::string text() const { return absl::StrJoin(lines(), ""); }
  // The newest line of a log in JSON; null if there is none.
  Json Last() const {
    const std::vector<std::string> all = lines();
    return all.empty() ? Json() : ParseJson(all.back()).value();
  }

 private:
  mutable absl::Mutex mutex_;
  std::vector<std::string> lines_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_MEMORY_SINK_H_
