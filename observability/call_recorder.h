// Times one call and reports it to a CallObserver.
#ifndef TOOLGATE_OBSERVABILITY_CALL_RECORDER_H_
#define TOOLGATE_OBSERVABILITY_CALL_RECORDER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/clock.h"
#include "observability/call_observer.h"

namespace toolgate::observability {

// Lives on the stack of the function that runs a call. Reports the start when it is constructed and the end when it is
// destroyed, however the call ends. Reads the clock once at each layer boundary, allocates nothing. Not thread-safe.
//
//   CallRecorder recorder(observer, clock, started);
//   {
//     const auto timing = recorder.EnterLayer(0, "safe_errors");
//     …  // Inner layers enter and leave here.
//   }
//   recorder.end().outcome = CallOutcome::kSucceeded;
class CallRecorder {
 public:
  // Maximum number of layers, more than any pipeline has; further ones are not timed.
  static constexpr size_t kMaxLayers = 24;

  // Records the end of a layer when it is destroyed.
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

  // Borrows `observer`, `clock` and the data that `started` refers to.
  CallRecorder(CallObserver& observer, const Clock& clock, CallStarted started);
  ~CallRecorder();
  CallRecorder(const CallRecorder&) = delete;
  CallRecorder& operator=(const CallRecorder&) = delete;

  // `index` is the layer's position in the pipeline; `name` must outlive the recorder. Layers nest.
  [[nodiscard]] LayerScope EnterLayer(size_t index, std::string_view name);

  // Outcome of the call, to be filled in before the recorder is destroyed. Initially a failure without a code. The
  // recorder itself fills in times and layers.
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
