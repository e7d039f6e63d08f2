#include "security/execution_tracking/result_cap.h"

#include <utility>

#include "common/json.h"
#include "common/text/json_prefix.h"
#include "executors/continuation.h"

namespace toolgate::security::execution_tracking {
namespace {

std::string Frame(std::string_view head, size_t total_bytes, std::string_view continuation) {
  Json frame = Json::object();
  frame["truncated"] = true;
  frame["totalBytes"] = total_bytes;
  frame["head"] = head;
  if (!continuation.empty()) frame["continuation"] = continuation;
  return DumpJson(frame);
}

std::string ContinuationAt(std::string_view kept_id, size_t offset) {
  if (kept_id.empty()) return "";
  return executors::Continuation{std::string(kept_id), static_cast<int64_t>(offset)}.ToText();
}

// Frames as much of the beginning of `data` as there is room for; the whole text has `total_bytes`.
void FrameHead(std::string_view data, size_t total_bytes, size_t max_bytes, std::string_view kept_id,
               ToolResult& result) {
  // Of all places, the end has the longest name.
  const size_t frame_bytes = Frame("", total_bytes, ContinuationAt(kept_id, total_bytes)).size();
  const size_t head = text::JsonPrefix(data, max_bytes > frame_bytes ? max_bytes - frame_bytes : 0);
  result.continuation = ContinuationAt(kept_id, head);
  result.data_json = Frame(data.substr(0, head), total_bytes, result.continuation);
  result.truncated = true;
}

}  // namespace

void ResultCap::CutTo(size_t max_bytes, std::string_view kept_id, ToolResult& result) {
  const std::string whole = std::move(result.data_json);
  FrameHead(whole, whole.size(), max_bytes, kept_id, result);
}

void ResultCap::CutFurtherTo(size_t max_bytes, ToolResult& result) {
  const Json frame = Json::parse(result.data_json);  // Our own.
  const auto place = executors::Continuation::Parse(result.continuation);
  FrameHead(frame["head"].get_ref<const std::string&>(), frame["totalBytes"].get<size_t>(), max_bytes,
            place.has_value() ? place->id : "", result);
}

}  // namespace toolgate::security::execution_tracking
