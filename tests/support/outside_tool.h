// Effects for tests that wait for something outside and send output.
#ifndef TOOLGATE_TESTS_SUPPORT_OUTSIDE_TOOL_H_
#define TOOLGATE_TESTS_SUPPORT_OUTSIDE_TOOL_H_

#include <atomic>
#include <set>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/fibers/event.h"
#include "executors/family.h"

namespace toolgate::testing {

// The world outside, under the control of a test. Thread-safe but for the members without a lock, which are set before.
class OutsideWorld {
 public:
  // Ends the waits of all calls that wait now.
  void Release();
  // Calls that wait in the world.
  int waiting() const;
  void AwaitWaiting(int count) const;

  // Sent by each call before it waits, as one piece each.
  std::vector<std::string> output;
  // The longest that a call waits.
  absl::Duration patience = absl::InfiniteDuration();

  // Pieces sent so far, by all calls.
  int sent() const { return sent_; }

  // For the tools.
  void CountSent() { ++sent_; }
  void Enter(fibers::Event& event);
  void Leave(fibers::Event& event);

 private:
  std::atomic<int> sent_{0};
  mutable absl::Mutex mutex_;
  std::set<fibers::Event*> events_ ABSL_GUARDED_BY(mutex_);
};

// Two effects: "outside_look" (read-only) and "outside_act" (claimed in the journal). Both send the world's output,
// wait until the world releases them, and answer {"released": true}, or false when the patience ended. `world` is
// borrowed.
executors::Family OutsideFamily(OutsideWorld& world);

// The same tools with handlers of a test's own, in the order of OutsideHandlers.
std::vector<executors::ToolHandlers> OutsideHandlers(OutsideWorld& world);
executors::Family OutsideFamily(std::vector<executors::ToolHandlers> handlers);

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_OUTSIDE_TOOL_H_
