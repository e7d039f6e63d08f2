// The part of a tool's definition that says what runs it.
#ifndef TOOLGATE_EXECUTORS_EXECUTOR_DEFINITION_H_
#define TOOLGATE_EXECUTORS_EXECUTOR_DEFINITION_H_

#include <string_view>

#include "executors/member_reader.h"
#include "executors/tool_definition.h"

namespace toolgate::executors {

// Reads the member "executor" in any of its shapes, see docs/tool-definition.md. Whether this build can run what it
// names is not asked here: Catalog::Create asks.
void ReadExecutor(std::string_view path, MemberReader& reader, ToolDefinition& definition);

// What the executor and the annotations must agree on. After both were read.
void CheckExecutor(MemberReader& reader, const ToolDefinition& definition);

}  // namespace toolgate::executors

#endif  // TOOLGATE_EXECUTORS_EXECUTOR_DEFINITION_H_
