// The one interface of everything that stands around a tool call.
#ifndef TOOLGATE_SECURITY_LAYER_H_
#define TOOLGATE_SECURITY_LAYER_H_

#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "security/tool_call.h"

namespace toolgate::security {

using Next = absl::FunctionRef<absl::StatusOr<ToolResult>(ToolCall&)>;

// One protection around every tool call. Only `next` makes a good result, so a layer cannot let a call fall through by
// accident. Shared by all threads: implementations are thread-safe.
class Layer {
 public:
  virtual ~Layer() = default;

  // In metrics, audit and logs: snake_case, for example "injection_defence".
  virtual std::string_view name() const = 0;

  // Answers an error (a ToolError status), so that nothing further in runs, or what `next` answers, perhaps changed.
  virtual absl::StatusOr<ToolResult> Run(ToolCall& call, Next next) = 0;
};

}  // namespace toolgate::security

#endif  // TOOLGATE_SECURITY_LAYER_H_
