// Progress reports of a tool that runs.
#ifndef TOOLGATE_EXECUTORS_PROGRESS_H_
#define TOOLGATE_EXECUTORS_PROGRESS_H_

#include <cstdint>
#include <string>

namespace toolgate::executors {

// Progress of a tool.
struct Progress {
  std::string message;  // Present activity, for people.
  int64_t done = 0;     // In the tool's own unit, which the message names.
  int64_t total = 0;    // 0: unknown.
};

// Receives the reports of one call, on its thread.
class ProgressSink {
 public:
  // Never waits, so that it may be called inside a transaction. A report that the client has not seen yet may be
  // replaced by the next one; a body that the store runs twice reports twice.
  virtual void Report(const Progress& progress) = 0;

 protected:
  ~ProgressSink() = default;
};

}  // namespace toolgate::executors

#endif  // TOOLGATE_EXECUTORS_PROGRESS_H_
