// Tools behind RPCs of their own, so that these RPCs also pass every layer. Clients cannot name these tools.
#ifndef TOOLGATE_EXECUTORS_INTERNAL_TOOL_H_
#define TOOLGATE_EXECUTORS_INTERNAL_TOOL_H_

#include <string_view>

namespace toolgate::executors {

enum class InternalTool { kUndo, kReadResult, kUpdateInstruction };

// The id in its definition.
constexpr std::string_view IdOf(InternalTool tool) {
  switch (tool) {
    case InternalTool::kUndo:
      return "undo";
    case InternalTool::kReadResult:
      return "read_result";
    case InternalTool::kUpdateInstruction:
      return "update_instruction";
  }
  return "";
}

}  // namespace toolgate::executors

#endif  // TOOLGATE_EXECUTORS_INTERNAL_TOOL_H_
