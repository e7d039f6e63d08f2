#include "cli/call_events.h"

#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "cli/api_json.h"
#include "cli/printable.h"
#include "cli/result_view.h"
#include "common/json.h"

namespace toolgate::cli {
namespace {

Json EventJson(const v1::ToolCallStart& start) {
  return {{"event", "tool_call_start"},
          {"toolName", start.tool_name()},
          {"arguments", EmbeddedJson(start.arguments_json())},
          {"argumentsTruncated", start.arguments_truncated()},
          {"toolCallId", start.tool_call_id()}};
}

Json EventJson(const v1::ToolStarted& started) {
  return {{"event", "started"},
          {"toolId", started.tool_id()},
          {"callId", started.call_id()},
          {"startedAt", Rfc3339(started.started_at())}};
}

Json EventJson(const v1::ToolProgress& progress) {
  return {
      {"event", "progress"}, {"message", progress.message()}, {"done", progress.done()}, {"total", progress.total()}};
}

Json EventJson(const v1::ToolOutput& output) {
  return {{"event", "output"}, {"channel", output.channel()}, {"chunkBase64", absl::Base64Escape(output.chunk())}};
}

Json EventJson(const v1::ToolCallResult& result) {
  Json json = {{"event", "tool_result"},
               {"toolName", result.tool_name()},
               {"success", result.success()},
               {"latencyMs", result.latency_ms()},
               {"toolCallId", result.tool_call_id()},
               {"replayed", result.replayed()},
               {"replayOfAnotherRequest", result.replay_of_another_request()}};
  if (result.has_error()) json["error"] = ToJson(result.error());
  return json;
}

Json EventJson(const v1::ArtifactComplete& artifact) {
  return {{"event", "artifact_complete"},
          {"artifactCode", artifact.artifact_code()},
          {"type", artifact.type()},
          {"title", artifact.title()}};
}

Json EventJson(const v1::ImageComplete& image) {
  return {{"event", "image_complete"},
          {"imageUrl", image.image_url()},
          {"imageDataBase64", absl::Base64Escape(image.image_data())},
          {"mediaType", image.media_type()},
          {"width", image.width()},
          {"height", image.height()}};
}

Json EventJson(const v1::WebSearch& search) {
  Json sources = Json::array();
  for (const v1::WebSource& source : search.sources()) {
    sources.push_back({{"title", source.title()}, {"url", source.url()}, {"snippet", source.snippet()}});
  }
  return {{"event", "web_search"}, {"query", search.query()}, {"sources", std::move(sources)}};
}

std::string Describe(const v1::ToolCallResult& result) {
  if (!result.success()) return absl::StrCat("failed after ", result.latency_ms(), " ms");
  if (result.replayed()) return "answered the stored outcome of the first call";
  return absl::StrCat("succeeded after ", result.latency_ms(), " ms");
}

std::string Describe(const v1::ArtifactComplete& artifact) {
  return absl::StrCat("artifact: ", PrintableLine(artifact.type()), ", ", artifact.artifact_code().size(), " bytes",
                      artifact.title().empty() ? "" : ": ", PrintableLine(artifact.title()));
}

std::string Describe(const v1::ImageComplete& image) {
  std::string text = "image";
  if (!image.media_type().empty()) absl::StrAppend(&text, ", ", PrintableLine(image.media_type()));
  if (image.width() > 0 && image.height() > 0) absl::StrAppend(&text, ", ", image.width(), "x", image.height());
  if (image.image_url().empty()) return absl::StrCat(text, ", ", image.image_data().size(), " bytes");
  return absl::StrCat(text, ": ", PrintableLine(image.image_url()));
}

void ShowForPeople(const v1::WebSearch& search, const Session& session) {
  session.Note(absl::StrCat("searched the web for ", PrintableLine(search.query()), "; sources:"));
  for (const v1::WebSource& source : search.sources()) {
    session.Note(absl::StrCat("  ", PrintableLine(source.url()), " ", PrintableLine(source.title())));
  }
}

void ShowForPeople(const v1::ToolProgress& progress, const Session& session) {
  if (!session.terminal().err_is_terminal) return;
  session.Note(absl::StrCat(progress.message(), " ", progress.done(),
                            progress.total() > 0 ? absl::StrCat("/", progress.total()) : ""));
}

void ShowForPeople(const v1::ExecuteStreamResponse& event, const Session& session) {
  switch (event.event_case()) {
    case v1::ExecuteStreamResponse::kStarted:
      return session.Note(absl::StrCat("started ", event.started().tool_id(), ", call ", event.started().call_id()));
    case v1::ExecuteStreamResponse::kProgress:
      return ShowForPeople(event.progress(), session);
    case v1::ExecuteStreamResponse::kOutput:
      return ShowOutput(event.output(), session);
    case v1::ExecuteStreamResponse::kToolResult:
      return session.Note(Describe(event.tool_result()));
    case v1::ExecuteStreamResponse::kArtifactComplete:
      return session.Note(Describe(event.artifact_complete()));
    case v1::ExecuteStreamResponse::kImageComplete:
      return session.Note(Describe(event.image_complete()));
    case v1::ExecuteStreamResponse::kWebSearch:
      return ShowForPeople(event.web_search(), session);
    default:  // The person who typed the command knows the call; the response is shown as the result.
      return;
  }
}

void ShowAsJson(const v1::ExecuteStreamResponse& event, const Session& session) {
  switch (event.event_case()) {
    case v1::ExecuteStreamResponse::kToolCallStart:
      return session.PrintJson(EventJson(event.tool_call_start()));
    case v1::ExecuteStreamResponse::kStarted:
      return session.PrintJson(EventJson(event.started()));
    case v1::ExecuteStreamResponse::kProgress:
      return session.PrintJson(EventJson(event.progress()));
    case v1::ExecuteStreamResponse::kOutput:
      return session.PrintJson(EventJson(event.output()));
    case v1::ExecuteStreamResponse::kToolResult:
      return session.PrintJson(EventJson(event.tool_result()));
    case v1::ExecuteStreamResponse::kArtifactComplete:
      return session.PrintJson(EventJson(event.artifact_complete()));
    case v1::ExecuteStreamResponse::kImageComplete:
      return session.PrintJson(EventJson(event.image_complete()));
    case v1::ExecuteStreamResponse::kWebSearch:
      return session.PrintJson(EventJson(event.web_search()));
    default:
      return;
  }
}

}  // namespace

void ShowEvent(const v1::ExecuteStreamResponse& event, const Session& session) {
  if (session.json()) {
    ShowAsJson(event, session);
  } else {
    ShowForPeople(event, session);
  }
  session.terminal().out.flush();
}

}  // namespace toolgate::cli
