#include "observability/tracing/trace_recording.h"

#include <algorithm>
#include <array>
#include <utility>

#include "observability/call_recorder.h"
#include "observability/tracing/attribute_names.h"

namespace toolgate::observability::tracing {
namespace {

// Room for an ordinary call with all of its layers.
constexpr size_t kOrdinarySpans = 20;
constexpr size_t kOrdinaryAttributes = 28;

// Ids of the spans of layers, in the order in which they were entered.
using LayerIds = std::array<uint64_t, CallRecorder::kMaxLayers>;

// The innermost of the first `count` layers that were running at `at`; the id of the call if there is none.
uint64_t InnermostAt(int64_t at, std::span<const LayerTiming> layers, size_t count, const LayerIds& ids,
                     uint64_t call_id) {
  for (size_t i = count; i-- > 0;) {
    if (layers[i].entered_ns <= at && at <= layers[i].left_ns) return ids[i];
  }
  return call_id;
}

}  // namespace

TraceRecording::TraceRecording(TraceContext server, TraceIds& ids, const Clock& clock)
    : server_(std::move(server)),
      ids_(ids),
      clock_(clock),
      epoch_offset_ns_(absl::ToUnixNanos(clock.Now()) - clock.MonotonicNanos()) {
  spans_.reserve(kOrdinarySpans);
  attribute_ends_.reserve(kOrdinarySpans);
  attributes_.reserve(kOrdinaryAttributes);
}

std::string_view TraceRecording::Keep(std::string_view text) {
  absl::MutexLock lock(&mutex_);
  return texts_.emplace_back(text);
}

void TraceRecording::Add(const Span& span, std::span<const Attribute> attributes) {
  absl::MutexLock lock(&mutex_);
  AddLocked(span, attributes);
}

void TraceRecording::AddLocked(const Span& span, std::span<const Attribute> attributes) {
  if (spans_.size() == kMaxSpans) {
    ++dropped_;
    return;
  }
  spans_.push_back(span);
  attributes_.insert(attributes_.end(), attributes.begin(), attributes.end());
  attribute_ends_.push_back(static_cast<uint32_t>(attributes_.size()));
}

void TraceRecording::EndCall(const Span& call, std::span<const Attribute> attributes,
                             std::span<const LayerTiming> layers, std::string_view error_type) {
  LayerIds ids;
  const size_t count = std::min(layers.size(), ids.size());
  std::generate_n(ids.begin(), count, [this] { return NewSpanId(); });
  absl::MutexLock lock(&mutex_);
  for (Span& span : spans_) {
    if (span.parent_id == call.id) span.parent_id = InnermostAt(span.start_ns, layers, count, ids, call.id);
  }
  AddLocked(call, attributes);
  for (size_t i = 0; i < count; ++i) {
    const LayerTiming& layer = layers[i];
    const Attribute error{kErrorType, error_type};
    AddLocked({.id = ids[i],
               .parent_id = InnermostAt(layer.entered_ns, layers, i, ids, call.id),
               .name = layer.name,
               .failed = layer.refused,
               .start_ns = layer.entered_ns,
               .end_ns = layer.left_ns},
              std::span(&error, layer.refused ? 1 : 0));
  }
}

std::span<const Attribute> TraceRecording::AttributesOf(size_t span) const {
  const size_t first = span == 0 ? 0 : attribute_ends_[span - 1];
  return std::span(attributes_).subspan(first, attribute_ends_[span] - first);
}

}  // namespace toolgate::observability::tracing
