#ifndef TOOLGATE_EXECUTORS_MEMORY_PROMPT_H_
#define TOOLGATE_EXECUTORS_MEMORY_PROMPT_H_

#include <optional>
#include <string>

#include "executors/memory/instruction.h"

namespace toolgate::executors::memory {

// The text that goes to the model in front of a conversation: the core instruction as it is, then the memory, then the
// notes on the database, each under its heading. Nothing when the core instruction is blank. What the switch says makes
// no difference: it decides about tools, and what is remembered stays true.
std::optional<std::string> BuildPrompt(const Instruction& instruction);

}  // namespace toolgate::executors::memory

#endif  // TOOLGATE_EXECUTORS_MEMORY_PROMPT_H_
