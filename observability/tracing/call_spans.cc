#include "observability/tracing/call_spans.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "observability/tracing/attribute_names.h"
#include "observability/tracing/span.h"
#include "observability/tracing/trace_recording.h"

namespace toolgate::observability::tracing {
namespace {

constexpr size_t kMaxAttributes = 13;

// Attributes of one span, on the stack.
class AttributeList {
 public:
  void Add(std::string_view name, Attribute::Value value) { attributes_[count_++] = {name, value}; }
  void AddUnlessEmpty(std::string_view name, std::string_view value) {
    if (!value.empty()) Add(name, value);
  }
  std::span<const Attribute> all() const { return std::span(attributes_).first(count_); }

 private:
  std::array<Attribute, kMaxAttributes> attributes_;
  size_t count_ = 0;
};

}  // namespace

CallSpans::CallSpans(const std::vector<std::string>& tools, LogMask mask_secrets)
    : unknown_{"unknown", "execute_tool unknown"}, mask_secrets_(std::move(mask_secrets)) {
  for (const std::string& tool : tools) tools_.emplace(tool, Names{tool, absl::StrCat("execute_tool ", tool)});
}

const CallSpans::Names& CallSpans::NamesOf(std::string_view tool_id) const {
  const auto found = tools_.find(ToAbsl(tool_id));
  return found == tools_.end() ? unknown_ : found->second;
}

void CallSpans::Record(const CallStarted& call, const CallEnded& end) const {
  TraceRecording& recording = *call.recording;
  const Names& names = NamesOf(call.tool_id);
  const bool failed = end.outcome == CallOutcome::kFailed || end.outcome == CallOutcome::kRefused;
  const std::string_view outcome = OutcomeName(end.outcome, end.error);
  const std::string_view call_id = recording.Keep(call.call_id);
  AttributeList attributes;
  attributes.Add(kGenAiOperationName, kExecuteTool);
  attributes.Add(kGenAiToolName, names.tool);
  attributes.Add(kGenAiToolType, kFunction);
  attributes.Add(kGenAiToolCallId,
                 call.tool_call_id.empty() ? call_id : recording.Keep(mask_secrets_(call.tool_call_id)));
  attributes.Add(kCallId, call_id);
  attributes.AddUnlessEmpty(kAuditEntryId, recording.Keep(end.audit_entry_id));
  attributes.Add(kOutcome, outcome);
  if (failed) attributes.Add(kErrorType, outcome);
  attributes.AddUnlessEmpty(kRefusedBy, end.refused_by.empty() ? end.refused_by : recording.Keep(end.refused_by));
  attributes.AddUnlessEmpty(kReferenceId,
                            end.reference_id.empty() ? end.reference_id : recording.Keep(end.reference_id));
  if (end.dry_run) attributes.Add(kDryRun, true);
  if (end.replayed) attributes.Add(kReplayed, true);
  if (end.findings > 0) attributes.Add(kFindings, static_cast<int64_t>(end.findings));
  recording.EndCall({.id = call.trace.span_id,
                     .parent_id = call.parent_span_id,
                     .name = names.span,
                     .failed = failed,
                     .start_ns = call.arrived_ns,
                     .end_ns = end.ended_ns},
                    attributes.all(), end.layers, outcome);
}

}  // namespace toolgate::observability::tracing
