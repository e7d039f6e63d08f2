// Limits the size of a result.
#ifndef TOOLGATE_SECURITY_EXECUTION_TRACKING_RESULT_CAP_H_
#define TOOLGATE_SECURITY_EXECUTION_TRACKING_RESULT_CAP_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "security/tool_call.h"

namespace toolgate::security::execution_tracking {

// The smallest limit that leaves room for the frame and some text.
inline constexpr size_t kMinResultBytes = 1024;

// Limits the size of tools' results. The execute step applies it before anything is stored, so that a repeated call
// gets the same answer as the first. Immutable, hence thread-safe.
class ResultCap {
 public:
  // `max_bytes` is kMinResultBytes or more.
  explicit ResultCap(size_t max_bytes) : max_bytes_(max_bytes) {}

  size_t max_bytes() const { return max_bytes_; }
  bool Exceeds(const ToolResult& result) const { return result.data_json.size() > max_bytes_; }

  // Replaces data that exceeds the limit by
  //   {"truncated":true,"totalBytes":N,"head":"…","continuation":"…"}
  // which is valid JSON within the limit, and marks the result as truncated. The head is the first part of the data's
  // JSON text, as a string, cut between two characters. The last member, and the result's own `continuation`, give the
  // position of the rest (executors/continuation.h) in the result kept under `kept_id`. If that is empty, nothing was
  // kept, and both are absent.
  void Cut(ToolResult& result, std::string_view kept_id) const { CutTo(max_bytes_, kept_id, result); }
  // The same with another limit. If it leaves no room for text, the result is the frame alone.
  static void CutTo(size_t max_bytes, std::string_view kept_id, ToolResult& result);
  // Shortens the head of a result that was cut before. Its rest then begins earlier in the kept result, if there is
  // one.
  static void CutFurtherTo(size_t max_bytes, ToolResult& result);

 private:
  const size_t max_bytes_;
};

}  // namespace toolgate::security::execution_tracking

#endif  // TOOLGATE_SECURITY_EXECUTION_TRACKING_RESULT_CAP_H_
