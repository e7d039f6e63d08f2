// Signals within one process.
#ifndef TOOLGATE_COORDINATION_SIGNALS_LOCAL_SIGNALS_H_
#define TOOLGATE_COORDINATION_SIGNALS_LOCAL_SIGNALS_H_

#include <map>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "coordination/signals/signals.h"

namespace toolgate::coordination::signals {

// Local to this process. Thread-safe.
class LocalSignals final : public Signals {
 public:
  void Send(std::string_view subject) override ABSL_LOCKS_EXCLUDED(mutex_);

 protected:
  void Add(const std::string& subject, fibers::Event& event) override ABSL_LOCKS_EXCLUDED(mutex_);
  void Remove(const std::string& subject, fibers::Event& event) override ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  absl::Mutex mutex_;
  std::multimap<std::string, fibers::Event*, std::less<>> events_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace toolgate::coordination::signals

#endif  // TOOLGATE_COORDINATION_SIGNALS_LOCAL_SIGNALS_H_
