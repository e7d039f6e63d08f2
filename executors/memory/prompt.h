#ifndef TOOLGATE_EXECUTORS_MEMORY_PROMPT_H_
#define TOOLGATE_EXECUTORS_MEMORY_PROMPT_H_

#include <optional>
#include <string>

#include "executors/memory/instruction.h"

namespace toolgate::executors::memory {

// System prompt for the model: the core instruction unchanged, then the memory and the notes on the database, each
// under its heading. Nothing if the core instruction is blank. The switch of the memory tools makes no difference:
// turning the tools off does not delete the memory.
std::optional<std::string> BuildPrompt(const Instruction& instruction);

}  // namespace toolgate::executors::memory

#endif  // TOOLGATE_EXECUTORS_MEMORY_PROMPT_H_
