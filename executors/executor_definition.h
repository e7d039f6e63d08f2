// The part of a tool's definition that says what runs it.
#ifndef TOOLGATE_EXECUTORS_EXECUTOR_DEFINITION_H_
#define TOOLGATE_EXECUTORS_EXECUTOR_DEFINITION_H_

#include <string_view>

#include "executors/member_reader.h"
#include "executors/tool_definition.h"

namespace toolgate::executors {

// Reads the member "executor" in any of its shapes, see docs/tool-definition.md. Does not check whether this build can
// run it: Catalog::Create does.
void ReadExecutor(std::string_view path, MemberReader& reader, ToolDefinition& definition);

// Checks that the executor and the annotations agree. Called after both were read.
void CheckExecutor(MemberReader& reader, const ToolDefinition& definition);

}  // namespace toolgate::executors

#endif  // TOOLGATE_EXECUTORS_EXECUTOR_DEFINITION_H_
