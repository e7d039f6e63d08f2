// Times one call and tells a CallObserver of it.
#ifndef TOOLGATE_OBSERVABILITY_CALL_RECORDER_H_
#define TOOLGATE_OBSERVABILITY_CALL_RECORDER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/clock.h"
#include "observability/call_observer.h"

namespace toolgate::observability {

// Lives on the stack of whoever runs a call: observes the start when made and the end when destroyed, whichever way the
// call leaves. Reads the clock once a layer boundary, allocates nothing. Not thread-safe.
//
//   CallRecorder recorder(observer, clock, started);
//   {
//     const auto timing = recorder.EnterLayer(0, "safe_errors");
//     …  // Layers inside enter and leave here.
//   }
//   recorder.end().outcome = CallOutcome::kSucceeded;
class CallRecorder {
 public:
  // More layers than any pipeline has; those beyond it are not timed.
  static constexpr size_t kMaxLayers = 24;

  // Marks a layer's end when destroyed.
  class LayerScope {
   public:
    LayerScope(CallRecorder& recorder, size_t slot) : recorder_(recorder), slot_(slot) {}
    ~LayerScope() { recorder_.LeaveLayer(slot_); }
    LayerScope(const LayerScope&) = delete;
    LayerScope& operator=(const LayerScope&) = delete;

   private:
    CallRecorder& recorder_;
    const size_t slot_;
  };

  // Borrows `observer`, `clock` and what `started` points to.
  CallRecorder(CallObserver& observer, const Clock& clock, CallStarted started);
  ~CallRecorder();
  CallRecorder(const CallRecorder&) = delete;
  CallRecorder& operator=(const CallRecorder&) = delete;

  // `index` is the layer's place in the pipeline and `name` outlives the recorder. Layers nest.
  [[nodiscard]] LayerScope EnterLayer(size_t index, std::string_view name);

  // What the call came to, to be filled in before the recorder goes. Until then it is a failure without a code. The
  // times and layers are the recorder's own.
  CallEnded& end() { return end_; }
  const CallStarted& started() const { return started_; }

 private:
  static constexpr size_t kNone = kMaxLayers;

  void LeaveLayer(size_t slot);

  CallObserver& observer_;
  const Clock& clock_;
  CallStarted started_;
  CallEnded end_;
  std::array<LayerTiming, kMaxLayers> layers_;  // Up to count_.
  std::array<size_t, kMaxLayers> outer_;        // The slot that each layer was entered from.
  size_t count_ = 0;
  size_t current_ = kNone;
};

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_CALL_RECORDER_H_
