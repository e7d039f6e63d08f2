// Bounds the size of a result.
#ifndef TOOLGATE_SECURITY_EXECUTION_TRACKING_RESULT_CAP_H_
#define TOOLGATE_SECURITY_EXECUTION_TRACKING_RESULT_CAP_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "security/tool_call.h"

namespace toolgate::security::execution_tracking {

// Keeps what was too long to answer, so that it can be fetched in parts. This is the seam for continuation: whoever
// implements it also offers the way to read the parts, bound to the same workspace and user. Thread-safe.
class ResultKeeper {
 public:
  virtual ~ResultKeeper() = default;

  // Takes the whole result and answers a token under which it can be asked for, of at most kMaxContinuationBytes
  // printable ASCII characters. A failure leaves the result cut without a way to get the rest. Called where the tool
  // runs, which may be inside of a transaction: it must not use the store, and may be called again when that runs
  // twice.
  virtual absl::StatusOr<std::string> Keep(const ToolCall& call, std::string_view data_json) = 0;
};
inline constexpr size_t kMaxContinuationBytes = 128;

// The smallest bound that leaves room for the frame and some text.
inline constexpr size_t kMinResultBytes = 1024;

// What stands for a result of more than `max_bytes` (kMinResultBytes or more):
//   {"truncated":true,"totalBytes":N,"head":"…","continuation":"…"}
// Valid JSON of at most `max_bytes`. The head is the first part of the result's JSON text, as a string, cut between two
// characters. The last member is there only when `continuation` is not empty.
std::string CutResult(std::string_view data_json, size_t max_bytes, std::string_view continuation);

// Bounds what tools answer. The execute step applies it before anything is stored, so that a repeat is answered what
// the first call was. Immutable, hence thread-safe.
class ResultCap {
 public:
  // `max_bytes` is kMinResultBytes or more. Borrows `keeper`, which may be null: then what is cut off is gone.
  explicit ResultCap(size_t max_bytes, ResultKeeper* keeper = nullptr) : max_bytes_(max_bytes), keeper_(keeper) {}

  // Cuts the result's data when it is too long, and marks the result as truncated.
  void Apply(const ToolCall& call, ToolResult& result) const;

 private:
  const size_t max_bytes_;
  ResultKeeper* const keeper_;
};

}  // namespace toolgate::security::execution_tracking

#endif  // TOOLGATE_SECURITY_EXECUTION_TRACKING_RESULT_CAP_H_
