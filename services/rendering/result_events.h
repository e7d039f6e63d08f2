// Events that show a tool's result to people: a generated artifact, a generated image, a search on the web.
#ifndef TOOLGATE_SERVICES_RENDERING_RESULT_EVENTS_H_
#define TOOLGATE_SERVICES_RENDERING_RESULT_EVENTS_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "executors/tool_definition.h"
#include "security/tool_call.h"
#include "toolgate/v1/tool_events.pb.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::services::rendering {

using ResultEvent = std::variant<v1::ArtifactComplete, v1::ImageComplete, v1::WebSearch>;

// The event that `definition` names for its results, with the members of the result's data that bear the event's names
// (docs/tool-definition.md). Nothing when the definition names none; for a failure, a confirmation request and a dry
// run; and when the data has not what the event needs, as when it was cut. Thread-safe.
std::optional<ResultEvent> EventOf(const executors::ToolDefinition& definition, const security::ToolResult& result);
std::optional<ResultEvent> EventOf(const executors::ToolDefinition& definition, const v1::ToolResult& result);

// Puts `event` into its field of `out`, any message whose events have these fields (ExecuteStreamResponse and
// ChatResponse).
template <typename Message>
void SetEvent(ResultEvent event, Message& out) {
  struct Setter {
    void operator()(v1::ArtifactComplete&& artifact) { *out.mutable_artifact_complete() = std::move(artifact); }
    void operator()(v1::ImageComplete&& image) { *out.mutable_image_complete() = std::move(image); }
    void operator()(v1::WebSearch&& search) { *out.mutable_web_search() = std::move(search); }
    Message& out;
  };
  std::visit(Setter{out}, std::move(event));
}

// The event that tells of the call's start. `arguments_json` is masked; `cut`: it is only the beginning.
v1::ToolCallStart ToolCallStartOf(const executors::ToolDefinition& definition, std::string_view tool_call_id,
                                  std::string arguments_json, bool cut);

// The event that tells of the call's end. `tool_call_id` is the provider's own id of the call and may be empty.
v1::ToolCallResult ToolCallResultOf(const executors::ToolDefinition& definition, std::string_view tool_call_id,
                                    const v1::ToolResult& result);

}  // namespace toolgate::services::rendering

#endif  // TOOLGATE_SERVICES_RENDERING_RESULT_EVENTS_H_
