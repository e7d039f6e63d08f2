#include "services/rendering/result_events.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/time/time.h"
#include "common/absl_bridge.h"
#include "common/http/http_url.h"
#include "common/json.h"
#include "common/proto_time.h"

namespace toolgate::services::rendering {
namespace {

using executors::ToolDefinition;

constexpr int kMaxSources = 50;
// Data that the service made: its size is bounded already, and no stranger chose its shape.
constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();
constexpr JsonLimits kDataLimits = {.max_bytes = kNoLimit, .max_keys = kNoLimit, .max_values = kNoLimit};

// Empty when there is no such member, or another kind of value.
std::string_view TextAt(const Json& object, const char* name) {
  const auto member = object.find(name);
  if (member == object.end() || !member->is_string()) return "";
  return member->get_ref<const std::string&>();
}

// Zero when there is no such member, or no positive whole number that fits.
int32_t SizeAt(const Json& object, const char* name) {
  const auto member = object.find(name);
  if (member == object.end() || !member->is_number_integer()) return 0;
  const auto size = member->get<int64_t>();
  return size > 0 && size <= std::numeric_limits<int32_t>::max() ? static_cast<int32_t>(size) : 0;
}

std::optional<ResultEvent> ArtifactOf(const Json& data) {
  v1::ArtifactComplete artifact;
  artifact.set_artifact_code(std::string(TextAt(data, "artifactCode")));
  artifact.set_type(std::string(TextAt(data, "type")));
  artifact.set_title(std::string(TextAt(data, "title")));
  if (artifact.artifact_code().empty() || artifact.type().empty()) return std::nullopt;
  return artifact;
}

// Reads Base64, or a data URL with Base64, whose media type counts unless `image` has one. Leaves out any other text.
void SetImageData(std::string_view text, v1::ImageComplete& image) {
  constexpr std::string_view kScheme = "data:";
  constexpr std::string_view kEncoding = ";base64,";
  if (text.starts_with(kScheme)) {
    const size_t encoding = text.find(kEncoding);
    if (encoding == std::string_view::npos) return;
    const std::string_view media_type = text.substr(kScheme.size(), encoding - kScheme.size());
    if (image.media_type().empty()) image.set_media_type(std::string(media_type.substr(0, media_type.find(';'))));
    text.remove_prefix(encoding + kEncoding.size());
  }
  std::string bytes;
  if (absl::Base64Unescape(ToAbsl(text), &bytes)) image.set_image_data(std::move(bytes));
}

std::optional<ResultEvent> ImageOf(const Json& data) {
  v1::ImageComplete image;
  image.set_media_type(std::string(TextAt(data, "mediaType")));
  image.set_width(SizeAt(data, "width"));
  image.set_height(SizeAt(data, "height"));
  // Clients make links of these: no script may stand there.
  if (const std::string_view url = TextAt(data, "imageUrl"); toolgate::http::HasHttpScheme(url))
    image.set_image_url(std::string(url));
  SetImageData(TextAt(data, "imageData"), image);
  if (image.image_url().empty() && image.image_data().empty()) return std::nullopt;
  return image;
}

std::optional<ResultEvent> SearchOf(const Json& data) {
  v1::WebSearch search;
  search.set_query(std::string(TextAt(data, "query")));
  const auto sources = data.find("sources");
  if (search.query().empty() || sources == data.end() || !sources->is_array()) return std::nullopt;
  for (const Json& source : *sources) {
    if (search.sources_size() == kMaxSources) break;
    if (!source.is_object() || !toolgate::http::HasHttpScheme(TextAt(source, "url"))) continue;
    v1::WebSource& row = *search.add_sources();
    row.set_title(std::string(TextAt(source, "title")));
    row.set_url(std::string(TextAt(source, "url")));
    row.set_snippet(std::string(TextAt(source, "snippet")));
  }
  return search;
}

std::optional<ResultEvent> EventOfData(executors::ResultEvent event, std::string_view data_json) {
  const absl::StatusOr<Json> data = ParseJson(data_json, kDataLimits);
  if (!data.ok() || !data->is_object()) return std::nullopt;
  switch (event) {
    case executors::ResultEvent::kArtifactComplete:
      return ArtifactOf(*data);
    case executors::ResultEvent::kImageComplete:
      return ImageOf(*data);
    case executors::ResultEvent::kWebSearch:
      return SearchOf(*data);
    case executors::ResultEvent::kNone:
      break;
  }
  return std::nullopt;
}

}  // namespace

std::optional<ResultEvent> EventOf(const ToolDefinition& definition, const security::ToolResult& result) {
  if (definition.result_event == executors::ResultEvent::kNone) return std::nullopt;
  if (result.confirmation.has_value() || !result.success || result.dry_run || result.truncated) return std::nullopt;
  return EventOfData(definition.result_event, result.data_json);
}

std::optional<ResultEvent> EventOf(const ToolDefinition& definition, const v1::ToolResult& result) {
  if (definition.result_event == executors::ResultEvent::kNone) return std::nullopt;
  if (!result.success() || result.dry_run() || result.truncated()) return std::nullopt;
  return EventOfData(definition.result_event, result.data_json());
}

v1::ToolCallStart ToolCallStartOf(const ToolDefinition& definition, std::string_view tool_call_id,
                                  std::string arguments_json, bool cut) {
  v1::ToolCallStart out;
  out.set_tool_name(definition.id);
  out.set_arguments_json(std::move(arguments_json));
  out.set_tool_call_id(std::string(tool_call_id));
  out.set_arguments_truncated(cut);
  return out;
}

v1::ToolCallResult ToolCallResultOf(const ToolDefinition& definition, std::string_view tool_call_id,
                                    const v1::ToolResult& result) {
  v1::ToolCallResult out;
  out.set_tool_name(definition.id);
  out.set_success(result.success());
  out.set_latency_ms(absl::ToInt64Milliseconds(FromProtoDuration(result.duration())));
  out.set_tool_call_id(std::string(tool_call_id));
  if (result.has_error()) *out.mutable_error() = result.error();
  out.set_replayed(result.replayed());
  out.set_replay_of_another_request(result.replay_of_another_request());
  return out;
}

}  // namespace toolgate::services::rendering
