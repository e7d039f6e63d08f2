// Renders a tool's result as the text for a model.
#ifndef TOOLGATE_SERVICES_RENDERING_RESULT_RENDERER_H_
#define TOOLGATE_SERVICES_RENDERING_RESULT_RENDERER_H_

#include <string>
#include <string_view>

#include "common/json.h"
#include "common/tool_error.h"
#include "security/tool_call.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::services::rendering {

// `result` in the form of `format`; empty for RESULT_FORMAT_UNSPECIFIED and for a result that is a confirmation
// request. `tool_call_id` is the provider's own id of the call and may be empty.
//
// Data from outside the workspace is marked as such and enclosed in delimiters that it cannot contain: in XML it is
// escaped, elsewhere every "<" in it is written as \u003c. Two forms cannot carry the mark inside the data, because
// clients check it against the tool's schema: RAW_JSON (see ToolResult.untrusted beside it) and MCP's structuredContent
// (its text content and _meta carry it).
//
// A result that was cut is preceded by a notice, outside of its data, that says how many bytes of how many follow. With
// `read_on_tool`, the tool by which its reader can read on, the notice says how.
std::string RenderResult(const security::ToolResult& result, std::string_view tool_id, std::string_view tool_call_id,
                         v1::ResultFormat format, std::string_view read_on_tool = "");

// A call that was refused before its tool ran, in the form of `format`; empty for RESULT_FORMAT_UNSPECIFIED. Like the
// rendering of a tool's error, with the code, the message, the layer and the wait, and no other details: the message
// says what was wrong and what would be right. `error` is safe to show. `tool_id` is as the caller wrote it when there
// is no such tool: one that is no name becomes "unknown_tool", and a `tool_call_id` beyond its 128 bytes is left out.
std::string RenderRefusal(const ToolError& error, std::string_view tool_id, std::string_view tool_call_id,
                          v1::ResultFormat format);

// The error as an object: {"code", "message", "details", "retryable", "retryAfterSeconds"}; details and
// retryAfterSeconds only if there are any.
Json ErrorJson(const ToolError& error);

// The details of `error`: {"violations": [{"path", "rule", "expected", "found"}], and its facts by name}.
Json ErrorDetailsJson(const ToolError& error);

}  // namespace toolgate::services::rendering

#endif  // TOOLGATE_SERVICES_RENDERING_RESULT_RENDERER_H_
