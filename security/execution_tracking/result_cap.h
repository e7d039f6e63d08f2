// Bounds the size of a result.
#ifndef TOOLGATE_SECURITY_EXECUTION_TRACKING_RESULT_CAP_H_
#define TOOLGATE_SECURITY_EXECUTION_TRACKING_RESULT_CAP_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "security/tool_call.h"

namespace toolgate::security::execution_tracking {

// The smallest bound that leaves room for the frame and some text.
inline constexpr size_t kMinResultBytes = 1024;

// Bounds what tools answer. The execute step applies it before anything is stored, so that a repeat is answered what
// the first call was. Immutable, hence thread-safe.
class ResultCap {
 public:
  // `max_bytes` is kMinResultBytes or more.
  explicit ResultCap(size_t max_bytes) : max_bytes_(max_bytes) {}

  size_t max_bytes() const { return max_bytes_; }
  bool Exceeds(const ToolResult& result) const { return result.data_json.size() > max_bytes_; }

  // Puts in place of data that exceeds the bound
  //   {"truncated":true,"totalBytes":N,"head":"…","continuation":"…"}
  // which is valid JSON within it, and marks the result as truncated. The head is the first part of the data's JSON
  // text, as a string, cut between two characters. The last member, and the result's own `continuation`, say where the
  // rest begins (executors/continuation.h) in what was kept under `kept_id`; empty: nothing was, and there is neither.
  void Cut(ToolResult& result, std::string_view kept_id) const { CutTo(max_bytes_, kept_id, result); }
  // The same with another bound. Where that leaves no room for text, the frame is there all the same.
  static void CutTo(size_t max_bytes, std::string_view kept_id, ToolResult& result);
  // Makes the head of a result that was cut shorter. Its rest then begins earlier in what was kept, if anything was.
  static void CutFurtherTo(size_t max_bytes, ToolResult& result);

 private:
  const size_t max_bytes_;
};

}  // namespace toolgate::security::execution_tracking

#endif  // TOOLGATE_SECURITY_EXECUTION_TRACKING_RESULT_CAP_H_
