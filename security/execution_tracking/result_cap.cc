#include "security/execution_tracking/result_cap.h"

#include "common/json.h"
#include "common/json_prefix.h"
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

}  // namespace

void ResultCap::Cut(ToolResult& result, std::string_view kept_id) const {
  const std::string_view data = result.data_json;
  // No later place has a longer name than the end.
  const size_t frame_bytes = Frame("", data.size(), ContinuationAt(kept_id, data.size())).size();
  const size_t head = JsonPrefix(data, max_bytes_ > frame_bytes ? max_bytes_ - frame_bytes : 0);
  result.continuation = ContinuationAt(kept_id, head);
  result.data_json = Frame(data.substr(0, head), data.size(), result.continuation);
  result.truncated = true;
}

}  // namespace toolgate::security::execution_tracking
