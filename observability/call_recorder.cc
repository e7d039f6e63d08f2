#include "observability/call_recorder.h"

namespace toolgate::observability {

CallRecorder::CallRecorder(CallObserver& observer, const Clock& clock, CallStarted started)
    : observer_(observer), clock_(clock), started_(started) {
  if (started_.arrived_ns == 0) started_.arrived_ns = clock_.MonotonicNanos();
  observer_.OnCallStarted(started_);
}

CallRecorder::~CallRecorder() {
  end_.ended_ns = clock_.MonotonicNanos();
  for (size_t i = 0; i < count_ && end_.outcome == CallOutcome::kRefused; ++i) {
    layers_[i].refused = layers_[i].name == end_.refused_by;
  }
  end_.layers = {layers_.data(), count_};
  observer_.OnCallEnded(started_, end_);
}

CallRecorder::LayerScope CallRecorder::EnterLayer(size_t index, std::string_view name) {
  if (count_ == kMaxLayers) return {*this, kNone};
  const size_t slot = count_++;
  LayerTiming& layer = layers_[slot];  // Member by member: copying a temporary just written stalls the processor.
  layer.index = index;
  layer.name = name;
  layer.entered_ns = clock_.MonotonicNanos();
  layer.self_ns = 0;
  layer.refused = false;
  outer_[slot] = current_;
  current_ = slot;
  return {*this, slot};
}

void CallRecorder::LeaveLayer(size_t slot) {
  if (slot == kNone) return;
  LayerTiming& layer = layers_[slot];
  layer.left_ns = clock_.MonotonicNanos();
  const int64_t whole = layer.left_ns - layer.entered_ns;
  layer.self_ns += whole;  // The inner layers have already subtracted their time.
  current_ = outer_[slot];
  if (current_ != kNone) layers_[current_].self_ns -= whole;
}

}  // namespace toolgate::observability
