// The interface of everything that surrounds a tool call.
#ifndef TOOLGATE_SECURITY_LAYER_H_
#define TOOLGATE_SECURITY_LAYER_H_

#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "security/tool_call.h"

namespace toolgate::security {

using Next = absl::FunctionRef<absl::StatusOr<ToolResult>(ToolCall&)>;

// One protection around every tool call. Only `next` can make a successful result, so a layer cannot let a call pass by
// accident. Shared by all threads: implementations are thread-safe.
class Layer {
 public:
  virtual ~Layer() = default;

  // Name for metrics, audit and logs: snake_case, for example "injection_defence".
  virtual std::string_view name() const = 0;

  // Returns an error (a ToolError status), so that nothing further in runs, or the result of `next`, perhaps changed.
  virtual absl::StatusOr<ToolResult> Run(ToolCall& call, Next next) = 0;
};

}  // namespace toolgate::security

#endif  // TOOLGATE_SECURITY_LAYER_H_
