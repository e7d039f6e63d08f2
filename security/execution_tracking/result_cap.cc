#include "security/execution_tracking/result_cap.h"

#include <utility>

#include "common/json.h"

namespace toolgate::security::execution_tracking {
namespace {

struct Character {
  size_t bytes;          // In the text.
  size_t escaped_bytes;  // Inside a JSON string, at most.
};

Character CharacterAt(std::string_view text, size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  if (lead < 0x20) return {1, 6};
  if (lead < 0x80) return {1, lead == '"' || lead == '\\' ? size_t{2} : size_t{1}};
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  size_t end = at + 1;
  while (end < text.size() && end < at + length && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
  // An ill-formed byte becomes U+FFFD, of three bytes.
  return end - at == length && length > 1 ? Character{length, length} : Character{1, 3};
}

std::string Frame(std::string_view head, size_t total_bytes, std::string_view continuation) {
  Json frame = Json::object();
  frame["truncated"] = true;
  frame["totalBytes"] = total_bytes;
  frame["head"] = head;
  if (!continuation.empty()) frame["continuation"] = continuation;
  return DumpJson(frame);
}

}  // namespace

std::string CutResult(std::string_view data_json, size_t max_bytes, std::string_view continuation) {
  const size_t frame_bytes = Frame("", data_json.size(), continuation).size();
  size_t room = max_bytes > frame_bytes ? max_bytes - frame_bytes : 0;
  size_t end = 0;
  while (end < data_json.size()) {
    const Character next = CharacterAt(data_json, end);
    if (next.escaped_bytes > room) break;
    room -= next.escaped_bytes;
    end += next.bytes;
  }
  return Frame(data_json.substr(0, end), data_json.size(), continuation);
}

void ResultCap::Apply(const ToolCall& call, ToolResult& result) const {
  if (result.data_json.size() <= max_bytes_) return;
  std::string continuation;
  if (keeper_ != nullptr) {
    absl::StatusOr<std::string> token = keeper_->Keep(call, result.data_json);
    if (token.ok() && token->size() <= kMaxContinuationBytes) continuation = *std::move(token);
  }
  result.data_json = CutResult(result.data_json, max_bytes_, continuation);
  result.truncated = true;
}

}  // namespace toolgate::security::execution_tracking
