// Finished traces that stay in memory.
#ifndef TOOLGATE_TESTS_SUPPORT_KEPT_TRACES_H_
#define TOOLGATE_TESTS_SUPPORT_KEPT_TRACES_H_

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "observability/tracing/trace_recording.h"
#include "observability/tracing/tracer.h"

namespace toolgate::testing {

// Not thread-safe.
class KeptTraces final : public observability::tracing::RecordingSink {
 public:
  void Take(std::unique_ptr<observability::tracing::TraceRecording> recording) override {
    all.push_back(std::move(recording));
  }

  std::vector<std::unique_ptr<observability::tracing::TraceRecording>> all;
};

// The span of that name; null if there is none.
inline const observability::tracing::Span* FindSpan(const observability::tracing::TraceRecording& recording,
                                                    std::string_view name) {
  for (const observability::tracing::Span& span : recording.spans()) {
    if (span.name == name) return &span;
  }
  return nullptr;
}

// The attribute of `span`, which is one of the recording's; nothing if it has none of that name.
inline std::optional<observability::tracing::Attribute::Value> FindAttribute(
    const observability::tracing::TraceRecording& recording, const observability::tracing::Span* span,
    std::string_view name) {
  const auto index = static_cast<size_t>(span - recording.spans().data());
  for (const observability::tracing::Attribute& attribute : recording.AttributesOf(index)) {
    if (attribute.name == name) return attribute.value;
  }
  return std::nullopt;
}

// A text attribute; "" if there is none.
inline std::string_view FindText(const observability::tracing::TraceRecording& recording,
                                 const observability::tracing::Span* span, std::string_view name) {
  const auto value = FindAttribute(recording, span, name);
  const auto* text = value.has_value() ? std::get_if<std::string_view>(&*value) : nullptr;
  return text == nullptr ? std::string_view() : *text;
}

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_KEPT_TRACES_H_
